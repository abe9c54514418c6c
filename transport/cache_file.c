#include "transport/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/memory.h"

struct gxds_cache_file {
  gxds_str path;
  gxds_str target;
  gxds_str server;
  int dir; /* descriptors; -1: none */
  int fd;
  int aside; /* what it is written anew into */
  size_t aside_size;
  int lock;
  pid_t owner; /* who opened it: not the child of a fork */
  bool read_only;
  bool locked_out; /* by another process, or after a failure: not yet tried again */
  bool failing;    /* what was put last could not be written */
  bool lost;       /* something that was put is not there */
  gxds_time retry; /* after a failure: not before that */
  gxds_cache_log *log;
};

/* "0123456789abcdef" and an ending. */
#define NAME_SIZE 32

static void make_name(const gxds_cache_file *f, const char *ending, char *out) {
  uint64_t hash = XXH3_64bits_withSeed(f->server.data, f->server.size,
                                       XXH3_64bits(f->target.data, f->target.size));
  snprintf(out, NAME_SIZE, "%016llx.%s", (unsigned long long)hash, ending);
}

static void say(const gxds_cache_file *f, gxds_text *log, const char *what, const char *why) {
  gxds_text_addf(log, "%sresource cache ", log->size ? "; " : "");
  gxds_text_add_escaped(log, f->path);
  gxds_text_addf(log, ": %s%s", what, why);
}

/* ---- the store of the log ---- */

static bool read_at(void *arg, size_t at, size_t size, gxds_text *out) {
  int fd = ((const gxds_cache_file *)arg)->fd;
  gxds_text_clear(out);
  char *buffer = gxds_calloc(1, size + 1);
  size_t have = 0;
  while (have < size) {
    ssize_t n = pread(fd, buffer + have, size - have, (off_t)(at + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += (size_t)n;
  }
  gxds_text_add(out, gxds_str_of(buffer, have));
  gxds_free(buffer);
  return have == size;
}

static bool write_at(int fd, size_t at, gxds_str s) {
  while (s.size > 0) {
    ssize_t n = pwrite(fd, s.data, s.size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += (size_t)n;
    s = gxds_str_of(s.data + n, s.size - (size_t)n);
  }
  return true;
}

/* A part that a killed process left is cut off first: it may be longer than what is written over
 * it. */
static bool cut_and_write(void *arg, size_t at, gxds_str bytes) {
  const gxds_cache_file *f = arg;
  return ftruncate(f->fd, (off_t)at) == 0 && write_at(f->fd, at, bytes);
}

static void drop_aside(gxds_cache_file *f) {
  int error = errno;
  char name[NAME_SIZE];
  make_name(f, "new", name);
  if (f->aside >= 0) close(f->aside);
  f->aside = -1;
  (void)unlinkat(f->dir, name, 0); /* also what a killed process left */
  errno = error;
}

static bool begin_anew(void *arg) {
  gxds_cache_file *f = arg;
  drop_aside(f);
  char name[NAME_SIZE];
  make_name(f, "new", name);
  f->aside_size = 0;
  f->aside =
      openat(f->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  return f->aside >= 0;
}

static bool add_anew(void *arg, gxds_str bytes) {
  gxds_cache_file *f = arg;
  if (!write_at(f->aside, f->aside_size, bytes)) return false;
  f->aside_size += bytes.size;
  return true;
}

static bool end_anew(void *arg) {
  gxds_cache_file *f = arg;
  char aside[NAME_SIZE];
  char name[NAME_SIZE];
  make_name(f, "new", aside);
  make_name(f, "gxds", name);
  if (renameat(f->dir, aside, f->dir, name) != 0) return false;
  if (f->fd >= 0) close(f->fd);
  f->fd = f->aside;
  f->aside = -1;
  return true;
}

static const gxds_cache_store file_store = {read_at, cut_and_write, begin_anew, add_anew, end_anew};

/* ---- reading ---- */

static void close_file(gxds_cache_file *f) {
  if (f->fd >= 0) close(f->fd);
  f->fd = -1;
}

static void ignore_file(gxds_cache_file *f, gxds_text *log, const char *why) {
  close_file(f);
  say(f, log, "ignored: ", why);
}

/* What others could have written is not what a server sent. */
static const char *check_file(int fd, size_t *size) {
  struct stat info;
  if (fstat(fd, &info) != 0) return strerror(errno);
  if (!S_ISREG(info.st_mode)) return "it is no regular file";
  if (info.st_uid != geteuid()) return "it belongs to another user";
  if (info.st_mode & (S_IWGRP | S_IWOTH)) return "others may write to it";
  if ((size_t)info.st_size > GXDS_CACHE_FILE_MAX) return "it is too long";
  *size = (size_t)info.st_size;
  return NULL;
}

/* Leaves the file as it is. Another process may be able to go on with it. */
static void give_up(gxds_cache_file *f) {
  f->read_only = true;
  if (f->lock < 0) return;
  /* Children of a fork have the descriptor too: closing it here does not end the lock. */
  if (f->owner == getpid()) (void)flock(f->lock, LOCK_UN);
  close(f->lock);
  f->lock = -1;
}

/* Gives up where the file must not be touched. */
static void load(gxds_cache_file *f, gxds_text *log) {
  char name[NAME_SIZE];
  make_name(f, "gxds", name);
  int access = f->read_only ? O_RDONLY : O_RDWR; /* of a file system that may not be written */
  f->fd = openat(f->dir, name, access | O_CLOEXEC | O_NOFOLLOW);
  if (f->fd < 0) {
    if (errno == ENOENT) return;
    say(f, log, "can't be opened: ", strerror(errno));
    give_up(f);
    return;
  }
  size_t size = 0;
  const char *why = check_file(f->fd, &size);
  if (why) {
    ignore_file(f, log, why);
    give_up(f);
    return;
  }
  gxds_text all = {0};
  bool foreign = false;
  why = read_at(f, 0, size, &all) ? gxds_cache_log_load(f->log, gxds_text_str(&all), &foreign)
                                  : "it is damaged";
  gxds_text_fini(&all);
  if (why) ignore_file(f, log, why);
  if (foreign) give_up(f);
}

/* ---- opening ---- */

/* A static text or errno's: why the directory can't be used; NULL: it can. */
static const char *open_dir(gxds_cache_file *f, gxds_str dir) {
  gxds_str path = gxds_str_dup(dir); /* for its zero */
  bool made = mkdir(path.data, S_IRWXU) == 0 || errno == EEXIST;
  const char *why = made ? NULL : strerror(errno);
  f->dir = made ? open(path.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (made && f->dir < 0) why = strerror(errno);
  gxds_str_free(&path);
  if (why) return why;
  struct stat info;
  if (fstat(f->dir, &info) != 0) return strerror(errno);
  if (info.st_uid != geteuid() && info.st_uid != 0) return "it belongs to another user";
  if (info.st_mode & (S_IWGRP | S_IWOTH)) {
    return "others may write into it, and so make this program connect wherever they like "
           "(chmod go-w)";
  }
  return NULL;
}

/* The lock is of a file of its own, since the log is replaced now and then. */
static void open_lock(gxds_cache_file *f, gxds_text *log) {
  char name[NAME_SIZE];
  make_name(f, "lock", name);
  f->lock = openat(f->dir, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (f->lock >= 0 && flock(f->lock, LOCK_EX | LOCK_NB) == 0) return;
  f->locked_out = f->lock >= 0 && errno == EWOULDBLOCK;
  f->read_only = !f->locked_out;
  say(f, log, "only read: ", errno == EWOULDBLOCK ? "another process keeps it" : strerror(errno));
}

gxds_cache_file *gxds_cache_file_open(gxds_str dir, gxds_str target, gxds_str server,
                                      gxds_text *log) {
  gxds_cache_file *f = GXDS_NEW(gxds_cache_file);
  f->dir = f->fd = f->aside = f->lock = -1;
  f->owner = getpid();
  f->target = gxds_str_dup(target);
  f->server = gxds_str_dup(server);
  f->path = gxds_str_dup(dir);
  f->log = gxds_cache_log_create(target, server, GXDS_CACHE_COMPACT_MIN, &file_store, f);
  const char *why = open_dir(f, dir);
  if (why) {
    say(f, log, "the directory can't be used: ", why);
    gxds_cache_file_close(f);
    return NULL;
  }
  char name[NAME_SIZE];
  make_name(f, "gxds", name);
  gxds_text path = {0};
  gxds_text_addf(&path, "%.*s/%s", GXDS_STR_ARG(dir), name);
  gxds_str_free(&f->path);
  f->path = gxds_text_take(&path);
  open_lock(f, log);
  load(f, log);
  return f;
}

void gxds_cache_file_close(gxds_cache_file *f) {
  if (!f) return;
  close_file(f);
  if (f->aside >= 0) drop_aside(f);
  gxds_cache_log_destroy(f->log);
  give_up(f);
  if (f->dir >= 0) close(f->dir);
  gxds_str_free(&f->path);
  gxds_str_free(&f->target);
  gxds_str_free(&f->server);
  gxds_free(f);
}

gxds_str gxds_cache_file_path(const gxds_cache_file *f) { return f->path; }
size_t gxds_cache_file_count(const gxds_cache_file *f) { return gxds_cache_log_count(f->log); }

bool gxds_cache_file_find(gxds_cache_file *f, gxds_str type, gxds_str name,
                          gxds_cache_record *out) {
  return gxds_cache_log_find(f->log, type, name, out);
}

/* ---- writing ---- */

/* Whether it is ours to write. The process that kept it may be gone: what it left is read anew. */
static bool take_over(gxds_cache_file *f, gxds_time now, gxds_text *log) {
  if (f->read_only || (f->failing && now < f->retry)) return false;
  if (!f->locked_out) return true;
  if (flock(f->lock, LOCK_EX | LOCK_NB) != 0) return false;
  f->locked_out = false;
  gxds_cache_log_clear(f->log);
  close_file(f);
  if (!f->failing) {
    say(f, log, "kept by this process from now on: the other one let it go", "");
  }
  load(f, log);
  return !f->read_only;
}

/* What is in the file stays as it is. Another process may have more luck with it. */
static void rest(gxds_cache_file *f, gxds_time now, gxds_text *log) {
  const char *why = strerror(errno);
  bool lasting = errno == EFBIG || f->owner != getpid();
  drop_aside(f);
  if (lasting) {
    say(f, log, "not written any more: ", why);
    give_up(f);
    return;
  }
  if (!f->failing) say(f, log, "not written for now: ", why);
  f->failing = f->locked_out = true;
  f->retry = gxds_time_after(now, GXDS_CACHE_RETRY_AFTER);
  (void)flock(f->lock, LOCK_UN);
}

void gxds_cache_file_put(gxds_cache_file *f, const gxds_cache_record *r, gxds_time now,
                         gxds_text *log) {
  if (!take_over(f, now, log)) {
    f->lost = true;
    return;
  }
  size_t before = gxds_cache_log_size(f->log);
  if (!gxds_cache_log_put(f->log, r)) {
    f->lost = true;
    rest(f, now, log);
  } else if (f->failing && gxds_cache_log_size(f->log) != before) {
    f->failing = false;
    say(f, log, "written again", "");
  }
}

bool gxds_cache_file_take_lost(gxds_cache_file *f) {
  bool lost = f->lost && !f->read_only && !f->locked_out && !f->failing;
  if (lost) f->lost = false;
  return lost;
}
