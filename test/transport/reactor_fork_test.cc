#include <grpc/fork.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "test/support/host_seam.h"
#include "test/transport/on_reactor.h"
#include "transport/clients.h"
#include "transport/reactor.h"

namespace grpc_xds {
namespace {

// These tests run with the host's own fork handlers, which ours must not block. The host reads the
// variables at its first initialisation. With the distribution's build the program registers the
// handlers. With epoll1 the host's child shares its epoll set with the parent, because the event
// engine overwrites the function that would make a new one. So the child's actions are tested with
// poll.
const int kForkSupport = [] {
  setenv("GRPC_ENABLE_FORK_SUPPORT", "1", 1);
  setenv("GRPC_POLL_STRATEGY", "poll", 1);
  pthread_atfork(nullptr, nullptr, [] { alarm(20); });
  return pthread_atfork(grpc_prefork, grpc_postfork_parent, grpc_postfork_child);
}();

// Runs `child` in the child of a fork and returns the child's exit status. The host's handler may
// hang in the child on a lock that a thread of the host's held. Then the alarm kills that child,
// and another fork is tried.
int ForkAndRun(const std::function<int()> &child) {
  for (int attempt = 0; attempt < 5; attempt++) {
    pid_t pid = fork();
    if (pid == 0) _exit(child());
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WTERMSIG(status) != SIGALRM) return 1000 + WTERMSIG(status);
  }
  return 1000 + SIGALRM;
}

std::atomic<int> g_skipped{0};
void CountSkippedForkHandlers(std::string_view line) {
  if (line.find("skipping fork") != std::string_view::npos) g_skipped++;
}

TEST(ReactorFork, TheHostFindsNoThreadOfOursInsideGrpc) {
  ReactorUse use;
  OnReactor([] {});
  g_skipped = 0;
  gxds_test::SetHostLogReader(CountSkippedForkHandlers);
  EXPECT_EQ(ForkAndRun([] { return 7; }), 7);
  EXPECT_EQ(g_skipped, 0);
  {
    // The canary: the handlers must notice another thread inside gRPC.
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
  gxds_test::SetHostLogReader(nullptr);
}

TEST(ReactorFork, ChildMayAcquireANewReactor) {
  ReactorUse use;
  Timer inherited;
  OnReactor([&] { inherited.Set(gxds_reactor_now() + 3600 * GXDS_SECOND); });
  unsigned generation = gxds_reactor_generation();
  int status = ForkAndRun([&] {
    if (gxds_reactor_generation() != generation + 1) return 1;
    // To the parent's reactor: dropped, or run by the next reactor, but never a crash.
    Post([] { _exit(2); });
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

// Nobody releases the uses that a child inherits, so a reactor that the child starts does not end.
TEST(ReactorFork, AForkOfAChildDoesNotWaitForAReactorThatNeverEnds) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "the sanitizer does not bear a child's thread in the place of one of the parent's";
#endif
  static constexpr int kForks = 5;
  gxds_reactor_acquire();
  OnReactor([] {});
  const auto child = [] {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < kForks; i++) {
      {
        ReactorUse channel;
        OnReactor([] {});
      }
      if (ForkAndRun([] { return 7; }) != 7) return 1;
    }
    return std::chrono::steady_clock::now() - began < std::chrono::seconds(kForks) ? 0 : 2;
  };
  EXPECT_EQ(ForkAndRun(child), 0) << "2: each waited for its end";
  gxds_reactor_release();
}

// The inherited client gets no events. A channel that the child makes gets a new client, which
// works.
TEST(ReactorFork, ChildGetsAClientOfItsOwn) {
  ReactorUse use;
  static const gxds_host host = [] {
    gxds_host h{};
    h.creds_supported = [](gxds_str) { return true; };
    h.creds_check = [](gxds_str, gxds_str, const gxds_path *, gxds_errors *) {};
    h.creds_create = [](gxds_str, gxds_str) { return grpc_insecure_credentials_create(); };
    return h;
  }();
  static const gxds_watch_events events{};  // nothing is watched
  const gxds_bootstrap *bootstrap = nullptr;
  gxds_status status = gxds_bootstrap_parse(
      gxds_str_z(R"({"xds_servers":[{"server_uri":"x:1","channel_creds":[{"type":"insecure"}]}]})"),
      &host, &bootstrap, nullptr);
  ASSERT_EQ(status.code, GXDS_OK);
  auto acquire = [&] {
    gxds_client_handle *handle = nullptr;
    gxds_prepared *prepared = gxds_clients_prepare(bootstrap, &host);
    OnReactor([&] {
      handle = gxds_clients_acquire({gxds_str_z("xds:///x"), nullptr}, bootstrap, prepared, &host,
                                    0, nullptr, &events, nullptr);
    });
    return handle;
  };
  auto release = [](gxds_client_handle *h) { OnReactor([&] { gxds_client_handle_release(h); }); };
  gxds_client_handle *before = acquire(), *same = acquire();
  EXPECT_EQ(gxds_client_handle_load_store(before), gxds_client_handle_load_store(same));
  EXPECT_EQ(ForkAndRun([&] {
              ReactorUse again;
              gxds_client_handle *own = acquire();
              if (gxds_client_handle_load_store(own) == gxds_client_handle_load_store(before)) {
                return 1;
              }
              release(own);
              release(same);  // inherited handles may be released
              release(before);
              return 0;
            }),
            0);
  release(same);
  release(before);
  gxds_bootstrap_unref(bootstrap);
}

}  // namespace
}  // namespace grpc_xds
