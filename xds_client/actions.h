/* gxds_actions: the queue of actions for the owner of the client, in order. The queue owns
 * everything that a popped action points to, until the next pop. Confined. */
#ifndef GRPC_XDS_XDS_CLIENT_ACTIONS_H_
#define GRPC_XDS_XDS_CLIENT_ACTIONS_H_

#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Entries of the ring. A larger ring is freed once the queue is drained, because at the start of a
 * channel the queue may be as long as the list of all watched resources. */
#define GXDS_ACTIONS_KEPT 256

typedef struct gxds_queued_action {
  gxds_action action;
  gxds_str bytes; /* owned; action.bytes points into it, or action.name, version and bytes do */
} gxds_queued_action;

/* Zero-initialised, it is empty. */
typedef struct gxds_actions {
  gxds_queued_action *ring;
  size_t head;
  size_t count;
  size_t capacity;
  gxds_queued_action current; /* the action that was popped last */
} gxds_actions;

void gxds_actions_fini(gxds_actions *q);
/* Adds a copy of *a, with take_bytes as its bytes. Takes ownership of take_bytes, and takes its own
 * references to the resource, the rest and the error. */
void gxds_actions_push(gxds_actions *q, const gxds_action *a, gxds_str take_bytes);
/* Adds a copy of *a, with copies of its name, version and bytes. Takes its own references to the
 * resource, the rest and the error. */
void gxds_actions_push_copy(gxds_actions *q, const gxds_action *a);
/* Removes and returns the first action. Borrowed: valid until the next pop. NULL if the queue is
 * empty. */
const gxds_action *gxds_actions_pop(gxds_actions *q);

#ifdef __cplusplus
}
#endif

#endif
