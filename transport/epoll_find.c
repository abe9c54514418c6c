#include "transport/epoll_find.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One line for each watched file: "tfd: 5 events: 19 data: 7f pos:0 ino:61af sdev:7". A number may
 * be that of a file which was closed since; the inode tells. */
static bool is_line_of(const char *line, int fd, ino_t inode) {
  int watched;
  if (sscanf(line, "tfd: %d", &watched) != 1 || watched != fd) return false;
  const char *ino = strstr(line, " ino:");
  return !ino || strtoull(ino + strlen(" ino:"), NULL, 16) == inode;
}

static bool watches(const char *epoll, int fd, ino_t inode) {
  char path[sizeof "/proc/self/fdinfo/" + NAME_MAX];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%s", epoll);
  FILE *info = fopen(path, "re");
  if (!info) return false;
  bool found = false;
  char line[256];
  while (!found && fgets(line, sizeof line, info)) found = is_line_of(line, fd, inode);
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
