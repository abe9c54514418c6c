/* Pickers whose picks always have the same result: the RPC fails, or it waits. */
#include "base/memory.h"
#include "host/policy_internal.h"

typedef struct status_picker {
  gxds_picker base;
  gxds_status status;
} status_picker;

static void status_destroy(gxds_picker *p) {
  status_picker *s = (status_picker *)p;
  gxds_status_fini(&s->status);
  gxds_free(s);
}

static void fail_pick(gxds_picker *p, const gxds_pick *call, gxds_picked *out) {
  (void)call;
  gxds_picked_fail(out, gxds_status_copy(&((status_picker *)p)->status));
}

static gxds_picker *status_create(const gxds_status *status, const gxds_picker_ops *ops) {
  status_picker *s = gxds_calloc(1, sizeof *s);
  gxds_picker_init(&s->base, ops);
  s->status = gxds_status_copy(status);
  return &s->base;
}

gxds_picker *gxds_picker_fail(const gxds_status *status) {
  static const gxds_picker_ops ops = {fail_pick, status_destroy};
  return status_create(status, &ops);
}

static void fail_pick_with_note(gxds_picker *p, const gxds_pick *call, gxds_picked *out) {
  fail_pick(p, call, out);
  out->has_note = true;
}

gxds_picker *gxds_picker_fail_with_note(const gxds_status *status) {
  static const gxds_picker_ops ops = {fail_pick_with_note, status_destroy};
  return status_create(status, &ops);
}

typedef struct queue_picker {
  gxds_picker base;
  gxds_poker *poker;
  bool exits_idle; /* atomic; the first pick changes it and makes the policy exit idle */
} queue_picker;

static void queue_destroy(gxds_picker *p) {
  queue_picker *q = (queue_picker *)p;
  gxds_poker_unref(q->poker);
  gxds_free(q);
}

static void queue_pick(gxds_picker *p, const gxds_pick *call, gxds_picked *out) {
  (void)call;
  queue_picker *q = (queue_picker *)p;
  if (!__atomic_exchange_n(&q->exits_idle, true, __ATOMIC_RELAXED)) gxds_poker_exit_idle(q->poker);
  gxds_picked_queue(out);
}

gxds_picker *gxds_picker_queue(gxds_poker *k) {
  static const gxds_picker_ops ops = {queue_pick, queue_destroy};
  queue_picker *q = gxds_calloc(1, sizeof *q);
  gxds_picker_init(&q->base, &ops);
  q->poker = gxds_poker_ref(k);
  return &q->base;
}
