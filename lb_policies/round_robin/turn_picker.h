/* A picker in turn: of endpoints that are alike, or by weight. Both in constant time, without a
 * lock.
 *
 * By weight it is a wheel (wheel.h): the share of an endpoint is its weight over the sum, whatever
 * the weights are. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_TURN_PICKER_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_TURN_PICKER_H_

#include "lb_policies/round_robin/endpoints_policy.h"
#include "lb_policies/weighted_locality/wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Over those endpoints of e, at least one, all of them READY. The turns go on from picker to
 * picker. The caller owns the returned reference. */
gxds_picker *gxds_turn_picker_create(const gxds_endpoints_policy *e, const uint64_t *tokens,
                                     size_t count, gxds_turns *turns);
/* Likewise by weight; where all weigh the same it is that above. shares: above 0, by which the
 * weights are multiplied; NULL: by none. */
gxds_picker *gxds_turn_picker_create_by_weight(const gxds_endpoints_policy *e,
                                               const uint64_t *tokens, size_t count,
                                               gxds_turns *turns, const double *shares);

#ifdef __cplusplus
}
#endif

#endif
