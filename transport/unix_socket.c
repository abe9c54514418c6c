#include "transport/unix_socket.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

bool gxds_unix_socket_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISSOCK(info.st_mode);
}

/* Does not wait for a process whose queue is full. */
static bool is_refused(const struct sockaddr_un *at, int type) {
  int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  bool refused = connect(fd, (const struct sockaddr *)at, sizeof *at) != 0 && errno == ECONNREFUSED;
  close(fd);
  return refused;
}

bool gxds_unix_socket_is_left_over(const char *path) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  int size = snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
  if (size < 0 || (size_t)size >= sizeof at.sun_path || !gxds_unix_socket_exists(path))
    return false;
  /* First a socket of another type than the process's. Linux refuses it with EPROTOTYPE if a
   * process has the socket, even if that does not listen yet. gVisor always has ECONNREFUSED for
   * it, so there the second one tells. */
  return is_refused(&at, SOCK_DGRAM) && is_refused(&at, SOCK_STREAM);
}
