#include "transport/fork.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "test/transport/no_threads.h"
#include "transport/hand_over.h"
#include "transport/thread.h"
#include "transport/thread_pool.h"

namespace grpc_xds {
namespace {

std::string g_order;

const gxds_fork_handlers kHost = {[] { g_order += "host "; }, [] { g_order += "host "; },
                                  [] { g_order += "child:host "; }};
std::atomic<bool> g_forking{false};  // the first stage of a fork has run
const gxds_fork_handlers kReactor = {[] {
                                       g_order += "reactor ";
                                       g_forking = true;
                                     },
                                     [] { g_order += "reactor"; },
                                     [] { g_order += "child:reactor"; }};
const gxds_fork_handlers kListener = {nullptr, nullptr, nullptr};

// Returns 0 if the handlers ran in this order in the child.
int ForkAndCompare(const std::string &in_child) {
  pid_t pid = fork();
  if (pid == 0) _exit(g_order == in_child ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// One test, because registered handlers stay.
TEST(Fork, StagesRestFromTheLastToTheFirstAndGoOnFromTheFirstToTheLast) {
  gxds_fork_register(GXDS_FORK_REACTOR, &kReactor);
  EXPECT_EQ(ForkAndCompare("reactor child:reactor"), 0);
  EXPECT_EQ(g_order, "reactor reactor");
  // The order of registration does not matter, and repeated registration is harmless.
  gxds_fork_register(GXDS_FORK_LISTENER, &kListener);
  gxds_fork_register(GXDS_FORK_HOST, &kHost);
  gxds_fork_register(GXDS_FORK_REACTOR, &kReactor);
  g_order.clear();
  EXPECT_EQ(ForkAndCompare("reactor host child:host child:reactor"), 0);
  EXPECT_EQ(g_order, "reactor host host reactor");
}

// Work that waits until the test opens the gate.
struct Gate {
  std::mutex mu;
  std::condition_variable changed;
  int begun = 0;
  int done = 0;
  bool open = false;

  static void Pass(void *arg) {
    auto *self = static_cast<Gate *>(arg);
    std::unique_lock<std::mutex> lock(self->mu);
    self->begun++;
    self->changed.notify_all();
    self->changed.wait(lock, [self] { return self->open; });
    self->done++;
    self->changed.notify_all();
  }
  bool Await(const int &number, int reaches) {
    std::unique_lock<std::mutex> lock(mu);
    return changed.wait_for(lock, std::chrono::seconds(60), [&] { return number == reaches; });
  }
  void Open() {
    std::lock_guard<std::mutex> lock(mu);
    open = true;
    changed.notify_all();
  }
};

std::atomic<bool> g_done{false};

void *DoWhenForking(void * /*arg*/) {
  while (!g_forking) std::this_thread::yield();
  gxds_hand_over_run([](void * /*arg*/) { g_done = true; }, nullptr);
  return nullptr;
}

// Returns 0 if work that was handed over when a fork began is done before the fork.
int ForkMeetsWorkOnItsWay() {
  gxds_fork_register(GXDS_FORK_REACTOR, &kReactor);
  g_forking = g_done = false;
  gxds_hand_over_begin();
  // Detached, because the child's thread sanitizer would report a thread that is not yet joined as
  // a leak.
  EXPECT_EQ(gxds_thread_start_detached("test", DoWhenForking, nullptr), 0);
  const pid_t pid = fork();
  if (pid == 0) _exit(g_done ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(HandOver, AForkWaitsForWorkOnItsWay) { EXPECT_EQ(ForkMeetsWorkOnItsWay(), 0); }

// The work goes on in the child, which counts further handed-over work.
TEST(HandOver, WorkThatForksIsOnItsWayInTheChildToo) {
  gxds_hand_over_begin();
  pid_t pid = -1;
  gxds_hand_over_run([](void *arg) { *static_cast<pid_t *>(arg) = fork(); }, &pid);
  if (pid == 0) _exit(ForkMeetsWorkOnItsWay());
  int status = -1;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

TEST(ThreadPool, NoWorkWaitsForOther) {
  gxds_thread_pool *pool = gxds_thread_pool_create();
  static Gate gate;
  constexpr int kCount = 5;
  for (int i = 0; i < kCount; i++) gxds_thread_pool_run(pool, Gate::Pass, &gate);
  EXPECT_TRUE(gate.Await(gate.begun, kCount));
  gate.Open();
  EXPECT_TRUE(gate.Await(gate.done, kCount));
  // The pool reuses its threads.
  for (int i = 0; i < kCount; i++) gxds_thread_pool_run(pool, Gate::Pass, &gate);
  EXPECT_TRUE(gate.Await(gate.done, 2 * kCount));
}

TEST(ThreadPool, WorkWaitsIfThereAreNoMoreThreads) {
  gxds_thread_pool *pool = gxds_thread_pool_create();
  static Gate gate;
  gxds_thread_pool_run(pool, Gate::Pass, &gate);
  EXPECT_TRUE(gate.Await(gate.begun, 1));
  {
    gxds_test::NoThreads none;
    gxds_thread_pool_run(pool, Gate::Pass, &gate);
  }
  gate.Open();
  EXPECT_TRUE(gate.Await(gate.done, 2));
}

}  // namespace
}  // namespace grpc_xds
