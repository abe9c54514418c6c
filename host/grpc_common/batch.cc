#include "transport/host_batch.h"

#include <grpc/support/port_platform.h>

#include <atomic>

#include "host/grpc_common/core.h"
#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/surface/call.h"

namespace {

struct Batch {
  grpc_closure closure;
  // gRPC ensures the order internally. Release and acquire make it visible to the thread sanitizer.
  std::atomic<grpc_completion_queue_functor*> done;
};

void OnEnd(void* arg, grpc_error_handle error) {  // NOLINT(performance-unnecessary-value-param)
  auto* batch = static_cast<Batch*>(arg);
  grpc_completion_queue_functor* done = batch->done.load(std::memory_order_acquire);
  delete batch;
  done->functor_run(done, error.ok());
}

}  // namespace

grpc_call_error gxds_host_batch_start(grpc_call* call, const grpc_op* ops, size_t count,
                                      grpc_completion_queue_functor* done) {
  grpc_xds::CallbackExecCtx callback_exec_ctx;
  grpc_core::ExecCtx exec_ctx;
  auto* batch = new Batch;
  GRPC_CLOSURE_INIT(&batch->closure, OnEnd, batch, nullptr);
  batch->done.store(done, std::memory_order_release);
  // NOLINTNEXTLINE(clang-analyzer-core.StackAddressEscape)
  return grpc_call_start_batch_and_execute(call, ops, count, &batch->closure);
}
