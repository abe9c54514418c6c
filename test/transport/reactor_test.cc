#include "transport/reactor.h"

#include <grpc/fork.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "test/transport/on_reactor.h"

namespace grpc_xds {
namespace {

// The host's own fork handlers are what ours must not be in the way of. It reads the variable at
// its first initialisation; the distribution's build leaves the registering to the program.
const int kForkSupport = [] {
  setenv("GRPC_ENABLE_FORK_SUPPORT", "1", 1);
  return pthread_atfork(grpc_prefork, grpc_postfork_parent, grpc_postfork_child);
}();

bool WaitUntil(const std::function<bool()> &condition) {
  auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    sched_yield();
  }
  return true;
}

TEST(Reactor, RunsThePostsOfEachThreadInOrder) {
  ReactorUse use;
  constexpr int kThreads = 8, kPosts = 2000;
  std::vector<int> next(kThreads, 0);  // the reactor's
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

struct Timer {
  gxds_timer timer{};
  std::function<void()> fire;
  void Set(gxds_time deadline) {
    gxds_timer_set(
        &timer, deadline, [](void *arg) { static_cast<Timer *>(arg)->fire(); }, this);
  }
};

TEST(Reactor, FiresTimersWhenTheyAreDueAndNotBefore) {
  ReactorUse use;
  Inbox<std::pair<int, gxds_duration>> fired;  // which, and how late
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

// A call on a channel that goes nowhere: batches of no operations complete at once.
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
    auto *one = new One{{Done}, this, name};
    ASSERT_EQ(grpc_call_start_batch(call_, nullptr, 0, &one->completion, nullptr), GRPC_CALL_OK);
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

TEST(Reactor, RunsReadyCompletionsBeforeDeadlines) {
  ReactorUse use;
  std::vector<int> log;
  Timer timer;
  Inbox<bool> done;
  ReadyCompletions *ready = nullptr;
  timer.fire = [&] {
    log.push_back(-1);
    delete ready;
    done.Put(true);
  };
  OnReactor([&] {
    ready = new ReadyCompletions(&log);
    timer.Set(gxds_reactor_now() - GXDS_SECOND);  // long due
    for (int i = 0; i < 100; i++) ready->Start(i);
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

// Runs in the child of a fork; its result is the child's exit status.
int ForkAndRun(const std::function<int()> &child) {
  pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

std::atomic<int> g_skipped{0};
void CountSkippedForkHandlers(gpr_log_func_args *args) {
  if (std::string(args->message).find("skipping fork") != std::string::npos) g_skipped++;
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

TEST(ReactorFork, TheHostFindsNoThreadOfOursInsideGrpc) {
  ReactorUse use;
  OnReactor([] {});
  g_skipped = 0;
  gpr_set_log_function(CountSkippedForkHandlers);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_INFO);
  EXPECT_EQ(ForkAndRun([] { return 7; }), 7);
  EXPECT_EQ(g_skipped, 0);
  {
    // The canary: a thread of somebody else's inside gRPC is noticed.
    grpc_completion_queue *cq = grpc_completion_queue_create_for_next(nullptr);
    std::atomic<bool> stop{false};
    std::thread inside([&] {
      while (!stop) {
        grpc_completion_queue_next(
            cq, gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(100, GPR_TIMESPAN)),
            nullptr);
      }
    });
    EXPECT_TRUE(WaitUntil([] {
      EXPECT_EQ(ForkAndRun([] { return 7; }), 7);
      return g_skipped > 0;
    }));
    stop = true;
    inside.join();
    grpc_completion_queue_shutdown(cq);
    grpc_completion_queue_next(cq, gpr_inf_future(GPR_CLOCK_MONOTONIC), nullptr);
    grpc_completion_queue_destroy(cq);
  }
  gpr_set_log_function(nullptr);
}

TEST(ReactorFork, ChildMayAcquireANewReactor) {
  ReactorUse use;
  Timer inherited;
  OnReactor([&] { inherited.Set(gxds_reactor_now() + 3600 * GXDS_SECOND); });
  unsigned generation = gxds_reactor_generation();
  int status = ForkAndRun([&] {
    if (gxds_reactor_generation() != generation + 1) return 1;
    Post([] { _exit(2); });  // to the one that is gone: dropped or run by the next, never a crash
    ReactorUse again;
    int ran = 0;
    OnReactor([&] {
      gxds_timer_cancel(&inherited.timer);
      ran++;
    });
    return ran == 1 ? 0 : 3;
  });
  EXPECT_TRUE(status == 0 || status == 2) << status;
  OnReactor([&] { gxds_timer_cancel(&inherited.timer); });
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

TEST(ReactorFork, ForkJoinsAReactorOnItsWayOut) {
  for (int i = 0; i < 20; i++) {
    {
      ReactorUse use;
      OnReactor([] {});
    }
    EXPECT_EQ(ForkAndRun([] {
                ReactorUse use;
                return 7;
              }),
              7);
  }
}

}  // namespace
}  // namespace grpc_xds
