/* The policy "grpc_xds_shuffled" gives its child the addresses in a random order. With the host's
 * pick_first as the child it is pick_first with shuffleAddressList (A62, A113), which the host
 * itself does not know. */
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLED_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLED_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only the policy's parse() makes a config, because a Cluster's policies are written as JSON. */
extern const gxds_policy_type gxds_shuffled_policy;

#ifdef __cplusplus
}
#endif

#endif
