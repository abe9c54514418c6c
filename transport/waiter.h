/* gxds_waiter: how the reactor's thread waits for completions and is woken. At most one waiter
 * waits in a process.
 *
 * Usually it waits on a semaphore, and a worker polls. The completion of a batch is called by the
 * thread that takes it from gRPC (host_batch.h). A completion without a batch is called by a thread
 * of the host, through a callback completion queue. Where there can be no worker, the reactor's
 * thread waits, and polls, in grpc_completion_queue_next(). */
#ifndef GRPC_XDS_TRANSPORT_WAITER_H_
#define GRPC_XDS_TRANSPORT_WAITER_H_

#include "transport/reactor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct timespec;
typedef struct gxds_waiter gxds_waiter;

/* gxds_waiter_wait() returns `woken` for a wake-up; it is borrowed until the process ends. The
 * caller holds a grpc_init until gxds_waiter_destroy(). No thread may call gxds_waiter_wake()
 * during this call. */
gxds_waiter *gxds_waiter_create(gxds_completion *woken);
/* Nothing may be outstanding on the queue. Call it on the thread that waits, without holding a
 * lock. */
void gxds_waiter_destroy(gxds_waiter *w);
/* Ends only the worker, when the process exits. The rules of gxds_waiter_destroy() apply. */
void gxds_waiter_leave(gxds_waiter *w);

grpc_completion_queue *gxds_waiter_cq(const gxds_waiter *w);
/* Starts a batch on a call of that queue, with the completion as its tag. */
void gxds_waiter_start_batch(gxds_waiter *w, grpc_call *call, const grpc_op *ops, size_t count,
                             gxds_completion *tag);
/* Waits for the next completion, and sets its ok. NULL if there was none until the deadline. */
gxds_completion *gxds_waiter_wait(gxds_waiter *w, gxds_time deadline);
/* Wakes the waiter that was created last. Any thread. Don't call it again before gxds_waiter_wait()
 * has returned the wake-up. */
void gxds_waiter_wake(void);

/* For a fork: like gxds_worker_park() and the functions after it. */
bool gxds_waiter_park(gxds_waiter *w, const struct timespec *limit);
void gxds_waiter_resume(gxds_waiter *w);
void gxds_waiter_abandon(gxds_waiter *w);

#ifdef __cplusplus
}
#endif

#endif
