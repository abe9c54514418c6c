/* The policies "grpc_xds_slow_start", which is round_robin with slow start, for clusters that ask
 * for it (round_robin_lb_config.slow_start_config), and "grpc_xds_endpoint_weights", which is
 * round_robin by the weights of endpoints, with slow start or without, where the bootstrap asks for
 * it (E3). They use nothing of xDS. */
#ifndef GRPC_XDS_LB_POLICIES_SLOW_START_SLOW_START_POLICY_H_
#define GRPC_XDS_LB_POLICIES_SLOW_START_SLOW_START_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only the policies' parse() makes configs, because a Cluster's policies are written as JSON. */
extern const gxds_policy_type gxds_slow_start_policy;
extern const gxds_policy_type gxds_endpoint_weights_policy;

/* Whether c is a config of grpc_xds_endpoint_weights without slow start. Within a locality
 * round_robin_policy.h does that instead, at less cost for an update. Any thread. */
bool gxds_lb_config_is_endpoint_weights_alone(const gxds_lb_config *c);

#ifdef __cplusplus
}
#endif

#endif
