/* The policy of a cluster with subsets (E5: Envoy's lb_subset_config): "grpc_xds_subset". It is
 * between cluster_impl and priority. It has one priority policy for all endpoints, and one for each
 * subset that RPCs were sent to. So each subset fails over between priorities by itself, as in
 * Envoy.
 *
 * An endpoint of several subsets has a subchannel in each. The subchannels have the same arguments,
 * so the host's pool gives them one connection. All endpoints are connected as if there were no
 * subsets, and the policy reports the state of the child for all endpoints.
 *
 * The policy finds the subset for an RPC's match (gxds_routed_call.match) when the first RPC with
 * that match comes, and again when endpoints change. */
#ifndef GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_POLICY_H_
#define GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The policy's config is a gxds_cluster_child_config; the child is the cluster's priority
 * policy. */
extern const gxds_policy_type gxds_subset_policy;

/* The most matches of routes that are kept at a time, because each may have a subset with its own
 * list of endpoints. If there are more, the oldest is dropped, and made again when an RPC needs it.
 */
#define GXDS_SUBSET_MATCHES_MAX 1024u

#ifdef __cplusplus
}
#endif

#endif
