/* gxds_deadlines: what is to happen when. A heap of deadlines that live in their owners' structs,
 * where they are small: few of them are set at a time. Equal times come in the order in which they
 * were set. Confined. */
#ifndef GRPC_XDS_XDS_CLIENT_DEADLINES_H_
#define GRPC_XDS_XDS_CLIENT_DEADLINES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_deadline {
  uint32_t kind : 4;  /* the owner's word for it */
  uint32_t slot : 28; /* 0: idle */
} gxds_deadline;

typedef struct gxds_deadline_slot {
  gxds_time at;
  uint64_t order;
  gxds_deadline *deadline;
} gxds_deadline_slot;

/* Zero-initialised is empty. */
typedef struct gxds_deadlines {
  gxds_deadline_slot *heap; /* 1-based */
  size_t count;
  size_t capacity;
  uint64_t next_order;
} gxds_deadlines;

static inline bool gxds_deadline_is_set(const gxds_deadline *d) { return d->slot != 0; }

/* Frees the heap; deadlines still in it are forgotten. */
void gxds_deadlines_fini(gxds_deadlines *q);
/* Sets or moves d, which must stay where it is until it is taken or cancelled. */
void gxds_deadlines_set(gxds_deadlines *q, gxds_deadline *d, gxds_time at);
/* An idle one is left alone. */
void gxds_deadlines_cancel(gxds_deadlines *q, gxds_deadline *d);
/* When one that is set comes. */
gxds_time gxds_deadlines_at(const gxds_deadlines *q, const gxds_deadline *d);
/* Removes and gives the first that is due; NULL: none is. */
gxds_deadline *gxds_deadlines_take_due(gxds_deadlines *q, gxds_time now);
/* The time of the first; GXDS_TIME_NEVER when empty. */
gxds_time gxds_deadlines_next(const gxds_deadlines *q);
/* Aborts if the heap is out of order. */
void gxds_deadlines_validate(const gxds_deadlines *q);

#ifdef __cplusplus
}
#endif

#endif
