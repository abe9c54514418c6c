// A backend in a process of its own: backend NAME PORT. It prints "port N", and shuts down
// gracefully at SIGTERM.
#include "test/support/backend.h"

#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // in all threads, since they start after this
  gxds_test::Backend backend(argv[1], std::atoi(argv[2]));
  std::printf("port %d\n", backend.port());
  std::fflush(stdout);
  int signal;
  sigwait(&signals, &signal);
  backend.Stop();
  return 0;
}
