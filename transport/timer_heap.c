#include "transport/timer_heap.h"

#include <assert.h>
#include <stddef.h>

static_assert(offsetof(gxds_timer, deadline) == 0, "see timer_of()");

static gxds_timer *timer_of(gxds_deadline *d) { return (gxds_timer *)d; }

/* The timer's slot alone is not enough, because it is out of date after gxds_timer_heap_clear(). */
static bool is_set(const gxds_timer_heap *h, const gxds_timer *t) {
  const gxds_deadlines *q = &h->deadlines;
  const size_t slot = t->deadline.slot;
  return slot > 0 && slot <= q->count && q->heap[slot].deadline == &t->deadline;
}

void gxds_timer_heap_fini(gxds_timer_heap *h) {
  const uint64_t next_order = h->deadlines.next_order;
  gxds_deadlines_fini(&h->deadlines);
  h->deadlines.next_order = next_order;
}

void gxds_timer_heap_clear(gxds_timer_heap *h) { h->deadlines.count = 0; }

void gxds_timer_heap_cancel(gxds_timer_heap *h, gxds_timer *t) {
  if (is_set(h, t)) gxds_deadlines_cancel(&h->deadlines, &t->deadline);
  t->deadline.slot = 0;
}

void gxds_timer_heap_set(gxds_timer_heap *h, gxds_timer *t, gxds_time deadline,
                         void (*fire)(void *arg), void *arg) {
  /* A timer that does not change keeps its place among timers with the same deadline. */
  const bool unchanged = is_set(h, t) && gxds_deadlines_at(&h->deadlines, &t->deadline) == deadline;
  if (!unchanged) gxds_timer_heap_cancel(h, t);
  t->fire = fire;
  t->arg = arg;
  if (unchanged || deadline == GXDS_TIME_NEVER) return;
  gxds_deadlines_set(&h->deadlines, &t->deadline, deadline);
}

gxds_time gxds_timer_heap_deadline(const gxds_timer_heap *h) {
  return gxds_deadlines_next(&h->deadlines);
}

void gxds_timer_heap_fire(gxds_timer_heap *h, gxds_time now) {
  /* A timer of this round may set another one that is earlier than the rest of the round. Then the
   * round ends, and that timer is the first of the next round. */
  const uint64_t round = h->deadlines.next_order;
  gxds_deadline *d;
  while ((d = gxds_deadlines_take_due(&h->deadlines, now, round)) != NULL) {
    gxds_timer *t = timer_of(d);
    t->fire(t->arg);
  }
}
