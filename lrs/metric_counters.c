#include "lrs/metric_counters.h"

#include <stdlib.h>

#include "base/memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { COUNT, SUM }; /* indexes into a gxds_counters */

enum { BUCKETS = 64 }; /* a power of two */

struct gxds_metric_table {
  gxds_metric_counter unnamed[GXDS_METRIC_NAMED]; /* the counters of metrics without names, by
                                                     metric */
  _Atomic uint32_t name_count;
  _Atomic(gxds_metric_counter *) buckets[BUCKETS]; /* the newest first */
};
typedef struct gxds_metric_table table;

static table *table_of(const gxds_metric_counters *m) {
  return atomic_load_explicit(&m->table, memory_order_acquire);
}

static table *open_table(gxds_metric_counters *m) {
  table *t = table_of(m);
  if (t) return t;
  table *made = GXDS_NEW(table);
  if (atomic_compare_exchange_strong_explicit(&m->table, &t, made, memory_order_acq_rel,
                                              memory_order_acquire)) {
    return made;
  }
  gxds_free(made);
  return t;
}

static void free_named(gxds_metric_counter *c) {
  gxds_counters_fini(&c->counters);
  gxds_str_free(&c->name);
  gxds_free(c);
}

void gxds_metric_counters_fini(gxds_metric_counters *m) {
  table *t = table_of(m);
  if (!t) return;
  for (size_t i = 0; i < GXDS_METRIC_NAMED; i++) gxds_counters_fini(&t->unnamed[i].counters);
  for (size_t i = 0; i < BUCKETS; i++) {
    gxds_metric_counter *c = atomic_load_explicit(&t->buckets[i], memory_order_acquire);
    while (c) {
      gxds_metric_counter *next = c->next;
      free_named(c);
      c = next;
    }
  }
  gxds_free(t);
}

static gxds_metric_counter *find(gxds_metric_counter *from, const gxds_metric_counter *end,
                                 gxds_str name) {
  while (from != end && !gxds_str_equal(from->name, name)) from = from->next;
  return from != end ? from : NULL;
}

/* Reserves a place for a name; false if none is left. Reserving first keeps the limit exact. */
static bool take_place(table *t) {
  uint32_t count = atomic_load_explicit(&t->name_count, memory_order_relaxed);
  do {
    if (count >= GXDS_METRIC_NAMES_MAX) return false;
  } while (!atomic_compare_exchange_weak_explicit(&t->name_count, &count, count + 1,
                                                  memory_order_relaxed, memory_order_relaxed));
  return true;
}

/* The counter of that name, made if it is new; NULL if there are too many names. New counters are
 * only added at the front. If another thread adds one first, this thread checks the new counters
 * and tries again. */
static gxds_metric_counter *named(table *t, gxds_str name) {
  _Atomic(gxds_metric_counter *) *bucket =
      &t->buckets[XXH3_64bits(name.data, name.size) & (BUCKETS - 1)];
  gxds_metric_counter *first = atomic_load_explicit(bucket, memory_order_acquire);
  gxds_metric_counter *found = find(first, NULL, name);
  if (found) return found;
  if (name.size > GXDS_METRIC_NAME_BYTES_MAX || !take_place(t)) return NULL;
  gxds_metric_counter *made = GXDS_NEW(gxds_metric_counter);
  made->name = gxds_str_dup(name);
  made->next = first;
  while (!atomic_compare_exchange_weak_explicit(bucket, &first, made, memory_order_acq_rel,
                                                memory_order_acquire)) {
    found = find(first, made->next, name);
    if (found) {
      atomic_fetch_sub_explicit(&t->name_count, 1, memory_order_relaxed);
      free_named(made);
      return found;
    }
    made->next = first;
  }
  return made;
}

void gxds_metric_counters_add(gxds_metric_counters *m, gxds_load_metric metric, gxds_str name,
                              double value) {
  table *t = open_table(m);
  gxds_metric_counter *c = metric == GXDS_METRIC_NAMED ? named(t, name) : &t->unnamed[metric];
  if (!c) return;
  /* The sum comes first, so that a report with an RPC's count also has its value. */
  gxds_counters_add_double(&c->counters, SUM, value);
  gxds_counters_add(&c->counters, COUNT);
}

/* Calls visit for each counter: first those without names, in order, then the named ones, in no
 * particular order. */
static void for_each(const gxds_metric_counters *m,
                     void (*visit)(gxds_load_metric metric, gxds_metric_counter *c, void *arg),
                     void *arg) {
  table *t = table_of(m);
  if (!t) return;
  for (size_t i = 0; i < GXDS_METRIC_NAMED; i++) visit((gxds_load_metric)i, &t->unnamed[i], arg);
  for (size_t i = 0; i < BUCKETS; i++) {
    gxds_metric_counter *c = atomic_load_explicit(&t->buckets[i], memory_order_acquire);
    for (; c; c = c->next) visit(GXDS_METRIC_NAMED, c, arg);
  }
}

/* arg is a size_t that counts the counters with something unreported. */
static void take(gxds_load_metric metric, gxds_metric_counter *c, void *arg) {
  (void)metric;
  c->unreported_count += gxds_counters_take(&c->counters, COUNT);
  c->unreported_sum += gxds_counters_take_double(&c->counters, SUM);
  if (c->unreported_count > 0) ++*(size_t *)arg;
}

/* arg points to the place for the next report. */
static void add_report(gxds_load_metric metric, gxds_metric_counter *c, void *arg) {
  if (c->unreported_count == 0) return;
  *(*(gxds_metric_report **)arg)++ =
      (gxds_metric_report){metric, c->name, c->unreported_count, c->unreported_sum, c};
}

gxds_metric_report *gxds_metric_counters_report(gxds_metric_counters *m, size_t *count) {
  *count = 0;
  for_each(m, take, count);
  if (*count == 0) return NULL;
  gxds_metric_report *out = gxds_calloc(*count, sizeof *out);
  /* Skips counters that were added in the meantime: nothing was taken out of them yet. */
  gxds_metric_report *next = out;
  for_each(m, add_report, &next);
  qsort(out, *count, sizeof *out, gxds_metric_report_compare);
  return out;
}

void gxds_metric_counter_reported(gxds_metric_counter *c) {
  c->unreported_count = 0;
  c->unreported_sum = 0;
}

static void forget(gxds_load_metric metric, gxds_metric_counter *c, void *arg) {
  take(metric, c, arg);
  gxds_metric_counter_reported(c);
}

void gxds_metric_counters_forget(gxds_metric_counters *m) {
  size_t count = 0;
  for_each(m, forget, &count);
}

/* arg is a bool: whether anything is unreported. */
static void look(gxds_load_metric metric, gxds_metric_counter *c, void *arg) {
  (void)metric;
  bool *any = arg;
  *any = *any || c->unreported_count > 0 || gxds_counters_read(&c->counters, COUNT) > 0;
}

bool gxds_metric_counters_any(const gxds_metric_counters *m) {
  bool any = false;
  for_each(m, look, &any);
  return any;
}
