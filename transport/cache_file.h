/* gxds_cache_file: what one server last sent for one target and one kind of client, on disk: the
 * last known good.
 *
 * An append-only log (cache_log.h). A process that is killed leaves a file that can be read; a file
 * that is damaged, or somebody else's, is not used at all. One process writes it; the others of
 * that target read what was there when they opened it, and the first of them that has something to
 * put when the writer is gone goes on in its place.
 *
 * Nothing is synced to the medium: the kernel keeps what a killed process wrote, and after a loss
 * of power the checksums tell whether all came there.
 *
 * Confined; blocks on the file system. On a thread that blocks SIGXFSZ, as the reactor's does all
 * signals: a limit of the sizes of files is a failure like any other there, and elsewhere the end
 * of the process. */
#ifndef GRPC_XDS_TRANSPORT_CACHE_FILE_H_
#define GRPC_XDS_TRANSPORT_CACHE_FILE_H_

#include "base/time.h"
#include "transport/cache_log.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Below this a file is not written anew, however much of it is out of date. */
#define GXDS_CACHE_COMPACT_MIN ((size_t)256 << 10)

/* After a failure all of it, from the directory on, is tried again with the first change after
 * that: a disk that is full is read and written in vain no more often. Each further failure doubles
 * it, up to the longest, until all was written. As often as at first it is looked whether the file
 * is still there: a directory may be removed, or mounted over. */
#define GXDS_CACHE_RETRY_AFTER (10 * GXDS_SECOND)
#define GXDS_CACHE_RETRY_AFTER_MAX (600 * GXDS_SECOND)

/* Removals that could not be written are remembered, up to so many: names may come and go for as
 * long as another process writes the file. */
#define GXDS_CACHE_REMOVALS_MAX 10000

/* How often a file that stays open is said to be in use. */
#define GXDS_CACHE_TOUCH_EVERY (24 * 3600 * GXDS_SECOND)

typedef struct gxds_cache_file gxds_cache_file;

/* Opens the file of that target and origin (whose words, and for whom: any text) in dir, which is
 * made (mode 0700) if it is not there. wall_offset: from now to the time since 1970.
 * What is noteworthy is added to *log, a line: that a file is ignored, and why; that another
 * process writes it; that the directory can't be used, or others may write into it: then it holds
 * nothing, and is tried again later. */
gxds_cache_file *gxds_cache_file_open(gxds_str dir, gxds_str target, gxds_str origin, gxds_time now,
                                      gxds_duration wall_offset, gxds_text *log);
/* NULL is allowed. */
void gxds_cache_file_close(gxds_cache_file *f);

/* The record of that name; false: there is none. Borrowed: valid until the next call on f. */
bool gxds_cache_file_find(gxds_cache_file *f, gxds_str type, gxds_str name, gxds_cache_record *out);
/* Keeps a record, or with removed set takes it away; what is there already is not written again.
 * That it can't be written is added to *log, once until gxds_cache_file_settle() or another reason;
 * meanwhile another process may. So is that it is this process now that writes. While another one
 * does, nothing is kept. A removal that can't be written is made up for as soon as it can. */
void gxds_cache_file_put(gxds_cache_file *f, const gxds_cache_record *r, gxds_time now,
                         gxds_text *log);
/* Whether records were put that were not kept, and from now on they can be: then all that there is
 * should be put again. Says so once. */
bool gxds_cache_file_take_lost(gxds_cache_file *f);
/* All was put that there is to put, also again. If nothing of it is lost, a failure before that is
 * over: *log says "written again". Also says now and then, to whoever removes files that nobody
 * uses (cache_dir.h), that this one is in use. */
void gxds_cache_file_settle(gxds_cache_file *f, gxds_time now, gxds_text *log);
size_t gxds_cache_file_count(const gxds_cache_file *f);
/* "DIR/0123456789abcdef.gxds", which need not be there. Borrowed: valid as long as f. */
gxds_str gxds_cache_file_path(const gxds_cache_file *f);

#ifdef __cplusplus
}
#endif

#endif
