/* The ring_hash_experimental LB policy (A42, A61, A76): in the place of the host's, which crashes.
 * It needs nothing of xDS but the hash that the ConfigSelector leaves with each RPC, and not even
 * that when its config names a header. */
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_POLICY_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The channel argument (an integer) that limits the size of rings; 4096 when it is not set. gRPC's
 * later versions have it too. */
#define GXDS_RING_SIZE_CAP_ARG "grpc.lb.ring_hash.ring_size_cap"

/* Its config is made by its parse() only: control planes and programs write it as JSON. */
extern const gxds_policy_type gxds_ring_hash_policy;

#ifdef __cplusplus
}
#endif

#endif
