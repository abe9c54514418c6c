/* gxds_waiter: how the reactor's thread waits for completions and is woken. One at a time waits in
 * a process.
 *
 * Usually on a semaphore: completions are called by whichever thread has them (host_batch.h; of
 * what has no batch, one of the host's, by a completion queue of the callback kind), and a worker
 * polls. Where there can be no worker, the thread waits, and polls, in
 * grpc_completion_queue_next(). */
#ifndef GRPC_XDS_TRANSPORT_WAITER_H_
#define GRPC_XDS_TRANSPORT_WAITER_H_

#include "transport/reactor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct timespec;
typedef struct gxds_waiter gxds_waiter;

/* woken: what gxds_waiter_wait() returns for a wake-up; borrowed: valid until the process ends. The
 * caller holds a grpc_init until gxds_waiter_destroy(), and nobody wakes meanwhile. */
gxds_waiter *gxds_waiter_create(gxds_completion *woken);
/* Nothing is outstanding on the queue; on the thread that waits, with no lock held. */
void gxds_waiter_destroy(gxds_waiter *w);
/* Ends the worker alone, when the process exits; as gxds_waiter_destroy(). */
void gxds_waiter_leave(gxds_waiter *w);

grpc_completion_queue *gxds_waiter_cq(const gxds_waiter *w);
/* Starts a batch on a call that is on that queue, with the completion as its tag. */
void gxds_waiter_start_batch(gxds_waiter *w, grpc_call *call, const grpc_op *ops, size_t count,
                             gxds_completion *tag);
/* The next completion, its ok set; NULL: there was none until the deadline. */
gxds_completion *gxds_waiter_wait(gxds_waiter *w, gxds_time deadline);
/* Ends the wait of the one that was created last. Any thread; not again before the wake-up was
 * returned. */
void gxds_waiter_wake(void);

/* For a fork, as gxds_worker_park() and what follows it. */
bool gxds_waiter_park(gxds_waiter *w, const struct timespec *limit);
void gxds_waiter_resume(gxds_waiter *w);
void gxds_waiter_abandon(gxds_waiter *w);

#ifdef __cplusplus
}
#endif

#endif
