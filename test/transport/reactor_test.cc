#include "transport/reactor.h"

#include <dlfcn.h>
#include <grpc/grpc.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "test/transport/on_reactor.h"
#include "transport/fork.h"
#include "transport/host_epoll.h"

namespace {
std::atomic<int> g_empty_batches{0};
}  // namespace

// Replaces the host's function. A batch without operations wakes a thread that waits in the host.
extern "C" grpc_call_error grpc_call_start_batch(grpc_call *call, const grpc_op *ops, size_t count,
                                                 void *tag, void *reserved) {
  static const auto real =
      reinterpret_cast<decltype(&grpc_call_start_batch)>(dlsym(RTLD_NEXT, "grpc_call_start_batch"));
  if (count == 0) ++g_empty_batches;
  return real(call, ops, count, tag, reserved);
}

namespace grpc_xds {
namespace {

TEST(Reactor, RunsThePostsOfEachThreadInOrder) {
  ReactorUse use;
  constexpr int kThreads = 8, kPosts = 2000;
  std::vector<int> next(kThreads, 0);  // used on the reactor only
  bool in_order = true;
  Inbox<bool> done;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPosts; i++) {
        Post([&, t, i] {
          in_order = in_order && next[t] == i && gxds_reactor_is_current();
          if (++next[t] == kPosts) done.Put(true);
        });
      }
    });
  }
  for (int t = 0; t < kThreads; t++) ASSERT_TRUE(done.Take().has_value());
  for (auto &t : threads) t.join();
  EXPECT_TRUE(in_order);
  EXPECT_FALSE(gxds_reactor_is_current());
}

TEST(Reactor, NeverRunsAPostFromWithinPosting) {
  ReactorUse use;
  Inbox<int> ran;
  Post([&] {
    Post([&] { ran.Put(2); });
    ran.Put(1);
  });
  EXPECT_EQ(ran.Take(), 1);
  EXPECT_EQ(ran.Take(), 2);
}

TEST(Reactor, IsWokenToMakeWayWhileItStaysInTheHost) {
  ReactorUse use;
  if (gxds_host_epoll() < 0) GTEST_SKIP() << "it never leaves the host";
  OnReactor([] {});
  for (int stay = 0; stay < 2; ++stay) {
    const int before = g_empty_batches;
    EXPECT_TRUE(WaitUntil([&] {  // soon after the last call it stays again
      gxds_reactor_make_way();
      return g_empty_batches > before;
    }));
  }
}

// So a file that may not grow further (SIGXFSZ) does not kill the program.
TEST(Reactor, LeavesSignalsToTheThreadsOfTheProgram) {
  ReactorUse use;
  OnReactor([] {
    sigset_t blocked;
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
    for (int s : {SIGXFSZ, SIGPIPE, SIGTERM, SIGCHLD}) EXPECT_EQ(sigismember(&blocked, s), 1) << s;
  });
}

TEST(Reactor, FiresTimersWhenTheyAreDueAndNotBefore) {
  ReactorUse use;
  Inbox<std::pair<int, gxds_duration>> fired;  // which timer, and how late
  Timer a, b, cancelled;
  OnReactor([&] {
    gxds_time now = gxds_reactor_now();
    gxds_time at_a = now + 20 * GXDS_MILLISECOND, at_b = now + 10 * GXDS_MILLISECOND;
    a.fire = [&, at_a] { fired.Put({1, gxds_reactor_now() - at_a}); };
    b.fire = [&, at_b] { fired.Put({2, gxds_reactor_now() - at_b}); };
    cancelled.fire = [&] { fired.Put({3, 0}); };
    a.Set(at_a);
    cancelled.Set(at_b);
    b.Set(at_b);
    gxds_timer_cancel(&cancelled.timer);
  });
  auto first = fired.Take(), second = fired.Take();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->first, 2);
  EXPECT_GE(first->second, 0);
  EXPECT_EQ(second->first, 1);
  EXPECT_GE(second->second, 0);
  OnReactor([] {});
  EXPECT_TRUE(fired.Empty());
}

// A call on a channel that never connects. Batches without operations complete at once.
class ReadyCompletions {
 public:
  explicit ReadyCompletions(std::vector<int> *log) : log_(log) {
    channel_ = grpc_lame_client_channel_create("x", GRPC_STATUS_UNAVAILABLE, "");
    call_ = grpc_channel_create_call(channel_, nullptr, GRPC_PROPAGATE_DEFAULTS, gxds_reactor_cq(),
                                     grpc_slice_from_static_string("/x"), nullptr,
                                     gpr_inf_future(GPR_CLOCK_MONOTONIC), nullptr);
  }
  ~ReadyCompletions() {
    grpc_call_unref(call_);
    grpc_channel_destroy(channel_);
  }
  void Start(int name) {
    auto *one = new One{gxds_completion_make(Done), this, name};
    gxds_reactor_start_batch(call_, nullptr, 0, &one->completion);
  }

 private:
  struct One {
    gxds_completion completion;
    ReadyCompletions *owner;
    int name;
  };
  static void Done(gxds_completion *self, bool ok) {
    auto *one = reinterpret_cast<One *>(self);
    EXPECT_TRUE(ok);
    one->owner->log_->push_back(one->name);
    delete one;
  }
  std::vector<int> *log_;
  grpc_channel *channel_;
  grpc_call *call_;
};

TEST(Reactor, RunsEveryCompletionOnItsThread) {
  ReactorUse use;
  constexpr int kCompletions = 100;
  std::vector<int> log;
  ReadyCompletions *ready = nullptr;
  OnReactor([&] {
    ready = new ReadyCompletions(&log);
    for (int i = 0; i < kCompletions; i++) ready->Start(i);
  });
  EXPECT_TRUE(WaitUntil([&] {
    bool all = false;
    OnReactor([&] { all = log.size() == kCompletions; });
    return all;
  }));
  std::sort(log.begin(), log.end());
  for (int i = 0; i < kCompletions; i++) EXPECT_EQ(log[static_cast<size_t>(i)], i);
  OnReactor([&] { delete ready; });
}

TEST(Reactor, RunsWhatIsReadyBeforeDeadlines) {
  ReactorUse use;
  std::vector<int> log;
  Timer timer;
  Inbox<bool> done;
  timer.fire = [&] {
    log.push_back(-1);
    done.Put(true);
  };
  OnReactor([&] {
    timer.Set(gxds_reactor_now() - GXDS_SECOND);  // overdue
    for (int i = 0; i < 100; i++) Post([&log, i] { log.push_back(i); });
  });
  ASSERT_TRUE(done.Take().has_value());
  std::vector<int> expected;
  for (int i = 0; i < 100; i++) expected.push_back(i);
  expected.push_back(-1);
  EXPECT_EQ(log, expected);
}

TEST(Reactor, CompletionsThatNeverPauseDoNotKeepTimersFromFiring) {
  ReactorUse use;
  std::vector<int> log;
  std::atomic<bool> fired{false};
  Inbox<size_t> done;
  Timer timer;
  timer.fire = [&] { fired = true; };
  std::function<void()> again = [&] {
    if (fired) {
      done.Put(0);
    } else {
      Post(again);
    }
  };
  Post([&] {
    timer.Set(gxds_reactor_now());
    again();
  });
  EXPECT_TRUE(done.Take().has_value());
}

TEST(Reactor, StartsAgainAfterTheLastRelease) {
  for (int i = 0; i < 50; i++) {
    ReactorUse use;
    int ran = 0;
    OnReactor([&] { ran++; });
    EXPECT_EQ(ran, 1);
  }
}

TEST(Reactor, MayBeReleasedOnTheReactorByAPostThatOwnsTheUse) {
  for (int i = 0; i < 50; i++) {
    Inbox<bool> done;
    gxds_reactor_acquire();
    Post([&] {
      gxds_reactor_release();
      done.Put(true);
    });
    ASSERT_TRUE(done.Take().has_value());
  }
}

TEST(Reactor, SurvivesAcquireAndReleaseOnManyThreads) {
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; i++) {
        gxds_reactor_acquire();
        Post([&] {
          ran++;
          gxds_reactor_release();
        });
      }
    });
  }
  for (auto &t : threads) t.join();
  EXPECT_TRUE(WaitUntil([&] { return ran == 400; }));
}

TEST(Reactor, HoldsGrpcOnlyWhileItIsUsed) {
  ASSERT_TRUE(WaitUntil([] { return grpc_is_initialized() == 0; })) << "of the tests before";
  gxds_reactor_acquire();
  EXPECT_NE(grpc_is_initialized(), 0);
  OnReactor([] {});
  gxds_reactor_release();
  EXPECT_TRUE(WaitUntil([] { return grpc_is_initialized() == 0; }));
}

TEST(ReactorExitDeathTest, AProcessMayExitWhileItIsUsed) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        gxds_reactor_acquire();
        OnReactor([] {});
        exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(ReactorExitDeathTest, AProcessMayExitOnTheReactor) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        gxds_reactor_acquire();
        Post([] { exit(7); });
        pause();
      },
      testing::ExitedWithCode(7), "");
}

// Forks of a program without gRPC's fork support. The child does not use gRPC.

// Runs `child` in the child of a fork and returns the child's exit status.
int ForkAndRun(const std::function<int()> &child) {
  pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(ReactorFork, ParentGoesOn) {
  ReactorUse use;
  OnReactor([] {});
  unsigned generation = gxds_reactor_generation();
  for (int i = 0; i < 10; i++) {
    EXPECT_EQ(ForkAndRun([] { return 7; }), 7);
    int ran = 0;
    OnReactor([&] { ran++; });
    EXPECT_EQ(ran, 1);
  }
  EXPECT_EQ(gxds_reactor_generation(), generation);
}

// As in a callback of the program, which the reactor runs inside gRPC. In the child, the thread has
// no reactor to go on with.
TEST(ReactorFork, AChildOfTheReactorsThreadEnds) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the sanitizer does not bear the end of a child's only thread";
#endif
  ReactorUse use;
  pid_t pid = -1;
  OnReactor([&] {
    // The canary: a child that goes on is ended by a signal.
    pid = fork();
    const rlimit two_seconds = {2, 2};
    if (pid == 0) setrlimit(RLIMIT_CPU, &two_seconds);
  });
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
}

TEST(ReactorFork, ForksAmongPosts) {
  ReactorUse use;
  std::atomic<bool> stop{false};
  std::atomic<int> posted{0}, ran{0};
  std::thread poster([&] {
    ReactorUse own;
    while (!stop) {
      Post([&] { ran++; });
      posted++;
      while (posted - ran > 100) sched_yield();
    }
  });
  for (int i = 0; i < 20; i++) EXPECT_EQ(ForkAndRun([] { return 7; }), 7);
  stop = true;
  poster.join();
  OnReactor([] {});
  EXPECT_EQ(ran, posted);
}

// A reactor that starts during a fork would exist in the child without its thread. The host's stage
// is the last one before a fork, and may take some time.
std::thread g_starts;
std::atomic<bool> g_started{false};

void StartMeanwhile() {
  if (!g_started.exchange(false)) return;  // another fork
  g_starts = std::thread([] {
    gxds_reactor_acquire();
    g_started = true;
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (!g_started && std::chrono::steady_clock::now() < end) sched_yield();
}

TEST(ReactorFork, NoReactorIsStartedWhileAForkIsOn) {
  static const gxds_fork_handlers host = {StartMeanwhile, nullptr, nullptr};
  gxds_fork_register(GXDS_FORK_HOST, &host);
  gxds_reactor_expect_forks();
  g_started = true;
  EXPECT_EQ(ForkAndRun([] { return g_started ? 1 : 7; }), 7);
  g_starts.join();
  EXPECT_TRUE(g_started.exchange(false));
  gxds_reactor_release();
}

// In the child the host is shut down.
TEST(ReactorFork, AForkWaitsForTheEndOfAReactorWithoutChannels) {
  for (int i = 0; i < 20; i++) {
    {
      ReactorUse use;
      OnReactor([] {});
    }
    EXPECT_EQ(ForkAndRun([] { return grpc_is_initialized(); }), 0);
  }
}

// An RPC may outlive its channel. A fork does not wait for its end, except for a short time after
// the channel was closed.
TEST(ReactorFork, ForksDoNotWaitForAReactorThatIsUsedOn) {
  constexpr int kForks = 20;
  {
    ReactorUse channel;
    gxds_reactor_acquire();
    OnReactor([] {});
  }
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < kForks; i++) EXPECT_EQ(ForkAndRun([] { return 7; }), 7);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(kForks));
  gxds_reactor_release();
}

TEST(ReactorFork, AChannelThatIsOpenedEndsTheWaitOfAFork) {
  gxds_reactor_acquire();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; i++) {
    {
      ReactorUse channel;
      OnReactor([] {});
    }
    std::thread other([&] { EXPECT_EQ(ForkAndRun([] { return 7; }), 7); });
    ReactorUse channel;
    other.join();
  }
  // Without that, each fork waits for a second.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
  gxds_reactor_release();
}

}  // namespace
}  // namespace grpc_xds
