#include "host/grpc_1_51/child_of_fork.h"

#include <grpc/grpc.h>
#include <grpc/support/port_platform.h>

#include <memory>
#include <utility>

#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/iomgr/ev_posix.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/iomgr/iomgr_internal.h"
#include "src/core/lib/iomgr/timer_manager.h"
#include "transport/thread_pool.h"

namespace grpc_xds {
namespace {

gxds_thread_pool* g_pool;  // of this process

struct Aside {
  grpc_closure* closure;
  grpc_error_handle error;
};

void Run(void* arg) {
  std::unique_ptr<Aside> aside(static_cast<Aside*>(arg));
  grpc_core::ApplicationCallbackExecCtx callbacks(
      GRPC_APP_CALLBACK_EXEC_CTX_FLAG_IS_INTERNAL_THREAD);
  grpc_core::ExecCtx exec_ctx(GRPC_EXEC_CTX_FLAG_IS_INTERNAL_THREAD);
  grpc_core::ExecCtx::Run(DEBUG_LOCATION, aside->closure, std::move(aside->error));
  // Before its end, in which the host would give away again what it was given here.
  exec_ctx.Flush();
}

// The host's executor asks first whether another runs the closure for it.
// NOLINTNEXTLINE(performance-unnecessary-value-param): the host's signature
bool RunAside(grpc_closure* closure, grpc_error_handle error) {
  gxds_thread_pool_run(g_pool, Run, new Aside{closure, std::move(error)});
  return true;
}

void Nothing() {}

// The host is neither initialised again nor shut down.
grpc_iomgr_platform_vtable g_platform = {
    Nothing, Nothing, Nothing, Nothing, grpc_is_any_background_poller_thread, RunAside};

}  // namespace

void RenewHostThreads() {
  g_pool = gxds_thread_pool_create();
  grpc_init();
  grpc_timer_manager_init();
  grpc_set_iomgr_platform_vtable(&g_platform);
}

}  // namespace grpc_xds
