/* The weighted_round_robin LB policy (A58, A114). It is like round_robin, but each endpoint gets
 * RPCs in proportion to a weight, which is computed from the load that the endpoint reports with
 * its responses or out of band (A51). It needs nothing from xDS. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_WEIGHTED_ROUND_ROBIN_POLICY_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_WEIGHTED_ROUND_ROBIN_POLICY_H_

#include "host/policy.h"
#include "lb_policies/weighted_round_robin/report_weight.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_weighted_round_robin_policy;

/* Only the policy's parse() makes a config, because control planes and programs write it as
 * JSON. */
typedef struct gxds_weighted_round_robin_config {
  gxds_lb_config base;
  /* How often to request reports out of band, in place of those with responses; GXDS_TIME_NEVER:
   * not at all. */
  gxds_duration oob_reporting_period;
  gxds_duration blackout_period;
  gxds_duration weight_expiration_period;
  gxds_duration weight_update_period;
  gxds_rating *rating; /* how weights are computed from reports; a reference */
} gxds_weighted_round_robin_config;

#ifdef __cplusplus
}
#endif

#endif
