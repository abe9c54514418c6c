/* gxds_file_watch: when to read a directory of resource files anew. The pure part: events of the
 * file system and time in, "now" out; dir_watch.h connects it to inotify.
 *
 *     quiet ──change──► settling ──50 ms without events──► due ──taken──► quiet
 *       └──────────────swap of a symlink───────────────────►┘
 *
 * A file that a writer was seen to write into and has not closed holds the reading back, for a
 * while: half a YAML file may well be a valid one. Confined; lives in the caller's struct. */
#ifndef GRPC_XDS_FILES_WATCH_H_
#define GRPC_XDS_FILES_WATCH_H_

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Quiet for so long, and the directory is taken for whole. */
#define GXDS_FILE_WATCH_QUIET (50 * GXDS_MILLISECOND)
/* How long a file that stays open holds the reading back after its last write: longer than an
 * editor takes to save, shorter than a person waits. */
#define GXDS_FILE_WATCH_OPEN_MAX (2 * GXDS_SECOND)
/* Changes that never pause so long are taken after that time all the same: longer than it takes to
 * copy a state of many files. */
#define GXDS_FILE_WATCH_CHANGING_MAX (10 * GXDS_SECOND)
/* Files being written that are kept track of; more than these only count as changes. */
#define GXDS_FILE_WATCH_OPEN_FILES_MAX 256

typedef enum gxds_file_watch_change {
  GXDS_FILE_WATCH_WRITTEN,  /* something wrote into the file and has it open */
  GXDS_FILE_WATCH_CLOSED,   /* a writer closed it */
  GXDS_FILE_WATCH_REPLACED, /* it was created, removed, moved in or out */
} gxds_file_watch_change;

typedef struct gxds_file_watch {
  gxds_time first_event; /* since the last reading, and since a file was open */
  gxds_time last_event;
  bool pending;    /* something changed since the last reading */
  gxds_time retry; /* GXDS_TIME_NEVER: none is due without an event */
  bool swapped;    /* a symlink was: what is behind it is whole */
  gxds_str *open;
  size_t open_count;
} gxds_file_watch;

/* The first reading is due at once. */
void gxds_file_watch_init(gxds_file_watch *w, gxds_time now);
void gxds_file_watch_fini(gxds_file_watch *w);

/* Something happened to a file of that name (borrowed: valid during the call). */
void gxds_file_watch_on_change(gxds_file_watch *w, gxds_str file, gxds_file_watch_change change,
                               gxds_time now);
/* A symlink to a directory was replaced by another: the new state came into being in one step. */
void gxds_file_watch_on_swap(gxds_file_watch *w, gxds_time now);
/* The files changed while they were read. */
void gxds_file_watch_on_unstable(gxds_file_watch *w, gxds_time now);
/* Not all of them could be watched or read, without any event to come when they can: the next
 * reading is due then, if no event makes one due before. */
void gxds_file_watch_on_starved(gxds_file_watch *w, gxds_time then);

/* When to ask gxds_file_watch_take(); GXDS_TIME_NEVER: not before the next event. */
gxds_time gxds_file_watch_deadline(const gxds_file_watch *w);
/* Whether the directory is to be read now; then nothing is pending any more. */
bool gxds_file_watch_take(gxds_file_watch *w, gxds_time now);

#ifdef __cplusplus
}
#endif

#endif
