/* gxds_slots: the endpoints of a gxds_round_robin, each in a slot. A slot that becomes free is used
 * again, under another token. Part of its owner's own object; zero-initialised, it is empty.
 * Confined: the owner's serializer. Private to round_robin.h, which decides what happens to the
 * endpoints. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_SLOTS_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_SLOTS_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdint.h>

#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_standing {
  GXDS_SLOT_FREE,
  GXDS_SLOT_WANTED,  /* in the last update; has no subchannel yet */
  GXDS_SLOT_CURRENT, /* in the last update; has a subchannel */
  GXDS_SLOT_REFUSED, /* in the last update; no subchannel could be made */
  GXDS_SLOT_LEAVING, /* not in the last update, but READY, and picks still use it */
} gxds_standing;

typedef struct gxds_slot {
  gxds_address address;
  uint8_t standing;
  uint8_t state; /* the state that it counts as: after a failure, TRANSIENT_FAILURE until it is
                    READY */
  bool has_reported : 1;
  bool was_ready : 1;
  bool connect_due : 1;
  uint32_t generation;
  uint32_t weight; /* 0: the endpoint was in no update whose weights count */
} gxds_slot;

typedef struct gxds_slots {
  gxds_slot *at;
  uint32_t count;
  uint32_t *free; /* the free slots: a stack, with room for all slots */
  uint32_t free_count;
} gxds_slots;

void gxds_slots_fini(gxds_slots *s);

/* The token of the slot's endpoint. */
static inline uint64_t gxds_slots_token(const gxds_slots *s, uint32_t index) {
  return (uint64_t)s->at[index].generation << 32 | index;
}
/* The slot with that token; NULL if the endpoint is gone. Borrowed: valid until slots are reserved.
 */
gxds_slot *gxds_slots_find(const gxds_slots *s, uint64_t token);

/* Makes sure that at least `more` slots are free. */
void gxds_slots_reserve(gxds_slots *s, uint32_t more);
/* Takes a free slot, of which there must be one, for a new endpoint. It is WANTED. */
uint32_t gxds_slots_take(gxds_slots *s, const gxds_address *address);
/* The slot becomes free. */
void gxds_slots_release(gxds_slots *s, uint32_t index);

/* Fills `out` with a slot for each of l's count endpoints from `first` on: the slot of `which` that
 * has the endpoint's address, or UINT32_MAX if none has it. Leaves in `which` only the slots
 * without an endpoint, and returns their number. */
uint32_t gxds_slots_match(const gxds_slots *s, uint32_t *which, uint32_t which_count,
                          const gxds_locality *l, uint32_t first, uint32_t count, uint32_t *out);

#ifdef __cplusplus
}
#endif

#endif
