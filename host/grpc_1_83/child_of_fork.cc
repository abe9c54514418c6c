#include "host/grpc_1_83/child_of_fork.h"

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

#include "absl/base/internal/sysinfo.h"
#include "absl/strings/string_view.h"
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
using grpc_event_engine::experimental::PosixEventEngine;

// Of the host, for the child of a fork.
struct Known {
  std::vector<std::weak_ptr<EventEngine>> engines;  // that channels were given
  bool host_is_in_use = false;                      // at a fork
  bool engine_is_old = false;                       // in a child
};

std::mutex g_mu;
// Under the lock.
Known* g_known = new Known;
auto* g_without_threads = new std::vector<std::shared_ptr<EventEngine>>;  // those of a parent's

std::atomic<unsigned> g_generation{0};
std::atomic<bool> g_holds_grpc{false};     // for good
std::atomic<bool> g_may_shut_down{false};  // a channel was made since a fork last waited for that

// Of the thread that forks. The lock is not held over the fork: the host's handlers wait for
// threads that may want it.
thread_local Known* t_at_fork = nullptr;

bool Lives(const std::weak_ptr<EventEngine>& engine) { return !engine.expired(); }

// In a child, before anything polls there. The host's own handler for forks, which it has with fork
// support alone, does the same after it closed sockets of which there are none in the set: they are
// the engine's.
void RenewEpollSet() {
  const char* strategy = grpc_get_poll_strategy_name();
  if (strategy == nullptr || absl::string_view(strategy) != "epoll1") return;
  grpc_ev_epoll1_posix.shutdown_engine();
  grpc_ev_epoll1_posix.check_engine_available(true);
}

// In a child, with the lock. An engine may be there when the host was shut down. One that the
// program made is the program's to renew.
void RenewDefaultEngine() {
  if (g_without_threads->empty()) return;  // the host makes another by itself
  const auto now = grpc_event_engine::experimental::GetDefaultEventEngine();
  const auto& gone = *g_without_threads;
  if (std::find(gone.begin(), gone.end(), now) != gone.end()) {
    grpc_event_engine::experimental::SetDefaultEventEngine(nullptr);
  }
}

// At each new channel or server, before it has an engine.
ChannelArgs Renew(ChannelArgs args) {
  if (g_generation.load() == 0) return args;
  std::lock_guard<std::mutex> lock(g_mu);
  if (std::exchange(g_known->engine_is_old, false)) RenewDefaultEngine();
  return args.Set("grpc_xds.internal.fork_generation", static_cast<int>(g_generation.load()));
}

// At each new channel or server, with its engine.
ChannelArgs Remember(ChannelArgs args) {
  g_may_shut_down.store(true);
  const auto engine = args.GetObjectRef<EventEngine>();
  if (dynamic_cast<PosixEventEngine*>(engine.get()) == nullptr) return args;
  std::lock_guard<std::mutex> lock(g_mu);
  std::vector<std::weak_ptr<EventEngine>>& all = g_known->engines;
  all.erase(std::remove_if(all.begin(), all.end(), std::not_fn(Lives)), all.end());
  const auto same = [&](const std::weak_ptr<EventEngine>& e) { return e.lock() == engine; };
  if (std::none_of(all.begin(), all.end(), same)) all.push_back(engine);
  return args;
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

// The host may be about to shut itself down on a thread of its own. A child has a use only for one
// that was shut down, or that stays: it is kept from it over the fork. With fork support for good,
// for its handlers may be in the midst of their work before and after ours. So in the child: its
// end would wait for threads that do not exist.
void BeforeFork() {
  if (!grpc_core::Fork::Enabled() && !g_holds_grpc.load()) LetShutDown();
  // The first wait for a mutex measures the processor, for some milliseconds. A thread that is at
  // it does not exist in the child, where all would wait for its end.
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

// The engines are kept for good: their end would wait for threads that do not exist.
void AfterForkInChild() {
  g_generation.fetch_add(1);
  new (&g_mu) std::mutex;  // another thread may have had it
  auto* kept = new std::vector<std::shared_ptr<EventEngine>>;
  for (const std::weak_ptr<EventEngine>& e : t_at_fork->engines) {
    // One that ended in time is nobody's.
    if (std::shared_ptr<EventEngine> engine = e.lock()) kept->push_back(std::move(engine));
  }
  g_without_threads = kept;  // what was there another thread may have been at work on
  g_known = std::exchange(t_at_fork, nullptr);
  g_known->engines.clear();
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
