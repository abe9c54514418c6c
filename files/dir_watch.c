#include "files/dir_watch.h"

#include <errno.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/dir.h"
#include "files/path_watch.h"

struct gxds_dir_watch {
  gxds_str path;
  gxds_schema *schema;
  gxds_file_watch watch;
  gxds_path_watch paths;
  const gxds_file_set *set;
  gxds_file_errors errors;
  gxds_text error_text; /* as last told */
  gxds_duration retry;  /* the last; 0: nothing is lacking */
  gxds_text notice;     /* not taken yet */
};

gxds_dir_watch *gxds_dir_watch_create(const char *path, gxds_time now, gxds_status *status) {
  int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) {
    *status = gxds_status_make(GXDS_RESOURCE_EXHAUSTED, "inotify: %s", strerror(errno));
    return NULL;
  }
  gxds_dir_watch *w = GXDS_NEW(gxds_dir_watch);
  w->path = gxds_str_dup(gxds_str_z(path));
  w->schema = gxds_schema_create();
  w->paths.fd = fd;
  gxds_file_watch_init(&w->watch, now);
  *status = gxds_status_ok();
  return w;
}

void gxds_dir_watch_destroy(gxds_dir_watch *w) {
  if (!w) return;
  gxds_path_watch_fini(&w->paths);
  close(w->paths.fd);
  gxds_file_watch_fini(&w->watch);
  gxds_file_set_unref(w->set);
  gxds_file_errors_fini(&w->errors);
  gxds_text_fini(&w->error_text);
  gxds_text_fini(&w->notice);
  gxds_schema_destroy(w->schema);
  gxds_str_free(&w->path);
  gxds_free(w);
}

int gxds_dir_watch_fd(const gxds_dir_watch *w) { return w->paths.fd; }

void gxds_dir_watch_on_readable(gxds_dir_watch *w, gxds_time now) {
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

gxds_time gxds_dir_watch_deadline(const gxds_dir_watch *w) {
  return gxds_file_watch_deadline(&w->watch);
}

/* The links may lead elsewhere now. New watches come before the files are read, so no change is
 * missed; old ones that are not needed any more are removed after that. */
static void rearm(gxds_dir_watch *w) {
  gxds_path_watch old = w->paths;
  w->paths = (gxds_path_watch){.fd = old.fd};
  gxds_path_watch_add_dir(&w->paths, w->path.data);
  for (size_t i = 0; i < old.count; i++) {
    bool used = false;
    for (size_t j = 0; j < w->paths.count && !used; j++) {
      used = w->paths.items[j].wd == old.items[i].wd;
    }
    if (!used) inotify_rm_watch(old.fd, old.items[i].wd); /* a second time fails, harmlessly */
  }
  gxds_path_watch_fini(&old);
}

static gxds_dir_news tell_errors(gxds_dir_watch *w, gxds_file_errors *take_errors) {
  gxds_text text = {0};
  gxds_file_errors_render(take_errors, &text);
  gxds_file_errors_fini(&w->errors);
  w->errors = *take_errors;
  bool same = gxds_str_equal(gxds_text_str(&text), gxds_text_str(&w->error_text));
  gxds_text_fini(&w->error_text);
  w->error_text = text;
  return same ? GXDS_DIR_NOTHING : GXDS_DIR_ERRORS;
}

static gxds_dir_news take_set(gxds_dir_watch *w, const gxds_file_set *set) {
  /* Good again after errors is news, though the resources may be those of before. */
  bool same = w->error_text.size == 0 && w->set && gxds_file_set_equal(w->set, set);
  gxds_file_errors_fini(&w->errors);
  gxds_text_clear(&w->error_text);
  gxds_file_set_unref(w->set);
  w->set = set;
  return same ? GXDS_DIR_NOTHING : GXDS_DIR_SET;
}

/* starved: what was lacking, in words; NULL: nothing. waited: it was read because the last retry
 * was due, and no event came. */
static void try_again(gxds_dir_watch *w, const char *starved, bool waited, gxds_time now) {
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

gxds_str gxds_dir_watch_take_notice(gxds_dir_watch *w) { return gxds_text_take(&w->notice); }

gxds_dir_news gxds_dir_watch_on_deadline(gxds_dir_watch *w, gxds_time now) {
  bool waited = !w->watch.pending;
  if (!gxds_file_watch_take(&w->watch, now)) return GXDS_DIR_NOTHING;
  rearm(w);
  gxds_dir_files files;
  gxds_file_errors errors = {0};
  bool read = gxds_dir_read(w->path.data, &files, &errors);
  gxds_text_clear(&w->notice);
  try_again(w, w->paths.starved ? w->paths.starved : files.starved, waited, now);
  if (files.unstable) {
    gxds_dir_files_fini(&files);
    gxds_file_errors_fini(&errors);
    gxds_file_watch_on_unstable(&w->watch, now);
    return GXDS_DIR_NOTHING;
  }
  const gxds_file_set *set =
      read ? gxds_file_set_build(w->schema, files.items, files.count, w->set, &errors) : NULL;
  gxds_dir_files_fini(&files);
  return set ? take_set(w, set) : tell_errors(w, &errors);
}

const gxds_file_set *gxds_dir_watch_set(const gxds_dir_watch *w) { return w->set; }
const gxds_file_errors *gxds_dir_watch_errors(const gxds_dir_watch *w) { return &w->errors; }
