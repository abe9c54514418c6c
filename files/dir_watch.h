/* gxds_dir_watch: the last good state of a directory of resource files, kept up to date with
 * inotify. A state that is incomplete or has errors never replaces it.
 *
 * The directory may be a symlink, or have symlinks in its path. Replacing such a link is a change
 * in one step, and is read at once. Its files may be symlinks, too. As Kubernetes mounts a
 * ConfigMap, they lead through one link, DIR/..data. When the kubelet has replaced that, it adds
 * links of new files, and removes others. So it is read after the usual time without changes. If
 * the directory is removed and made again, unmounted or mounted over, the watch follows the path to
 * the new directory. If the new directory is empty because the old one was unmounted, the last good
 * state stays.
 *
 * Confined to one thread, which waits for the descriptor and for the deadline. Reads of the files
 * block that thread. */
#ifndef GRPC_XDS_FILES_DIR_WATCH_H_
#define GRPC_XDS_FILES_DIR_WATCH_H_

#include "files/file_set.h"
#include "files/watch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* If there are too few inotify instances, watches or file descriptors to watch or read everything,
 * or the file system has an error, the directory is read again after GXDS_DIR_WATCH_RETRY_MIN. The
 * time then doubles at each retry, up to GXDS_DIR_WATCH_RETRY_MAX. An event causes an earlier read.
 * The first retries come soon enough for a person who waits. The later ones are rare enough for a
 * directory that takes a second to read. */
#define GXDS_DIR_WATCH_RETRY_MIN (1 * GXDS_SECOND)
#define GXDS_DIR_WATCH_RETRY_MAX (30 * GXDS_SECOND)

typedef struct gxds_dir_watch gxds_dir_watch;

typedef enum gxds_dir_change {
  GXDS_DIR_NOTHING, /* not due yet, or nothing changed */
  GXDS_DIR_SET,     /* gxds_dir_watch_set() is new, or the files are good again after errors */
  GXDS_DIR_ERRORS,  /* gxds_dir_watch_errors() are new, and the last good set stays in use */
} gxds_dir_change;

/* path is copied, and need not exist yet. Returns NULL if epoll is not available; *status has the
 * reason. */
gxds_dir_watch *gxds_dir_watch_create(const char *path, gxds_time now, gxds_status *status);
void gxds_dir_watch_destroy(gxds_dir_watch *w); /* NULL is allowed */

/* The descriptor to poll for reading. */
int gxds_dir_watch_fd(const gxds_dir_watch *w);
/* Call this when the descriptor is readable. A call at another time is harmless. */
void gxds_dir_watch_on_readable(gxds_dir_watch *w, gxds_time now);
gxds_time gxds_dir_watch_deadline(const gxds_dir_watch *w);
/* Reads the directory when that is due. Call it at the deadline, after the descriptor was drained;
 * early or repeated calls are harmless. */
gxds_dir_change gxds_dir_watch_on_deadline(gxds_dir_watch *w, gxds_time now);

/* The last good set; NULL if there was none yet. Borrowed: valid until the next call. To keep it
 * longer, take a reference. */
const gxds_file_set *gxds_dir_watch_set(const gxds_dir_watch *w);
/* The errors of the last read; empty if the read was good. Borrowed: valid until the next call. The
 * same errors are reported only once. */
const gxds_file_errors *gxds_dir_watch_errors(const gxds_dir_watch *w);

/* Takes a notice for the user, which the caller owns; {NULL, 0} if there is none. A notice says
 * that changes may be noticed late, because the system lacks something, or that this is over. Each
 * notice is returned once. Call it after gxds_dir_watch_on_deadline(). */
gxds_str gxds_dir_watch_take_notice(gxds_dir_watch *w);

#ifdef __cplusplus
}
#endif

#endif
