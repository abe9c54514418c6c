/* gxds_cache_file: the resources that one server last sent for one target and one kind of client,
 * on disk: the last known good.
 *
 * The file is an append-only log (cache_log.h). A killed process leaves a file that can be read. A
 * file is not used at all if it is damaged, if it belongs to another server, target or node, or if
 * other users may have written it. One process writes the file. Other processes of that target read
 * its content when they open it. When the writer has ended, the first of them that puts a record
 * becomes the writer.
 *
 * Nothing is synced to the medium. The kernel keeps the bytes that a killed process wrote. After a
 * loss of power, the checksums show whether all bytes are on the medium.
 *
 * Confined; blocks on the file system. The thread must block SIGXFSZ; the reactor's thread blocks
 * all signals. Then a limit on the size of files is a failure like any other. On other threads it
 * would end the process. */
#ifndef GRPC_XDS_TRANSPORT_CACHE_FILE_H_
#define GRPC_XDS_TRANSPORT_CACHE_FILE_H_

#include "base/time.h"
#include "transport/cache_log.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A smaller file is never rewritten, even if most of it is out of date. */
#define GXDS_CACHE_COMPACT_MIN ((size_t)256 << 10)

/* How long to wait after a failure, so that a full disk is not tried too often. The first change
 * after that time tries everything again, beginning with the directory. Each further failure
 * doubles the time, up to a maximum, until everything is written. At this interval the process also
 * checks that the file still exists, because a directory may be removed, or another one mounted
 * over it. */
#define GXDS_CACHE_RETRY_AFTER (10 * GXDS_SECOND)
#define GXDS_CACHE_RETRY_AFTER_MAX (600 * GXDS_SECOND)

/* The most removals that are remembered if they could not be written. There is a limit because
 * resources may come and go for as long as another process writes the file. */
#define GXDS_CACHE_REMOVALS_MAX 10000

/* How often a file that stays open is marked as in use. */
#define GXDS_CACHE_TOUCH_EVERY (24 * 3600 * GXDS_SECOND)

typedef struct gxds_cache_file gxds_cache_file;

/* Opens the file for that target and origin. origin is a text that identifies the server and the
 * node; see gxds_cache_header_encode(). Makes dir (mode 0700) if it does not exist. The caller's
 * clock plus wall_offset is the time since 1970. Adds a line to *log in these cases: the file is
 * ignored (with the reason); another process writes the file; the directory can't be used, or
 * others may write to it. In the last case the cache is empty, and the directory is tried again
 * later. One owner. */
gxds_cache_file *gxds_cache_file_open(gxds_str dir, gxds_str target, gxds_str origin, gxds_time now,
                                      gxds_duration wall_offset, gxds_text *log);
/* NULL is allowed. */
void gxds_cache_file_close(gxds_cache_file *f);

/* Finds the record with that type and name. False if there is none. Borrowed: valid until the next
 * call on f. */
bool gxds_cache_file_find(gxds_cache_file *f, gxds_str type, gxds_str name, gxds_cache_record *out);
/* Keeps a record, or removes it if `removed` is set. A record that the file has already is not
 * written again. If a record cannot be written, adds the reason to *log, but each reason only once
 * until gxds_cache_file_settle(), and another process may become the writer. Also adds to *log that
 * this process became the writer. While another process writes the file, nothing is kept. A removal
 * that could not be written is written later. */
void gxds_cache_file_put(gxds_cache_file *f, const gxds_cache_record *r, gxds_time now,
                         gxds_text *log);
/* Whether records were lost, and can be kept from now on. Then the caller should put all records
 * again. Returns true once. */
bool gxds_cache_file_take_lost(gxds_cache_file *f);
/* Call it when all records have been put, including those that had to be put again. If records were
 * written and none was lost since a failure, the failure is over, and *log gets "written again".
 * From time to time it also marks the file as in use, so that no process removes it as unused
 * (cache_dir.h). */
void gxds_cache_file_settle(gxds_cache_file *f, gxds_time now, gxds_text *log);
size_t gxds_cache_file_count(const gxds_cache_file *f);
/* The path "DIR/0123456789abcdef.gxds"; the file need not exist. Borrowed: valid as long as f. */
gxds_str gxds_cache_file_path(const gxds_cache_file *f);

#ifdef __cplusplus
}
#endif

#endif
