/* gxds_reactor: the one thread that owns every engine object.
 *
 * It waits outside gRPC, and a second thread (worker.h) polls when nobody else does. Where that
 * one cannot see the host's sockets (gxds_host_epoll()), it waits, and polls, inside
 * grpc_completion_queue_next(). It lives while somebody holds a use of it, holds a grpc_init, and
 * is stopped with the last use: it then ends its grpc_init itself and is joined by whoever comes
 * next (a start, a fork, the exit of the process), so that nobody waits in gxds_reactor_release().
 * It runs no policy work but what is done in there. Functions say from which thread they may be
 * called.
 *
 * Fork: before one the reactor leaves gRPC and waits, so that the host's own fork handlers find no
 * thread of ours inside; in the parent it goes on. One without a channel is on its way to its end,
 * which the fork waits for: then the child may find a host that was shut down. The child has no
 * reactor until somebody acquires it anew. What the child inherits (clients, streams, timers) never
 * hears anything again and may only be let go of: gxds_reactor_generation() tells it apart. */
#ifndef GRPC_XDS_TRANSPORT_REACTOR_H_
#define GRPC_XDS_TRANSPORT_REACTOR_H_

#include <grpc/grpc.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the reactor's thread if it does not run. Any thread. Each use is ended by one release,
 * which any thread may call, the reactor included; it does not wait. */
void gxds_reactor_acquire(void);
void gxds_reactor_release(void);
/* Another use, by one who has one. Takes no lock: also for work that a fork may be waiting for. */
void gxds_reactor_acquire_more(void);
/* Acquires a use if the reactor runs, and starts none. False: it does not run, so nobody has
 * anything on it (or this is the child of a fork). Any thread. */
bool gxds_reactor_acquire_running(void);

/* A channel that counts on the reactor was opened, or closed. Any thread. The generation that it
 * was opened in tells those of a parent's. */
unsigned gxds_reactor_channel_opened(void);
void gxds_reactor_channel_closed(unsigned opened_in);

/* Runs fn(arg) on the reactor, soon, in the order of posting. Any thread that holds a use (also
 * under a serializer); never blocks, never runs fn itself. fn may release that use. */
void gxds_reactor_post(void (*fn)(void *arg), void *arg);

/* From now on forks that begin are expected: it is not started while one is on. The first start
 * says so by itself, but that may be in the midst of a fork. Repeated calls are harmless. Any
 * thread. */
void gxds_reactor_expect_forks(void);

/* How often this process is the child of a fork. Any thread. */
unsigned gxds_reactor_generation(void);

/* On the reactor's thread only: */
bool gxds_reactor_is_current(void);
gxds_time gxds_reactor_now(void); /* when the event that is being handled was taken */
/* For calls, and for watches, whose tags are completions; not to be waited on. */
grpc_completion_queue *gxds_reactor_cq(void);

/* A completion: of a batch, or the tag of a watch on gxds_reactor_cq(). Hold a use of the reactor
 * until done is called, on the reactor. */
typedef struct gxds_completion {         /* private */
  grpc_completion_queue_functor functor; /* first: a completion queue may call it */
  void (*done)(struct gxds_completion *self, bool ok);
  unsigned generation; /* atomic; one from before a fork is dead */
  bool ok;
} gxds_completion;
gxds_completion gxds_completion_make(void (*done)(gxds_completion *self, bool ok));
/* Starts a batch on a call that is on gxds_reactor_cq(). */
void gxds_reactor_start_batch(grpc_call *call, const grpc_op *ops, size_t count,
                              gxds_completion *c);
/* Before each watch: returns c, the tag. */
gxds_completion *gxds_completion_expect(gxds_completion *c);

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
 * turn, or a long turn would make does-not-exist timers fire though the answer is queued. One that
 * is set to now fires at the end of this turn, or of the next when it is set by a timer. */
void gxds_timer_set(gxds_timer *t, gxds_time deadline, void (*fire)(void *arg), void *arg);
void gxds_timer_cancel(gxds_timer *t);

#ifdef __cplusplus
}
#endif

#endif
