#include "host/grpc_1_83/child_of_fork.h"

#include <grpc/event_engine/event_engine.h>
#include <grpc/grpc.h>
#include <grpc/support/port_platform.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "absl/base/internal/sysinfo.h"
#include "absl/strings/string_view.h"
#include "host/grpc_common/engines.h"
#include "plugin/host_state.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/event_engine/default_event_engine.h"
#include "src/core/lib/event_engine/posix_engine/posix_engine.h"
#include "src/core/lib/iomgr/ev_epoll1_linux.h"
#include "src/core/lib/iomgr/ev_posix.h"
#include "src/core/util/fork.h"
#include "transport/fork.h"
#include "transport/reactor.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_event_engine::experimental::EventEngine;

// What the child of a fork must know about the host.
struct Known {
  Engines engines;              // the engines that channels were given
  bool host_is_in_use = false;  // the host was in use at the fork
  bool engine_is_old = false;   // this is a child, and the default engine may still be the parent's
};

std::mutex g_mu;
// Under the lock.
Known* g_known = new Known;
auto* g_without_threads = new Engines::List;  // the engines of a parent process, whose threads do
                                              // not exist here

std::atomic<unsigned> g_generation{0};
std::atomic<bool> g_holds_grpc{false};     // a grpc_init() is held for ever
std::atomic<bool> g_may_shut_down{false};  // a channel was made since the last wait for a shutdown

// Used by the thread that forks. The lock is not held during the fork, because the host's handlers
// wait for threads that may need it.
thread_local Known* t_at_fork = nullptr;

// Called in a child before anything polls there. The host's own handler for forks, which exists
// only with fork support, does the same after it has closed the set's sockets. Here the set has no
// sockets: they belong to the event engine.
void RenewEpollSet() {
  const char* strategy = grpc_get_poll_strategy_name();
  if (strategy == nullptr || absl::string_view(strategy) != "epoll1") return;
  grpc_ev_epoll1_posix.shutdown_engine();
  grpc_ev_epoll1_posix.check_engine_available(true);
}

// Called in a child, under the lock. There may be an event engine even if the host was shut down.
// An engine that the program made must be renewed by the program.
void RenewDefaultEngine() {
  if (g_without_threads->empty()) return;  // otherwise the host itself makes a new one
  const auto now = grpc_event_engine::experimental::GetDefaultEventEngine();
  const auto& gone = *g_without_threads;
  if (std::find(gone.begin(), gone.end(), now) != gone.end()) {
    grpc_event_engine::experimental::SetDefaultEventEngine(nullptr);
  }
}

// Called for each new channel or server, before it gets an event engine.
ChannelArgs Renew(ChannelArgs args) {
  if (g_generation.load() == 0) return args;
  std::lock_guard<std::mutex> lock(g_mu);
  if (std::exchange(g_known->engine_is_old, false)) RenewDefaultEngine();
  return args.Set("grpc_xds.internal.fork_generation", static_cast<int>(g_generation.load()));
}

// Called for each new channel or server, once it has an event engine.
ChannelArgs Remember(ChannelArgs args) {
  g_may_shut_down.store(true);
  std::lock_guard<std::mutex> lock(g_mu);
  g_known->engines.Add(args.GetObjectRef<EventEngine>());
  return args;
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

// The host may be about to shut itself down on one of its threads. A child can only use a host that
// was shut down, or one that stays initialised. So a host in use stays initialised during the fork.
// With fork support it stays initialised for ever, because its handlers may run before and after
// ours. In the child it stays initialised for ever too, because its end would wait for threads that
// do not exist.
void BeforeFork() {
  if (!grpc_core::Fork::Enabled() && !g_holds_grpc.load()) LetShutDown();
  // The first wait for a mutex measures the processor, which takes some milliseconds. A thread that
  // is measuring at the fork does not exist in the child, where all others would wait for it.
  absl::base_internal::NominalCPUFrequency();
  const bool in_use = grpc_is_initialized() != 0;
  if (in_use && !g_holds_grpc.load()) grpc_init();
  std::lock_guard<std::mutex> lock(g_mu);
  t_at_fork = new Known(*g_known);
  t_at_fork->host_is_in_use = in_use;
}

void AfterForkInParent() {
  if (t_at_fork->host_is_in_use && !g_holds_grpc.load()) {
    if (grpc_core::Fork::Enabled()) {
      g_holds_grpc.store(true);
    } else {
      grpc_shutdown();
    }
  }
  delete std::exchange(t_at_fork, nullptr);
}

// The engines are kept for ever, because their end would wait for threads that don't exist.
void AfterForkInChild() {
  g_generation.fetch_add(1);
  // Another thread may have held the lock at the fork.
  new (&g_mu) std::mutex;
  g_without_threads = new Engines::List(t_at_fork->engines.Hold());
  g_known = std::exchange(t_at_fork, nullptr);
  g_known->engines = Engines();
  g_known->engine_is_old = true;
  if (!g_known->host_is_in_use) return;
  g_holds_grpc.store(true);
  RenewEpollSet();
}

}  // namespace

void RegisterRenewForChild(grpc_core::CoreConfiguration::Builder* builder) {
  builder->channel_args_preconditioning()->RegisterStage(Renew);
}

void RegisterRememberForChild(grpc_core::CoreConfiguration::Builder* builder) {
  builder->channel_args_preconditioning()->RegisterStage(Remember);
  gxds_reactor_expect_forks();
  static const gxds_fork_handlers handlers = {BeforeFork, AfterForkInParent, AfterForkInChild};
  gxds_fork_register(GXDS_FORK_HOST, &handlers);
}

}  // namespace grpc_xds
