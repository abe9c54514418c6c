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

/* A smaller file is never rewritten, however much of it is out of date. */
#define GXDS_CACHE_COMPACT_MIN ((size_t)256 << 10)

/* How long to wait after a failure. The first change after that time tries everything again, from
 * the directory on, so that a full disk is not tried more often. Each further failure doubles the
 * time, up to a maximum, until everything was written. At this interval the file is also checked
 * for existence, since a directory may be removed or mounted over. */
#define GXDS_CACHE_RETRY_AFTER (10 * GXDS_SECOND)
#define GXDS_CACHE_RETRY_AFTER_MAX (600 * GXDS_SECOND)

/* The most removals that are remembered if they could not be written: names may come and go for as
 * long as another process writes the file. */
#define GXDS_CACHE_REMOVALS_MAX 10000

/* How often a file that stays open is marked as in use. */
#define GXDS_CACHE_TOUCH_EVERY (24 * 3600 * GXDS_SECOND)

typedef struct gxds_cache_file gxds_cache_file;

/* Opens the file for that target and origin. origin is a text that identifies the server and the
 * node; see gxds_cache_header_encode(). Makes dir (mode 0700) if it does not exist. wall_offset is
 * what to add to the caller's clock to get the time since 1970. Adds a line to *log if a file is
 * ignored, and why; if another process writes the file; or if the directory can't be used or is
 * writable by others. In the last case the file holds nothing, and is tried again later. One owner.
 */
gxds_cache_file *gxds_cache_file_open(gxds_str dir, gxds_str target, gxds_str origin, gxds_time now,
                                      gxds_duration wall_offset, gxds_text *log);
/* NULL is allowed. */
void gxds_cache_file_close(gxds_cache_file *f);

/* Finds the record with that type and name. False if there is none. Borrowed: valid until the next
 * call on f. */
bool gxds_cache_file_find(gxds_cache_file *f, gxds_str type, gxds_str name, gxds_cache_record *out);
/* Keeps a record, or removes it if `removed` is set. What the file has already is not written
 * again. If it can't be written, adds the reason to *log, but the same reason only once until
 * gxds_cache_file_settle(); meanwhile another process may become the writer. Also adds to *log when
 * this process becomes the writer. While another process writes the file, nothing is kept. A
 * removal that could not be written is made up for later. */
void gxds_cache_file_put(gxds_cache_file *f, const gxds_cache_record *r, gxds_time now,
                         gxds_text *log);
/* Whether records were lost, and can be kept from now on: then the caller should put everything
 * again. Returns true once. */
bool gxds_cache_file_take_lost(gxds_cache_file *f);
/* Call it when everything has been put, also what had to be put again. If nothing was lost, an
 * earlier failure is over, and *log gets "written again". Now and then it also marks the file as in
 * use, so that nobody removes it as unused (cache_dir.h). */
void gxds_cache_file_settle(gxds_cache_file *f, gxds_time now, gxds_text *log);
size_t gxds_cache_file_count(const gxds_cache_file *f);
/* The path "DIR/0123456789abcdef.gxds"; the file need not exist. Borrowed: valid as long as f. */
gxds_str gxds_cache_file_path(const gxds_cache_file *f);

#ifdef __cplusplus
}
#endif

#endif
