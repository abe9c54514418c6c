/* gxds_round_robin: the endpoints of one locality, each with a subchannel, picked in turn. It
 * decides which subchannels exist, which state they aggregate to, and which endpoints the picker
 * contains.
 *
 * It behaves like the host's round_robin, except that an update is applied as a difference: an
 * endpoint that stays keeps its subchannel and its place, and costs one comparison. Subchannels are
 * made one at a time, when the owner allows it (pace.h), so that the first RPC does not wait for
 * the ten-thousandth subchannel. If there are more endpoints than the owner's limit, some are left
 * out until picks need them (growth.h).
 *
 * It holds no subchannel and no picker of the host. Events go in (an update, an endpoint's state, a
 * start). Operations come out of gxds_round_robin_next(), and the owner carries them out one at a
 * time. Each may cause the next events at once. Any number of events that come together cause one
 * new picker.
 *
 * The state: READY if any endpoint is READY, else CONNECTING if any is CONNECTING, else
 * TRANSIENT_FAILURE. IDLE counts as CONNECTING, since the endpoint is asked to connect. An endpoint
 * that failed counts as failed until it is READY. While an endpoint is left out another one is
 * READY, so endpoints that are left out do not affect the state.
 *
 * As in the host, a READY endpoint that an update removes stays in the picker until one of the new
 * endpoints is READY or all of them have failed. Other removed endpoints end at once.
 *
 * Confined: the owner's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ROUND_ROBIN_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ROUND_ROBIN_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdint.h>

#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_round_robin gxds_round_robin;

typedef enum gxds_round_robin_op_kind {
  GXDS_ROUND_ROBIN_CREATE,    /* make a subchannel for the endpoint at `position`, and watch it */
  GXDS_ROUND_ROBIN_CONNECT,   /* ask the endpoint's subchannel to connect */
  GXDS_ROUND_ROBIN_RERESOLVE, /* ask for new addresses */
  GXDS_ROUND_ROBIN_PUBLISH,   /* report the state: READY with a picker over members, CONNECTING with
                                 one that queues, TRANSIENT_FAILURE with the last failure */
  GXDS_ROUND_ROBIN_PUBLISH_EMPTY, /* report TRANSIENT_FAILURE: there are no endpoints */
  GXDS_ROUND_ROBIN_REMOVE,        /* end endpoint's subchannel */
} gxds_round_robin_op_kind;

/* Borrowed: valid until the next call. */
typedef struct gxds_round_robin_op {
  gxds_round_robin_op_kind kind;
  uint64_t endpoint;             /* CREATE, CONNECT, REMOVE: the endpoint's token, never reused */
  uint32_t position;             /* CREATE: the endpoint's place in the last update */
  grpc_connectivity_state state; /* PUBLISH */
  const uint64_t *members; /* PUBLISH of READY: the tokens of the endpoints to pick from, in the
                              order of the update */
  size_t member_count;
  uint32_t left_out; /* PUBLISH of READY: how many endpoints wait until picks need them */
} gxds_round_robin_op;

/* One owner. */
gxds_round_robin *gxds_round_robin_create(void);
void gxds_round_robin_destroy(gxds_round_robin *r); /* NULL is allowed */

/* Sets how many endpoints are tried before picks need more, and by how many that number grows at
 * least. By default all endpoints are tried. `random` decides which endpoint comes first
 * (growth.h). Call it before an update. */
void gxds_round_robin_limit(gxds_round_robin *r, uint32_t eager, uint32_t window, uint64_t random);
/* Takes the endpoints of an update, which are copied; nothing else of l counts. An address that
 * occurs twice is two endpoints, as in the host. renew: the args of subchannels changed, so none of
 * them can stay. */
void gxds_round_robin_on_update(gxds_round_robin *r, const gxds_locality *l, bool renew);
/* An endpoint's subchannel reported its state. An unknown token and SHUTDOWN are ignored. */
void gxds_round_robin_on_state(gxds_round_robin *r, uint64_t endpoint,
                               grpc_connectivity_state state);
/* No subchannel could be made for a CREATE: the endpoint is left out, as in the host. */
void gxds_round_robin_on_refused(gxds_round_robin *r, uint64_t endpoint);
/* Sets whether the weights of the next updates count (E3); by default they don't. If they do, a
 * changed weight of a READY endpoint makes a new picker. */
void gxds_round_robin_by_weight(gxds_round_robin *r, bool by_weight);
/* The owner picks in another way now: a new picker is published even if the endpoints did not
 * change. */
void gxds_round_robin_on_other_picks(gxds_round_robin *r);
/* Picks have used each endpoint of the picker about once since the last call: if endpoints are left
 * out, more of them are tried. */
void gxds_round_robin_on_use(gxds_round_robin *r);
/* Allows one more subchannel, which is one of the next operations if any is left to make. */
void gxds_round_robin_on_start(gxds_round_robin *r);

/* Sets *op to the next operation; false if there is none. Call it after every event, until it
 * returns false. */
bool gxds_round_robin_next(gxds_round_robin *r, gxds_round_robin_op *op);
/* How many subchannels are left to make now. Each needs a call of gxds_round_robin_on_start(). */
uint32_t gxds_round_robin_wanted(const gxds_round_robin *r);

/* The number of slots. The low half of a token is less than this, so the owner can keep subchannels
 * in an array. The high half distinguishes endpoints that had the same slot one after the other. */
uint32_t gxds_round_robin_slot_count(const gxds_round_robin *r);

/* The token of the endpoint at that place of the last update, with or without a subchannel. */
uint64_t gxds_round_robin_token_at(const gxds_round_robin *r, uint32_t position);

/* The endpoint's weight, at least 1, from the last update that has the endpoint and whose weights
 * count. */
uint32_t gxds_round_robin_weight(const gxds_round_robin *r, uint64_t endpoint);

/* Checks the invariant; for tests. */
void gxds_round_robin_validate(const gxds_round_robin *r);

#ifdef __cplusplus
}
#endif

#endif
