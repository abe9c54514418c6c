/* The policy of a cluster whose RPCs may belong to sessions (A55, A60, A75):
 * "xds_override_host_experimental". It stands between cluster_impl and what balances the cluster,
 * for all its priorities (A75), where the listener has a stateful_session filter. An RPC whose
 * cookie names an endpoint goes to that endpoint, as long as the cluster has it in a state that
 * override_host_status allows; all others go where the policy below sends them.
 *
 * The policy holds a subchannel of its own to each endpoint that sessions use. The host's pool
 * makes it and that of the policy below one connection, which so stays when the policy below lets
 * go of it: when the endpoint begins to drain, or its priority is not in use. One that no session
 * used for the cluster's idle timeout is given up. */
#ifndef GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_OVERRIDE_HOST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_OVERRIDE_HOST_OVERRIDE_HOST_POLICY_H_

#include "base/time.h"
#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Configs: gxds_cluster_child_config. */
extern const gxds_policy_type gxds_override_host_policy;

/* A75: the policy does not look for unused endpoints more often than this. */
#define GXDS_OVERRIDE_HOST_SWEEP_MIN (5 * GXDS_SECOND)

#ifdef __cplusplus
}
#endif

#endif
