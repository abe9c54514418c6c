/* gxds_ring_picker: picks by a ring and the state of each endpoint at one moment (A42, as A61 and
 * A76 amend it). Immutable: any thread. A pick takes no lock and allocates nothing. */
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
  uint64_t token;                /* identifies the endpoint to the owner; never 0 */
  grpc_connectivity_state state; /* after a failure, TRANSIENT_FAILURE until it is READY again */
} gxds_ring_endpoint;

/* endpoints are the ring's members, in order; they are copied. Takes its own reference to ring. */
const gxds_ring_picker *gxds_ring_picker_create(const gxds_ring *ring,
                                                const gxds_ring_endpoint *endpoints, size_t count);
void gxds_ring_picker_destroy(const gxds_ring_picker *p); /* NULL is allowed */

typedef enum gxds_ring_pick_kind {
  GXDS_RING_PICK_COMPLETE, /* the RPC goes to the endpoint */
  GXDS_RING_PICK_QUEUE,    /* the RPC waits until there is another picker */
  GXDS_RING_PICK_FAIL,     /* all endpoints failed; the RPC fails with the error of this one */
} gxds_ring_pick_kind;

typedef struct gxds_ring_pick {
  gxds_ring_pick_kind kind;
  size_t endpoint;  /* COMPLETE, FAIL: the index of the endpoint among the ring's members */
  uint64_t connect; /* the token of an endpoint to connect to; 0: none */
} gxds_ring_pick;

/* Picks for one RPC. is_random: the hash was drawn at random. Then the RPC may go to any READY
 * endpoint, and should not wait for another one (A76). */
gxds_ring_pick gxds_ring_picker_pick(const gxds_ring_picker *p, uint64_t hash, bool is_random);

#ifdef __cplusplus
}
#endif

#endif
