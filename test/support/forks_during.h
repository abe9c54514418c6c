// Forks while other threads use something, and uses it in the children.
#ifndef GRPC_XDS_TEST_SUPPORT_FORKS_DURING_H_
#define GRPC_XDS_TEST_SUPPORT_FORKS_DURING_H_

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace gxds_test {

// Makes children while two threads call use(), and calls it in each child. Returns whether every
// child came to its end. A child that waits for a lock that nobody releases is killed by SIGALRM.
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
      _exit(0);
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
