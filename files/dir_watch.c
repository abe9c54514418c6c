#include "files/dir_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/dir.h"
#include "files/path_watch.h"
#include "files/starved.h"

/* Identifies the directory at a path. */
typedef struct identity {
  dev_t device; /* device and inode are 0 if there is no directory */
  ino_t inode;
} identity;

struct gxds_dir_watch {
  gxds_str path;
  int ready;              /* an epoll descriptor, for inotify and for mounts */
  const char *no_inotify; /* why paths has no descriptor, as text; NULL: it has one */
  int mounts;      /* the table of mounts, which inotify does not report; -1: not available */
  identity at;     /* the directory that was at path at the last look */
  uint64_t device; /* the file system of set */
  gxds_schema *schema;
  gxds_file_watch watch;
  gxds_path_watch paths;
  const gxds_file_set *set;
  gxds_file_errors errors;
  gxds_text error_text; /* the errors that were reported last */
  gxds_duration retry;  /* the current interval; 0: the system lacks nothing */
  gxds_text notice;     /* the notice that the owner has not taken yet */
};

static bool await(int ready, int fd, uint32_t events) {
  struct epoll_event event = {.events = events};
  return epoll_ctl(ready, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void close_fd(int fd) {
  if (fd >= 0) close(fd);
}

/* Opens inotify, unless it is open. */
static void open_inotify(gxds_dir_watch *w) {
  if (w->paths.fd >= 0) return;
  w->paths.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (w->paths.fd >= 0 && await(w->ready, w->paths.fd, EPOLLIN)) {
    w->no_inotify = NULL;
    return;
  }
  const char *why = gxds_starved_of(errno);
  if (errno == EMFILE) {
    why =
        "the user has no more inotify instances (fs.inotify.max_user_instances), or the process "
        "no more file descriptors (RLIMIT_NOFILE, ulimit -n)";
  }
  w->no_inotify = why ? why : "there is no inotify";
  close_fd(w->paths.fd);
  w->paths.fd = -1;
}

/* Opens the table of mounts, unless it is open. */
static void open_mounts(gxds_dir_watch *w) {
  if (w->mounts >= 0) return;
  w->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (w->mounts >= 0) (void)await(w->ready, w->mounts, EPOLLPRI);
}

gxds_dir_watch *gxds_dir_watch_create(const char *path, gxds_time now, gxds_status *status) {
  int ready = epoll_create1(EPOLL_CLOEXEC);
  if (ready < 0) {
    *status = gxds_status_make(GXDS_RESOURCE_EXHAUSTED, "epoll: %s", strerror(errno));
    return NULL;
  }
  gxds_dir_watch *w = GXDS_NEW(gxds_dir_watch);
  w->path = gxds_str_dup(gxds_str_z(path));
  w->schema = gxds_schema_create();
  w->ready = ready;
  w->paths.fd = -1;
  w->mounts = -1;
  open_inotify(w);
  open_mounts(w);
  gxds_file_watch_init(&w->watch, now);
  *status = gxds_status_ok();
  return w;
}

void gxds_dir_watch_destroy(gxds_dir_watch *w) {
  if (!w) return;
  gxds_path_watch_fini(&w->paths);
  close_fd(w->paths.fd);
  close(w->ready);
  close_fd(w->mounts);
  gxds_file_watch_fini(&w->watch);
  gxds_file_set_unref(w->set);
  gxds_file_errors_fini(&w->errors);
  gxds_text_fini(&w->error_text);
  gxds_text_fini(&w->notice);
  gxds_schema_destroy(w->schema);
  gxds_str_free(&w->path);
  gxds_free(w);
}

int gxds_dir_watch_fd(const gxds_dir_watch *w) { return w->ready; }

static identity identify(const char *path) {
  struct stat st;
  if (stat(path, &st) != 0) return (identity){0};
  return (identity){.device = st.st_dev, .inode = st.st_ino};
}

/* Handles changes of mounts. Only a change that puts another directory at the path matters. */
static void on_mounts(gxds_dir_watch *w, gxds_time now) {
  identity at = identify(w->path.data);
  if (at.device == w->at.device && at.inode == w->at.inode) return;
  w->at = at;
  gxds_file_watch_on_change(&w->watch, gxds_str_of(NULL, 0), GXDS_FILE_WATCH_REPLACED, now);
}

static void drain_inotify(gxds_dir_watch *w, gxds_time now) {
  _Alignas(struct inotify_event) char buffer[16384];
  for (;;) {
    ssize_t size = read(w->paths.fd, buffer, sizeof buffer);
    if (size <= 0) return; /* drained */
    for (ssize_t at = 0; at < size;) {
      const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
      gxds_path_watch_on_event(&w->paths, event, &w->watch, now);
      at += (ssize_t)(sizeof *event + event->len);
    }
  }
}

void gxds_dir_watch_on_readable(gxds_dir_watch *w, gxds_time now) {
  drain_inotify(w, now);
  on_mounts(w, now); /* checked at every call, because the kernel reports a change of mounts to only
                        one poller */
}

gxds_time gxds_dir_watch_deadline(const gxds_dir_watch *w) {
  return gxds_file_watch_deadline(&w->watch);
}

/* Watches the path again, because its links may lead elsewhere now. New watches are added before
 * the files are read, so that no change is missed. Then old watches that are no longer needed are
 * removed. */
static void rearm(gxds_dir_watch *w) {
  open_inotify(w);
  open_mounts(w);
  w->at = identify(w->path.data);
  gxds_path_watch old = w->paths;
  w->paths = (gxds_path_watch){.fd = old.fd};
  gxds_path_watch_add_dir(&w->paths, w->path.data);
  if (w->no_inotify) w->paths.starved = w->no_inotify;
  for (size_t i = 0; i < old.count; i++) {
    bool used = false;
    for (size_t j = 0; j < w->paths.count && !used; j++) {
      used = w->paths.items[j].wd == old.items[i].wd;
    }
    /* A second call for the same wd fails, which is harmless. */
    if (!used) inotify_rm_watch(old.fd, old.items[i].wd);
  }
  gxds_path_watch_fini(&old);
}

static gxds_dir_change take_errors(gxds_dir_watch *w, gxds_file_errors *errors) {
  gxds_text text = {0};
  gxds_file_errors_render(errors, &text);
  gxds_file_errors_fini(&w->errors);
  w->errors = *errors;
  bool same = gxds_str_equal(gxds_text_str(&text), gxds_text_str(&w->error_text));
  gxds_text_fini(&w->error_text);
  w->error_text = text;
  return same ? GXDS_DIR_NOTHING : GXDS_DIR_ERRORS;
}

static gxds_dir_change take_set(gxds_dir_watch *w, const gxds_file_set *set) {
  /* A good set after errors must be reported, even if the resources are the same as before. */
  bool same = w->error_text.size == 0 && w->set && gxds_file_set_equal(w->set, set);
  gxds_file_errors_fini(&w->errors);
  gxds_text_clear(&w->error_text);
  gxds_file_set_unref(w->set);
  w->set = set;
  return same ? GXDS_DIR_NOTHING : GXDS_DIR_SET;
}

/* Sets the time of the next retry. starved is a text that says why it is needed; NULL:
 * nothing. waited: the last retry was due and no event came, so the directory was read. */
static void set_retry(gxds_dir_watch *w, const char *starved, bool waited, gxds_time now) {
  bool before = w->retry > 0;
  if (!starved) {
    w->retry = 0;
    if (before) gxds_text_add_z(&w->notice, "all of it is watched again");
    return;
  }
  if (!before) w->retry = GXDS_DIR_WATCH_RETRY_MIN;
  if (before && waited) w->retry *= 2;
  if (w->retry > GXDS_DIR_WATCH_RETRY_MAX) w->retry = GXDS_DIR_WATCH_RETRY_MAX;
  gxds_file_watch_on_starved(&w->watch, gxds_time_after(now, w->retry));
  if (before) return;
  gxds_text_addf(&w->notice,
                 "not all of it is watched: %s. Until that is mended it is read again each %d s "
                 "at the latest, and changes are noticed then",
                 starved, (int)(GXDS_DIR_WATCH_RETRY_MAX / GXDS_SECOND));
}

/* True if the directory is empty because it was unmounted, not because its files were removed. */
static bool is_unmounted(const gxds_dir_watch *w, const gxds_dir_files *files) {
  return files->count == 0 && w->set && files->device != w->device;
}

gxds_str gxds_dir_watch_take_notice(gxds_dir_watch *w) {
  return w->notice.size ? gxds_text_take(&w->notice) : gxds_str_of(NULL, 0);
}

gxds_dir_change gxds_dir_watch_on_deadline(gxds_dir_watch *w, gxds_time now) {
  bool waited = !w->watch.pending;
  if (!gxds_file_watch_take(&w->watch, now)) return GXDS_DIR_NOTHING;
  rearm(w);
  gxds_dir_files files;
  gxds_file_errors errors = {0};
  bool read = gxds_dir_read(w->path.data, &files, &errors);
  gxds_text_clear(&w->notice);
  set_retry(w, w->paths.starved ? w->paths.starved : files.starved, waited, now);
  if (files.unstable) {
    gxds_dir_files_fini(&files);
    gxds_file_errors_fini(&errors);
    gxds_file_watch_on_unstable(&w->watch, now);
    return GXDS_DIR_NOTHING;
  }
  if (read && is_unmounted(w, &files)) {
    errors.file = w->path;
    gxds_file_errors_add(&errors, 0, NULL,
                         "holds no resource files, and is on another file system than before: was "
                         "that unmounted?");
    read = false;
  }
  const gxds_file_set *set =
      read ? gxds_file_set_build(w->schema, files.items, files.count, w->set, &errors) : NULL;
  if (set) w->device = files.device;
  gxds_dir_files_fini(&files);
  return set ? take_set(w, set) : take_errors(w, &errors);
}

const gxds_file_set *gxds_dir_watch_set(const gxds_dir_watch *w) { return w->set; }
const gxds_file_errors *gxds_dir_watch_errors(const gxds_dir_watch *w) { return &w->errors; }
