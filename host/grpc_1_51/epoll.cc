#include "transport/host_epoll.h"

#include <fcntl.h>
#include <grpc/support/port_platform.h>
#include <unistd.h>

#include <cstring>

#include "src/core/lib/iomgr/ev_posix.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "transport/epoll_find.h"

// The host does not reveal its epoll set. So this code lets the host watch one of our own files, on
// which nothing ever happens. The epoll set in which that file appears is the host's.
int gxds_host_epoll(void) {
  const char* strategy = grpc_get_poll_strategy_name();
  if (strategy == nullptr || strcmp(strategy, "epoll1") != 0) return -1;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  int found;
  {
    grpc_core::ExecCtx exec_ctx;
    grpc_fd* watched = grpc_fd_create(ends[0], "grpc_xds", false);
    found = gxds_epoll_find(ends[0]);
    grpc_fd_orphan(watched, nullptr, nullptr, "grpc_xds");  // this also closes the file
  }
  close(ends[1]);
  return found;
}
