/* The policy "grpc_xds_pick_first": all RPCs go to the first address that connects (A61, A62): what
 * pick_first is in a cluster. The addresses of all its endpoints are tried, the families in turns,
 * as race.h has it. The host's pick_first tries one at a time, and stays for everybody else.
 *
 * It does not look at health, nor at ejections of what it is connected to (A61). */
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_PICK_FIRST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_PICK_FIRST_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Its config is made by its parse() only: a Cluster's policies are written as JSON. */
extern const gxds_policy_type gxds_pick_first_policy;

#ifdef __cplusplus
}
#endif

#endif
