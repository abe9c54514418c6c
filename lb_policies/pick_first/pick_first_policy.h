/* The policy "grpc_xds_pick_first", which is what pick_first means in a cluster: all RPCs go to the
 * first address that connects (A61, A62). It tries the addresses of all endpoints as race.h
 * describes, with the two address families in turns. It ignores the health of its connection, and
 * ejections of it (A61). Outside of xDS the host's own pick_first is used, which tries one address
 * at a time. */
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_PICK_FIRST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_PICK_FIRST_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only the policy's parse() makes a config, because a Cluster's policies are written as JSON. */
extern const gxds_policy_type gxds_pick_first_policy;

#ifdef __cplusplus
}
#endif

#endif
