#include "lrs/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* Assigns lines to threads in turn. If there are more threads than lines, threads share lines. No
 * count is lost then either. */
static unsigned next_shard(void) {
  static _Atomic unsigned next;
  return atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % GXDS_COUNTERS_SHARDS;
}

/* Not inlined, because every RPC adds to a counter, but only a thread's first add needs this
 * function. */
__attribute__((noinline)) static gxds_counters_line *make_line(
    _Atomic(gxds_counters_line *) *place) {
  gxds_counters_line *line = aligned_alloc(_Alignof(gxds_counters_line), sizeof *line);
  GXDS_CHECK(line != NULL);
  for (size_t i = 0; i < GXDS_COUNTERS_WIDTH; i++) atomic_init(&line->values[i], 0);
  gxds_counters_line *other = NULL;
  if (atomic_compare_exchange_strong(place, &other, line)) return line;
  free(line);
  return other;
}

void gxds_counters_fini(gxds_counters *c) {
  for (size_t i = 0; i < GXDS_COUNTERS_SHARDS; i++) {
    free(atomic_exchange_explicit(&c->lines[i], NULL, memory_order_acquire));
  }
}

gxds_counters_line *gxds_counters_line_of_thread(gxds_counters *c) {
  static _Thread_local unsigned shard = GXDS_COUNTERS_SHARDS; /* not chosen yet */
  if (shard == GXDS_COUNTERS_SHARDS) shard = next_shard();
  _Atomic(gxds_counters_line *) *place = &c->lines[shard];
  gxds_counters_line *line = atomic_load_explicit(place, memory_order_acquire);
  return line ? line : make_line(place);
}

uint64_t gxds_counters_read(const gxds_counters *c, size_t index) {
  uint64_t sum = 0;
  for (size_t i = 0; i < GXDS_COUNTERS_SHARDS; i++) {
    const gxds_counters_line *line = atomic_load(&c->lines[i]);
    if (line) sum += atomic_load(&line->values[index]);
  }
  return sum;
}

/* Returns the value of a counter in one line, and sets it to 0. */
static uint64_t take_from(gxds_counters *c, size_t shard, size_t index) {
  gxds_counters_line *line = atomic_load_explicit(&c->lines[shard], memory_order_acquire);
  return line ? atomic_exchange_explicit(&line->values[index], 0, memory_order_acq_rel) : 0;
}

uint64_t gxds_counters_take(gxds_counters *c, size_t index) {
  uint64_t sum = 0;
  for (size_t i = 0; i < GXDS_COUNTERS_SHARDS; i++) sum += take_from(c, i, index);
  return sum;
}

static double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

void gxds_counters_add_double(gxds_counters *c, size_t index, double value) {
  _Atomic uint64_t *place = &gxds_counters_line_of_thread(c)->values[index];
  uint64_t bits = atomic_load_explicit(place, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(place, &bits, bits_of(double_of(bits) + value),
                                                memory_order_release, memory_order_relaxed)) {
  }
}

double gxds_counters_take_double(gxds_counters *c, size_t index) {
  double sum = 0; /* a double whose bits are all 0, like a new counter */
  for (size_t i = 0; i < GXDS_COUNTERS_SHARDS; i++) sum += double_of(take_from(c, i, index));
  return sum;
}
