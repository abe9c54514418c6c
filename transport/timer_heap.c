#include "transport/timer_heap.h"

#include "base/check.h"
#include "base/memory.h"

/* t->slot is its place in the heap plus one; 0 is idle. */

static bool before(const gxds_timer *a, const gxds_timer *b) {
  return a->deadline != b->deadline ? a->deadline < b->deadline : a->order < b->order;
}

static void put(gxds_timer_heap *h, size_t at, gxds_timer *t) {
  h->items[at] = t;
  t->slot = at + 1;
}

static void sift_up(gxds_timer_heap *h, size_t at) {
  gxds_timer *t = h->items[at];
  while (at > 0) {
    size_t parent = (at - 1) / 2;
    if (!before(t, h->items[parent])) break;
    put(h, at, h->items[parent]);
    at = parent;
  }
  put(h, at, t);
}

static void sift_down(gxds_timer_heap *h, size_t at) {
  gxds_timer *t = h->items[at];
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= h->count) break;
    if (child + 1 < h->count && before(h->items[child + 1], h->items[child])) child++;
    if (!before(h->items[child], t)) break;
    put(h, at, h->items[child]);
    at = child;
  }
  put(h, at, t);
}

/* The slot alone does not tell: after gxds_timer_heap_clear() it is stale. */
static bool is_set(const gxds_timer_heap *h, const gxds_timer *t) {
  return t->slot > 0 && t->slot <= h->count && h->items[t->slot - 1] == t;
}

void gxds_timer_heap_fini(gxds_timer_heap *h) {
  gxds_free(h->items);
  *h = (gxds_timer_heap){.next_order = h->next_order};
}

void gxds_timer_heap_clear(gxds_timer_heap *h) { h->count = 0; }

void gxds_timer_heap_cancel(gxds_timer_heap *h, gxds_timer *t) {
  if (is_set(h, t)) {
    size_t at = t->slot - 1;
    gxds_timer *last = h->items[--h->count];
    if (last != t) {
      put(h, at, last);
      sift_up(h, at);
      sift_down(h, last->slot - 1);
    }
  }
  t->slot = 0;
}

void gxds_timer_heap_set(gxds_timer_heap *h, gxds_timer *t, gxds_time deadline,
                         void (*fire)(void *arg), void *arg) {
  bool unchanged = is_set(h, t) && t->deadline == deadline; /* keeps its place among equals */
  if (!unchanged) gxds_timer_heap_cancel(h, t);
  t->fire = fire;
  t->arg = arg;
  if (unchanged || deadline == GXDS_TIME_NEVER) return;
  t->deadline = deadline;
  t->order = h->next_order++;
  if (h->count == h->capacity) {
    h->capacity = h->capacity ? 2 * h->capacity : 16;
    h->items = gxds_realloc(h->items, h->capacity, sizeof(gxds_timer *));
  }
  put(h, h->count, t);
  h->count++;
  sift_up(h, h->count - 1);
}

gxds_time gxds_timer_heap_deadline(const gxds_timer_heap *h) {
  return h->count ? h->items[0]->deadline : GXDS_TIME_NEVER;
}

void gxds_timer_heap_fire(gxds_timer_heap *h, gxds_time now) {
  /* One that was set by a timer of this round may be earlier than the rest of the round; it goes
   * first in the next one, so the round ends there. */
  uint64_t round = h->next_order;
  while (h->count > 0 && h->items[0]->deadline <= now && h->items[0]->order < round) {
    gxds_timer *t = h->items[0];
    gxds_timer_heap_cancel(h, t);
    t->fire(t->arg);
  }
}
