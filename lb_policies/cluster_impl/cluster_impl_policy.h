/* The xds_cluster_impl_experimental LB policy: drops, circuit breaking (A32), load reports and
 * security (A29) of one leaf cluster. Drop categories, limits and the LRS server are in the
 * snapshot, under the cluster's name. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_IMPL_POLICY_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_IMPL_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The policy's config is a gxds_cluster_child_config. */
extern const gxds_policy_type gxds_cluster_impl_policy;

#ifdef __cplusplus
}
#endif

#endif
