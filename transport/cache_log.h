/* gxds_cache_log: a resource cache as a log of records (cache_record.h). It knows the current
 * records and their places in the log, and decides when to rewrite the log. It does no I/O itself:
 * its store holds the bytes, in a file (cache_file.c), or in memory in the simulator.
 *
 * A change costs as much as the changed record. When more than half of the log is out of date, the
 * current records are written to a second log, which then replaces the first in one step. Confined.
 */
#ifndef GRPC_XDS_TRANSPORT_CACHE_LOG_H_
#define GRPC_XDS_TRANSPORT_CACHE_LOG_H_

#include "transport/cache_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest log. Nothing is added beyond this size, because the whole log is read at a start.
 * 100,000 clusters with their endpoints take some 200 MB. */
#define GXDS_CACHE_FILE_MAX ((size_t)1 << 30)

/* Each function returns whether it succeeded; if not, errno says why. */
typedef struct gxds_cache_store {
  /* Replaces the contents of *out with those bytes. False also if the log has fewer bytes. */
  bool (*read)(void *arg, size_t at, size_t size, gxds_text *out);
  /* Truncates the log at `at`, and appends the bytes. */
  bool (*write)(void *arg, size_t at, gxds_str bytes);
  /* These three start an empty second log, add to it, and put it in place of the first in one step.
   * If one of them fails, the first log stays, and the second is dropped. */
  bool (*begin_anew)(void *arg);
  bool (*add_anew)(void *arg, gxds_str bytes);
  bool (*end_anew)(void *arg);
} gxds_cache_store;

typedef struct gxds_cache_log gxds_cache_log;

/* Makes an empty log, which does not read the store. target and origin (cache_record.h) are copied.
 * store and arg are borrowed: valid as long as the log. A log of fewer bytes than compact_min is
 * never rewritten. One owner. */
gxds_cache_log *gxds_cache_log_create(gxds_str target, gxds_str origin, size_t compact_min,
                                      const gxds_cache_store *store, void *arg);
/* NULL is allowed. */
void gxds_cache_log_destroy(gxds_cache_log *l);

/* Drops all records from memory, but does not change the store. */
void gxds_cache_log_clear(gxds_cache_log *l);
/* Replaces the log's records by those in all, the bytes of the store. Ignores a last record that is
 * incomplete, and then returns NULL. If the bytes cannot be used, returns the reason as a static
 * text. Then the log is empty, and the next record that is put replaces the bytes. Sets *foreign if
 * the bytes are not one of our cache files, and must not be replaced. */
const char *gxds_cache_log_load(gxds_cache_log *l, gxds_str all, bool *foreign);

/* Finds the record with that type and name. False if there is none. Borrowed: valid until the next
 * call on l. */
bool gxds_cache_log_find(gxds_cache_log *l, gxds_str type, gxds_str name, gxds_cache_record *out);
/* Keeps a record, or removes it if `removed` is set. A record that the log has already is not
 * written again. False if it could not be written; errno says why, and the store has an earlier
 * state. */
bool gxds_cache_log_put(gxds_cache_log *l, const gxds_cache_record *r);
size_t gxds_cache_log_count(const gxds_cache_log *l);
/* The number of bytes in the store, up to the end of the last whole record. */
size_t gxds_cache_log_size(const gxds_cache_log *l);

#ifdef __cplusplus
}
#endif

#endif
