#include "transport/cut_off.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

typedef struct sockets {
  int *fds; /* owned */
  size_t count;
  size_t capacity;
} sockets;

static bool is_socket(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode);
}

static void add(sockets *s, int fd) {
  GXDS_MAKE_ROOM(s->fds, s->count, s->capacity, 16);
  s->fds[s->count++] = fd;
}

static sockets open_sockets(void) {
  sockets all = {NULL, 0, 0};
  DIR *dir = opendir("/proc/self/fd");
  for (const struct dirent *e; dir && (e = readdir(dir));) {
    if (e->d_name[0] != '.' && is_socket(atoi(e->d_name))) add(&all, atoi(e->d_name));
  }
  if (dir) closedir(dir);
  return all;
}

int gxds_cut_off_make(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return -1;
  close(ends[1]);
  return ends[0];
}

void gxds_cut_off_put(int made, int fd) { (void)dup3(made, fd, O_CLOEXEC); }

void gxds_cut_off_closed(void (*close_some)(void)) {
  sockets before = open_sockets();
  int made = gxds_cut_off_make();
  close_some();
  for (size_t i = 0; i < before.count; i++) {
    if (fcntl(before.fds[i], F_GETFD) < 0) gxds_cut_off_put(made, before.fds[i]);
  }
  if (made >= 0) close(made);
  gxds_free(before.fds);
}
