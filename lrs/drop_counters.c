#include "lrs/drop_counters.h"

#include "base/check.h"
#include "base/memory.h"

typedef struct place {
  size_t segment;
  size_t block;
  size_t index;
} place;

static place place_of(size_t number) {
  size_t block = number / GXDS_COUNTERS_WIDTH;
  size_t segment = 0;
  while (((size_t)1 << (segment + 1)) - 1 <= block) segment++;
  GXDS_CHECK(segment < GXDS_DROP_SEGMENTS);
  return (place){segment, block - (((size_t)1 << segment) - 1), number % GXDS_COUNTERS_WIDTH};
}

/* Under the lock. */
static void append(gxds_drop_counters *d, gxds_str name) {
  GXDS_MAKE_ROOM(d->names, d->count, d->capacity, 4);
  place p = place_of(d->count);
  if (!atomic_load_explicit(&d->segments[p.segment], memory_order_relaxed)) {
    gxds_counters *segment = gxds_calloc((size_t)1 << p.segment, sizeof *segment);
    atomic_store_explicit(&d->segments[p.segment], segment, memory_order_release);
  }
  d->names[d->count++] = (gxds_drop_name){gxds_str_dup(name), 0};
}

void gxds_drop_counters_open(gxds_drop_counters *d) {
  if (d->count == 0) append(d, gxds_str_of(NULL, 0));
}

size_t gxds_drop_counters_number(gxds_drop_counters *d, gxds_str category) {
  gxds_drop_counters_open(d);
  for (size_t i = 1; i < d->count; i++) {
    if (gxds_str_equal(d->names[i].name, category)) return i;
  }
  if (d->count == GXDS_DROP_NUMBERS_MAX) return GXDS_DROP_UNCATEGORIZED;
  append(d, category);
  return d->count - 1;
}

void gxds_drop_counters_add(gxds_drop_counters *d, size_t number) {
  place p = place_of(number);
  gxds_counters *segment = atomic_load_explicit(&d->segments[p.segment], memory_order_acquire);
  GXDS_CHECK(segment != NULL);
  gxds_counters_add(&segment[p.block], p.index);
}

uint64_t gxds_drop_counters_read(const gxds_drop_counters *d, size_t number) {
  place p = place_of(number);
  const gxds_counters *segment =
      atomic_load_explicit(&d->segments[p.segment], memory_order_acquire);
  return segment ? gxds_counters_read(&segment[p.block], p.index) : 0;
}

void gxds_drop_counters_fini(gxds_drop_counters *d) {
  for (size_t k = 0; k < GXDS_DROP_SEGMENTS; k++) {
    gxds_counters *segment = atomic_load_explicit(&d->segments[k], memory_order_acquire);
    for (size_t i = 0; segment && i < (size_t)1 << k; i++) gxds_counters_fini(&segment[i]);
    gxds_free(segment);
    atomic_store_explicit(&d->segments[k], NULL, memory_order_relaxed);
  }
  for (size_t i = 0; i < d->count; i++) gxds_str_free(&d->names[i].name);
  gxds_free(d->names);
  d->names = NULL;
  d->count = d->capacity = 0;
}
