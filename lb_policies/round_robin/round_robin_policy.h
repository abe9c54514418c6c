/* The leaf policy inside a locality whose cluster balances by ROUND_ROBIN: "grpc_xds_round_robin".
 * It takes the locality itself, not a list of addresses, and carries out what round_robin.h
 * decides. The host's round_robin stays for everybody else. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ROUND_ROBIN_POLICY_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ROUND_ROBIN_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* It has no config in JSON. */
extern const gxds_policy_type gxds_round_robin_policy;

/* Takes a reference of its own on the locality. by_weight: picks are by the weights of its
 * endpoints (E3), where they differ. The caller owns the returned reference. */
gxds_lb_config *gxds_round_robin_config_create(const struct gxds_locality *locality,
                                               bool by_weight);

#ifdef __cplusplus
}
#endif

#endif
