#include "xds_client/actions.h"

#include "base/memory.h"

static void release(gxds_queued_action *a) {
  gxds_resource_unref(a->action.resource);
  gxds_block_unref(a->action.rest);
  gxds_str_free(&a->bytes);
  gxds_error_unref(a->action.error);
  *a = (gxds_queued_action){0};
}

static void free_ring(gxds_actions *q) {
  gxds_free(q->ring);
  q->ring = NULL;
  q->head = q->capacity = 0;
}

void gxds_actions_fini(gxds_actions *q) {
  while (gxds_actions_pop(q)) {
  }
  free_ring(q);
}

static void grow(gxds_actions *q) {
  size_t capacity = q->capacity ? 2 * q->capacity : 16;
  gxds_queued_action *ring = gxds_calloc(capacity, sizeof *ring);
  for (size_t i = 0; i < q->count; i++) ring[i] = q->ring[(q->head + i) % q->capacity];
  gxds_free(q->ring);
  q->ring = ring;
  q->head = 0;
  q->capacity = capacity;
}

void gxds_actions_push(gxds_actions *q, const gxds_action *a, gxds_str take_bytes) {
  if (q->count == q->capacity) grow(q);
  gxds_queued_action *slot = &q->ring[(q->head + q->count++) % q->capacity];
  *slot = (gxds_queued_action){.action = *a, .bytes = take_bytes};
  slot->action.bytes = take_bytes;
  if (a->resource) gxds_resource_ref(a->resource);
  if (a->rest) gxds_block_ref(a->rest);
  if (a->error) gxds_error_ref(a->error);
}

void gxds_actions_push_copy(gxds_actions *q, const gxds_action *a) {
  gxds_text all = {0};
  gxds_text_add(&all, a->name);
  gxds_text_add(&all, a->version);
  gxds_text_add(&all, a->bytes);
  gxds_str owned = gxds_text_take(&all);
  gxds_actions_push(q, a, owned);
  gxds_action *queued = &q->ring[(q->head + q->count - 1) % q->capacity].action;
  queued->name = gxds_str_take(&owned, a->name.size);
  queued->version = gxds_str_take(&owned, a->version.size);
  queued->bytes = owned;
}

gxds_str gxds_action_message(const gxds_action *send) {
  gxds_text message = {0};
  gxds_text_add(&message, send->bytes);
  gxds_text_add(&message, gxds_block_str(send->rest));
  return gxds_text_take(&message);
}

const gxds_action *gxds_actions_pop(gxds_actions *q) {
  release(&q->current);
  if (q->count == 0) {
    if (q->capacity > GXDS_ACTIONS_KEPT) free_ring(q);
    return NULL;
  }
  q->current = q->ring[q->head];
  q->head = (q->head + 1) % q->capacity;
  q->count--;
  return &q->current.action;
}
