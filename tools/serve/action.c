#include "tools/serve/action.h"

#include "base/memory.h"

void gxds_serve_action_fini(gxds_serve_action *a) {
  gxds_str_free(&a->bytes);
  gxds_status_fini(&a->status);
  gxds_serve_event_fini(&a->event);
}

void gxds_serve_queue_fini(gxds_serve_queue *q) {
  for (size_t i = q->first; i < q->count; i++) gxds_serve_action_fini(&q->items[i]);
  gxds_free(q->items);
  *q = (gxds_serve_queue){0};
}

static gxds_serve_action *push(gxds_serve_queue *q, gxds_serve_action_kind kind, uint64_t stream) {
  GXDS_MAKE_ROOM(q->items, q->count, q->capacity, 16);
  gxds_serve_action *a = &q->items[q->count++];
  *a = (gxds_serve_action){.kind = kind, .stream = stream};
  return a;
}

void gxds_serve_queue_send(gxds_serve_queue *q, uint64_t stream, gxds_str take_bytes) {
  push(q, GXDS_SERVE_SEND, stream)->bytes = take_bytes;
}

void gxds_serve_queue_close(gxds_serve_queue *q, uint64_t stream, gxds_status take_status) {
  push(q, GXDS_SERVE_CLOSE, stream)->status = take_status;
}

void gxds_serve_queue_event(gxds_serve_queue *q, gxds_serve_event *take_event) {
  push(q, GXDS_SERVE_EVENT, 0)->event = *take_event;
  *take_event = (gxds_serve_event){0};
}

bool gxds_serve_queue_pop(gxds_serve_queue *q, gxds_serve_action *out) {
  if (q->first == q->count) {
    q->first = q->count = 0;
    return false;
  }
  *out = q->items[q->first++];
  return true;
}
