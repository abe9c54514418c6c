#include "transport/epoll_find.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/cut_off.h"

/* A file that an epoll set watches. The file may have been closed, and fd may be another file now.
 * The inode tells them apart. */
typedef struct watched {
  int fd;
  ino_t inode; /* 0: unknown */
} watched;

/* Reads the next file, which is one line: "tfd: 5 events: 19 data: 7f pos:0 ino:61af sdev:7". False
 * if there are no more. */
static bool next_watched(FILE *info, watched *out) {
  char line[256];
  while (fgets(line, sizeof line, info)) {
    if (sscanf(line, "tfd: %d", &out->fd) != 1) continue;
    const char *ino = strstr(line, " ino:");
    out->inode = ino ? strtoull(ino + strlen(" ino:"), NULL, 16) : 0;
    return true;
  }
  return false;
}

static FILE *open_info(const char *epoll) {
  char path[sizeof "/proc/self/fdinfo/" + NAME_MAX];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%s", epoll);
  return fopen(path, "re");
}

static bool watches(const char *epoll, int fd, ino_t inode) {
  FILE *info = open_info(epoll);
  if (!info) return false;
  bool found = false;
  watched w;
  while (!found && next_watched(info, &w)) {
    found = w.fd == fd && (w.inode == 0 || w.inode == inode);
  }
  fclose(info);
  return found;
}

static bool is_epoll(int dir, const char *name) {
  static const char kind[] = "anon_inode:[eventpoll]";
  char target[sizeof kind] = {0};
  return readlinkat(dir, name, target, sizeof target) == sizeof kind - 1 &&
         memcmp(target, kind, sizeof kind - 1) == 0;
}

int gxds_epoll_find(int fd) {
  struct stat file;
  DIR *all = fstat(fd, &file) == 0 ? opendir("/proc/self/fd") : NULL;
  if (!all) return -1;
  int found = -1;
  for (const struct dirent *e; found < 0 && (e = readdir(all));) {
    if (is_epoll(dirfd(all), e->d_name) && watches(e->d_name, fd, file.st_ino)) {
      found = atoi(e->d_name);
    }
  }
  closedir(all);
  return found;
}

static bool is_socket(const watched *w) {
  struct stat file;
  return fstat(w->fd, &file) == 0 && S_ISSOCK(file.st_mode) &&
         (w->inode == 0 || w->inode == file.st_ino);
}

void gxds_epoll_cut_off(int epoll) {
  char name[16];
  snprintf(name, sizeof name, "%d", epoll);
  int made = gxds_cut_off_make();
  FILE *info = open_info(name);
  watched w;
  while (info && next_watched(info, &w)) {
    if (is_socket(&w)) gxds_cut_off_put(made, w.fd);
  }
  if (info) fclose(info);
  if (made >= 0) close(made);
}
