/* gxds_ring_hash: the state of a ring_hash policy (A42, as A61 amends it): which endpoints there
 * are, how each of them does, and what that adds up to.
 *
 * It holds no subchannel, no picker of the host and no timer. Events go in (an update, the state of
 * an endpoint's subchannel, the wish of a pick), operations come out of gxds_ring_hash_next(),
 * which the owner carries out one at a time; each may cause the next events at once.
 *
 * An endpoint connects when a pick wants it, and is not READY again by itself. One that failed
 * counts as failed until it is READY; meanwhile it is told to connect whenever its backoff is over.
 * The policy's state, by the first rule that fits:
 *
 *     one is READY                       READY
 *     two or more failed                 TRANSIENT_FAILURE
 *     one is CONNECTING                  CONNECTING
 *     one failed, of several             CONNECTING
 *     one is IDLE                        IDLE
 *     else                               TRANSIENT_FAILURE
 *
 * In TRANSIENT_FAILURE and CONNECTING no picks may come, so it connects by itself: one endpoint
 * after the other, until one is READY.
 *
 * Confined: the owner's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_RING_HASH_H_

#include "lb_policies/ring_hash/ring_picker.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_ring_hash gxds_ring_hash;

/* A42: what a ring may have at most, whatever the config says, so that a control plane can't make a
 * client use up its memory. A channel argument may say otherwise. */
#define GXDS_RING_HASH_SIZE_CAP_DEFAULT 4096u

/* size_cap: at least 1. */
gxds_ring_hash *gxds_ring_hash_create(uint64_t size_cap);
void gxds_ring_hash_destroy(gxds_ring_hash *r); /* NULL is allowed */

/* An endpoint of an update. */
typedef struct gxds_ring_hash_endpoint {
  gxds_str key;      /* its address, as text. Endpoints with the same one are one, with the sum of
                        the weights */
  gxds_str hash_key; /* A76: its place on the ring; empty: by its address */
  gxds_str detail;   /* what else a subchannel is made of, as text: when it changes there is a new
                        subchannel, in the same place */
  uint64_t weight;
} gxds_ring_hash_endpoint;

/* An update. endpoints: borrowed, valid during the call. renew: nothing of the subchannels so far
 * is of any use. */
void gxds_ring_hash_on_update(gxds_ring_hash *r, const gxds_ring_hash_endpoint *endpoints,
                              size_t count, uint64_t min_size, uint64_t max_size, bool renew);
/* What the subchannel of an endpoint says. Ignored when there is no such endpoint any more. */
void gxds_ring_hash_on_state(gxds_ring_hash *r, uint64_t token, grpc_connectivity_state state);
/* A pick wants this endpoint to connect. */
void gxds_ring_hash_on_pick(gxds_ring_hash *r, uint64_t token);
/* Somebody wants the policy to connect, without a pick. */
void gxds_ring_hash_on_exit_idle(gxds_ring_hash *r);

typedef enum gxds_ring_hash_op_kind {
  GXDS_RING_HASH_CREATE,    /* make the endpoint's subchannel and watch it */
  GXDS_RING_HASH_REMOVE,    /* end it */
  GXDS_RING_HASH_CONNECT,   /* tell it to connect */
  GXDS_RING_HASH_RERESOLVE, /* ask for new addresses */
  GXDS_RING_HASH_PUBLISH,   /* report gxds_ring_hash_state(), with gxds_ring_hash_picker() */
} gxds_ring_hash_op_kind;

typedef struct gxds_ring_hash_op {
  gxds_ring_hash_op_kind kind;
  uint64_t token;  /* CREATE, REMOVE, CONNECT: the endpoint's; never reused */
  size_t position; /* CREATE: of the first with its key in the last update */
} gxds_ring_hash_op;

/* What is to be done next; false: nothing. */
bool gxds_ring_hash_next(gxds_ring_hash *r, gxds_ring_hash_op *op);

/* TRANSIENT_FAILURE when there are no endpoints. */
grpc_connectivity_state gxds_ring_hash_state(const gxds_ring_hash *r);
size_t gxds_ring_hash_count(const gxds_ring_hash *r);
/* The members of the ring, in order. index < count. */
uint64_t gxds_ring_hash_token_at(const gxds_ring_hash *r, size_t index);
/* The state of things now. The caller's; NULL: there are no endpoints. */
const gxds_ring_picker *gxds_ring_hash_picker(const gxds_ring_hash *r);

#ifdef __cplusplus
}
#endif

#endif
