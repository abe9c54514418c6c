/* gxds_counters: eight counters that many threads add to without sharing a cache line. Private to
 * lrs/. Lives in its owner's struct; zero-initialised, all counters are 0.
 *
 * Each thread adds to one of several lines. A line is allocated when a thread first adds to it, so
 * counters that never count cost only a table of pointers, and a hundred thousand idle clusters
 * cost no lines. Adding: any thread, lock-free. Reading: any thread; a read sees every add that
 * happened before. Both are sequentially consistent. */
#ifndef GRPC_XDS_LRS_COUNTERS_H_
#define GRPC_XDS_LRS_COUNTERS_H_

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define GXDS_COUNTERS_SHARDS 16
#define GXDS_COUNTERS_WIDTH 8

typedef struct gxds_counters_line {
  _Alignas(64) _Atomic uint64_t values[GXDS_COUNTERS_WIDTH];
} gxds_counters_line;

typedef struct gxds_counters {
  _Atomic(gxds_counters_line *) lines[GXDS_COUNTERS_SHARDS];
} gxds_counters;

/* Frees the lines. No thread may be adding. */
void gxds_counters_fini(gxds_counters *c);
/* The calling thread's line, made if there is none. */
gxds_counters_line *gxds_counters_line_of_thread(gxds_counters *c);
/* Adds one to counter number index (< GXDS_COUNTERS_WIDTH) of a line. A thread that reads the sum
 * also sees everything that the adding thread saw. */
static inline void gxds_counters_line_add(gxds_counters_line *line, size_t index) {
  atomic_fetch_add(&line->values[index], 1);
}
/* Adds one to counter number index of the calling thread's line. */
static inline void gxds_counters_add(gxds_counters *c, size_t index) {
  gxds_counters_line_add(gxds_counters_line_of_thread(c), index);
}
/* The sum over all threads. Never less than an earlier read, unless gxds_counters_take() came
 * between. */
uint64_t gxds_counters_read(const gxds_counters *c, size_t index);
/* Returns the sum over all threads and sets it to 0. An add at the same time counts in this sum or
 * in the next. */
uint64_t gxds_counters_take(gxds_counters *c, size_t index);

/* A counter may hold a sum of doubles instead of a count. Only these two functions work on such a
 * counter. */
void gxds_counters_add_double(gxds_counters *c, size_t index, double value);
double gxds_counters_take_double(gxds_counters *c, size_t index);

#endif
