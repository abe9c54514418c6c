/* gxds_lrs_stream: the load reporting (LRS v3) to one server: when to open, what to send, when to
 * report.
 *
 * Confined, in the same manner as gxds_client: events and time in, actions and one deadline out. It
 * reads the counters of a gxds_load_store for its server. Reports that were not sent because a
 * stream broke are kept and go out with the next one: nothing is counted twice or lost.
 * gxds_backoff_after_stream() decides when that is opened. */
#ifndef GRPC_XDS_LRS_LRS_STREAM_H_
#define GRPC_XDS_LRS_LRS_STREAM_H_

#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_lrs_stream gxds_lrs_stream;

typedef enum gxds_lrs_action_kind {
  GXDS_LRS_OPEN,  /* start a call of method; events then name it by its id */
  GXDS_LRS_SEND,  /* id, bytes: then report on_sent */
  GXDS_LRS_READ,  /* id: read one message, then report on_message */
  GXDS_LRS_CLOSE, /* id: cancel the call */
} gxds_lrs_action_kind;

/* Borrowed until the next call on the stream. */
typedef struct gxds_lrs_action {
  gxds_lrs_action_kind kind;
  uint64_t id; /* never reused */
  const char *method;
  gxds_str bytes;
} gxds_lrs_action;

/* bootstrap, server and store: borrowed, valid as long as the stream lives. seed: of the backoff's
 * jitter. */
gxds_lrs_stream *gxds_lrs_stream_create(const gxds_bootstrap *bootstrap,
                                        const gxds_bootstrap_server *server, gxds_load_store *store,
                                        uint64_t seed, gxds_time now);
void gxds_lrs_stream_destroy(gxds_lrs_stream *s);
/* What is left to report, when nobody counts for the server any more, has this long to be asked
 * for: longer than any wait of the backoff. After that it is dropped, so that the stream to a
 * server that does not answer can end. */
#define GXDS_LRS_LEFT_MAX (180 * GXDS_SECOND)
/* Whether nobody counts for the server any more (GXDS_LOAD_LEFT). */
void gxds_lrs_stream_set_left(gxds_lrs_stream *s, bool left, gxds_time now);

/* What became of an action; data and status: borrowed, valid during the call. An id that is not
 * that of the stream that is open now is a late event's, and ignored. Bytes that are no
 * LoadStatsResponse close the stream. A server that does not know the method takes no reports,
 * until one that is asked later does: gxds_load_store_set_taken(). */
void gxds_lrs_stream_on_sent(gxds_lrs_stream *s, uint64_t id, gxds_time now);
void gxds_lrs_stream_on_message(gxds_lrs_stream *s, uint64_t id, const void *data, size_t size,
                                gxds_time now);
void gxds_lrs_stream_on_closed(gxds_lrs_stream *s, uint64_t id, const gxds_status *status,
                               gxds_time now);
/* When _on_deadline is due; GXDS_TIME_NEVER: not before the next event. Early or repeated calls are
 * harmless. */
gxds_time gxds_lrs_stream_deadline(const gxds_lrs_stream *s);
void gxds_lrs_stream_on_deadline(gxds_lrs_stream *s, gxds_time now);
/* NULL: drained. */
const gxds_lrs_action *gxds_lrs_stream_next_action(gxds_lrs_stream *s);

#ifdef __cplusplus
}
#endif

#endif
