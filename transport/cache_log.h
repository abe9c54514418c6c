/* gxds_cache_log: a resource cache as a log of records (cache_record.h): what of it counts and
 * where that stands, and when it is written anew. Pure but for its store, which holds the bytes: a
 * file (cache_file.c), or memory in the simulator.
 *
 * A change costs what changed. When more than half of the log is out of date it is written anew
 * aside, and put in the place of the other in one step. Confined. */
#ifndef GRPC_XDS_TRANSPORT_CACHE_LOG_H_
#define GRPC_XDS_TRANSPORT_CACHE_LOG_H_

#include "transport/cache_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A log beyond this is no longer added to: 100,000 clusters with their endpoints are some 200 MB,
 * and it is read whole at a start. */
#define GXDS_CACHE_FILE_MAX ((size_t)1 << 30)

/* Each says whether it could be done; if not, errno says why. */
typedef struct gxds_cache_store {
  /* Those bytes, in place of what is in *out; false also if they are not all there. */
  bool (*read)(void *arg, size_t at, size_t size, gxds_text *out);
  /* Cuts off what is at `at` and behind it, and writes there. */
  bool (*write)(void *arg, size_t at, gxds_str bytes);
  /* An empty one aside; adds to it; puts it in the place of the other, in one step. If one of them
   * fails the other stays, and what is aside goes. */
  bool (*begin_anew)(void *arg);
  bool (*add_anew)(void *arg, gxds_str bytes);
  bool (*end_anew)(void *arg);
} gxds_cache_store;

typedef struct gxds_cache_log gxds_cache_log;

/* An empty log, of which nothing is in the store. target and origin (cache_record.h) are copied;
 * store and arg: borrowed, valid as long as the log. compact_min: below so many bytes it is not
 * written anew. */
gxds_cache_log *gxds_cache_log_create(gxds_str target, gxds_str origin, size_t compact_min,
                                      const gxds_cache_store *store, void *arg);
/* NULL is allowed. */
void gxds_cache_log_destroy(gxds_cache_log *l);

/* Holds nothing any more. */
void gxds_cache_log_clear(gxds_cache_log *l);
/* What is in the store, whole, in place of what the log held. NULL: it is used, up to its last
 * whole record. Otherwise why it is not (static): then the log is empty, and what is put takes its
 * place. *foreign: but it is somebody else's, and not to be replaced. */
const char *gxds_cache_log_load(gxds_cache_log *l, gxds_str all, bool *foreign);

/* The record of that name; false: there is none. Borrowed: valid until the next call on l. */
bool gxds_cache_log_find(gxds_cache_log *l, gxds_str type, gxds_str name, gxds_cache_record *out);
/* Keeps a record, or with removed set takes it away; what is there already is not written again.
 * False: it could not be written, as errno says, and what is in the store is an earlier state. */
bool gxds_cache_log_put(gxds_cache_log *l, const gxds_cache_record *r);
size_t gxds_cache_log_count(const gxds_cache_log *l);
/* Bytes in the store, up to the last whole record. */
size_t gxds_cache_log_size(const gxds_cache_log *l);

#ifdef __cplusplus
}
#endif

#endif
