/* Parts of the Cluster decoder: where the endpoints come from (cluster_type.c) and how they are
 * balanced (cluster_lb.c). */
#ifndef GRPC_XDS_RESOURCES_CLUSTER_INTERNAL_H_
#define GRPC_XDS_RESOURCES_CLUSTER_INTERNAL_H_

#include "envoy/config/cluster/v3/cluster.upb.h"
#include "resources/cluster.h"
#include "resources/common_internal.h"

/* Sets kind and what belongs to it; strings are copied to out->arena. */
void gxds_cluster_type_decode(const envoy_config_cluster_v3_Cluster *in, upb_Arena *scratch,
                              gxds_errors *errors, gxds_cluster *out);

/* Sets lb_policy_json. */
void gxds_cluster_lb_decode(const envoy_config_cluster_v3_Cluster *in, gxds_errors *errors,
                            gxds_cluster *out);

#endif
