/* gxds_ring_hash: the state of a ring_hash policy (A42, as A61 amends it): its endpoints, the state
 * of each, and the aggregated state.
 *
 * It holds no subchannel, no picker of the host and no timer. Events go in (an update, the state of
 * an endpoint's subchannel, a pick that needs a connection). Operations come out of
 * gxds_ring_hash_next(), and the owner carries them out one at a time. Each may cause the next
 * events at once.
 *
 * An endpoint connects when a pick needs it. When its connection breaks, it does not reconnect by
 * itself. An endpoint that failed counts as failed until it is READY; meanwhile it is asked to
 * connect whenever its backoff is over. The policy's state, by the first rule that fits:
 *
 *     one is READY                       READY
 *     two or more failed                 TRANSIENT_FAILURE
 *     one is CONNECTING                  CONNECTING
 *     one failed, of several             CONNECTING
 *     one is IDLE                        IDLE
 *     else                               TRANSIENT_FAILURE
 *
 * In TRANSIENT_FAILURE and CONNECTING there may be no picks, so the policy connects without them:
 * one endpoint after the other, until one is READY.
 *
 * Confined: the owner's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_H_

#include "lb_policies/ring_hash/ring_picker.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_ring_hash gxds_ring_hash;

/* A42: the most places of a ring, for any config, so that a control plane can't use up a client's
 * memory. A channel argument may set another limit. */
#define GXDS_RING_HASH_SIZE_CAP_DEFAULT 4096u

/* size_cap: at least 1. */
gxds_ring_hash *gxds_ring_hash_create(uint64_t size_cap);
void gxds_ring_hash_destroy(gxds_ring_hash *r); /* NULL is allowed */

/* An endpoint of an update. */
typedef struct gxds_ring_hash_endpoint {
  gxds_str key;      /* the endpoint's address as text. Endpoints with the same address count as one
                        endpoint, with the sum of their weights */
  gxds_str hash_key; /* A76: the key of the endpoint's places on the ring; empty: its address is the
                        key */
  gxds_str detail;   /* the other parts that identify the subchannel, as text. If they change, a new
                        subchannel has the same places on the ring */
  uint64_t weight;
} gxds_ring_hash_endpoint;

/* Takes an update. endpoints are borrowed: valid during the call. renew: none of the present
 * subchannels can be used any more. */
void gxds_ring_hash_on_update(gxds_ring_hash *r, const gxds_ring_hash_endpoint *endpoints,
                              size_t count, uint64_t min_size, uint64_t max_size, bool renew);
/* The state of an endpoint's subchannel changed. Ignored if the endpoint is gone. */
void gxds_ring_hash_on_state(gxds_ring_hash *r, uint64_t token, grpc_connectivity_state state);
/* A pick needs this endpoint to connect. */
void gxds_ring_hash_on_pick(gxds_ring_hash *r, uint64_t token);
/* The policy should connect although there is no pick. */
void gxds_ring_hash_on_exit_idle(gxds_ring_hash *r);

typedef enum gxds_ring_hash_op_kind {
  GXDS_RING_HASH_CREATE,    /* make the endpoint's subchannel and watch it */
  GXDS_RING_HASH_REMOVE,    /* end the endpoint's subchannel */
  GXDS_RING_HASH_CONNECT,   /* ask the endpoint's subchannel to connect */
  GXDS_RING_HASH_RERESOLVE, /* ask for new addresses */
  GXDS_RING_HASH_PUBLISH,   /* report gxds_ring_hash_state(), with gxds_ring_hash_picker() */
} gxds_ring_hash_op_kind;

typedef struct gxds_ring_hash_op {
  gxds_ring_hash_op_kind kind;
  uint64_t token;  /* CREATE, REMOVE, CONNECT: the endpoint's token; never reused */
  size_t position; /* CREATE: the place of the first endpoint with this key in the last update */
} gxds_ring_hash_op;

/* Sets *op to the next operation; false if there is none. */
bool gxds_ring_hash_next(gxds_ring_hash *r, gxds_ring_hash_op *op);

/* The policy's state; TRANSIENT_FAILURE if there are no endpoints. */
grpc_connectivity_state gxds_ring_hash_state(const gxds_ring_hash *r);
size_t gxds_ring_hash_count(const gxds_ring_hash *r);
/* The token of the ring's member with that index. index < count. */
uint64_t gxds_ring_hash_token_at(const gxds_ring_hash *r, size_t index);
/* A picker for the present state. The caller owns the returned reference; NULL if there are no
 * endpoints. */
const gxds_ring_picker *gxds_ring_hash_picker(const gxds_ring_hash *r);

#ifdef __cplusplus
}
#endif

#endif
