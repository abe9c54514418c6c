#include "transport/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define uthash_malloc(size) gxds_calloc(1, size)
#define uthash_free(memory, size) gxds_free(memory)
#define uthash_fatal(message) gxds_check_failed(__FILE__, __LINE__, message)

#include <uthash.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/memory.h"

/* Where a record stands in the file. */
typedef struct kept {
  gxds_str key; /* type, a zero, name; owned */
  size_t at;
  size_t size;
  uint64_t content; /* a hash of version and bytes */
  UT_hash_handle hh;
} kept;

struct gxds_cache_file {
  gxds_str path;
  gxds_str target;
  gxds_str server;
  int dir; /* descriptors; -1: none */
  int fd;
  int lock;
  pid_t owner; /* who opened it: not the child of a fork */
  bool read_only;
  bool locked_out; /* by another process: not yet tried again */
  size_t size;     /* of the file, up to the last whole record */
  size_t live;     /* of that, what is not out of date */
  kept *records;
  gxds_text read; /* what find() gave last */
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

/* ---- the index ---- */

static gxds_str make_key(gxds_str type, gxds_str name) {
  gxds_text key = {0};
  gxds_text_add(&key, type);
  gxds_text_add(&key, gxds_str_of("", 1));
  gxds_text_add(&key, name);
  return gxds_text_take(&key);
}

static kept *find_kept(const gxds_cache_file *f, gxds_str type, gxds_str name) {
  gxds_str key = make_key(type, name);
  kept *k = NULL;
  HASH_FIND(hh, f->records, key.data, key.size, k);
  gxds_str_free(&key);
  return k;
}

static void drop_kept(gxds_cache_file *f, kept *k) {
  f->live -= k->size;
  HASH_DELETE(hh, f->records, k);
  gxds_str_free(&k->key);
  gxds_free(k);
}

static uint64_t content_of(const gxds_cache_record *r) {
  return XXH3_64bits_withSeed(r->bytes.data ? r->bytes.data : "", r->bytes.size,
                              XXH3_64bits(r->version.data ? r->version.data : "", r->version.size));
}

static void index_record(gxds_cache_file *f, const gxds_cache_record *r, size_t at, size_t size) {
  kept *k = find_kept(f, r->type, r->name);
  if (r->removed) {
    if (k) drop_kept(f, k);
    return;
  }
  if (!k) {
    k = GXDS_NEW(kept);
    k->key = make_key(r->type, r->name);
    HASH_ADD_KEYPTR(hh, f->records, k->key.data, k->key.size, k);
  }
  f->live = f->live - k->size + size;
  k->at = at;
  k->size = size;
  k->content = content_of(r);
}

static void forget_all(gxds_cache_file *f) {
  kept *k;
  kept *next;
  HASH_ITER(hh, f->records, k, next) { drop_kept(f, k); }
  f->size = 0;
}

/* ---- reading ---- */

/* False: it is not all there. */
static bool read_at(int fd, size_t at, size_t size, gxds_text *out) {
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

/* All of it into the index; what is not OK is how it ends. */
static gxds_cache_part read_records(gxds_cache_file *f, gxds_str all) {
  gxds_str rest = all;
  gxds_cache_part part = gxds_cache_header_decode(&rest, f->target, f->server);
  while (part == GXDS_CACHE_PART_OK) {
    f->size = all.size - rest.size;
    gxds_cache_record r;
    part = gxds_cache_record_decode(&rest, &r);
    size_t size = all.size - rest.size - f->size;
    if (part == GXDS_CACHE_PART_OK) index_record(f, &r, f->size, size);
  }
  return part;
}

static void close_file(gxds_cache_file *f) {
  if (f->fd >= 0) close(f->fd);
  f->fd = -1;
}

static void ignore_file(gxds_cache_file *f, gxds_text *log, const char *why) {
  forget_all(f);
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
  f->fd = openat(f->dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
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
  gxds_cache_part part = GXDS_CACHE_PART_DAMAGED;
  if (read_at(f->fd, 0, size, &all)) part = read_records(f, gxds_text_str(&all));
  gxds_text_fini(&all);
  switch (part) {
    case GXDS_CACHE_PART_OK:
    case GXDS_CACHE_PART_END:
      break;
    case GXDS_CACHE_PART_CUT: /* killed while it wrote; what is behind is written over */
      if (f->size == 0) close_file(f);
      break;
    case GXDS_CACHE_PART_DAMAGED:
      ignore_file(f, log, "it is damaged");
      break;
    case GXDS_CACHE_PART_VERSION:
      ignore_file(f, log, "it is of another version of the format");
      break;
    case GXDS_CACHE_PART_FOREIGN:
      ignore_file(f, log, "it is of another server or target, or no resource cache");
      give_up(f);
      break;
  }
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
  f->dir = f->fd = f->lock = -1;
  f->owner = getpid();
  f->target = gxds_str_dup(target);
  f->server = gxds_str_dup(server);
  f->path = gxds_str_dup(dir);
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
  forget_all(f);
  close_file(f);
  give_up(f);
  if (f->dir >= 0) close(f->dir);
  gxds_text_fini(&f->read);
  gxds_str_free(&f->path);
  gxds_str_free(&f->target);
  gxds_str_free(&f->server);
  gxds_free(f);
}

gxds_str gxds_cache_file_path(const gxds_cache_file *f) { return f->path; }
size_t gxds_cache_file_count(const gxds_cache_file *f) { return HASH_COUNT(f->records); }

bool gxds_cache_file_find(gxds_cache_file *f, gxds_str type, gxds_str name,
                          gxds_cache_record *out) {
  const kept *k = find_kept(f, type, name);
  if (!k || !read_at(f->fd, k->at, k->size, &f->read)) return false;
  gxds_str bytes = gxds_text_str(&f->read);
  return gxds_cache_record_decode(&bytes, out) == GXDS_CACHE_PART_OK && !out->removed;
}

/* ---- writing ---- */

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

static bool copy_records(gxds_cache_file *f, int to, size_t *at) {
  gxds_text header = {0};
  gxds_cache_header_encode(f->target, f->server, &header);
  bool ok = write_at(to, 0, gxds_text_str(&header));
  *at = header.size;
  gxds_text_fini(&header);
  for (kept *k = f->records; ok && k; k = k->hh.next) {
    ok = read_at(f->fd, k->at, k->size, &f->read) && write_at(to, *at, gxds_text_str(&f->read));
    *at += k->size;
  }
  return ok;
}

/* Writes what is not out of date aside and puts it in the place of the file, if there is one. */
static bool write_anew(gxds_cache_file *f) {
  char aside[NAME_SIZE];
  char name[NAME_SIZE];
  make_name(f, "new", aside);
  make_name(f, "gxds", name);
  (void)unlinkat(f->dir, aside, 0); /* what a killed process left */
  int to =
      openat(f->dir, aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (to < 0) return false;
  size_t size = 0;
  if (!copy_records(f, to, &size) || renameat(f->dir, aside, f->dir, name) != 0) {
    int error = errno;
    close(to);
    (void)unlinkat(f->dir, aside, 0);
    errno = error;
    return false;
  }
  close_file(f);
  f->fd = to;
  f->size = size;
  f->live = 0;
  size_t at = size;
  for (kept *k = f->records; k; k = k->hh.next) f->live += k->size;
  at -= f->live;
  for (kept *k = f->records; k; k = k->hh.next) {
    k->at = at;
    at += k->size;
  }
  return true;
}

/* A part that a killed process left is cut off first: it may be longer than what is written over
 * it. */
static bool append(gxds_cache_file *f, const gxds_cache_record *r) {
  gxds_text bytes = {0};
  gxds_cache_record_encode(r, &bytes);
  size_t size = bytes.size;
  bool fits = f->size + size <= GXDS_CACHE_FILE_MAX;
  if (!fits) errno = EFBIG;
  bool ok = fits && ftruncate(f->fd, (off_t)f->size) == 0 &&
            write_at(f->fd, f->size, gxds_text_str(&bytes));
  gxds_text_fini(&bytes);
  if (!ok) return false;
  index_record(f, r, f->size, size);
  f->size += size;
  return true;
}

/* Whether it is ours to write. The process that kept it may be gone: what it left is read anew. */
static bool take_over(gxds_cache_file *f, gxds_text *log) {
  if (f->read_only) return false;
  if (!f->locked_out) return true;
  if (flock(f->lock, LOCK_EX | LOCK_NB) != 0) return false;
  f->locked_out = false;
  forget_all(f);
  close_file(f);
  say(f, log, "kept by this process from now on: the other one let it go", "");
  load(f, log);
  return !f->read_only;
}

void gxds_cache_file_put(gxds_cache_file *f, const gxds_cache_record *r, gxds_text *log) {
  if (!take_over(f, log)) return;
  const kept *k = find_kept(f, r->type, r->name);
  if (r->removed ? !k : k && k->content == content_of(r)) return;
  bool ok = (f->fd >= 0 || write_anew(f)) && append(f, r);
  if (ok && f->size > GXDS_CACHE_COMPACT_MIN && f->size / 2 > f->live) ok = write_anew(f);
  if (ok) return;
  /* What is in the file stays as it is: an earlier state, but a whole one. */
  say(f, log, "not written any more: ", strerror(errno));
  give_up(f);
}
