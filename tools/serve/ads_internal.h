/* What the ADS server's own files share: a stream, and how SotW (ads_server.c) and delta
 * (ads_delta.c) are spoken on it. Private to tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_ADS_INTERNAL_H_
#define GRPC_XDS_TOOLS_SERVE_ADS_INTERNAL_H_

#include "base/deadlines.h"
#include "base/hash_table.h"
#include "tools/serve/ads_server.h"
#include "tools/serve/delta_subscription.h"
#include "tools/serve/subscription.h"

typedef struct gxds_ads_type_state {
  gxds_ads_subscription subscription; /* of a SotW stream */
  uint64_t names;                     /* SotW: the hash of those that subscription was made from */
  gxds_delta_subscription delta;      /* of a delta stream */
  uint64_t nonce;                     /* of the last response; 0: none yet */
  bool outstanding;                   /* the client has neither ACKed nor NACKed it yet */
  gxds_time answer_by;                /* an update waits for that answer until then */
  bool asked; /* a request asked for some of what is due, so nothing waits */
  bool dirty; /* something may be due */
} gxds_ads_type_state;

typedef struct gxds_ads_stream {
  uint64_t id;
  gxds_ads_service service;
  gxds_str node;
  gxds_str peer;
  gxds_ads_type_state types[GXDS_FILE_TYPE_COUNT];
  uint64_t last_nonce;
  bool warmed;  /* delta: the clusters sent before the client asked for endpoints have been handled
                   (warming.h) */
  bool sending; /* a message is being sent; there is only one at a time */
  gxds_deadline again; /* set if something is due later without an event: removals, or what waits
                          for an answer */
  gxds_time last_sign; /* the time of the client's last request, or of the end of the last send */
  UT_hash_handle by_id;
} gxds_ads_stream;

/* An event of a stream, to be completed by the caller. type: GXDS_FILE_TYPE_COUNT for the stream as
 * a whole. */
gxds_serve_event gxds_ads_event(const gxds_ads_stream *st, gxds_serve_event_kind kind,
                                gxds_file_type type);
/* Owned by the caller. */
gxds_str gxds_ads_nonce_text(uint64_t nonce);

/* Whether a stream (of one type, or of any: GXDS_FILE_TYPE_COUNT) may carry a request with that
 * type URL, which may be left out where it is known: then it is filled in. NULL: it may; or why not
 * (static). */
const char *gxds_ads_check_type(gxds_file_type only, gxds_str *url);

/* Sends what is due of a type. False if nothing is. */
bool gxds_ads_delta_send(gxds_serve_queue *q, const gxds_file_set *set, gxds_ads_stream *st,
                         gxds_file_type type, bool with_removals, gxds_time now);
/* A response of a type is on its way: its nonce is the next one. */
void gxds_ads_count_response(gxds_ads_stream *st, gxds_file_type type, gxds_time now);
/* Takes a DeltaDiscoveryRequest. Returns NULL, or a static text that says why the bytes are no such
 * request. */
const char *gxds_ads_delta_take(gxds_serve_queue *q, gxds_ads_stream *st, gxds_str bytes);

#endif
