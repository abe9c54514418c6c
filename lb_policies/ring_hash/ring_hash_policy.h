/* The ring_hash_experimental LB policy (A42, A61, A76). It replaces the host's own, which crashes.
 * From xDS it needs only the hash that the ConfigSelector attaches to each RPC. If its config names
 * a header, it does not need that either. */
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_POLICY_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The channel argument (an integer) that limits the size of rings; 4096 if it is not set. Later
 * versions of gRPC have it too. */
#define GXDS_RING_SIZE_CAP_ARG "grpc.lb.ring_hash.ring_size_cap"

/* Only the policy's parse() makes a config, because control planes and programs write it as
 * JSON. */
extern const gxds_policy_type gxds_ring_hash_policy;

#ifdef __cplusplus
}
#endif

#endif
