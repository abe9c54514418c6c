/* The xds_cluster_manager_experimental LB policy (A28). It has one child for each cluster in use.
 * The ConfigSelector attaches a cluster to each RPC, which is picked by that cluster's child. The
 * children are the roots of the snapshot and the policies of its cluster specifier plugins; a JSON
 * config may add others. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_CLUSTER_MANAGER_POLICY_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_CLUSTER_MANAGER_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_cluster_manager_policy;

/* A config without children other than those of the snapshot. The caller owns the returned
 * reference. */
gxds_lb_config *gxds_cluster_manager_config_create(void);

#ifdef __cplusplus
}
#endif

#endif
