/* gxds_lrs_stream: load reporting (LRS v3) to one server: decides when to open a stream, what to
 * send, and when to report.
 *
 * Confined, and driven like gxds_client: events and time go in, actions and one deadline come out.
 * It reads the counters of a gxds_load_store for its server. Counts that were not sent because a
 * stream broke go out with the next one, so nothing is counted twice or lost.
 * gxds_backoff_after_stream() decides when the next stream is opened. */
#ifndef GRPC_XDS_LRS_LRS_STREAM_H_
#define GRPC_XDS_LRS_LRS_STREAM_H_

#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_lrs_stream gxds_lrs_stream;

typedef enum gxds_lrs_action_kind {
  GXDS_LRS_OPEN,  /* id, method: start the call; report its events with the id */
  GXDS_LRS_SEND,  /* id, bytes: send them, then report on_sent */
  GXDS_LRS_READ,  /* id: read one message, then report on_message */
  GXDS_LRS_CLOSE, /* id: cancel the call */
} gxds_lrs_action_kind;

/* Borrowed: valid until the next call on the stream. */
typedef struct gxds_lrs_action {
  gxds_lrs_action_kind kind;
  uint64_t id; /* never reused */
  const char *method;
  gxds_str bytes;
} gxds_lrs_action;

/* bootstrap, server and store are borrowed: valid as long as the stream. seed is for the jitter of
 * the backoff. The caller ends the stream with gxds_lrs_stream_destroy(). */
gxds_lrs_stream *gxds_lrs_stream_create(const gxds_bootstrap *bootstrap,
                                        const gxds_bootstrap_server *server, gxds_load_store *store,
                                        uint64_t seed, gxds_time now);
void gxds_lrs_stream_destroy(gxds_lrs_stream *s);
/* How long unreported counts wait for a server to request them, once no counter for the server has
 * a holder. Longer than any wait of the backoff. After that they are dropped, so that the stream to
 * a server that does not respond can end. */
#define GXDS_LRS_LEFT_MAX (180 * GXDS_SECOND)
/* Sets whether no counter for the server has a holder any more (GXDS_LOAD_LEFT). */
void gxds_lrs_stream_set_left(gxds_lrs_stream *s, bool left, gxds_time now);

/* Events of the stream with that id. data and status are borrowed: valid during the call. If the id
 * is not that of the open stream, the event came too late, and is ignored. If data is not a
 * LoadStatsResponse, the stream is closed. A server that does not know the method counts as one
 * that accepts no reports (gxds_load_store_set_taken()), until it sends a response on a later
 * stream. */
void gxds_lrs_stream_on_sent(gxds_lrs_stream *s, uint64_t id, gxds_time now);
void gxds_lrs_stream_on_message(gxds_lrs_stream *s, uint64_t id, const void *data, size_t size,
                                gxds_time now);
void gxds_lrs_stream_on_closed(gxds_lrs_stream *s, uint64_t id, const gxds_status *status,
                               gxds_time now);
/* When gxds_lrs_stream_on_deadline() is due; GXDS_TIME_NEVER if not before the next event. Early or
 * repeated calls are harmless. */
gxds_time gxds_lrs_stream_deadline(const gxds_lrs_stream *s);
void gxds_lrs_stream_on_deadline(gxds_lrs_stream *s, gxds_time now);
/* The next action; NULL if there is none. */
const gxds_lrs_action *gxds_lrs_stream_next_action(gxds_lrs_stream *s);

#ifdef __cplusplus
}
#endif

#endif
