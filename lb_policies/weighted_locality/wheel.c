#include "lb_policies/weighted_locality/wheel.h"

#include <stdatomic.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"

/* 2^64 / φ, rounded to an odd number. */
#define GOLDEN_ANGLE UINT64_C(0x9e3779b97f4a7c15)

struct gxds_wheel {
  size_t count;
  unsigned guide_shift; /* a point's cell is point >> guide_shift */
  uint64_t *last;       /* the last point of each member's sector; increasing; the last value is
                           2^64 - 1 */
  uint32_t *guide;      /* for each cell, the member whose sector has the cell's first point; one
                           extra item at the end */
};

gxds_wheel *gxds_wheel_create(const uint32_t *weights, size_t count) {
  GXDS_CHECK(count >= 1 && count <= (size_t)1 << 31);
  gxds_wheel *w = GXDS_NEW(gxds_wheel);
  w->count = count;
  w->last = gxds_calloc(count, sizeof *w->last);
  uint64_t total = 0; /* at most 2^31 × 2^32 */
  for (size_t i = 0; i < count; i++) {
    GXDS_CHECK(weights[i] > 0);
    total += weights[i];
  }
  uint64_t sum = 0;
  for (size_t i = 0; i + 1 < count; i++) {
    sum += weights[i];
    w->last[i] = (uint64_t)(((unsigned __int128)sum << 64) / total) - 1;
  }
  w->last[count - 1] = UINT64_MAX;

  unsigned bits = 1;
  while ((size_t)1 << bits < 2 * count) bits++;
  w->guide_shift = 64 - bits;
  size_t cells = (size_t)1 << bits;
  w->guide = gxds_calloc(cells + 1, sizeof *w->guide);
  uint32_t member = 0;
  for (size_t cell = 0; cell < cells; cell++) {
    while (w->last[member] < (uint64_t)cell << w->guide_shift) member++;
    w->guide[cell] = member;
  }
  w->guide[cells] = (uint32_t)(count - 1);
  return w;
}

void gxds_wheel_destroy(gxds_wheel *w) {
  if (!w) return;
  gxds_free(w->last);
  gxds_free(w->guide);
  gxds_free(w);
}

size_t gxds_wheel_pick(const gxds_wheel *w, uint64_t turn) {
  uint64_t point = turn * GOLDEN_ANGLE;
  uint64_t cell = point >> w->guide_shift;
  return GXDS_LOWER_BOUND(i, w->guide[cell], w->guide[cell + 1], w->last[i] < point);
}

struct gxds_turns {
  gxds_ref refs;
  char before[64]; /* padding, so that nothing else is on the counter's cache line */
  _Atomic uint64_t next;
  char after[64];
};

gxds_turns *gxds_turns_create(uint64_t start) {
  gxds_turns *t = GXDS_NEW(gxds_turns);
  gxds_ref_init(&t->refs);
  atomic_init(&t->next, start);
  return t;
}

gxds_turns *gxds_turns_ref(gxds_turns *t) {
  gxds_ref_inc(&t->refs);
  return t;
}

void gxds_turns_unref(gxds_turns *t) {
  if (t && gxds_ref_dec(&t->refs)) gxds_free(t);
}

uint64_t gxds_turns_next(gxds_turns *t) {
  return atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
}
