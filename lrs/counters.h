/* gxds_counters: eight counters that many threads add to without sharing a cache line. Private to
 * lrs/. Lives in its owner's struct, zero-initialised is all zero.
 *
 * Each thread adds to one of several lines, which is allocated when that thread first adds: what is
 * never counted costs a table of pointers, so a hundred thousand idle clusters cost no lines.
 * Adding: any thread, lock-free. Reading: any thread; every add that happened before is seen.
 * Both are sequentially consistent. */
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

/* No thread may be adding. */
void gxds_counters_fini(gxds_counters *c);
/* The calling thread's line, made when there is none. */
gxds_counters_line *gxds_counters_line_of_thread(gxds_counters *c);
/* Adds one to the counter number index (< GXDS_COUNTERS_WIDTH) of a line. Who reads the sum sees
 * what the adding thread saw. */
static inline void gxds_counters_line_add(gxds_counters_line *line, size_t index) {
  atomic_fetch_add(&line->values[index], 1);
}
/* The same to the calling thread's. */
static inline void gxds_counters_add(gxds_counters *c, size_t index) {
  gxds_counters_line_add(gxds_counters_line_of_thread(c), index);
}
/* The sum over all threads. Never less than an earlier read, unless it was taken. */
uint64_t gxds_counters_read(const gxds_counters *c, size_t index);
/* The same, and begins again at 0: what is added meanwhile is in this sum or in the next. */
uint64_t gxds_counters_take(gxds_counters *c, size_t index);

/* A counter may hold a double in place of a number of times: then these two are for it. */
void gxds_counters_add_double(gxds_counters *c, size_t index, double value);
double gxds_counters_take_double(gxds_counters *c, size_t index);

#endif
