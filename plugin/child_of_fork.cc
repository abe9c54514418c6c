#include "plugin/child_of_fork.h"

#include <grpc/event_engine/event_engine.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpc/support/port_platform.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/event_engine/default_event_engine.h"
#include "src/core/lib/event_engine/posix_engine/posix_engine.h"
#include "src/core/lib/gprpp/fork.h"
#include "src/core/lib/iomgr/ev_epoll1_linux.h"
#include "src/core/lib/surface/init.h"
#include "transport/epoll_find.h"
#include "transport/host_epoll.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_event_engine::experimental::EventEngine;
using grpc_event_engine::experimental::PosixEventEngine;

// Of the host, for the child of a fork.
struct Known {
  std::weak_ptr<EventEngine> last_engine;  // that a channel was given
  absl::optional<int> epoll_set;           // with fork support; -1: it uses none
};

std::mutex g_mu;
Known* g_known = new Known;  // under the lock
std::atomic<bool> g_holds_grpc{false};
std::atomic<bool> g_may_shut_down{false};  // a channel was made since a fork last waited for that

// Of the thread that forks. The lock is not held over the fork: the host's handlers wait for
// threads that may want it.
thread_local Known* t_at_fork = nullptr;

// At each new channel.
ChannelArgs Remember(ChannelArgs args) {
  std::shared_ptr<EventEngine> engine = args.GetObjectRef<EventEngine>();
  g_may_shut_down.store(true);
  std::lock_guard<std::mutex> lock(g_mu);
  if (!g_known->epoll_set.has_value() && grpc_core::Fork::Enabled()) {
    g_known->epoll_set = gxds_host_epoll();
  }
  // A program's own engine is the program's to renew.
  if (dynamic_cast<PosixEventEngine*>(engine.get()) != nullptr) g_known->last_engine = engine;
  return args;
}

void RenewEngine(const Known& known) {
  static auto* ended = new std::vector<std::shared_ptr<EventEngine>>;
  std::shared_ptr<EventEngine> engine = known.last_engine.lock();
  if (engine == nullptr) return;  // it ended in time: the next channel gets a new one
  // Kept: its end would wait for threads that do not exist.
  ended->push_back(std::move(engine));
  grpc_event_engine::experimental::EventEngineFactoryReset();
}

// The set that was inherited, and what wakes those who wait for it, are left open: descriptors that
// nobody uses.
void RenewEpollSet(const Known& known) {
  if (known.epoll_set.value_or(-1) < 0) return;
  gxds_epoll_cut_off(*known.epoll_set);
  // The host's function for forks, which this puts back into its place, would close sockets whose
  // numbers what was inherited goes on to use.
  auto* reset = grpc_core::Fork::GetResetChildPollingEngineFunc();
  grpc_ev_epoll1_posix.check_engine_available(true);
  grpc_core::Fork::SetResetChildPollingEngineFunc(reset);
}

// Waits a little for a host that is shutting itself down on a thread of its own. Not by
// grpc_maybe_wait_for_async_shutdown(): when another has begun to use gRPC meanwhile, it waits for
// ever. A program that goes on to use gRPC without channels is waited for once.
void LetShutDown() {
  constexpr int kMilliseconds = 100;
  {
    std::lock_guard<std::mutex> lock(g_mu);
    if (!g_known->last_engine.expired() || !g_may_shut_down.exchange(false)) return;
  }
  for (int i = 0; i < kMilliseconds && grpc_is_initialized() != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
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
  std::lock_guard<std::mutex> lock(g_mu);
  t_at_fork = new Known(*g_known);
}

void AfterForkInParent() { delete std::exchange(t_at_fork, nullptr); }

void AfterForkInChild() {
  new (&g_mu) std::mutex;  // another thread may have had it
  g_known = new Known;     // and been at work on what was there
  RenewEngine(*t_at_fork);
  RenewEpollSet(*t_at_fork);
  delete std::exchange(t_at_fork, nullptr);
}

}  // namespace

void RegisterChildOfFork(grpc_core::CoreConfiguration::Builder* builder) {
  builder->channel_args_preconditioning()->RegisterStage(Remember);
  static const int registered = pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
  GPR_ASSERT(registered == 0);
}

}  // namespace grpc_xds
