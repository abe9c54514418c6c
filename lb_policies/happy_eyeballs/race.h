/* gxds_race: decides which of several addresses is connected (A61, A62, RFC 8305). It is the state
 * of one endpoint, or of a pick_first policy.
 *
 * It holds no subchannel and no timer. Events go in (a request to connect, an address's state, the
 * time). Operations come out of gxds_race_next(), and the owner carries them out one at a time.
 * Each may cause the next events at once.
 *
 * A life: all subchannels are made and watched. The first that is READY is chosen, and all others
 * end. A request to connect starts a pass over the addresses: the next address starts when the last
 * one has failed, or has taken longer than GXDS_RACE_DELAY. Earlier attempts continue. When every
 * address has failed, the state is TRANSIENT_FAILURE until one is READY, and each address connects
 * whenever its backoff is over. When the chosen connection breaks, the state is IDLE. The next
 * request to connect makes all subchannels again.
 *
 * The chosen subchannel may report a state other than READY or IDLE while it is connected but not
 * healthy (A17), or ejected (A50). It stays chosen, and the endpoint reports the same state.
 *
 * Confined: the owner's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_RACE_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_RACE_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_race gxds_race;

/* The Connection Attempt Delay that RFC 8305 recommends. */
#define GXDS_RACE_DELAY (250 * GXDS_MILLISECOND)

typedef enum gxds_race_op_kind {
  GXDS_RACE_MAKE,    /* make a subchannel for each address, and watch them */
  GXDS_RACE_CONNECT, /* ask the subchannel of `address` to connect */
  GXDS_RACE_CHOOSE,  /* `address` is connected: end the subchannels of all others */
  GXDS_RACE_DROP,    /* end all subchannels */
  GXDS_RACE_PUBLISH, /* report the state; for a failure, with the status of the address that failed
                        last */
} gxds_race_op_kind;

typedef struct gxds_race_op {
  gxds_race_op_kind kind;
  uint32_t address;              /* CONNECT, CHOOSE */
  grpc_connectivity_state state; /* PUBLISH */
} gxds_race_op;

/* Makes a race between that many addresses, at least one, in the order in which to try them. One
 * owner. */
gxds_race *gxds_race_create(uint32_t count);
void gxds_race_destroy(gxds_race *r); /* NULL is allowed */

/* A connection is needed. No effect if there is one, or if the race is connecting. */
void gxds_race_on_connect(gxds_race *r, gxds_time now);
/* The subchannel of an address reported this state. */
void gxds_race_on_state(gxds_race *r, uint32_t address, grpc_connectivity_state state,
                        gxds_time now);
void gxds_race_on_deadline(gxds_race *r, gxds_time now); /* early calls are harmless */
/* The addresses are in a new order: the address at index order[i] moves to index i. A pass that is
 * in progress starts again. */
void gxds_race_on_reorder(gxds_race *r, const uint32_t *order, gxds_time now);

/* Sets *op to the next operation; false if there is none. Call it after every event, until it
 * returns false. */
bool gxds_race_next(gxds_race *r, gxds_race_op *op);
/* When to call gxds_race_on_deadline(); GXDS_TIME_NEVER: not at all. */
gxds_time gxds_race_deadline(const gxds_race *r);

#ifdef __cplusplus
}
#endif

#endif
