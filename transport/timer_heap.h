/* gxds_timer_heap: the timers of the reactor, earliest first; equal deadlines in the order in which
 * they were set. Reads no clock.
 *
 * Confined to one thread; lives in the caller's struct; zero-initialised, it is empty. */
#ifndef GRPC_XDS_TRANSPORT_TIMER_HEAP_H_
#define GRPC_XDS_TRANSPORT_TIMER_HEAP_H_

#include "transport/reactor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_timer_heap {
  gxds_deadlines deadlines; /* private: the deadlines of the timers */
} gxds_timer_heap;

/* Frees the heap's memory. The timers in it never fire. */
void gxds_timer_heap_fini(gxds_timer_heap *h);
/* Empties the heap without touching the timers, which may not exist any more. */
void gxds_timer_heap_clear(gxds_timer_heap *h);
/* Like gxds_timer_set() and gxds_timer_cancel(). t is borrowed while it is set. After
 * gxds_timer_heap_clear() a timer counts as idle. */
void gxds_timer_heap_set(gxds_timer_heap *h, gxds_timer *t, gxds_time deadline,
                         void (*fire)(void *arg), void *arg);
void gxds_timer_heap_cancel(gxds_timer_heap *h, gxds_timer *t);
/* The earliest deadline; GXDS_TIME_NEVER if no timer is set. */
gxds_time gxds_timer_heap_deadline(const gxds_timer_heap *h);
/* Fires all timers that are due. Timers that these set wait for the next call, so that a timer that
 * sets itself again cannot keep the caller busy for ever. */
void gxds_timer_heap_fire(gxds_timer_heap *h, gxds_time now);

#ifdef __cplusplus
}
#endif

#endif
