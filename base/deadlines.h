/* gxds_deadlines: a heap of deadlines, earliest first. Reads no clock. Each deadline lives in its
 * owner's struct and is small there, because only a few of all deadlines are set at a time. Equal
 * times come due in the order in which they were set. Confined. */
#ifndef GRPC_XDS_BASE_DEADLINES_H_
#define GRPC_XDS_BASE_DEADLINES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_deadline {
  uint32_t kind : 4;  /* the owner's number for this deadline */
  uint32_t slot : 28; /* place in the heap; 0 means not set */
} gxds_deadline;

typedef struct gxds_deadline_slot {
  gxds_time at;
  uint64_t order;
  gxds_deadline *deadline;
} gxds_deadline_slot;

/* Zero-initialised, it is empty. */
typedef struct gxds_deadlines {
  gxds_deadline_slot *heap; /* 1-based */
  size_t count;
  size_t capacity;
  uint64_t next_order;
} gxds_deadlines;

static inline bool gxds_deadline_is_set(const gxds_deadline *d) { return d->slot != 0; }

/* Frees the heap. Deadlines that are still set never come due, and still count as set. */
void gxds_deadlines_fini(gxds_deadlines *q);
/* Sets d, or moves it if it is set. d must stay at its address until it is taken or cancelled. */
void gxds_deadlines_set(gxds_deadlines *q, gxds_deadline *d, gxds_time at);
/* Does nothing if d is not set. */
void gxds_deadlines_cancel(gxds_deadlines *q, gxds_deadline *d);
/* The time for which d is set. d must be set. */
gxds_time gxds_deadlines_at(const gxds_deadlines *q, const gxds_deadline *d);
/* Removes and returns the first deadline that is due; NULL if none is. Also returns NULL if the
 * first deadline was set after next_order had reached round: so a deadline that is set again and
 * again cannot keep the caller busy. With UINT64_MAX all deadlines are returned. */
gxds_deadline *gxds_deadlines_take_due(gxds_deadlines *q, gxds_time now, uint64_t round);
/* The time of the first deadline; GXDS_TIME_NEVER if none is set. */
gxds_time gxds_deadlines_next(const gxds_deadlines *q);
/* Aborts if the heap is out of order. */
void gxds_deadlines_validate(const gxds_deadlines *q);

#ifdef __cplusplus
}
#endif

#endif
