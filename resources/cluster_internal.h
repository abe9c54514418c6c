/* Parts of the Cluster decoder: where the endpoints come from (cluster_type.c), how they are
 * balanced (cluster_lb.c, cluster_lb_list.c), secured (tls.c) and ejected (outlier_detection.c),
 * and what is told of them (lrs_metrics.c). Each sets its part of *out, copied to out->arena. */
#ifndef GRPC_XDS_RESOURCES_CLUSTER_INTERNAL_H_
#define GRPC_XDS_RESOURCES_CLUSTER_INTERNAL_H_

#include "envoy/config/cluster/v3/cluster.upb.h"
#include "resources/cluster.h"
#include "resources/common_internal.h"

struct envoy_config_cluster_v3_OutlierDetection;
struct envoy_config_core_v3_TransportSocket;

/* Sets kind and what belongs to it. */
void gxds_cluster_type_decode(const envoy_config_cluster_v3_Cluster *in, upb_Arena *scratch,
                              gxds_errors *errors, gxds_cluster *out);

/* Sets lb_policy_json. host may be NULL: it has no policy of its own and checks nothing. */
void gxds_cluster_lb_decode(const envoy_config_cluster_v3_Cluster *in, const gxds_host *host,
                            upb_Arena *scratch, gxds_errors *errors, gxds_cluster *out);

/* A list of policies (A52) as the host's registry reads it, added to *json; it is complete when
 * there was no error. at: of the list. */
void gxds_lb_list_decode(const envoy_config_cluster_v3_LoadBalancingPolicy *in,
                         const gxds_host *host, const gxds_path *at, upb_Arena *scratch,
                         gxds_errors *errors, gxds_text *json);

/* A42: the limits of both sizes, and the protocol's defaults. */
#define GXDS_RING_SIZE_MAX 8388608u
#define GXDS_RING_SIZE_MIN_DEFAULT 1024u

/* A list of this one policy, added to *json. */
void gxds_ring_hash_render_json(uint64_t min, uint64_t max, gxds_text *json);

/* The same of least_request (A48). in: its config; NULL: none. */
void gxds_least_request_decode(const envoy_config_cluster_v3_Cluster_LeastRequestLbConfig *in,
                               const gxds_path *at, gxds_errors *errors, gxds_text *json);

/* The same of weighted_round_robin, from a serialized ClientSideWeightedRoundRobin (A58). */
void gxds_weighted_round_robin_decode(gxds_str message, const gxds_path *at, upb_Arena *scratch,
                                      gxds_errors *errors, gxds_text *json);

/* Sets tls. */
void gxds_tls_decode(const struct envoy_config_core_v3_TransportSocket *in,
                     const gxds_decode_context *context, upb_Arena *scratch, gxds_errors *errors,
                     gxds_cluster *out);

/* Sets lrs_metrics. Nothing in it is an error (A85). */
void gxds_lrs_metrics_decode(const envoy_config_cluster_v3_Cluster *in, upb_Arena *scratch,
                             gxds_cluster *out);

/* Sets outlier_detection. */
void gxds_outlier_detection_decode(const struct envoy_config_cluster_v3_OutlierDetection *in,
                                   gxds_errors *errors, gxds_cluster *out);

#endif
