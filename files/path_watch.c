#include "files/path_watch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "files/dir.h"
#include "files/starved.h"

/* The most symlinks on one path: as many as the kernel follows. */
enum { kLinksMax = 40 };
/* The most items of one directory, including those for its symlinked files. */
enum { kItemsMax = 4096 };

/* IN_ATTRIB: a file that could not be read may be readable after a chmod. */
static const uint32_t kMask = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE |
                              IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                              IN_ONLYDIR;
/* The events of a directory on the way. IN_MASK_ADD keeps the events that are watched there for
 * other reasons. */
static const uint32_t kWayMask = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD;

void gxds_path_watch_fini(gxds_path_watch *w) {
  for (size_t i = 0; i < w->count; i++) gxds_str_free(&w->items[i].name);
  gxds_free(w->items);
  *w = (gxds_path_watch){.fd = w->fd};
}

static void note_starved(gxds_path_watch *w, int error) {
  const char *starved = gxds_starved_of(error);
  if (starved) w->starved = starved;
}

/* Adds a watch. item is complete except for wd; its name is borrowed. */
static void add_watch(gxds_path_watch *w, const char *dir, uint32_t mask, gxds_path_item item) {
  if (w->count == kItemsMax) {
    w->starved = "the symlinks to its files take more than 4096 steps to follow";
    return;
  }
  int wd = inotify_add_watch(w->fd, dir, mask);
  if (wd < 0) { /* the directory may be gone by now, but its parent is watched too */
    note_starved(w, errno);
    /* A directory that may be searched, but not read, cannot be watched. */
    if (errno == EACCES && !item.is_way) w->starved = strerrordesc_np(EACCES);
    return;
  }
  for (size_t i = 0; item.is_way && i < w->count; i++) {
    if (w->items[i].is_way && w->items[i].wd == wd) return; /* also on the way to another file */
  }
  GXDS_MAKE_ROOM(w->items, w->count, w->capacity, 8);
  item.wd = wd;
  item.name = gxds_str_dup(item.name);
  w->items[w->count++] = item;
}

static void add_item(gxds_path_watch *w, const char *dir, gxds_str name, bool is_swap) {
  add_watch(w, dir, kMask, (gxds_path_item){.name = name, .is_swap = is_swap});
}

/* Watches a directory on the way: if it is moved, what is below it moves along without an event. */
static void add_way(gxds_path_watch *w, const char *dir) {
  add_watch(w, dir, kWayMask, (gxds_path_item){.is_way = true});
}

/* Takes the next component off the front of *rest. Empty at the end. */
static gxds_str next_component(const char **rest) {
  while (**rest == '/') (*rest)++;
  const char *start = *rest;
  while (**rest && **rest != '/') (*rest)++;
  return gxds_str_of(start, (size_t)(*rest - start));
}

static void go_up(gxds_text *at) {
  while (at->size > 0 && at->data[at->size - 1] != '/') at->size--;
  if (at->size > 0) at->size--;
  if (at->data) at->data[at->size] = 0;
}

/* Continues the walk at the target of the link `entry`: puts the target before the rest of the
 * path. */
static bool follow(const char *entry, gxds_text *at, gxds_text *path, const char **rest) {
  char target[PATH_MAX];
  ssize_t size = readlink(entry, target, sizeof target);
  if (size <= 0 || size == (ssize_t)sizeof target) return false;
  gxds_text joined = {0};
  gxds_text_add(&joined, gxds_str_of(target, (size_t)size));
  gxds_text_addf(&joined, "/%s", *rest);
  gxds_text_fini(path);
  *path = joined;
  *rest = path->data;
  if (target[0] == '/') gxds_text_clear(at);
  return true;
}

/* Walks an absolute path as the kernel does, and watches every symlink on it, its last component
 * and the directories on the way. What is no directory may become one. `at` is the directory that
 * was reached; "" is the root. of_file: the path of one file, so a symlink on it is not all that
 * changes. */
static void add_path(gxds_path_watch *w, const char *start, bool of_file) {
  gxds_text at = {0};
  gxds_text path = {0};
  gxds_text_add_z(&path, start);
  const char *rest = path.data;
  int links = 0;
  for (gxds_str name; (name = next_component(&rest)).size > 0;) {
    if (gxds_str_equal(name, gxds_str_z("."))) continue;
    if (gxds_str_equal(name, gxds_str_z(".."))) {
      go_up(&at);
      continue;
    }
    gxds_text entry = {0};
    gxds_text_addf(&entry, "%s/%.*s", at.size ? at.data : "", GXDS_STR_ARG(name));
    const char *dir = at.size ? at.data : "/";
    struct stat st;
    struct stat behind;
    bool exists = lstat(entry.data, &st) == 0;
    bool is_link = exists && S_ISLNK(st.st_mode);
    bool is_dir = exists && S_ISDIR(st.st_mode);
    bool is_last = rest[strspn(rest, "/")] == 0;
    if (is_link) {
      bool to_dir = stat(entry.data, &behind) == 0 && S_ISDIR(behind.st_mode);
      add_item(w, dir, name, to_dir && !of_file);
      exists = ++links <= kLinksMax && follow(entry.data, &at, &path, &rest);
    } else if (!is_dir || is_last) {
      add_item(w, dir, name, false);
    }
    if (exists && !is_link) {
      if (!is_last) add_way(w, entry.data);
      gxds_text_fini(&at);
      at = entry;
      entry = (gxds_text){0};
    }
    gxds_text_fini(&entry);
    if (!exists) break;
  }
  gxds_text_fini(&at);
  gxds_text_fini(&path);
}

static void add_linked_files(gxds_path_watch *w, const char *path) {
  DIR *dir = opendir(path);
  if (!dir) {
    note_starved(w, errno);
    return;
  }
  for (;;) {
    errno = 0; /* tells the end of the directory from an error */
    const struct dirent *entry = readdir(dir);
    if (!entry && errno) w->starved = strerrordesc_np(errno); /* links may be missing */
    if (!entry) break;
    if (!gxds_dir_is_resource_file(gxds_str_z(entry->d_name))) continue;
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN) continue;
    gxds_str file = gxds_str_format("%s/%s", path, entry->d_name);
    add_path(w, file.data, true);
    gxds_str_free(&file);
  }
  closedir(dir);
}

void gxds_path_watch_add_dir(gxds_path_watch *w, const char *path) {
  gxds_text absolute = {0};
  char here[PATH_MAX];
  if (path[0] != '/' && getcwd(here, sizeof here)) gxds_text_addf(&absolute, "%s/", here);
  gxds_text_add_z(&absolute, path);
  add_path(w, absolute.data, false);
  add_item(w, absolute.data, gxds_str_of(NULL, 0), false);
  add_linked_files(w, absolute.data);
  gxds_text_fini(&absolute);
}

static gxds_file_watch_change change_of(uint32_t mask) {
  if (mask & IN_MODIFY) return GXDS_FILE_WATCH_WRITTEN;
  if (mask & IN_CLOSE_WRITE) return GXDS_FILE_WATCH_CLOSED;
  if (mask & IN_ATTRIB) return GXDS_FILE_WATCH_ATTRIBUTES;
  return GXDS_FILE_WATCH_REPLACED;
}

void gxds_path_watch_on_event(const gxds_path_watch *w, const struct inotify_event *event,
                              gxds_file_watch *out, gxds_time now) {
  gxds_str name = gxds_str_z(event->len ? event->name : "");
  if (event->mask & IN_Q_OVERFLOW) {
    gxds_file_watch_on_change(out, name, GXDS_FILE_WATCH_REPLACED, now);
    return;
  }
  if (event->mask & IN_IGNORED) return;
  for (size_t i = 0; i < w->count; i++) {
    const gxds_path_item *item = &w->items[i];
    if (item->wd != event->wd) continue;
    bool self = (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0;
    bool matches = item->name.size ? gxds_str_equal(item->name, name)
                                   : self || (!item->is_way && gxds_dir_is_resource_file(name));
    if (!matches) continue;
    if (item->is_swap && (event->mask & (IN_CREATE | IN_MOVED_TO))) {
      gxds_file_watch_on_swap(out, now);
      return;
    }
    gxds_file_watch_on_change(out, name, change_of(event->mask), now);
  }
}
