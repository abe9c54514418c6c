/* A batch on a gRPC call, whose completion is reported on the thread that takes it from gRPC. A
 * completion queue of the callback kind would wake one of the host's threads for each completion,
 * and that thread would then wake the reactor. */
#ifndef GRPC_XDS_TRANSPORT_HOST_BATCH_H_
#define GRPC_XDS_TRANSPORT_HOST_BATCH_H_

#include <grpc/grpc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Like grpc_call_start_batch(), but runs `done` in place of an event on the call's queue. `done`
 * runs once, on any thread, perhaps before this function returns, and under locks of the host. So
 * it must not block. It may call the host only to end another batch at once, as gxds_waiter_wake()
 * does. done is borrowed until it has run; what ops point to is borrowed as in gRPC. Call it only
 * outside the host's callbacks. */
grpc_call_error gxds_host_batch_start(grpc_call *call, const grpc_op *ops, size_t count,
                                      grpc_completion_queue_functor *done);

#ifdef __cplusplus
}
#endif

#endif
