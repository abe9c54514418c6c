/* gxds_actions: what the owner of the client is to do, in order. Owns what its actions name until
 * the next pop. Confined. Also gxds_shared_status: one status told to many watchers. */
#ifndef GRPC_XDS_XDS_CLIENT_ACTIONS_H_
#define GRPC_XDS_XDS_CLIENT_ACTIONS_H_

#include "base/ref.h"
#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable, shared by count: an outage is told to every watcher, but is one text. */
typedef struct gxds_shared_status {
  gxds_ref refs;
  gxds_status status;
} gxds_shared_status;

/* take: its message is the new one's. One reference, the caller's. */
gxds_shared_status *gxds_shared_status_create(gxds_status take);
gxds_shared_status *gxds_shared_status_ref(gxds_shared_status *s);
void gxds_shared_status_unref(gxds_shared_status *s); /* NULL is allowed */
/* *slot = s, which is referenced (NULL is allowed); what was there is released. */
void gxds_shared_status_assign(gxds_shared_status **slot, gxds_shared_status *s);

/* A queue that was longer gives its memory back once it is drained: at the start of a channel it
 * may be as long as all that is watched. */
#define GXDS_ACTIONS_KEPT 256

typedef struct gxds_queued_action {
  gxds_action action;
  gxds_str bytes;            /* owned; action.bytes shows it, or name, version and bytes do */
  gxds_shared_status *error; /* one reference; action.status shows it */
} gxds_queued_action;

/* Zero-initialised is empty. */
typedef struct gxds_actions {
  gxds_queued_action *ring;
  size_t head;
  size_t count;
  size_t capacity;
  gxds_queued_action current; /* what was popped last */
} gxds_actions;

void gxds_actions_fini(gxds_actions *q);
/* Adds a. Its bytes become take_bytes, its status that of error (NULL: OK); the resource, the
 * rest and the error are referenced. */
void gxds_actions_push(gxds_actions *q, const gxds_action *a, gxds_str take_bytes,
                       gxds_shared_status *error);
/* The same with copies of a's name, version and bytes. */
void gxds_actions_push_copy(gxds_actions *q, const gxds_action *a);
/* Borrow: until the next pop. NULL: empty. */
const gxds_action *gxds_actions_pop(gxds_actions *q);

#ifdef __cplusplus
}
#endif

#endif
