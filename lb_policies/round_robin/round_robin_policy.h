/* The policy "grpc_xds_round_robin", which is the leaf policy inside a locality whose cluster
 * balances by ROUND_ROBIN. It takes the locality itself instead of a list of addresses, and carries
 * out the decisions of round_robin.h. Everywhere else the host's round_robin is used. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ROUND_ROBIN_POLICY_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ROUND_ROBIN_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The policy's config has no JSON form. */
extern const gxds_policy_type gxds_round_robin_policy;

/* Takes its own reference to the locality. by_weight: pick by the weights of the endpoints (E3), if
 * they differ. The caller owns the returned reference. */
gxds_lb_config *gxds_round_robin_config_create(const struct gxds_locality *locality,
                                               bool by_weight);

#ifdef __cplusplus
}
#endif

#endif
