/* Encodes and decodes LRS v3 messages. Pure; any thread. */
#ifndef GRPC_XDS_LRS_LRS_CODEC_H_
#define GRPC_XDS_LRS_LRS_CODEC_H_

#include "lrs/load_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Encodes the first request of a stream: the (serialized) node with one more client feature,
 * envoy.lrs.supports_send_all_clusters. If the node can't be decoded, the request has a node with
 * this feature alone. The caller frees the result with gxds_str_free(). */
gxds_str gxds_lrs_encode_first_request(gxds_str node);

/* The most bytes of a request, unless a single locality needs more: gRPC servers accept 4 MiB by
 * default. */
#define GXDS_LRS_REQUEST_BYTES_MAX ((size_t)4000000)

/* Encodes the part of a report that begins at *place and fits into a request of max bytes, but at
 * least one locality: a LoadStatsRequest without node. Moves *place to the end of that part. A
 * cluster is divided only if it alone does not fit: its drops go with its first localities, and
 * each part has the whole interval. The caller frees the result with gxds_str_free(). */
gxds_str gxds_lrs_encode_report(const gxds_load_report *report, size_t max, gxds_load_place *place);

/* The shortest interval, even if the server requests a shorter one. The host's client has the same
 * minimum. */
#define GXDS_LRS_INTERVAL_MIN GXDS_SECOND
/* The longest interval: a bound that keeps arithmetic safe, far above useful intervals. */
#define GXDS_LRS_INTERVAL_MAX (365 * 24 * 3600 * GXDS_SECOND)

/* The server's request for reports. The caller ends it with gxds_lrs_response_fini(). */
typedef struct gxds_lrs_response {
  bool all_clusters;
  gxds_str *clusters; /* sorted, without duplicates; empty if all_clusters is set */
  size_t cluster_count;
  gxds_duration interval; /* within the bounds above */
} gxds_lrs_response;

/* Decodes a LoadStatsResponse. If data is not such a message, fails with INVALID_ARGUMENT, and *out
 * is empty. */
GXDS_MUST_USE gxds_status gxds_lrs_decode_response(const void *data, size_t size,
                                                   gxds_lrs_response *out);
void gxds_lrs_response_fini(gxds_lrs_response *r);
bool gxds_lrs_response_equal(const gxds_lrs_response *a, const gxds_lrs_response *b);

#ifdef __cplusplus
}
#endif

#endif
