/* The policy "grpc_xds_slow_start": round_robin with slow start, for clusters that ask for it
 * (round_robin_lb_config.slow_start_config). It needs nothing of xDS. */
#ifndef GRPC_XDS_LB_POLICIES_SLOW_START_SLOW_START_POLICY_H_
#define GRPC_XDS_LB_POLICIES_SLOW_START_SLOW_START_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Its config is made by its parse() only: a Cluster's policies are written as JSON. */
extern const gxds_policy_type gxds_slow_start_policy;

#ifdef __cplusplus
}
#endif

#endif
