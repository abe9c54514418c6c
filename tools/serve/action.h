/* gxds_serve_queue: the actions of the protocol logic of `xds serve`: messages to send, streams to
 * end, events to emit. It owns the actions until they are popped. Confined. */
#ifndef GRPC_XDS_TOOLS_SERVE_ACTION_H_
#define GRPC_XDS_TOOLS_SERVE_ACTION_H_

#include "base/status.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_serve_action_kind {
  GXDS_SERVE_SEND,  /* stream, bytes: send them, then report on_sent */
  GXDS_SERVE_CLOSE, /* stream, status: end the call; it must report no more events */
  GXDS_SERVE_EVENT, /* event: for the operator */
} gxds_serve_action_kind;

typedef struct gxds_serve_action {
  gxds_serve_action_kind kind;
  uint64_t stream;
  gxds_str bytes; /* owned */
  gxds_status status;
  gxds_serve_event event;
} gxds_serve_action;

void gxds_serve_action_fini(gxds_serve_action *a);

typedef struct gxds_serve_queue {
  gxds_serve_action *items;
  size_t first;
  size_t count;
  size_t capacity;
} gxds_serve_queue;

void gxds_serve_queue_fini(gxds_serve_queue *q);
/* Each function adds one action, and takes ownership of its last argument. *take_event is empty
 * afterwards. */
void gxds_serve_queue_send(gxds_serve_queue *q, uint64_t stream, gxds_str take_bytes);
void gxds_serve_queue_close(gxds_serve_queue *q, uint64_t stream, gxds_status take_status);
void gxds_serve_queue_event(gxds_serve_queue *q, gxds_serve_event *take_event);
/* Takes the first action; false if there is none. The caller ends *out with
 * gxds_serve_action_fini(). */
bool gxds_serve_queue_pop(gxds_serve_queue *q, gxds_serve_action *out);

#ifdef __cplusplus
}
#endif

#endif
