/* Parts of the Cluster decoder: where the endpoints come from (cluster_type.c), how they are
 * balanced (cluster_lb.c, cluster_lb_list.c, cluster_lb_weighted.c, slow_start.c), connected to
 * (transport_socket.c, tls.c, tls_sni.c) and ejected (outlier_detection.c), which subsets they form
 * (lb_subsets.c), which sessions they serve (cluster_sessions.c), and which of their metrics are
 * reported (lrs_metrics.c). Each sets its part of *out, with memory of gxds_cluster_arena(). */
#ifndef GRPC_XDS_RESOURCES_CLUSTER_INTERNAL_H_
#define GRPC_XDS_RESOURCES_CLUSTER_INTERNAL_H_

#include "envoy/config/cluster/v3/cluster.upb.h"
#include "resources/cluster.h"
#include "resources/common_internal.h"

struct envoy_config_cluster_v3_OutlierDetection;
struct envoy_config_core_v3_TransportSocket;
struct envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext;

/* The rare part of a cluster that is being decoded. It is made, in the cluster's arena, when it is
 * first needed. */
gxds_cluster_rare *gxds_cluster_rare_get(gxds_cluster *c);
/* The arena of a cluster that is being decoded. It is made when it is first needed: most clusters
 * need none, and even an empty arena takes hundreds of bytes. */
upb_Arena *gxds_cluster_arena(gxds_cluster *c);
/* Copies a string to the arena. */
gxds_str gxds_cluster_dup(gxds_cluster *c, gxds_str s);

/* Sets kind, and the fields for that kind. */
void gxds_cluster_type_decode(const envoy_config_cluster_v3_Cluster *in, upb_Arena *scratch,
                              gxds_errors *errors, gxds_cluster *out);

/* Sets lb_policy_json. The context's host may be NULL: then no registry checks the policies. */
void gxds_cluster_lb_decode(const envoy_config_cluster_v3_Cluster *in,
                            const gxds_decode_context *context, upb_Arena *scratch,
                            gxds_errors *errors, gxds_cluster *out);

/* Adds a list of policies (A52) to *json, in the form that the host's registry reads. After an
 * error the list may be incomplete. at is the path of the list. */
void gxds_lb_list_decode(const envoy_config_cluster_v3_LoadBalancingPolicy *in,
                         const gxds_decode_context *context, const gxds_path *at,
                         upb_Arena *scratch, gxds_errors *errors, gxds_text *json);

/* Checks these ring sizes (NULL: the default), and adds a list with ring_hash to *json. at is the
 * path of the config. out_of_range is the text of the error, which the host words differently for
 * each form of a Cluster. */
void gxds_ring_hash_decode(const struct google_protobuf_UInt64Value *min,
                           const struct google_protobuf_UInt64Value *max, const char *out_of_range,
                           const gxds_path *at, gxds_errors *errors, gxds_text *json);

/* Like gxds_ring_hash_decode(), for least_request (A48). in is its config, and may be NULL. */
void gxds_least_request_decode(const envoy_config_cluster_v3_Cluster_LeastRequestLbConfig *in,
                               const gxds_path *at, gxds_errors *errors, gxds_text *json);

/* Like gxds_ring_hash_decode(), for round_robin. With slow start, or with the weights of endpoints
 * (E3, if the server has that feature), another policy replaces it. in is its config, and may be
 * NULL. */
void gxds_round_robin_decode(const envoy_config_cluster_v3_Cluster_RoundRobinLbConfig *in,
                             const gxds_decode_context *context, const gxds_path *at,
                             gxds_errors *errors, gxds_text *json);

/* Adds "slowStart":{…} to *json. If there is no slow start, adds nothing and returns false. in may
 * be NULL, which counts as empty. */
bool gxds_slow_start_decode(const envoy_config_cluster_v3_Cluster_SlowStartConfig *in,
                            const gxds_path *at, gxds_errors *errors, gxds_text *json);

/* Adds a list with weighted_round_robin to *json, from a serialized ClientSideWeightedRoundRobin
 * (A58). The bytes must be a whole message (gxds_wire_is_whole()). */
void gxds_weighted_round_robin_decode(gxds_str message, const gxds_path *at, upb_Arena *scratch,
                                      gxds_errors *errors, gxds_text *json);

/* Sets tls and http_connect (A86). */
void gxds_transport_socket_decode(const struct envoy_config_core_v3_TransportSocket *in,
                                  const gxds_decode_context *context, upb_Arena *scratch,
                                  gxds_errors *errors, gxds_cluster *out);

/* Sets tls. in holds an UpstreamTlsContext. */
void gxds_tls_decode(const gxds_extension *in, const gxds_decode_context *context,
                     upb_Arena *scratch, gxds_errors *errors, gxds_cluster *out);

/* Sets sni, auto_host_sni and auto_sni_san_validation (A101). bytes is the serialized form of in.
 */
void gxds_tls_sni_decode(
    const struct envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext *in, gxds_str bytes,
    const gxds_path *at, upb_Arena *arena, gxds_errors *errors, gxds_tls *out);

/* Sets lrs_metrics from the bytes of a Cluster. Unknown metrics are ignored, not errors (A85). */
void gxds_lrs_metrics_decode(gxds_str cluster, upb_Arena *scratch, gxds_cluster *out);

/* Sets session_health and session_idle_timeout. */
void gxds_cluster_sessions_decode(const envoy_config_cluster_v3_Cluster *in, upb_Arena *scratch,
                                  gxds_errors *errors, gxds_cluster *out);

/* Sets subsets, if the server has the feature lb_subsets (E5). bytes is the serialized form of in.
 * The cluster's kind must be set already. */
void gxds_lb_subsets_decode(const envoy_config_cluster_v3_Cluster *in, gxds_str bytes,
                            const gxds_decode_context *context, upb_Arena *scratch,
                            gxds_errors *errors, gxds_cluster *out);

/* Sets outlier_detection. */
void gxds_outlier_detection_decode(const struct envoy_config_cluster_v3_OutlierDetection *in,
                                   gxds_errors *errors, gxds_cluster *out);

#endif
