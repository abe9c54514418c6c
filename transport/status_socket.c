#include "transport/status_socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grpc/support/log.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "transport/dump.h"
#include "transport/listener.h"
#include "transport/unix_socket.h"

enum { kBacklog = 16 };

/* ---- one connection ---- */

/* Whether the peer runs as the user of this process, or as root. The socket's mode allows no
 * others, but its directory can be moved, and root can have any umask. */
static bool may_read(int connection) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

/* No request is needed: whoever connects gets a response. */
static bool is_whole(gxds_str request) {
  (void)request;
  return true;
}

static void respond(int fd, gxds_str request, gxds_http_response *out) {
  (void)request;
  if (!may_read(fd)) return;
  if (gxds_clients_dump(GXDS_DUMP_BY_CLIENT, gxds_str_of(NULL, 0), &out->body)) {
    gxds_text_addf(&out->head, GXDS_STATUS_HEAD "%zu\n", out->body.size);
  } else {
    gxds_text_add_z(&out->head, GXDS_STATUS_BUSY "\n");
  }
}

static const gxds_service service = {is_whole, respond};

/* ---- start ---- */

static pid_t tried;           /* the process that has tried to start the socket; 0: none */
static struct sockaddr_un at; /* the socket's address; written before owner */
static _Atomic(pid_t) owner;  /* the process that has the socket; 0: none */

/* Removes the file, but not in a child of a fork, which has a copy of the owner's memory. */
static void remove_file(void) {
  if (atomic_load_explicit(&owner, memory_order_acquire) == getpid()) unlink(at.sun_path);
}

/* Anyone who may write to the directory could put their own socket there. */
static const char *check_dir(const char *dir) {
  if (dir[0] != '/') return "it is no absolute path";
  if (mkdir(dir, S_IRWXU) != 0 && errno != EEXIST) return strerror(errno);
  struct stat info;
  if (stat(dir, &info) != 0) return strerror(errno);
  if (!S_ISDIR(info.st_mode)) return strerror(ENOTDIR);
  if (info.st_uid != geteuid() && info.st_uid != 0) return "it belongs to another user";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) && !(info.st_mode & S_ISVTX)) {
    return "others may write into it (chmod go-w)";
  }
  return NULL;
}

static bool bind_it(int fd) {
  if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0) return true;
  if (errno != EADDRINUSE) return false;
  if (gxds_unix_socket_is_left_over(at.sun_path) && unlink(at.sun_path) == 0) {
    return bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
  }
  errno = EADDRINUSE;
  return false;
}

/* The process id in the name of a socket, "PID.sock"; 0: it is another name. */
static pid_t pid_in(const char *name) {
  size_t digits = strspn(name, "0123456789");
  if (digits == 0 || digits > 9 || strcmp(name + digits, ".sock") != 0) return 0;
  return (pid_t)strtol(name, NULL, 10);
}

/* Removes the sockets of this user's killed processes. A process of another container, which shares
 * the directory but not the process ids, keeps its socket. */
static void sweep(const char *dir) {
  DIR *entries = opendir(dir);
  if (!entries) return;
  for (const struct dirent *e; (e = readdir(entries)) != NULL;) {
    const pid_t pid = pid_in(e->d_name);
    if (pid == 0 || kill(pid, 0) == 0 || errno != ESRCH) continue;
    struct sockaddr_un other;
    int size = snprintf(other.sun_path, sizeof other.sun_path, "%s/%s", dir, e->d_name);
    if (size < 0 || (size_t)size >= sizeof other.sun_path) continue;
    struct stat info;
    if (lstat(other.sun_path, &info) != 0 || info.st_uid != geteuid()) continue;
    if (gxds_unix_socket_is_left_over(other.sun_path)) unlink(other.sun_path);
  }
  closedir(entries);
}

/* A listening socket. On errors returns -1, and *why is the reason. */
static int listen_in(const char *dir, const char **why) {
  *why = check_dir(dir);
  if (*why) return -1;
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  int size = snprintf(to.sun_path, sizeof to.sun_path, "%s/%ld.sock", dir, (long)getpid());
  if (size < 0 || (size_t)size >= sizeof to.sun_path) {
    *why = "the path of a socket has at most 107 bytes";
    return -1;
  }
  at = to;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  /* The kernel makes the file with the mode of the socket, so other users never have access to
   * it. */
  bool bound = fd >= 0 && fchmod(fd, S_IRUSR | S_IWUSR) == 0 && bind_it(fd);
  if (bound && listen(fd, kBacklog) == 0) return fd;
  *why = strerror(errno);
  if (bound) unlink(at.sun_path);
  if (fd >= 0) close(fd);
  return -1;
}

void gxds_status_socket_start(void) {
  if (tried == getpid()) return;
  tried = getpid();
  const char *dir = secure_getenv(GXDS_STATUS_DIR_VARIABLE);
  if (!dir || !*dir) return;
  const char *why;
  int fd = listen_in(dir, &why);
  if (fd < 0) {
    gpr_log(GPR_ERROR, "grpc_xds: no status: cannot listen in %s=%s: %s", GXDS_STATUS_DIR_VARIABLE,
            dir, why);
    return;
  }
  if (!gxds_listener_start(fd, &service, &why)) {
    gpr_log(GPR_ERROR, "grpc_xds: no status: no thread for it: %s", why);
    unlink(at.sun_path);
    return;
  }
  gpr_log(GPR_INFO, "grpc_xds: status at %s", at.sun_path);
  sweep(dir);
  if (atomic_exchange_explicit(&owner, tried, memory_order_acq_rel) == 0) atexit(remove_file);
}
