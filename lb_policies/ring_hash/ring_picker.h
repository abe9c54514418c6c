/* gxds_ring_picker: a ring and the state of each endpoint at one moment, to pick by (A42, as A61
 * and A76 amend it). Immutable: any thread; a pick takes no lock and
 * allocates nothing. */
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_RING_PICKER_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_RING_PICKER_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdbool.h>

#include "lb_policies/ring_hash/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_ring_picker gxds_ring_picker;

/* An endpoint as a picker sees it. */
typedef struct gxds_ring_endpoint {
  uint64_t token;                /* what its owner knows it by; never 0 */
  grpc_connectivity_state state; /* TRANSIENT_FAILURE until it is READY again */
} gxds_ring_endpoint;

/* endpoints: the ring's members, in order; copied. A reference of ring is taken. */
const gxds_ring_picker *gxds_ring_picker_create(const gxds_ring *ring,
                                                const gxds_ring_endpoint *endpoints, size_t count);
void gxds_ring_picker_destroy(const gxds_ring_picker *p); /* NULL is allowed */

typedef enum gxds_ring_pick_kind {
  GXDS_RING_PICK_COMPLETE, /* to the endpoint */
  GXDS_RING_PICK_QUEUE,    /* until there is another picker */
  GXDS_RING_PICK_FAIL,     /* all endpoints fail; say what is wrong with this one */
} gxds_ring_pick_kind;

typedef struct gxds_ring_pick {
  gxds_ring_pick_kind kind;
  size_t endpoint;  /* COMPLETE, FAIL: its place among the ring's members */
  uint64_t connect; /* the token of an endpoint to connect to; 0: none */
} gxds_ring_pick;

/* One RPC. is_random: nothing of the RPC made the hash, so any endpoint that is READY will do, and
 * no RPC should wait for another (A76). */
gxds_ring_pick gxds_ring_picker_pick(const gxds_ring_picker *p, uint64_t hash, bool is_random);

#ifdef __cplusplus
}
#endif

#endif
