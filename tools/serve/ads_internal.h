/* Declarations that the files of the ADS server share: a stream, and the functions between SotW
 * (ads_server.c) and delta (ads_delta.c). Private to tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_ADS_INTERNAL_H_
#define GRPC_XDS_TOOLS_SERVE_ADS_INTERNAL_H_

#include "base/deadlines.h"
#include "base/hash_table.h"
#include "tools/serve/ads_server.h"
#include "tools/serve/subscription.h"

struct envoy_config_core_v3_Node;

typedef struct gxds_ads_type_state {
  gxds_ads_subscription subscription;
  uint64_t names;   /* SotW: the hash of the names from which subscription was made */
  uint64_t nonce;   /* the nonce of the last response; 0: none yet */
  bool outstanding; /* the client has neither ACKed nor NACKed it yet */
  gxds_time ack_by; /* an update waits for the ACK or NACK until this time at most */
  bool subscribed;  /* a request subscribed to names, so the next response does not wait */
  bool dirty;       /* a resource may be due */
} gxds_ads_type_state;

typedef struct gxds_ads_stream {
  uint64_t id;
  gxds_ads_service service;
  gxds_str node;
  gxds_str peer;
  gxds_ads_type_state types[GXDS_FILE_TYPE_COUNT];
  uint64_t last_nonce;
  bool warmed;  /* delta: the clusters sent before the client subscribed to endpoints have been
                   handled (warming.h) */
  bool sending; /* a message is being sent; there is only one at a time */
  gxds_deadline due_later; /* set if a response is due later without an event: removals, or an
                          update that waits for an ACK or NACK */
  gxds_time last_sign; /* the time of the client's last request, or of the end of the last send */
  UT_hash_handle by_id;
} gxds_ads_stream;

/* Makes an event of a stream, which the caller completes. type: GXDS_FILE_TYPE_COUNT if the event
 * is about the whole stream. */
gxds_serve_event gxds_ads_event(const gxds_ads_stream *st, gxds_serve_event_kind kind,
                                gxds_file_type type);

/* Keeps the node of a request; NULL if the request has none. The first request of a stream has a
 * node, and later requests may leave it out. */
void gxds_ads_keep_node(gxds_ads_stream *st, const struct envoy_config_core_v3_Node *node);
void gxds_ads_emit_unknown_type(gxds_serve_queue *q, const gxds_ads_stream *st, gxds_str url);
/* Emits those of the two events of a request that have names, and frees both. If names were added,
 * marks the type as subscribed and to be searched; a request without new names, such as an ACK,
 * does not cause a search of the resources. */
void gxds_ads_emit_names(gxds_serve_queue *q, gxds_ads_type_state *t, gxds_serve_event *added,
                         gxds_serve_event *dropped);

/* Checks the type URL of a request on a stream of the type `only` (GXDS_FILE_TYPE_COUNT: of any
 * type). On a stream of one type, *url may be empty, and is then filled in. Returns NULL, or the
 * error as a static text. */
const char *gxds_ads_check_type(gxds_file_type only, gxds_str *url);

/* Makes a DeltaDiscoveryResponse, which the caller owns. */
gxds_str gxds_ads_delta_encode(gxds_file_type type, const gxds_ads_response *response,
                               gxds_str nonce);
/* Takes a DeltaDiscoveryRequest. Returns NULL, or, if the bytes are not a valid request, the error
 * as a static text. */
const char *gxds_ads_delta_take(gxds_serve_queue *q, gxds_ads_stream *st, gxds_str bytes);

#endif
