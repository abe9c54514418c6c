/* What a new state of the resources changes, and where in a subscription that matters: so that a
 * change costs what it changes, for each client, and not what the client subscribes to. Values;
 * confined. Private to tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_CHANGES_H_
#define GRPC_XDS_TOOLS_SERVE_CHANGES_H_

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A name that stands for another resource than before, or for none. */
typedef struct gxds_changed_name {
  gxds_str name; /* canonical (A47) */
  bool alias;    /* of the resource, or of the one before */
  bool gone;     /* no resource has that name any more */
} gxds_changed_name;

/* The names of one type that a new set changes. */
typedef struct gxds_set_changes {
  bool all;                 /* there was no set before: any name may be new */
  gxds_changed_name *items; /* a name may be in it twice */
  size_t count;
  bool any_gone; /* a name, or perhaps an alias, stands for nothing any more */
} gxds_set_changes;

/* old: the set before, which may be NULL. Both are borrowed as long as *c. The cost follows the
 * number of resources. */
void gxds_set_changes_init(gxds_set_changes *c, const gxds_file_set *old, const gxds_file_set *set,
                           gxds_file_type type);
void gxds_set_changes_fini(gxds_set_changes *c);

/* Whether that is the only spelling of the name, so that it can be found among changed names. */
bool gxds_name_is_canonical(gxds_file_type type, gxds_str name);

/* The entries of a subscription in which something may be due: all, or those from first to before
 * end that have their `look` set. Of the others it is known that nothing is due. */
typedef struct gxds_due {
  bool all; /* also what has no entry yet, because it comes with "*" */
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
