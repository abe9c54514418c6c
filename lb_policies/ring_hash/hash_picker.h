/* The picker of a ring_hash policy: it takes an RPC's hash, finds its place on the ring, and picks
 * the subchannel there (A42, A61, A76). Private to ring_hash. */
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_HASH_PICKER_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_HASH_PICKER_H_

#include "lb_policies/ring_hash/ring_hash_config.h"
#include "lb_policies/ring_hash/ring_picker.h"

/* A member of the ring. */
typedef struct gxds_hash_member {
  gxds_subchannel *subchannel; /* a reference; NULL if the host could not make a subchannel */
  gxds_status failure;         /* the last failure; owned */
} gxds_hash_member;

/* Takes ownership of take_members, an array of count members in the ring's order, from
 * gxds_calloc(). If a pick needs an endpoint to connect, it pokes poker with the endpoint's token.
 * The caller owns the returned reference. */
gxds_picker *gxds_hash_picker_create(const gxds_ring_picker *take_ring,
                                     gxds_hash_member *take_members, size_t count,
                                     gxds_ring_hash_config *config, gxds_poker *poker);

#endif
