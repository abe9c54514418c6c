// Runs tests in children of a fork.
#ifndef GRPC_XDS_TEST_SUPPORT_FORKS_DURING_H_
#define GRPC_XDS_TEST_SUPPORT_FORKS_DURING_H_

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace gxds_test {

// The status of a child that calls run(). Its result is the child's exit status, unless an
// expectation failed in the child.
inline int StatusOfChild(const std::function<int()>& run) {
  int status = SIGALRM;
  // A fork is tried again if another thread, which begins just now, held a lock of abseil. Nobody
  // releases that in the child, so SIGALRM ends the child.
  for (int i = 0; status == SIGALRM && i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(2);
      const int result = run();
      _exit(testing::Test::HasFailure() ? 1 : result);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
  }
  return status;
}

// Makes children while two threads call use(), and calls it in each child. Returns whether every
// child came to its end, and no expectation failed in it. A child that waits for a lock that nobody
// releases is killed by SIGALRM.
template <typename Use>
bool AllChildrenEnd(const Use& use) {
  constexpr int kChildren = 200;
  constexpr unsigned kSeconds = 10;
  std::atomic<bool> end{false};
  const auto use_until_end = [&] {
    while (!end) use();
  };
  std::thread one(use_until_end);
  std::thread other(use_until_end);
  bool ok = true;
  for (int i = 0; ok && i < kChildren; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      use();
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ok = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  }
  end = true;
  one.join();
  other.join();
  return ok;
}

}  // namespace gxds_test

#endif
