#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/status/csds.h"
#include "transport/status_socket.h"

enum { kHeadBytesMax = 64, kPartBytes = 65536, kEnvironmentBytesMax = 4 << 20 };

/* ---- one socket ---- */

/* shown is the path in printable form. */
static int connect_to(const char *path, const char *shown, gxds_duration timeout,
                      gxds_text *error) {
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISSOCK(info.st_mode)) {
    gxds_text_addf(error, "%s is no socket", shown);
    return -1;
  }
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  int size = snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
  if (size < 0 || (size_t)size >= sizeof to.sun_path) {
    gxds_text_addf(error, "%s: the path of a socket has at most 107 bytes", shown);
    return -1;
  }
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct timeval patience = {.tv_sec = (time_t)(timeout / GXDS_SECOND),
                             .tv_usec = (suseconds_t)(timeout % GXDS_SECOND / 1000)};
  if (fd >= 0) {
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
  }
  int why = errno;
  if (fd >= 0) close(fd);
  if (why == ENOENT) {
    gxds_text_addf(error,
                   "there is no %s: the program has made no xds: channel yet, or runs without this "
                   "library (GRPC_VERBOSITY=info shows what it logs)",
                   shown);
  } else if (why == ECONNREFUSED) {
    gxds_text_addf(error, "nobody listens on %s: a program that ended left it", shown);
  } else if (why == EACCES) {
    gxds_text_addf(error, "%s belongs to another user: run xds status as that user, or as root",
                   shown);
  } else if (why == EAGAIN) { /* SO_SNDTIMEO: others wait for it already */
    gxds_text_addf(error, "%s does not respond in time", shown);
  } else {
    gxds_text_addf(error, "cannot connect to %s: %s", shown, strerror(why));
  }
  return -1;
}

/* A directory that others may write into could hold anyone's socket. */
static bool check_peer(int fd, const char *shown, pid_t pid, gxds_text *error) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    gxds_text_addf(error, "cannot tell whose %s is: %s", shown, strerror(errno));
    return false;
  }
  if (geteuid() != 0 && peer.uid != geteuid() && peer.uid != 0) {
    gxds_text_addf(error, "%s is user %u's, not yours", shown, (unsigned)peer.uid);
    return false;
  }
  if (pid != 0 && peer.pid != pid) {
    gxds_text_addf(error, "%s is process %ld's, not %ld's", shown, (long)peer.pid, (long)pid);
    return false;
  }
  return true;
}

/* Reads the head, and keeps the bytes that arrived with it. */
static bool parse_head(gxds_text *got, size_t *size) {
  char *end = got->size ? memchr(got->data, '\n', got->size) : NULL;
  size_t mark = strlen(GXDS_STATUS_HEAD);
  if (!end || !gxds_str_starts_with(gxds_text_str(got), gxds_str_z(GXDS_STATUS_HEAD))) return false;
  char *digits_end;
  unsigned long long number = strtoull(got->data + mark, &digits_end, 10);
  if (digits_end != end || number > GXDS_CSDS_BYTES_MAX) return false;
  *size = (size_t)number;
  gxds_text rest = {0};
  gxds_text_add(&rest, gxds_str_of(end + 1, got->size - (size_t)(end + 1 - got->data)));
  gxds_text_fini(got);
  *got = rest;
  return true;
}

static bool read_reply(int fd, const char *shown, gxds_text *reply, gxds_text *error) {
  char part[kPartBytes];
  bool has_head = false;
  size_t size = 0;
  while (!has_head || reply->size < size) {
    ssize_t count = recv(fd, part, sizeof part, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const bool late = errno == EAGAIN; /* SO_RCVTIMEO */
      gxds_text_addf(error, "%s does not respond%s%s", shown, late ? " in time" : ": ",
                     late ? "" : strerror(errno));
      return false;
    }
    gxds_text_add(reply, gxds_str_of(part, (size_t)count));
    bool line = reply->size && memchr(reply->data, '\n', reply->size) != NULL;
    if (!has_head && (line || count == 0 || reply->size > kHeadBytesMax)) {
      if (gxds_str_starts_with(gxds_text_str(reply), gxds_str_z(GXDS_STATUS_BUSY))) {
        gxds_text_addf(error, "the program's xDS clients are too busy to respond: try again");
        return false;
      }
      if (!line && reply->size == 0) {
        gxds_text_addf(error, "%s belongs to another user: run xds status as that user, or as root",
                       shown);
        return false;
      }
      has_head = parse_head(reply, &size);
      if (!has_head) {
        gxds_text_addf(error, "%s is no status socket of grpc_xds", shown);
        return false;
      }
    } else if (count == 0) {
      gxds_text_addf(error, "%s: the program ended in the middle of its response", shown);
      return false;
    }
  }
  return true;
}

bool gxds_csds_of_socket(const char *path, pid_t pid, gxds_duration timeout, gxds_text *reply,
                         gxds_text *error) {
  gxds_text shown = {0}; /* the path may come from another process's environment */
  gxds_text_add_escaped(&shown, gxds_str_z(path));
  int fd = connect_to(path, shown.data, timeout, error);
  bool ok =
      fd >= 0 && check_peer(fd, shown.data, pid, error) && read_reply(fd, shown.data, reply, error);
  if (fd >= 0) close(fd);
  gxds_text_fini(&shown);
  return ok;
}

/* ---- a process ---- */

/* Finds GRPC_XDS_STATUS_DIR in the environment with which the process was started. False if it is
 * not set. If the environment cannot be read, adds an error and returns false. */
static bool find_dir(pid_t pid, gxds_text *dir, gxds_text *error) {
  static const char key[] = "\0" GXDS_STATUS_DIR_VARIABLE "=";
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    gxds_text_addf(error, "there is no process %ld", (long)pid);
  } else if (fd < 0 && errno == EACCES &&
             geteuid() != 0) { /* even root may not be allowed to read it */
    gxds_text_addf(error,
                   "process %ld belongs to another user: run xds status as that user, or as root",
                   (long)pid);
  } else if (fd < 0) {
    gxds_text_addf(error, "cannot read %s: %s", path, strerror(errno));
  }
  if (fd < 0) return false;
  gxds_text all = {0};
  gxds_text_add(&all, gxds_str_of("", 1));
  (void)gxds_text_add_file(&all, fd, kEnvironmentBytesMax);
  close(fd);
  const char *at = memmem(all.data, all.size, key, sizeof key - 1);
  if (at) gxds_text_add_z(dir, at + sizeof key - 1);
  gxds_text_fini(&all);
  return dir->size > 0;
}

bool gxds_csds_of_process(pid_t pid, gxds_duration timeout, gxds_text *reply, gxds_text *error) {
  gxds_text path = {0};
  bool found = find_dir(pid, &path, error);
  const char *own = secure_getenv(GXDS_STATUS_DIR_VARIABLE);
  if (!found && error->size == 0 && own && *own) {
    gxds_text_add_z(&path, own);
    found = true;
  }
  if (found) {
    gxds_text_addf(&path, "/%ld.sock", (long)pid);
    found = gxds_csds_of_socket(path.data, pid, timeout, reply, error);
  } else if (error->size == 0) {
    gxds_text_addf(
        error,
        "process %ld was not started with %s=DIR in its environment: start it so, or give "
        "the ADDRESS:PORT of its CSDS service",
        (long)pid, GXDS_STATUS_DIR_VARIABLE);
  }
  gxds_text_fini(&path);
  return found;
}
