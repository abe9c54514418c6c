/* gxds_reactor: the one thread that owns every engine object, in grpc_completion_queue_next().
 *
 * It lives while somebody holds a use of it, holds a grpc_init, and is stopped and joined with the
 * last use. It never runs policy work. Functions say from which thread they may be called. */
#ifndef GRPC_XDS_TRANSPORT_REACTOR_H_
#define GRPC_XDS_TRANSPORT_REACTOR_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grpc_completion_queue;

/* Starts the reactor's thread if it does not run. Any thread. Each use is ended by one release,
 * which any thread may call, the reactor included; it does not wait. */
void gxds_reactor_acquire(void);
void gxds_reactor_release(void);

/* Runs fn(arg) on the reactor, soon, in the order of posting. Any thread that holds a use (or runs
 * under a serializer); never blocks, never runs fn itself. */
void gxds_reactor_post(void (*fn)(void *arg), void *arg);

/* On the reactor's thread only: */
bool gxds_reactor_is_current(void);
gxds_time gxds_reactor_now(void); /* the time of this turn */
struct grpc_completion_queue *gxds_reactor_cq(void);

/* A completion: give its address as the tag of a batch on gxds_reactor_cq(). done is called on the
 * reactor. */
typedef struct gxds_completion {
  void (*done)(struct gxds_completion *self, bool ok);
} gxds_completion;

/* A timer. Lives in the caller's struct, zero-initialised is idle; it must be idle when that dies.
 */
typedef struct gxds_timer {
  gxds_time deadline; /* private */
  uint64_t order;
  size_t slot; /* 0: idle */
  void (*fire)(void *arg);
  void *arg;
} gxds_timer;
/* Sets or moves it. GXDS_TIME_NEVER cancels. Ready completions run before deadlines of the same
 * turn, or a long turn would make does-not-exist timers fire though the answer is queued. */
void gxds_timer_set(gxds_timer *t, gxds_time deadline, void (*fire)(void *arg), void *arg);
void gxds_timer_cancel(gxds_timer *t);

#ifdef __cplusplus
}
#endif

#endif
