#include "transport/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

#include <xxhash.h>

#include "base/hash_table.h"
#include "base/memory.h"
#include "transport/cache_dir.h"
#include "transport/fork.h"

typedef enum file_state {
  OURS,   /* this process writes the file; it holds the lock and has read the file */
  OTHERS, /* another process writes the file */
  FAILED, /* the file can't be written and is tried again later; records that were read stay */
} file_state;

/* A removal that could not be written yet. */
typedef struct removal {
  gxds_str record; /* encoded; owned */
  UT_hash_handle hh;
} removal;

struct gxds_cache_file {
  gxds_str dir_path;
  gxds_str path;
  uint64_t number; /* the file's name is this number in hexadecimal */
  int dir;         /* descriptors; -1: none */
  int fd;
  int aside; /* the new log, until it is renamed */
  size_t aside_size;
  int lock;
  pid_t owner; /* the process that opened the file; a child of a fork is not the owner */
  file_state state;
  gxds_duration wall_offset;
  gxds_time touch;    /* when the lock file is next marked as in use */
  gxds_time look;     /* FAILED: when to try again; OURS: when to check that the file is still in
                         place */
  gxds_duration wait; /* how long to wait after the next failure */
  gxds_text failed;   /* the last failure that was logged; empty: all records since then were
                         written */
  bool written;       /* a record was written since the last failure */
  bool ignored;       /* the line that the file's content is ignored was logged */
  bool lost;          /* some record that was put is not in the file */
  removal *removals;
  gxds_cache_log *log;
  gxds_cache_file *next;
};

static gxds_cache_file *files; /* all that are open */

static void make_name(const gxds_cache_file *f, const char *ending, char *out) {
  gxds_cache_name(f->number, ending, out);
}

static void add_note(const gxds_cache_file *f, gxds_text *log, const char *what, const char *why) {
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
    s = gxds_str_from(s, (size_t)n);
  }
  return true;
}

/* Truncates the file at `at` first, because a killed process may have left bytes there, more than
 * the new ones. Truncates it again if the write fails, because a part of a record is useless. */
static bool cut_and_write(void *arg, size_t at, gxds_str bytes) {
  const gxds_cache_file *f = arg;
  if (ftruncate(f->fd, (off_t)at) != 0) return false;
  if (write_at(f->fd, at, bytes)) return true;
  int error = errno;
  (void)!ftruncate(f->fd, (off_t)at);
  errno = error;
  return false;
}

static void drop_aside(gxds_cache_file *f) {
  int error = errno;
  char name[GXDS_CACHE_NAME_SIZE];
  make_name(f, "new", name);
  if (f->aside >= 0) close(f->aside);
  f->aside = -1;
  (void)unlinkat(f->dir, name, 0); /* also removes the new log of a killed process */
  errno = error;
}

static bool begin_anew(void *arg) {
  gxds_cache_file *f = arg;
  drop_aside(f);
  char name[GXDS_CACHE_NAME_SIZE];
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
  char aside[GXDS_CACHE_NAME_SIZE];
  char name[GXDS_CACHE_NAME_SIZE];
  make_name(f, "new", aside);
  make_name(f, "gxds", name);
  if (renameat(f->dir, aside, f->dir, name) != 0) return false;
  if (f->fd >= 0) close(f->fd);
  f->fd = f->aside;
  f->aside = -1;
  return true;
}

static const gxds_cache_store file_store = {read_at, cut_and_write, begin_anew, add_anew, end_anew};

/* ---- what fails ---- */

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Gives up the lock: another process may write the file from now on. */
static void let_go(gxds_cache_file *f) {
  /* A child that was just forked may still have the descriptor. Then closing it here would not
   * release the lock. */
  if (f->lock >= 0 && f->owner == getpid()) (void)flock(f->lock, LOCK_UN);
  close_fd(&f->lock);
  close_fd(&f->dir);
}

/* A lock stays until each process that has the descriptor has closed it. Without this, nobody could
 * write a file whose writer has ended, as long as a child of the writer lives. */
static void after_fork_in_child(void) {
  for (gxds_cache_file *f = files; f; f = f->next) close_fd(&f->lock);
}

static const gxds_fork_handlers fork_handlers = {NULL, NULL, after_fork_in_child};

/* Logs a failure once, until a different failure follows or everything that is put was written. If
 * one record never fits, but others do, that counts as one failure, and the writes are tried again
 * less and less often. */
static void fail(gxds_cache_file *f, gxds_time now, gxds_text *log, const char *what,
                 const char *why) {
  gxds_text failed = {0};
  gxds_text_addf(&failed, "%s%s", what, why);
  if (!gxds_str_equal(gxds_text_str(&failed), gxds_text_str(&f->failed))) {
    add_note(f, log, what, why);
  }
  gxds_text_fini(&f->failed);
  f->failed = failed;
  f->state = FAILED;
  f->written = false;
  f->look = gxds_time_after(now, f->wait);
  f->wait = f->wait < GXDS_CACHE_RETRY_AFTER_MAX / 2 ? 2 * f->wait : GXDS_CACHE_RETRY_AFTER_MAX;
  let_go(f);
}

/* ---- reading ---- */

/* Rejects a file that other users could have written, because its content may not be from a server.
 */
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

/* Reads the file into the log. Returns NULL, or why the file is not used. Sets *foreign if the file
 * must not be replaced either. */
static const char *read_file(gxds_cache_file *f, bool *foreign) {
  *foreign = true;
  size_t size = 0;
  const char *why = check_file(f->fd, &size);
  if (why) return why;
  gxds_text all = {0};
  *foreign = false;
  why = read_at(f, 0, size, &all) ? gxds_cache_log_load(f->log, gxds_text_str(&all), foreign)
                                  : "it is damaged";
  gxds_text_fini(&all);
  return why;
}

/* True if fd is a usable file, is the file that the log was read from, and no process has added to
 * it. The inode and the size show this, because records are only added, and a rewritten log is a
 * new file. */
static bool is_as_left(const gxds_cache_file *f, int fd) {
  struct stat before;
  struct stat now;
  size_t size;
  return f->fd >= 0 && fd >= 0 && fstat(f->fd, &before) == 0 && fstat(fd, &now) == 0 &&
         before.st_dev == now.st_dev && before.st_ino == now.st_ino &&
         (size_t)now.st_size == gxds_cache_log_size(f->log) && !check_file(fd, &size);
}

/* Reads the file as it is now, and replaces the index by its content. False if the file can't be
 * used. */
static bool load(gxds_cache_file *f, int access, gxds_time now, gxds_text *log) {
  char name[GXDS_CACHE_NAME_SIZE];
  make_name(f, "gxds", name);
  int fd = openat(f->dir, name, access | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 && errno != ENOENT) {
    fail(f, now, log, "can't be opened: ", strerror(errno));
    return false;
  }
  bool as_left = is_as_left(f, fd);
  close_fd(&f->fd);
  f->fd = fd;
  if (as_left) return true;
  gxds_cache_log_clear(f->log);
  if (fd < 0) return true;
  bool foreign;
  const char *why = read_file(f, &foreign);
  if (why) close_fd(&f->fd);
  if (why && foreign) {
    fail(f, now, log, "ignored: ", why);
    return false;
  }
  if (why && !f->ignored) add_note(f, log, "ignored: ", why);
  f->ignored = why != NULL;
  return true;
}

/* ---- opening ---- */

/* Marks the file as in use. A process that only reads the file does so too. */
static void touch(gxds_cache_file *f, gxds_time now) {
  if (f->lock >= 0) gxds_cache_touch(f->lock, now + f->wall_offset);
  f->touch = gxds_time_after(now, GXDS_CACHE_TOUCH_EVERY);
}

static void open_all(gxds_cache_file *f, gxds_time now, gxds_text *log) {
  f->look = gxds_time_after(now, GXDS_CACHE_RETRY_AFTER);
  const char *why = gxds_cache_dir_open(f->dir_path.data, &f->dir);
  if (why) {
    fail(f, now, log, "the directory can't be used: ", why);
    return;
  }
  /* The lock has its own file, because the log is replaced from time to time. */
  int error = gxds_cache_dir_lock(f->dir, f->number, &f->lock);
  touch(f, now);
  bool others = error == EWOULDBLOCK;
  /* A file that can't be written may still be readable, for example on a read-only file system. */
  if (!load(f, error && !others ? O_RDONLY : O_RDWR, now, log)) return;
  if (others) {
    add_note(f, log, "only read: another process keeps it", "");
    f->state = OTHERS;
  } else if (error) {
    fail(f, now, log, "only read: ", strerror(error));
  } else {
    f->state = OURS;
  }
}

gxds_cache_file *gxds_cache_file_open(gxds_str dir, gxds_str target, gxds_str origin, gxds_time now,
                                      gxds_duration wall_offset, gxds_text *log) {
  gxds_fork_register(GXDS_FORK_CACHE, &fork_handlers);
  gxds_cache_file *f = GXDS_NEW(gxds_cache_file);
  f->dir = f->fd = f->aside = f->lock = -1;
  f->owner = getpid();
  f->wait = GXDS_CACHE_RETRY_AFTER;
  f->dir_path = gxds_str_dup(dir);
  f->wall_offset = wall_offset;
  f->number = XXH3_64bits_withSeed(origin.data, origin.size, XXH3_64bits(target.data, target.size));
  f->log = gxds_cache_log_create(target, origin, GXDS_CACHE_COMPACT_MIN, &file_store, f);
  char name[GXDS_CACHE_NAME_SIZE];
  make_name(f, "gxds", name);
  f->path = gxds_str_format("%.*s/%s", GXDS_STR_ARG(dir), name);
  LL_PREPEND(files, f);
  open_all(f, now, log);
  return f;
}

static void drop_removal(gxds_cache_file *f, removal *r) {
  HASH_DELETE(hh, f->removals, r);
  gxds_str_free(&r->record);
  gxds_free(r);
}

void gxds_cache_file_close(gxds_cache_file *f) {
  if (!f) return;
  LL_DELETE(files, f);
  while (f->removals) drop_removal(f, f->removals);
  close_fd(&f->fd);
  gxds_cache_log_destroy(f->log);
  let_go(f);
  gxds_text_fini(&f->failed);
  gxds_str_free(&f->dir_path);
  gxds_str_free(&f->path);
  gxds_free(f);
}

gxds_str gxds_cache_file_path(const gxds_cache_file *f) { return f->path; }
size_t gxds_cache_file_count(const gxds_cache_file *f) { return gxds_cache_log_count(f->log); }

bool gxds_cache_file_find(gxds_cache_file *f, gxds_str type, gxds_str name,
                          gxds_cache_record *out) {
  return gxds_cache_log_find(f->log, type, name, out);
}

/* ---- writing ---- */

/* True if the open files are those that other processes find at the path. False if they were
 * removed, or something was mounted over them. */
static bool is_in_place(const gxds_cache_file *f) {
  struct stat ours;
  struct stat there;
  return (f->fd < 0 || gxds_cache_is_linked(f->fd)) && gxds_cache_is_linked(f->lock) &&
         fstat(f->dir, &ours) == 0 && stat(f->dir_path.data, &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

static void check_place(gxds_cache_file *f, gxds_time now, gxds_text *log) {
  f->look = gxds_time_after(now, GXDS_CACHE_RETRY_AFTER);
  if (is_in_place(f)) return;
  add_note(f, log, "removed, or mounted over: rewritten", "");
  f->lost = true;
  let_go(f);
  open_all(f, now, log);
}

/* Tries to take the lock from a process that may have ended. Waits after a failure, so that two
 * processes that both fail don't keep handing the file to each other. */
static void try_lock(gxds_cache_file *f, gxds_time now, gxds_text *log) {
  if (f->failed.size && now < f->look) return;
  if (flock(f->lock, LOCK_EX | LOCK_NB) != 0) return;
  if (!gxds_cache_is_linked(f->lock)) { /* the process that writes now has locked another lock
                                           file */
    let_go(f);
    open_all(f, now, log);
    return;
  }
  if (!load(f, O_RDWR, now, log)) return;
  add_note(f, log, "kept by this process from now on: the other one let it go", "");
  f->state = OURS;
}

/* True if this process may write the file. The process that held the lock may be gone, or the cause
 * of a failure may be fixed: then the file is read again. */
static bool take_over(gxds_cache_file *f, gxds_time now, gxds_text *log) {
  if (f->state == FAILED && now >= f->look) {
    open_all(f, now, log);
  } else if (f->state == OURS && now >= f->look) {
    check_place(f, now, log);
  } else if (f->state == OTHERS) {
    try_lock(f, now, log);
  }
  return f->state == OURS;
}

static bool write_record(gxds_cache_file *f, const gxds_cache_record *r, gxds_time now,
                         gxds_text *log) {
  size_t before = gxds_cache_log_size(f->log);
  if (gxds_cache_log_put(f->log, r)) {
    f->written = f->written || gxds_cache_log_size(f->log) != before;
    return true;
  }
  drop_aside(f);
  fail(f, now, log, "not written for now: ", strerror(errno));
  return false;
}

/* Writes the removals that failed before. The caller repeats the writes of existing resources, but
 * not removals. */
static bool write_removals(gxds_cache_file *f, gxds_time now, gxds_text *log) {
  while (f->removals) {
    removal *m = f->removals;
    gxds_str bytes = m->record;
    gxds_cache_record r;
    /* A record that cannot be decoded, for example without a name, needs no removal, because no
     * such record is kept. */
    bool ok = gxds_cache_record_decode(&bytes, &r) == GXDS_CACHE_PART_OK;
    if (ok && !write_record(f, &r, now, log)) return false;
    drop_removal(f, m);
  }
  return true;
}

static void lose(gxds_cache_file *f, const gxds_cache_record *r) {
  f->lost = true;
  if (!r->removed && !f->removals) return; /* usually there is nothing to do */
  const gxds_cache_record gone = {.removed = true, .type = r->type, .name = r->name};
  gxds_text record = {0};
  gxds_cache_record_encode(&gone, &record);
  removal *m = NULL;
  HASH_FIND(hh, f->removals, record.data, record.size, m);
  if (m && !r->removed) drop_removal(f, m);
  if (!m && r->removed && HASH_COUNT(f->removals) < GXDS_CACHE_REMOVALS_MAX) {
    m = GXDS_NEW(removal);
    m->record = gxds_text_take(&record);
    HASH_ADD_KEYPTR(hh, f->removals, m->record.data, m->record.size, m);
  }
  gxds_text_fini(&record);
}

void gxds_cache_file_put(gxds_cache_file *f, const gxds_cache_record *r, gxds_time now,
                         gxds_text *log) {
  bool kept = take_over(f, now, log) && write_removals(f, now, log) && write_record(f, r, now, log);
  if (!kept) lose(f, r);
}

bool gxds_cache_file_take_lost(gxds_cache_file *f) {
  bool lost = f->lost && f->state == OURS;
  if (lost) f->lost = false;
  return lost;
}

void gxds_cache_file_settle(gxds_cache_file *f, gxds_time now, gxds_text *log) {
  if (now >= f->touch) touch(f, now);
  if (f->state != OURS || f->lost || !f->written || !f->failed.size) return;
  add_note(f, log, "written again", "");
  gxds_text_clear(&f->failed);
  f->wait = GXDS_CACHE_RETRY_AFTER;
}
