#include "host/grpc_1_51/child_of_fork.h"

#include <grpc/event_engine/event_engine.h>
#include <grpc/grpc.h>
#include <grpc/support/port_platform.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "host/grpc_common/engines.h"
#include "plugin/host_state.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/channel/channel_stack_builder.h"
#include "src/core/lib/event_engine/posix_engine/posix_engine.h"
#include "src/core/lib/gprpp/fork.h"
#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/iomgr/ev_epoll1_linux.h"
#include "src/core/lib/iomgr/ev_poll_posix.h"
#include "src/core/lib/iomgr/ev_posix.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/iomgr/iomgr_internal.h"
#include "src/core/lib/iomgr/timer_manager.h"
#include "src/core/lib/surface/channel_stack_type.h"
#include "src/core/lib/surface/init.h"
#include "transport/cut_off.h"
#include "transport/epoll_find.h"
#include "transport/fork.h"
#include "transport/host_epoll.h"
#include "transport/reactor.h"
#include "transport/thread_pool.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_event_engine::experimental::EventEngine;
using grpc_event_engine::experimental::PosixEventEngine;

// What the child of a fork must know about the host.
struct Known {
  Engines engines;
  absl::optional<int> epoll_set;  // the host's epoll set; known only with fork support; -1: the
                                  // host uses none
  bool as_fork_left_it = false;   // this is a child without fork support, and its parent used the
                                  // host
};

std::mutex g_mu;
// Under the lock.
Known* g_known = new Known;
auto* g_without_threads = new Engines::List;  // the engines of a parent process, whose threads do
                                              // not exist here

std::atomic<unsigned> g_generation{0};
std::atomic<bool> g_holds_grpc{false};
std::atomic<bool> g_may_shut_down{false};  // a channel was made since the last wait for a shutdown
std::atomic<bool> g_ours{false};           // one of our channels was made, here or in a parent
                                           // process

// Used by the thread that forks. The lock is not held during the fork, because the host's handlers
// wait for threads that may need it.
thread_local Known* t_at_fork = nullptr;

// Called for each new channel, with its arguments.
ChannelArgs Remember(ChannelArgs args) {
  g_may_shut_down.store(true);
  RenewForChild();
  std::lock_guard<std::mutex> lock(g_mu);
  if (!g_known->epoll_set.has_value() && grpc_core::Fork::Enabled()) {
    g_known->epoll_set = gxds_host_epoll();
  }
  g_known->engines.Add(args.GetObjectRef<EventEngine>());
  return WithForkGeneration(std::move(args));
}

// The inherited epoll set, and the descriptor that wakes its waiters, stay open, but are not used.
void RenewEpollSet(int inherited) {
  if (inherited < 0) return;
  gxds_epoll_cut_off(inherited);
  // The host's function for forks, which check_engine_available() sets again, would close sockets
  // whose numbers the inherited objects still use.
  auto* reset = grpc_core::Fork::GetResetChildPollingEngineFunc();
  grpc_ev_epoll1_posix.check_engine_available(true);
  grpc_core::Fork::SetResetChildPollingEngineFunc(reset);
}

// With poll() the host has a list of all sockets, and its function for forks closes them. The event
// engine has replaced that function by its own, so this code sets it again for a moment. The
// sockets that it closes are cut off first.
void CutOffPolledSockets() {
  const char* strategy = grpc_get_poll_strategy_name();
  if (strategy == nullptr || absl::string_view(strategy) != "poll") return;
  auto* reset = grpc_core::Fork::GetResetChildPollingEngineFunc();
  grpc_ev_poll_posix.check_engine_available(true);
  gxds_cut_off_closed(grpc_core::Fork::GetResetChildPollingEngineFunc());
  grpc_core::Fork::SetResetChildPollingEngineFunc(reset);
}

gxds_thread_pool* g_pool;  // the thread pool of this process

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
  // Flush before exec_ctx ends, because its end would hand the closures over again.
  exec_ctx.Flush();
}  // NOLINT(clang-analyzer-core.StackAddressEscape)

// The host's executor asks this function first. If it returns true, it runs the closure in place of
// the executor. NOLINTNEXTLINE(performance-unnecessary-value-param): the host's signature
bool RunAside(grpc_closure* closure, grpc_error_handle error) {
  gxds_thread_pool_run(g_pool, Run, new Aside{closure, std::move(error)});
  return true;
}

void Nothing() {}

// With these, the host is neither initialised again nor shut down.
grpc_iomgr_platform_vtable g_platform = {
    Nothing, Nothing, Nothing, Nothing, grpc_is_any_background_poller_thread, RunAside};

// Renews the host's threads in a child: the host's own thread runs timers, and our own threads run
// what RunAside() takes. Otherwise the host would use threads of its event engine. Called once for
// each fork, while no other thread uses the host. The host stays initialised for ever: its end
// would wait for the threads that are gone.
void RenewHostThreads() {
  g_pool = gxds_thread_pool_create();
  grpc_init();
  grpc_timer_manager_init();
  grpc_set_iomgr_platform_vtable(&g_platform);
}

// Waits for the host's shutdown if all channels are gone. A program may still use gRPC without
// channels: then this waits only once.
void LetShutDown() {
  {
    std::lock_guard<std::mutex> lock(g_mu);
    if (g_known->engines.AnyLives() || !g_may_shut_down.exchange(false)) return;
  }
  gxds_host_await_shutdown();
}

// The host may be about to shut itself down on one of its threads, which its fork handlers do not
// wait for. With fork support this prevents the shutdown for ever, because the host's handlers may
// be in the middle of their work before and after ours. Without fork support this waits for the
// shutdown, because a child can only use a host that was shut down.
void BeforeFork() {
  if (!grpc_core::Fork::Enabled()) {
    LetShutDown();
  } else if (!g_holds_grpc.load() && grpc_is_initialized() != 0) {
    grpc_init();
    g_holds_grpc.store(true);
  }
  const bool in_use = grpc_is_initialized() != 0;
  std::lock_guard<std::mutex> lock(g_mu);
  t_at_fork = new Known(*g_known);
  t_at_fork->as_fork_left_it = in_use && !grpc_core::Fork::Enabled();
}

void AfterForkInParent() { delete std::exchange(t_at_fork, nullptr); }

void AfterForkInChild() {
  g_generation.fetch_add(1);
  new (&g_mu) std::mutex;  // another thread may have held the lock at the fork
  g_known = new Known;     // another thread may have been changing the old value
  g_known->engines = t_at_fork->engines;
  g_without_threads = new Engines::List(t_at_fork->engines.Hold());
  RenewEpollSet(t_at_fork->epoll_set.value_or(-1));
  if (t_at_fork->epoll_set == -1) CutOffPolledSockets();
  g_known->as_fork_left_it = t_at_fork->as_fork_left_it;
  delete std::exchange(t_at_fork, nullptr);
}

// Called for each new channel, before it does anything.
bool BeforeChannel(grpc_core::ChannelStackBuilder* stack) {
  const absl::string_view target = stack->target();
  if (absl::StartsWith(target, "xds:") || absl::StartsWith(target, "google-c2p")) {
    g_ours.store(true);
  }
  if (g_ours.load()) RenewHostForChild();
  return true;
}

}  // namespace

unsigned ForkGeneration() { return g_generation.load(std::memory_order_relaxed); }

// Makes a new engine in the memory of the old one, because channels, their policies and
// subchannels, and the host's own default point to it. The old engine is not destroyed, because its
// end would wait for threads that don't exist. The work that was given to it is lost, and nothing
// waits for it.
void RenewForChild() {
  if (ForkGeneration() == 0) return;
  std::lock_guard<std::mutex> lock(g_mu);
  for (const std::shared_ptr<EventEngine>& engine : *g_without_threads) {
    new (engine.get()) PosixEventEngine;
  }
  g_without_threads->clear();
}

void RenewHostForChild() {
  if (ForkGeneration() == 0) return;
  std::lock_guard<std::mutex> lock(g_mu);
  if (!std::exchange(g_known->as_fork_left_it, false)) return;
  RenewEpollSet(gxds_host_epoll());
  RenewHostThreads();
}

ChannelArgs WithForkGeneration(ChannelArgs args) {
  if (ForkGeneration() == 0) return args;
  return args.Set("grpc_xds.internal.fork_generation", static_cast<int>(ForkGeneration()));
}

void RegisterChildOfFork(grpc_core::CoreConfiguration::Builder* builder) {
  builder->channel_args_preconditioning()->RegisterStage(Remember);
  builder->channel_init()->RegisterStage(GRPC_CLIENT_CHANNEL, GRPC_CHANNEL_INIT_BUILTIN_PRIORITY,
                                         BeforeChannel);
  gxds_reactor_expect_forks();
  static const gxds_fork_handlers handlers = {BeforeFork, AfterForkInParent, AfterForkInChild};
  gxds_fork_register(GXDS_FORK_HOST, &handlers);
}

}  // namespace grpc_xds
