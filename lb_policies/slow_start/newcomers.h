/* gxds_newcomers: the new endpoints of a policy: those that were added to existing endpoints. It
 * knows when each was first READY, and so which part of its weight the endpoint has now
 * (slow_start.h).
 *
 * Endpoints are identified by address: an endpoint that gets another subchannel is not new. The
 * endpoints of a first list, and of a list after an empty one, are not new either: slow start has
 * no use if all endpoints started at the same time.
 *
 * Confined: the policy's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_SLOW_START_NEWCOMERS_H_
#define GRPC_XDS_LB_POLICIES_SLOW_START_NEWCOMERS_H_

#include "lb_policies/round_robin/address_list.h"
#include "lb_policies/slow_start/slow_start.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Part of its policy's own object. Zero-initialised, it has no slow start and keeps nothing. */
typedef struct gxds_newcomers {
  gxds_slow_start config;
  struct gxds_newcomer *by_address; /* private; so are all fields below */
  bool all_new;
  struct gxds_beginning **by_slot; /* references; NULL: the endpoint is not new */
  uint32_t slot_count;
  struct gxds_beginning *
      *members; /* references, for the endpoints of the last picker; NULL: not new */
  size_t member_count;
} gxds_newcomers;

void gxds_newcomers_fini(gxds_newcomers *n);

/* Does what gxds_address_list_update() does, and keeps the slow-start state. */
GXDS_MUST_USE gxds_status gxds_newcomers_update(gxds_newcomers *n, const gxds_slow_start *config,
                                                gxds_address_list *list, gxds_endpoints_policy *e,
                                                const gxds_lb_update *update);

/* A subchannel was made for the address. slot: the low half of its token. */
void gxds_newcomers_created(gxds_newcomers *n, uint32_t slot, gxds_str address);

/* From now on picks are among these endpoints, which are READY. count may be 0. */
void gxds_newcomers_picked(gxds_newcomers *n, const uint64_t *tokens, size_t count, gxds_time now);

/* Fills shares with one share for each picked endpoint, in their order; a share is at most 1.
 * Returns when to compute them again; GXDS_TIME_NEVER if they stay the same. */
gxds_time gxds_newcomers_shares(const gxds_newcomers *n, gxds_time now, double *shares);

#ifdef __cplusplus
}
#endif

#endif
