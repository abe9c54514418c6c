/* gxds_drop_counters: sharded counters of drops, one per category, and one for drops without
 * category. Private to lrs/. Lives in its owner's struct; zero-initialised, it is empty.
 *
 * A category keeps its number for good. New categories get new blocks of counters, and blocks never
 * move, so counting needs no lock. */
#ifndef GRPC_XDS_LRS_DROP_COUNTERS_H_
#define GRPC_XDS_LRS_DROP_COUNTERS_H_

#include "base/str.h"
#include "lrs/counters.h"

/* Segment k has 2^k blocks. Categories beyond the limit are counted as uncategorized, so that a
 * control plane that renames its categories at every update does not make a client grow for ever.
 */
#define GXDS_DROP_SEGMENTS 7
#define GXDS_DROP_NUMBERS_MAX ((((size_t)1 << GXDS_DROP_SEGMENTS) - 1) * GXDS_COUNTERS_WIDTH)

/* The number for drops without category. */
#define GXDS_DROP_UNCATEGORIZED ((size_t)0)

typedef struct gxds_drop_name {
  gxds_str name;
  uint64_t reported; /* for the owner: how many drops were reported to the server */
} gxds_drop_name;

typedef struct gxds_drop_counters {
  _Atomic(gxds_counters *) segments[GXDS_DROP_SEGMENTS]; /* any thread */
  gxds_drop_name *names; /* under the owner's lock; [0] is for uncategorized drops; NULL before
                            gxds_drop_counters_open() */
  size_t count;          /* how many names there are */
  size_t capacity;
} gxds_drop_counters;

/* Makes number 0. Must be called before any add; may be called again. Under the owner's lock. */
void gxds_drop_counters_open(gxds_drop_counters *d);
void gxds_drop_counters_fini(gxds_drop_counters *d);
/* The number of a category, which is added if it is new. Under the owner's lock. */
size_t gxds_drop_counters_number(gxds_drop_counters *d, gxds_str category);
/* Counts one drop. number is 0, or comes from gxds_drop_counters_number(). Any thread, lock-free.
 */
void gxds_drop_counters_add(gxds_drop_counters *d, size_t number);
/* The number of drops so far. Any thread. */
uint64_t gxds_drop_counters_read(const gxds_drop_counters *d, size_t number);

#endif
