/* gxds_path_watch: the inotify watches that a path needs: on the directory of each of its symlinks,
 * on its target, and on each directory on the way, since any of these may be moved away. Private to
 * files/; one thread. */
#ifndef GRPC_XDS_FILES_PATH_WATCH_H_
#define GRPC_XDS_FILES_PATH_WATCH_H_

#include <sys/inotify.h>

#include "files/watch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_path_item {
  int wd;
  gxds_str name; /* owned: the entry to watch; empty: every resource file */
  bool is_swap;  /* the entry is a symlink on the way to the directory: another one replaces all
                    files at once */
  bool is_way;   /* a directory on the way: only its removal matters */
} gxds_path_item;

typedef struct gxds_path_watch {
  int fd; /* the inotify descriptor; borrowed */
  gxds_path_item *items;
  size_t count;
  size_t capacity;
  const char *starved; /* why some of the path is not watched, as text; NULL: all of it is
                          watched */
} gxds_path_watch;

/* Frees the items, but does not remove their watches from the descriptor. */
void gxds_path_watch_fini(gxds_path_watch *w);
/* Watches path, a directory, and the resource files in it that are symlinks. Also watches for parts
 * of the path that don't exist yet. */
void gxds_path_watch_add_dir(gxds_path_watch *w, const char *path);
/* Passes an event of inotify on to out. */
void gxds_path_watch_on_event(const gxds_path_watch *w, const struct inotify_event *event,
                              gxds_file_watch *out, gxds_time now);

#ifdef __cplusplus
}
#endif

#endif
