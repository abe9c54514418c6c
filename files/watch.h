/* gxds_file_watch: decides when to read a directory of resource files again. It is the pure part:
 * it takes events of the file system and the time, and says when to read. dir_watch.h connects it
 * to inotify.
 *
 *     quiet ──change──► settling ──50 ms without events──► due ──taken──► quiet
 *       └──────────────swap of a symlink───────────────────►┘
 *
 * A file that was written to and is still open delays the read for a while, because half of a YAML
 * file may be valid too. Confined; lives in the caller's struct. */
#ifndef GRPC_XDS_FILES_WATCH_H_
#define GRPC_XDS_FILES_WATCH_H_

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* After this long without events, the directory counts as complete. */
#define GXDS_FILE_WATCH_QUIET (50 * GXDS_MILLISECOND)
/* How long a file that stays open delays the reading after its last write: longer than an editor
 * takes to save, shorter than a person waits. */
#define GXDS_FILE_WATCH_OPEN_MAX (2 * GXDS_SECOND)
/* If changes never pause for that long, the directory is read after this time anyway. This is
 * longer than it takes to copy many files. */
#define GXDS_FILE_WATCH_CHANGING_MAX (10 * GXDS_SECOND)
/* The most files that are tracked while they are written; further ones only count as changes. */
#define GXDS_FILE_WATCH_OPEN_FILES_MAX 256

typedef enum gxds_file_watch_change {
  GXDS_FILE_WATCH_WRITTEN,    /* a program wrote to the file and still has it open */
  GXDS_FILE_WATCH_CLOSED,     /* a program that wrote to the file has closed it */
  GXDS_FILE_WATCH_REPLACED,   /* the file was created or removed, or moved into or out of the
                                 directory */
  GXDS_FILE_WATCH_ATTRIBUTES, /* the file's permissions, owner or times changed. It may be open */
} gxds_file_watch_change;

typedef struct gxds_file_watch {
  gxds_time first_event; /* the time of the first event since the last read, and since a file was
                            open */
  gxds_time last_event;
  bool pending;    /* something changed since the last read */
  gxds_time retry; /* when to read again without an event; GXDS_TIME_NEVER: never */
  bool swapped;    /* a symlink was replaced: the files behind it are whole */
  gxds_str *open;
  size_t open_count;
} gxds_file_watch;

/* The first reading is due at once. */
void gxds_file_watch_init(gxds_file_watch *w, gxds_time now);
void gxds_file_watch_fini(gxds_file_watch *w);

/* Something happened to a file of that name (borrowed: valid during the call). */
void gxds_file_watch_on_change(gxds_file_watch *w, gxds_str file, gxds_file_watch_change change,
                               gxds_time now);
/* A symlink on the path of the directory was replaced by another one, so all files changed in one
 * step. */
void gxds_file_watch_on_swap(gxds_file_watch *w, gxds_time now);
/* The files changed while they were being read. */
void gxds_file_watch_on_unstable(gxds_file_watch *w, gxds_time now);
/* Not all files could be watched or read, and no event will say when they can be. So the next
 * reading is due at that time, unless an event makes one due earlier. */
void gxds_file_watch_on_starved(gxds_file_watch *w, gxds_time then);

/* When to call gxds_file_watch_take(); GXDS_TIME_NEVER: not before the next event. */
gxds_time gxds_file_watch_deadline(const gxds_file_watch *w);
/* Whether to read the directory now. If true, the pending changes count as read. */
bool gxds_file_watch_take(gxds_file_watch *w, gxds_time now);

#ifdef __cplusplus
}
#endif

#endif
