/* gxds_actions: what the owner of the client is to do, in order. Owns what its actions name until
 * the next pop. Confined. */
#ifndef GRPC_XDS_XDS_CLIENT_ACTIONS_H_
#define GRPC_XDS_XDS_CLIENT_ACTIONS_H_

#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A queue that was longer gives its memory back once it is drained: at the start of a channel it
 * may be as long as all that is watched. */
#define GXDS_ACTIONS_KEPT 256

typedef struct gxds_queued_action {
  gxds_action action;
  gxds_str bytes; /* owned; action.bytes shows it, or name, version and bytes do */
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
/* Adds a. Its bytes become take_bytes; the resource, the rest and the error are referenced. */
void gxds_actions_push(gxds_actions *q, const gxds_action *a, gxds_str take_bytes);
/* The same with copies of a's name, version and bytes. */
void gxds_actions_push_copy(gxds_actions *q, const gxds_action *a);
/* Borrowed: valid until the next pop. NULL: empty. */
const gxds_action *gxds_actions_pop(gxds_actions *q);

#ifdef __cplusplus
}
#endif

#endif
