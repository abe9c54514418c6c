#include "host/grpc_1_51/hand_over.h"

#include <grpc/support/log.h>
#include <grpc/support/port_platform.h>
#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

#include "src/core/lib/iomgr/exec_ctx.h"

namespace grpc_xds {
namespace {

using grpc_event_engine::experimental::EventEngine;

// How long an exit waits for such work, and a fork: that one holds up the reactor, and work that
// makes the first use of it would wait for the fork in turn.
constexpr std::chrono::milliseconds kPatienceAtExit{5000};
constexpr std::chrono::milliseconds kPatienceAtFork{500};

struct OnTheirWay {
  std::mutex mu;
  std::condition_variable none;
  long count = 0;
};

OnTheirWay& TheOnes() {
  static auto* ones = new OnTheirWay;
  return *ones;
}

// One that forks or exits in the midst of such work does not wait for itself.
thread_local bool t_at_work = false;

void Done() {
  OnTheirWay& ones = TheOnes();
  std::lock_guard<std::mutex> lock(ones.mu);
  if (--ones.count == 0) ones.none.notify_all();
}

void Await(std::unique_lock<std::mutex>* lock, std::chrono::milliseconds patience) {
  if (t_at_work) return;
  OnTheirWay& ones = TheOnes();
  ones.none.wait_for(*lock, patience, [&] { return ones.count == 0; });
}

// The lock is held over the fork.
void BeforeFork() {
  std::unique_lock<std::mutex> lock(TheOnes().mu);
  Await(&lock, kPatienceAtFork);
  (void)lock.release();
}

void AfterForkInParent() { TheOnes().mu.unlock(); }

void AfterForkInChild() {
  TheOnes().count = 0;
  new (&TheOnes().none) std::condition_variable;  // it counts waiters that do not exist here
  TheOnes().mu.unlock();
}

// After the reactor's end, which has no priority.
__attribute__((destructor(101))) void AtExit() {
  std::unique_lock<std::mutex> lock(TheOnes().mu);
  Await(&lock, kPatienceAtExit);
}

}  // namespace

void HandOver(EventEngine* engine, absl::AnyInvocable<void()> work) {
  {
    std::lock_guard<std::mutex> lock(TheOnes().mu);
    ++TheOnes().count;
  }
  engine->Run([work = std::move(work)]() mutable {
    t_at_work = true;
    {
      grpc_core::ApplicationCallbackExecCtx callback_exec_ctx;
      grpc_core::ExecCtx exec_ctx;
      work();
      work = nullptr;
    }
    t_at_work = false;
    Done();
  });
}

void RegisterHandOverForkHandlers() {
  static const int registered = pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
  GPR_ASSERT(registered == 0);
}

}  // namespace grpc_xds
