#include "host/grpc_1_51/host_threads.h"

#include <grpc/grpc.h>
#include <grpc/support/port_platform.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/iomgr/ev_posix.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/iomgr/iomgr_internal.h"
#include "src/core/lib/iomgr/timer_manager.h"

namespace grpc_xds {
namespace {

// Runs closures, which may wait: as many threads as are needed for none to wait for another, and
// no fewer later. Never destroyed: its threads do not end.
class Pool {
 public:
  void Run(grpc_closure* closure, grpc_error_handle error) {
    std::lock_guard<std::mutex> lock(mu_);
    work_.emplace_back(closure, std::move(error));
    if (work_.size() > idle_) {
      StartThread();
    } else {
      some_.notify_one();
    }
  }

 private:
  // Signals are for the program's own threads.
  void StartThread() {
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    std::thread([this] { Work(); }).detach();
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
  }

  void Work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mu_);
      ++idle_;
      some_.wait(lock, [this] { return !work_.empty(); });
      --idle_;
      auto [closure, error] = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      grpc_core::ApplicationCallbackExecCtx callbacks(
          GRPC_APP_CALLBACK_EXEC_CTX_FLAG_IS_INTERNAL_THREAD);
      grpc_core::ExecCtx exec_ctx(GRPC_EXEC_CTX_FLAG_IS_INTERNAL_THREAD);
      grpc_core::ExecCtx::Run(DEBUG_LOCATION, closure, std::move(error));
      // Before its end, in which the host would give away again what it was given here.
      exec_ctx.Flush();
    }
  }

  std::mutex mu_;
  std::condition_variable some_;
  // Under the lock.
  std::deque<std::pair<grpc_closure*, grpc_error_handle>> work_;
  size_t idle_ = 0;
};

Pool* g_pool;  // of this process

// The host's executor asks first whether another runs the closure for it.
// NOLINTNEXTLINE(performance-unnecessary-value-param): the host's signature
bool RunAside(grpc_closure* closure, grpc_error_handle error) {
  g_pool->Run(closure, std::move(error));
  return true;
}

void Nothing() {}

// The host is neither initialised again nor shut down.
grpc_iomgr_platform_vtable g_platform = {
    Nothing, Nothing, Nothing, Nothing, grpc_is_any_background_poller_thread, RunAside};

}  // namespace

void RenewHostThreads() {
  g_pool = new Pool;
  grpc_init();
  grpc_timer_manager_init();
  grpc_set_iomgr_platform_vtable(&g_platform);
}

}  // namespace grpc_xds
