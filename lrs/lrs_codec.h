/* LRS v3 messages to and from bytes. Pure; any thread. */
#ifndef GRPC_XDS_LRS_LRS_CODEC_H_
#define GRPC_XDS_LRS_LRS_CODEC_H_

#include "lrs/load_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first request of a stream: the node (serialized) with one more client feature,
 * envoy.lrs.supports_send_all_clusters. A node that cannot be decoded is sent without the feature.
 * The caller frees the result with gxds_str_free(). */
gxds_str gxds_lrs_encode_first_request(gxds_str node);

/* No request is longer, but for one of a single locality: gRPC servers take 4 MiB by default. */
#define GXDS_LRS_REQUEST_BYTES_MAX ((size_t)4000000)

/* As much of a report, from *place on, as fits into a request of max bytes, at least a locality: a
 * LoadStatsRequest without node. *place is moved behind it. A cluster is divided only when it does
 * not fit alone: its drops go with its first localities, and each part has the whole interval. The
 * caller frees the result with gxds_str_free(). */
gxds_str gxds_lrs_encode_report(const gxds_load_report *report, size_t max, gxds_load_place *place);

/* No interval is shorter than this, whatever the server wants: the same floor as the host's. */
#define GXDS_LRS_INTERVAL_MIN GXDS_SECOND
/* Nor longer: a bound that keeps arithmetic safe; nobody waits this long for a report. */
#define GXDS_LRS_INTERVAL_MAX (365 * 24 * 3600 * GXDS_SECOND)

/* What the server asks for. Owned by the caller, gxds_lrs_response_fini(). */
typedef struct gxds_lrs_response {
  bool all_clusters;
  gxds_str *clusters; /* sorted, each once; none when all_clusters */
  size_t cluster_count;
  gxds_duration interval; /* within the bounds above */
} gxds_lrs_response;

/* Fails with INVALID_ARGUMENT when data is no LoadStatsResponse; *out is empty then. */
GXDS_MUST_USE gxds_status gxds_lrs_decode_response(const void *data, size_t size,
                                                   gxds_lrs_response *out);
void gxds_lrs_response_fini(gxds_lrs_response *r);
bool gxds_lrs_response_equal(const gxds_lrs_response *a, const gxds_lrs_response *b);

#ifdef __cplusplus
}
#endif

#endif
