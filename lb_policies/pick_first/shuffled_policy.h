/* The policy "grpc_xds_shuffled": a child that gets its addresses in a random order. With the
 * host's pick_first as the child it is what A62 and A113 call pick_first with shuffleAddressList,
 * which the host's does not know. */
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLED_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLED_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Its config is made by its parse() only: a Cluster's policies are written as JSON. */
extern const gxds_policy_type gxds_shuffled_policy;

#ifdef __cplusplus
}
#endif

#endif
