/* gxds_file_source: a "file://" server of the bootstrap: a directory of resource files (files/),
 * read and watched on a thread of its own, that answers one engine as an xDS server would.
 *
 * A state of the directory counts as a whole or not at all: one with errors replaces nothing. Until
 * the first good one the source has failed, as a channel that can't connect; so it has while the
 * system has no descriptors or inotify instances left, which is tried every second. Confined: the
 * reactor's thread. */
#ifndef GRPC_XDS_TRANSPORT_FILE_SOURCE_H_
#define GRPC_XDS_TRANSPORT_FILE_SOURCE_H_

#include "base/status.h"
#include "transport/stream_call.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_file_source gxds_file_source;

/* Told never from within a function of the source. */
typedef struct gxds_file_source_events {
  /* There is no good state yet; status (borrow, during the call) has all that is wrong. It may
   * destroy the source. */
  void (*on_failed)(void *arg, const gxds_status *status);
  /* The files are wrong now, and the last good state stays; or good again. One line, borrow. */
  void (*on_log)(void *arg, bool error, gxds_str line);
} gxds_file_source_events;

/* directory is copied; events and arg: borrow, as long as the source. */
gxds_file_source *gxds_file_source_create(gxds_str directory, const gxds_file_source_events *events,
                                          void *arg);
/* Nothing is told any more. Does not wait for the thread. */
void gxds_file_source_destroy(gxds_file_source *s); /* NULL is allowed */

/* The one stream at a time, as in stream_call.h: on_sent and on_message follow gxds_…_send() and
 * _read(). It never ends by itself. */
void gxds_file_source_open(gxds_file_source *s, uint64_t id, const gxds_stream_call_events *events,
                           void *owner);
void gxds_file_source_send(gxds_file_source *s, gxds_str message);
void gxds_file_source_read(gxds_file_source *s);
void gxds_file_source_close(gxds_file_source *s);

#ifdef __cplusplus
}
#endif

#endif
