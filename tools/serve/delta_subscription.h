/* gxds_delta_subscription: the subscription of one client of incremental xDS to one type, by names
 * or aliases, and the resources that the client has. Pure functions compare it with the current
 * resources to find those that are due. Lives in the caller's struct; confined. */
#ifndef GRPC_XDS_TOOLS_SERVE_DELTA_SUBSCRIPTION_H_
#define GRPC_XDS_TOOLS_SERVE_DELTA_SUBSCRIPTION_H_

#include "files/file_set.h"
#include "tools/serve/changes.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_delta_entry {
  gxds_str name;     /* owned */
  bool named;        /* subscribed to by name; false: it came with "*" */
  bool resend;       /* subscribed to or needed again, so it is sent even if the client has it */
  bool look;         /* the entry may be due: see gxds_due */
  bool sent;         /* the resource was sent on this stream */
  bool sent_removed; /* the client was sent this name as removed */
  bool has;          /* the client has a resource of that name, with this version: */
  uint64_t version;  /* 0: a version that this server did not make */
} gxds_delta_entry;

/* Zero-initialised, except for its type, it subscribes to nothing. */
typedef struct gxds_delta_subscription {
  gxds_file_type type;
  bool requested;            /* a request of the type has come */
  bool wildcard;             /* all resources are subscribed to */
  gxds_delta_entry *entries; /* sorted by name */
  size_t count;
  size_t held; /* how many entries have a resource that the client has */
  gxds_due due;
  bool odd_names;   /* some names are not canonical: any change may concern them */
  bool may_be_gone; /* a resource that the client has may not exist any more */
} gxds_delta_subscription;

/* A name in a request. */
typedef struct gxds_delta_name {
  gxds_str name;  /* borrowed, like the version */
  bool subscribe; /* false: the name is only among the initial versions */
  bool initial;   /* version is from initial_resource_versions */
  gxds_str version;
} gxds_delta_name;

void gxds_delta_subscription_fini(gxds_delta_subscription *s);

/* Takes a request: first the names that it subscribes to and its initial versions, then the names
 * that it unsubscribes from. Both lists are borrowed, may be in any order and have duplicates, and
 * are sorted in place. To unsubscribe from a name without a subscription is no error. "*", and a
 * first request that subscribes to nothing, subscribe to all resources. Adds the subscribed names,
 * new or again, to *added, and the unsubscribed names to *dropped. */
void gxds_delta_subscription_update(gxds_delta_subscription *s, gxds_delta_name *names,
                                    size_t count, gxds_str *unsubscribed, size_t unsubscribed_count,
                                    gxds_serve_event *added, gxds_serve_event *dropped);

/* Marks a name to be sent again even if it has not changed. False if the client does not have it.
 */
bool gxds_delta_subscription_resend(gxds_delta_subscription *s, gxds_str name);

/* Call it for a new set with these changes. True if a resource may be due. */
bool gxds_delta_subscription_on_changes(gxds_delta_subscription *s,
                                        const gxds_set_changes *changes);

typedef struct gxds_delta_response {
  const gxds_file_resource **resources; /* sorted by name; each a reference */
  size_t count;
  gxds_str *removed; /* the names as in the subscription; owned */
  size_t removed_count;
} gxds_delta_response;

void gxds_delta_response_fini(gxds_delta_response *r);

/* Bytes of resources after which a response ends, so that it fits a client's limit (by default 4
 * MiB). */
#define GXDS_DELTA_RESPONSE_BYTES ((size_t)3 << 20)

/* Makes the next response, which counts as sent; there may be more. It has resources that are new,
 * changed, or subscribed to again, and names that do not exist. with_removals: also names of
 * resources that the client has and that do not exist any more. False if nothing is due. */
bool gxds_delta_subscription_take(gxds_delta_subscription *s, const gxds_file_set *set,
                                  bool with_removals, gxds_delta_response *out);
/* Whether the client has a resource that does not exist any more. */
bool gxds_delta_subscription_removal_due(gxds_delta_subscription *s, const gxds_file_set *set);

/* Checks the invariant. set: the current one; NULL: none yet. */
void gxds_delta_subscription_validate(const gxds_delta_subscription *s, const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
