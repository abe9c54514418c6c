#include "base/deadlines.h"

#include "base/check.h"
#include "base/memory.h"

/* A heap with more slots than this is freed when it becomes empty. */
#define KEPT 256
/* Far more deadlines than there can be watched resources or timers. */
#define DEADLINES_MAX ((size_t)1 << 28)

static bool before(const gxds_deadline_slot *a, const gxds_deadline_slot *b) {
  return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void place(gxds_deadlines *q, size_t slot, gxds_deadline_slot s) {
  q->heap[slot] = s;
  s.deadline->slot = (uint32_t)slot & (DEADLINES_MAX - 1);
}

static void rise(gxds_deadlines *q, size_t slot, gxds_deadline_slot s) {
  for (; slot > 1 && before(&s, &q->heap[slot / 2]); slot /= 2) place(q, slot, q->heap[slot / 2]);
  place(q, slot, s);
}

static void sink(gxds_deadlines *q, size_t slot, gxds_deadline_slot s) {
  for (;;) {
    size_t child = 2 * slot;
    if (child > q->count) break;
    if (child < q->count && before(&q->heap[child + 1], &q->heap[child])) child++;
    if (!before(&q->heap[child], &s)) break;
    place(q, slot, q->heap[child]);
    slot = child;
  }
  place(q, slot, s);
}

static void free_heap(gxds_deadlines *q) {
  gxds_free(q->heap);
  q->heap = NULL;
  q->capacity = 0;
}

void gxds_deadlines_fini(gxds_deadlines *q) {
  free_heap(q);
  *q = (gxds_deadlines){0};
}

void gxds_deadlines_set(gxds_deadlines *q, gxds_deadline *d, gxds_time at) {
  gxds_deadlines_cancel(q, d);
  GXDS_MAKE_ROOM(q->heap, q->count + 1, q->capacity, 16);
  GXDS_CHECK(q->count + 1 < DEADLINES_MAX);
  rise(q, ++q->count, (gxds_deadline_slot){at, q->next_order++, d});
}

void gxds_deadlines_cancel(gxds_deadlines *q, gxds_deadline *d) {
  if (!gxds_deadline_is_set(d)) return;
  size_t hole = d->slot;
  d->slot = 0;
  gxds_deadline_slot last = q->heap[q->count--];
  if (last.deadline != d) {
    if (hole > 1 && before(&last, &q->heap[hole / 2])) {
      rise(q, hole, last);
    } else {
      sink(q, hole, last);
    }
  }
  if (q->count == 0 && q->capacity > KEPT) free_heap(q);
}

gxds_time gxds_deadlines_at(const gxds_deadlines *q, const gxds_deadline *d) {
  return q->heap[d->slot].at;
}

gxds_deadline *gxds_deadlines_take_due(gxds_deadlines *q, gxds_time now, uint64_t round) {
  if (q->count == 0 || q->heap[1].at > now || q->heap[1].order >= round) return NULL;
  gxds_deadline *d = q->heap[1].deadline;
  gxds_deadlines_cancel(q, d);
  return d;
}

gxds_time gxds_deadlines_next(const gxds_deadlines *q) {
  return q->count ? q->heap[1].at : GXDS_TIME_NEVER;
}

void gxds_deadlines_validate(const gxds_deadlines *q) {
  for (size_t slot = 1; slot <= q->count; slot++) {
    GXDS_CHECK(q->heap[slot].deadline->slot == slot);
    GXDS_CHECK(slot == 1 || !before(&q->heap[slot], &q->heap[slot / 2]));
  }
}
