/* The policy of a cluster with subsets (E5: Envoy's lb_subset_config): "grpc_xds_subset". It stands
 * between cluster_impl and priority, and has a priority policy for all endpoints, and one for each
 * subset that RPCs were sent to: a subset fails over between priorities by itself, as in Envoy.
 *
 * An endpoint of several subsets has a subchannel in each, made with the same arguments: the
 * host's pool gives them one connection. All endpoints are connected as if there were no subsets;
 * and the state of the policy is that of all endpoints.
 *
 * Which subset an RPC wants (gxds_routed_call.match) is found out once, when the first such RPC
 * comes, and again when endpoints change. */
#ifndef GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_POLICY_H_
#define GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Configs: gxds_cluster_child_config; the child is the cluster's priority policy. */
extern const gxds_policy_type gxds_subset_policy;

/* The most matches of routes that are kept at a time, because each may have a subset with its own
 * list of endpoints. Beyond it the oldest is dropped, and made again when an RPC needs it. */
#define GXDS_SUBSET_MATCHES_MAX 1024u

#ifdef __cplusplus
}
#endif

#endif
