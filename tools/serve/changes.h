/* The changes from one set of resources to the next, and the entries of a subscription that they
 * concern. So the cost of an update, for each client, depends on the number of changed resources,
 * and not on the size of the subscription. Confined. Private to tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_CHANGES_H_
#define GRPC_XDS_TOOLS_SERVE_CHANGES_H_

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A name that now refers to another resource than before, or to none. */
typedef struct gxds_changed_name {
  gxds_str name; /* canonical (A47) */
  bool alias;    /* the name is an alias of the resource, or of the previous one */
  bool gone;     /* no resource has that name any more */
} gxds_changed_name;

/* The names of one type that a new set changes. */
typedef struct gxds_set_changes {
  bool all;                 /* there was no set before: any name may be new */
  gxds_changed_name *items; /* a name may occur twice */
  size_t count;
  bool any_gone; /* a name has no resource any more, or an alias may have none any more */
} gxds_set_changes;

/* Computes the changes from old, which may be NULL, to set. Both are borrowed as long as *c. The
 * cost is proportional to the number of resources. */
void gxds_set_changes_init(gxds_set_changes *c, const gxds_file_set *old, const gxds_file_set *set,
                           gxds_file_type type);
void gxds_set_changes_fini(gxds_set_changes *c);

/* Whether the name is in its canonical form (A47), so that it can be found among changed names. */
bool gxds_name_is_canonical(gxds_file_type type, gxds_str name);

/* The entries of a subscription that may be due: all, or those from first to before end with `look`
 * set. The other entries are not due. */
typedef struct gxds_due {
  bool all; /* also resources that have no entry yet, because they come with "*" */
  size_t first;
  size_t end;
} gxds_due;

static inline bool gxds_due_is_empty(const gxds_due *d) { return !d->all && d->first == d->end; }

static inline void gxds_due_add(gxds_due *d, size_t i) {
  const bool empty = d->first == d->end;
  if (empty || i < d->first) d->first = i;
  if (empty || i >= d->end) d->end = i + 1;
}

#ifdef __cplusplus
}
#endif

#endif
