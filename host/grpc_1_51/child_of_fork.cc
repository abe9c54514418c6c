#include "host/grpc_1_51/child_of_fork.h"

#include <grpc/event_engine/event_engine.h>
#include <grpc/grpc.h>
#include <grpc/support/port_platform.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
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

// Of the host, for the child of a fork.
struct Known {
  std::vector<std::weak_ptr<EventEngine>> engines;  // that channels were given
  absl::optional<int> epoll_set;                    // with fork support; -1: it uses none
  bool as_fork_left_it = false;  // in a child without fork support, of a parent that used it
};

std::mutex g_mu;
// Under the lock.
Known* g_known = new Known;
auto* g_without_threads = new std::vector<std::shared_ptr<EventEngine>>;  // those of a parent's

std::atomic<unsigned> g_generation{0};
std::atomic<bool> g_holds_grpc{false};
std::atomic<bool> g_may_shut_down{false};  // a channel was made since a fork last waited for that
std::atomic<bool> g_ours{false};           // a channel of ours was made, here or in a parent

// Of the thread that forks. The lock is not held over the fork: the host's handlers wait for
// threads that may want it.
thread_local Known* t_at_fork = nullptr;

bool Lives(const std::weak_ptr<EventEngine>& engine) { return !engine.expired(); }

// Under the lock. An engine of another kind, which the program made, is the program's to renew.
void RememberEngine(const std::shared_ptr<EventEngine>& engine) {
  if (dynamic_cast<PosixEventEngine*>(engine.get()) == nullptr) return;
  std::vector<std::weak_ptr<EventEngine>>& all = g_known->engines;
  all.erase(std::remove_if(all.begin(), all.end(), std::not_fn(Lives)), all.end());
  const auto same = [&](const std::weak_ptr<EventEngine>& e) { return e.lock() == engine; };
  if (std::none_of(all.begin(), all.end(), same)) all.push_back(engine);
}

// At each new channel, with its arguments.
ChannelArgs Remember(ChannelArgs args) {
  g_may_shut_down.store(true);
  RenewForChild();
  std::lock_guard<std::mutex> lock(g_mu);
  if (!g_known->epoll_set.has_value() && grpc_core::Fork::Enabled()) {
    g_known->epoll_set = gxds_host_epoll();
  }
  RememberEngine(args.GetObjectRef<EventEngine>());
  return WithForkGeneration(std::move(args));
}

// The set that was inherited, and what wakes those who wait for it, are left open: descriptors that
// nobody uses.
void RenewEpollSet(int inherited) {
  if (inherited < 0) return;
  gxds_epoll_cut_off(inherited);
  // The host's function for forks, which this puts back into its place, would close sockets whose
  // numbers what was inherited goes on to use.
  auto* reset = grpc_core::Fork::GetResetChildPollingEngineFunc();
  grpc_ev_epoll1_posix.check_engine_available(true);
  grpc_core::Fork::SetResetChildPollingEngineFunc(reset);
}

// With poll() each socket is on a list of the host's, which its function for forks closes; that,
// too, the event engine has put its own into the place of.
void CutOffPolledSockets() {
  const char* strategy = grpc_get_poll_strategy_name();
  if (strategy == nullptr || absl::string_view(strategy) != "poll") return;
  auto* reset = grpc_core::Fork::GetResetChildPollingEngineFunc();
  grpc_ev_poll_posix.check_engine_available(true);
  gxds_cut_off_closed(grpc_core::Fork::GetResetChildPollingEngineFunc());
  grpc_core::Fork::SetResetChildPollingEngineFunc(reset);
}

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
}  // NOLINT(clang-analyzer-core.StackAddressEscape)

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

// Timers are the host's own thread's for them; what is run aside, threads' of ours. The host makes
// threads of its event engine otherwise. In a child, once for each fork, while nobody uses the
// host, which stays initialised for good: its end would wait for the threads that are gone.
void RenewHostThreads() {
  g_pool = gxds_thread_pool_create();
  grpc_init();
  grpc_timer_manager_init();
  grpc_set_iomgr_platform_vtable(&g_platform);
}

// A program that goes on to use gRPC without channels is waited for once.
void LetShutDown() {
  {
    std::lock_guard<std::mutex> lock(g_mu);
    const auto& engines = g_known->engines;
    if (std::any_of(engines.begin(), engines.end(), Lives) || !g_may_shut_down.exchange(false)) {
      return;
    }
  }
  gxds_host_await_shutdown();
}

// The host may be about to shut itself down on a thread of its own, which its fork handlers do not
// wait for. With fork support it is kept from doing so, for good: its handlers may be in the midst
// of their work before and after ours. Without, a child has a use only for a host that was shut
// down.
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
  new (&g_mu) std::mutex;  // another thread may have had it
  g_known = new Known;     // and been at work on what was there
  g_known->engines = t_at_fork->engines;
  g_without_threads = new std::vector<std::shared_ptr<EventEngine>>;
  for (const std::weak_ptr<EventEngine>& e : t_at_fork->engines) {
    // One that ended in time is nobody's.
    if (std::shared_ptr<EventEngine> engine = e.lock()) g_without_threads->push_back(engine);
  }
  RenewEpollSet(t_at_fork->epoll_set.value_or(-1));
  if (t_at_fork->epoll_set == -1) CutOffPolledSockets();
  g_known->as_fork_left_it = t_at_fork->as_fork_left_it;
  delete std::exchange(t_at_fork, nullptr);
}

// At each new channel, before it does anything.
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

// In its place, for all that have it: channels, their policies and subchannels, the host's own
// default. What it was is let go of without an end, which would wait for threads that do not exist;
// nobody waits for what it was given.
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
