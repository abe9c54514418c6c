/* A batch on a call of the host, whose end is told by whichever thread has it.
 *
 * A completion queue of the callback kind would wake one of the host's threads for each end, only
 * for that one to wake the reactor. */
#ifndef GRPC_XDS_TRANSPORT_HOST_BATCH_H_
#define GRPC_XDS_TRANSPORT_HOST_BATCH_H_

#include <grpc/grpc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As grpc_call_start_batch(), but done is run instead of an event of the call's queue: once, by any
 * thread, maybe before this returns, and under locks of the host: it must not block or call the
 * host. borrow: done until it was run; what ops point to as in gRPC. Outside the host's callbacks
 * only. */
grpc_call_error gxds_host_batch_start(grpc_call *call, const grpc_op *ops, size_t count,
                                      grpc_completion_queue_functor *done);

#ifdef __cplusplus
}
#endif

#endif
