/* The policy of a cluster whose RPCs may belong to sessions (A55, A60, A75):
 * "xds_override_host_experimental". It is between cluster_impl and the policies that balance the
 * cluster, for all its priorities (A75), if the listener has a stateful_session filter. An RPC
 * whose cookie names an endpoint goes to that endpoint, as long as the cluster has the endpoint in
 * a state that override_host_status allows. For all other RPCs, the policy below picks.
 *
 * The policy holds its own subchannel to each endpoint that sessions use. The host's subchannel
 * pool lets this subchannel and the one of the policy below share one connection. So the connection
 * stays when the policy below releases its subchannel, because the endpoint begins to drain, or
 * because its priority is not in use. A subchannel that no session used for the cluster's idle
 * timeout is released. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_OVERRIDE_HOST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_OVERRIDE_HOST_POLICY_H_

#include "base/time.h"
#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The policy's config is a gxds_cluster_child_config. */
extern const gxds_policy_type gxds_override_host_policy;

/* A75: the policy does not look for unused endpoints more often than this. */
#define GXDS_OVERRIDE_HOST_SWEEP_MIN (5 * GXDS_SECOND)

#ifdef __cplusplus
}
#endif

#endif
