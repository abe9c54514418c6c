// What the transport needs of the host: transport/host_batch.h, transport/host_epoll.h.
#include <fcntl.h>
#include <grpc/support/port_platform.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/ev_posix.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/surface/call.h"
#include "transport/epoll_find.h"
#include "transport/host_batch.h"
#include "transport/host_epoll.h"

namespace {

struct Batch {
  grpc_closure closure;
  // Release and acquire show the thread sanitizer the order that gRPC ensures inside.
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
  grpc_core::ApplicationCallbackExecCtx callback_exec_ctx;
  grpc_core::ExecCtx exec_ctx;
  auto* batch = new Batch;
  GRPC_CLOSURE_INIT(&batch->closure, OnEnd, batch, nullptr);
  batch->done.store(done, std::memory_order_release);
  // NOLINTNEXTLINE(clang-analyzer-core.StackAddressEscape)
  return grpc_call_start_batch_and_execute(call, ops, count, &batch->closure);
}

// The host does not reveal its epoll set. So it is given a file of ours to watch, on which nothing
// ever happens, and the set in which that file appears is the host's.
int gxds_host_epoll(void) {
  const char* strategy = grpc_get_poll_strategy_name();
  if (strategy == nullptr || strcmp(strategy, "epoll1") != 0) return -1;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  int found;
  {
    grpc_core::ExecCtx exec_ctx;
    grpc_fd* watched = grpc_fd_create(ends[0], "grpc_xds", false);
    found = gxds_epoll_find(ends[0]);
    grpc_fd_orphan(watched, nullptr, nullptr, "grpc_xds");  // closes it
  }
  close(ends[1]);
  return found;
}
