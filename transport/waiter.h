/* gxds_waiter: where the reactor's thread waits, and how it is woken. At most one waiter waits in a
 * process.
 *
 * Usually it waits inside gRPC while the program makes no calls, and outside while it does
 * (poll_policy.h). The thread that takes the completion of a batch from gRPC calls it
 * (host_batch.h). A completion without a batch is called by a thread of the host, through a
 * callback completion queue. Where the host's sockets cannot be watched from outside
 * (gxds_host_epoll()), the thread always waits inside gRPC, and takes the completions from there.
 */
#ifndef GRPC_XDS_TRANSPORT_WAITER_H_
#define GRPC_XDS_TRANSPORT_WAITER_H_

#include "transport/reactor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_waiter gxds_waiter;

/* gxds_waiter_wait() returns `woken` for a wake-up; it is borrowed until the process ends. The
 * caller holds a grpc_init until gxds_waiter_destroy(). No thread may call gxds_waiter_wake()
 * during this call. */
gxds_waiter *gxds_waiter_create(gxds_completion *woken);
/* Nothing may be outstanding on the queue. Call it on the thread that waits. */
void gxds_waiter_destroy(gxds_waiter *w);

grpc_completion_queue *gxds_waiter_cq(const gxds_waiter *w);
/* Starts a batch on a call of that queue, with the completion as its tag. */
void gxds_waiter_start_batch(gxds_waiter *w, grpc_call *call, const grpc_op *ops, size_t count,
                             gxds_completion *tag);
/* Waits for the next completion, and sets its ok. NULL if there was none until the deadline. With a
 * deadline of 0 it only returns a completion that is ready. */
gxds_completion *gxds_waiter_wait(gxds_waiter *w, gxds_time deadline);
/* Wakes the waiter that was created last. Any thread. Don't call it again before gxds_waiter_wait()
 * has returned the wake-up. */
void gxds_waiter_wake(void);
/* Whether the waiter must be woken, so that it leaves gRPC, because a call begins. Any thread. It
 * costs one load of a variable that is rarely written. If it returns true, call gxds_waiter_wake();
 * it returns true once. */
bool gxds_waiter_must_make_way(void);

/* For the child of a fork, which does not have the thread: closes the inherited descriptor. w is
 * never freed. If the thread itself made the fork, a gxds_waiter_wait() outside or in a visit to
 * gRPC returns soon. */
void gxds_waiter_abandon(gxds_waiter *w);

#ifdef __cplusplus
}
#endif

#endif
