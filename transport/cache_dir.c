#include "transport/cache_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/cache_record.h"
#include "transport/clock.h"

enum { DIGITS = 16 };

void gxds_cache_name(uint64_t number, const char *ending, char out[GXDS_CACHE_NAME_SIZE]) {
  snprintf(out, GXDS_CACHE_NAME_SIZE, "%016llx.%s", (unsigned long long)number, ending);
}

/* ---- opening ---- */

static const char *check_dir(int dir) {
  struct stat info;
  if (fstat(dir, &info) != 0) return strerror(errno);
  if (info.st_uid != geteuid() && info.st_uid != 0) return "it belongs to another user";
  if (info.st_mode & (S_IWGRP | S_IWOTH)) {
    return "others may write into it, and so make this program connect wherever they like "
           "(chmod go-w)";
  }
  return NULL;
}

const char *gxds_cache_dir_open(const char *path, int *dir) {
  *dir = -1;
  bool made = mkdir(path, S_IRWXU) == 0 || errno == EEXIST;
  if (made) *dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*dir < 0) return strerror(errno);
  const char *why = check_dir(*dir);
  if (why) {
    close(*dir);
    *dir = -1;
  }
  return why;
}

bool gxds_cache_is_linked(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_nlink > 0;
}

static int try_lock(int dir, const char *name, int flags, int *lock) {
  *lock =
      openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, S_IRUSR | S_IWUSR);
  return *lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

/* A process removes a lock file only while it holds the lock. So if the lock file has no name any
 * more once this process holds its lock, another process removed it in between. Another lock file
 * may have replaced it, so the caller must try again. */
int gxds_cache_dir_lock(int dir, uint64_t number, int *lock) {
  char name[GXDS_CACHE_NAME_SIZE];
  gxds_cache_name(number, "lock", name);
  for (int tries = 0; tries < 8; tries++) {
    int error = try_lock(dir, name, O_CREAT, lock);
    if (error || gxds_cache_is_linked(*lock)) return error;
    close(*lock);
    *lock = -1;
  }
  return EBUSY;
}

void gxds_cache_touch(int lock, int64_t wall) {
  const struct timespec times[2] = {gxds_to_timespec(wall), gxds_to_timespec(wall)};
  /* This fails on a read-only file system, where no file is removed either. */
  (void)futimens(lock, times);
}

/* ---- files that are no longer needed ---- */

/* Reads the number and the ending from a file name. False if the name is not one of ours. */
static bool read_name(const char *name, uint64_t *number, const char **ending) {
  if (strspn(name, "0123456789abcdef") != DIGITS || name[DIGITS] != '.') return false;
  *number = strtoull(name, NULL, 16);
  *ending = name + DIGITS + 1;
  return strcmp(*ending, "gxds") == 0 || strcmp(*ending, "lock") == 0 ||
         strcmp(*ending, "new") == 0;
}

typedef enum kind { NONE, FOREIGN, EARLIER, OURS } kind;

static int64_t time_of(const struct stat *info) {
  const int64_t most = INT64_MAX / GXDS_SECOND - 1; /* a file system may store any year */
  int64_t seconds = info->st_mtim.tv_sec;
  if (seconds > most) seconds = most;
  if (seconds < 0) seconds = 0;
  return seconds * GXDS_SECOND + info->st_mtim.tv_nsec;
}

/* The kind of a file that has the name of a log, or of a new log that is not yet renamed. Sets
 * *used to the time when it was last modified. */
static kind look_at(int dir, const char *name, int64_t *used) {
  int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return errno == ENOENT ? NONE : FOREIGN;
  struct stat info;
  kind k = FOREIGN;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid()) {
    char head[GXDS_CACHE_MAGIC_SIZE];
    ssize_t size = pread(fd, head, sizeof head, 0);
    int version = size > 0 ? gxds_cache_version(gxds_str_of(head, (size_t)size)) : 0;
    bool empty = size == 0; /* the process that made it was killed before it wrote a byte */
    k = version == 0 && !empty ? FOREIGN : !empty && version < GXDS_CACHE_VERSION ? EARLIER : OURS;
    *used = time_of(&info);
  }
  close(fd);
  return k;
}

/* Like look_at(), for a lock file. A lock file that is not empty was not made by this library. */
static kind look_at_lock(int dir, const char *name, int64_t *used) {
  struct stat info;
  if (fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT ? NONE : FOREIGN;
  *used = time_of(&info);
  bool ours = S_ISREG(info.st_mode) && info.st_uid == geteuid() && info.st_size == 0;
  return ours ? OURS : FOREIGN;
}

static bool is_long_ago(int64_t used, int64_t wall) {
  return used <= wall && wall - used >= GXDS_CACHE_UNUSED_MAX;
}

typedef struct names {
  char log[GXDS_CACHE_NAME_SIZE];
  char lock[GXDS_CACHE_NAME_SIZE];
  char aside[GXDS_CACHE_NAME_SIZE];
} names;

static bool is_needed(int dir, const names *n, int64_t wall) {
  int64_t log_used = 0;
  int64_t lock_used = 0;
  int64_t aside_used = 0;
  kind log = look_at(dir, n->log, &log_used);
  kind aside = look_at(dir, n->aside, &aside_used);
  kind lock = look_at_lock(dir, n->lock, &lock_used);
  if (log == FOREIGN || aside == FOREIGN || lock == FOREIGN) return true;
  /* The files were removed a moment ago. */
  if (log == NONE && aside == NONE && lock == NONE) return true;
  if (log == EARLIER || (log == NONE && aside == EARLIER)) return false;
  return (log != NONE && !is_long_ago(log_used, wall)) ||
         (aside != NONE && !is_long_ago(aside_used, wall)) ||
         (lock != NONE && !is_long_ago(lock_used, wall));
}

/* Removes the lock file last, and while it holds the lock: see gxds_cache_dir_lock(). Makes the
 * lock file first if there is none. */
static bool remove_file(int dir, const names *n, int64_t wall) {
  int lock;
  int error = try_lock(dir, n->lock, 0, &lock);
  bool made = error == ENOENT;
  if (made) error = try_lock(dir, n->lock, O_CREAT | O_EXCL, &lock);
  made = made && error == 0; /* false if another process made the lock file, or holds it */
  bool ours = error == 0 && gxds_cache_is_linked(lock) && (made || !is_needed(dir, n, wall));
  if (ours) {
    (void)unlinkat(dir, n->aside, 0);
    ours = unlinkat(dir, n->log, 0) == 0 || errno == ENOENT;
  }
  if (ours || made) (void)unlinkat(dir, n->lock, 0);
  if (lock >= 0) close(lock);
  return ours;
}

/* The sweep handles a log together with its lock and its new log. Returns true for only one of
 * these three names, so that each log is handled once. */
static bool is_first(int dir, const names *n, const char *ending) {
  struct stat info;
  if (strcmp(ending, "gxds") == 0) return true;
  if (fstatat(dir, n->log, &info, AT_SYMLINK_NOFOLLOW) == 0) return false;
  return strcmp(ending, "lock") == 0 || fstatat(dir, n->lock, &info, AT_SYMLINK_NOFOLLOW) != 0;
}

size_t gxds_cache_dir_sweep(int dir, int64_t wall) {
  int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = again >= 0 ? fdopendir(again) : NULL;
  if (!list) {
    if (again >= 0) close(again);
    return 0;
  }
  size_t removed = 0;
  for (int i = 0; i < GXDS_CACHE_ENTRIES_MAX; i++) {
    const struct dirent *entry = readdir(list);
    if (!entry) break;
    uint64_t number;
    const char *ending;
    if (!read_name(entry->d_name, &number, &ending)) continue;
    names n;
    gxds_cache_name(number, "gxds", n.log);
    gxds_cache_name(number, "lock", n.lock);
    gxds_cache_name(number, "new", n.aside);
    if (!is_first(dir, &n, ending) || is_needed(dir, &n, wall)) continue;
    removed += remove_file(dir, &n, wall);
  }
  closedir(list);
  return removed;
}
