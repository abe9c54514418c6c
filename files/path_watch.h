/* gxds_path_watch: the inotify watches that a path needs: on the directory of each of its symlinks,
 * on what it ends in, and on each directory on the way, which may be moved away with all of that.
 * Private to files/; confined. */
#ifndef GRPC_XDS_FILES_PATH_WATCH_H_
#define GRPC_XDS_FILES_PATH_WATCH_H_

#include <sys/inotify.h>

#include "files/watch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_path_item {
  int wd;
  gxds_str name; /* owned: the entry that matters; empty: every resource file */
  bool is_swap;  /* the entry is a symlink to a directory */
  bool is_way;   /* a directory that the path leads through: only that it goes matters */
} gxds_path_item;

typedef struct gxds_path_watch {
  int fd; /* of inotify; borrow */
  gxds_path_item *items;
  size_t count;
  size_t capacity;
  const char *starved; /* why not all of it is watched, in words; NULL: it is */
} gxds_path_watch;

/* Drops the items; watches of the descriptor that no item of another names are removed. */
void gxds_path_watch_fini(gxds_path_watch *w);
/* Watches path, a directory, and the resource files in it that are symlinks. What does not exist is
 * watched for. */
void gxds_path_watch_add_dir(gxds_path_watch *w, const char *path);
/* Tells out what an event of inotify means. */
void gxds_path_watch_on_event(const gxds_path_watch *w, const struct inotify_event *event,
                              gxds_file_watch *out, gxds_time now);

#ifdef __cplusplus
}
#endif

#endif
