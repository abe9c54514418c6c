/* gxds_reactor: the one thread that owns all engine objects.
 *
 * It waits inside gRPC, in grpc_completion_queue_next(), or outside, where it does not compete with
 * the program's calls (poll_policy.h). It runs policy work only inside that function. It runs as
 * long as it has a use, and holds a grpc_init during that time. After the last use it stops, and
 * ends its grpc_init itself. The next start, fork or process exit joins its thread, so
 * gxds_reactor_release() never waits. Each function says which thread may call it.
 *
 * Fork: before a fork the reactor leaves gRPC and waits, so that the host's own fork handlers find
 * none of our threads inside gRPC. In the parent it continues. A reactor without channels is about
 * to end, and the fork waits for that: then the host may be shut down before the fork. The child
 * has no reactor until one is acquired there. Clients, streams and timers that the child inherits
 * get no more events, and may only be released. gxds_reactor_generation() distinguishes them. */
#ifndef GRPC_XDS_TRANSPORT_REACTOR_H_
#define GRPC_XDS_TRANSPORT_REACTOR_H_

#include <grpc/grpc.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/deadlines.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a use, and starts the reactor's thread if it does not run. Any thread.
 * gxds_reactor_release() ends a use; any thread may call it, also the reactor, and it does not
 * wait. */
void gxds_reactor_acquire(void);
void gxds_reactor_release(void);
/* Acquires another use, for a caller who has one. It takes no lock, so it may be called by work
 * that a fork waits for. */
void gxds_reactor_acquire_more(void);
/* Acquires a use if the reactor runs, but never starts it. False if it does not run: then nobody
 * uses it, or this is the child of a fork. Any thread. */
bool gxds_reactor_acquire_running(void);

/* Counts the channels that need the reactor. gxds_reactor_channel_opened() returns the generation,
 * which gxds_reactor_channel_closed() takes: the child of a fork uses it to tell its parent's
 * channels from its own. Any thread. */
unsigned gxds_reactor_channel_opened(void);
void gxds_reactor_channel_closed(unsigned opened_in);

/* Runs fn(arg) on the reactor soon, in the order of posting. Any thread that holds a use, also
 * under a serializer. It never blocks, and never runs fn from within the call. fn may release the
 * use. */
void gxds_reactor_post(void (*fn)(void *arg), void *arg);

/* Call it when an RPC begins. The reactor then leaves the host's sockets to the program's threads,
 * if it waits for them itself. Any thread; it takes no lock. */
void gxds_reactor_make_way(void);

/* Registers the handlers that keep the reactor from being started during a fork. The first start
 * registers them by itself, but it may happen in the middle of a fork. Repeated calls are harmless.
 * Any thread. */
void gxds_reactor_expect_forks(void);

/* The number of forks between the first process and this one. Any thread. */
unsigned gxds_reactor_generation(void);

/* On the reactor's thread only: */
bool gxds_reactor_is_current(void);
gxds_time gxds_reactor_now(void); /* the time at which the reactor took the event that it handles
                                     now */
/* The queue for calls and watches. Their tags are completions. No other thread may wait on it. */
grpc_completion_queue *gxds_reactor_cq(void);

/* The completion of a batch, or the tag of a watch on gxds_reactor_cq(). Hold a use of the reactor
 * until `done` is called, which happens on the reactor. */
typedef struct gxds_completion {         /* private */
  grpc_completion_queue_functor functor; /* first, because a completion queue may call it */
  void (*done)(struct gxds_completion *self, bool ok);
  unsigned generation; /* atomic; a completion from before a fork is ignored */
  bool ok;
} gxds_completion;
gxds_completion gxds_completion_make(void (*done)(gxds_completion *self, bool ok));
/* Starts a batch on a call whose queue is gxds_reactor_cq(). */
void gxds_reactor_start_batch(grpc_call *call, const grpc_op *ops, size_t count,
                              gxds_completion *c);
/* Call it before each watch. Returns c, which is the watch's tag. */
gxds_completion *gxds_completion_expect(gxds_completion *c);

/* A timer. Lives in the caller's struct; zero-initialised, it is idle. It must be idle when the
 * struct ends. */
typedef struct gxds_timer {
  gxds_deadline deadline; /* private; first, see timer_heap.c */
  void (*fire)(void *arg);
  void *arg;
} gxds_timer;
/* Sets or moves the timer; GXDS_TIME_NEVER cancels it. In a turn, completions that are ready run
 * before timers: otherwise, after a long turn, a does-not-exist timer would fire although the
 * response is queued. A timer that is set to now fires at the end of this turn, or of the next turn
 * if a timer set it. */
void gxds_timer_set(gxds_timer *t, gxds_time deadline, void (*fire)(void *arg), void *arg);
void gxds_timer_cancel(gxds_timer *t);

#ifdef __cplusplus
}
#endif

#endif
