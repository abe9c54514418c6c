/* The policy "random_subsetting_experimental" (A68) gives its child a subset of the addresses,
 * which subset.h chooses with a seed of the policy's own. For any address list, xDS or not. */
#ifndef GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_RANDOM_SUBSETTING_POLICY_H_
#define GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_RANDOM_SUBSETTING_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only the policy's parse() makes a config, because control planes and programs write it as
 * JSON. */
extern const gxds_policy_type gxds_random_subsetting_policy;

#ifdef __cplusplus
}
#endif

#endif
