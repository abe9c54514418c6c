/* The policies "grpc_xds_slow_start", which is round_robin with slow start, for clusters that ask
 * for it (round_robin_lb_config.slow_start_config), and "grpc_xds_endpoint_weights", which is
 * round_robin by the weights of endpoints, with slow start or without, where the bootstrap asks for
 * it (E3). They need nothing of xDS. */
#ifndef GRPC_XDS_LB_POLICIES_SLOW_START_SLOW_START_POLICY_H_
#define GRPC_XDS_LB_POLICIES_SLOW_START_SLOW_START_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Their configs are made by parse() only: a Cluster's policies are written as JSON. */
extern const gxds_policy_type gxds_slow_start_policy;
extern const gxds_policy_type gxds_endpoint_weights_policy;

/* Whether it is a config of grpc_xds_endpoint_weights without slow start: that is what
 * round_robin_policy.h does within a locality, where an update is cheaper. Any thread. */
bool gxds_lb_config_is_endpoint_weights_alone(const gxds_lb_config *c);

#ifdef __cplusplus
}
#endif

#endif
