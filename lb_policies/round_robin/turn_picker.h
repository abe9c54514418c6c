/* Pickers that take the endpoints in turn, either equally or by weight. Both pick in constant time
 * and without a lock. The picker by weight uses a wheel (wheel.h): the share of an endpoint is
 * exactly its weight divided by the sum. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_TURN_PICKER_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_TURN_PICKER_H_

#include "lb_policies/round_robin/endpoints_policy.h"
#include "lb_policies/weighted_locality/wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a picker over those endpoints of e: at least one, all of them READY. A new picker continues
 * the turns of the last one. The caller owns the returned reference. */
gxds_picker *gxds_turn_picker_create(const gxds_endpoints_policy *e, const uint64_t *tokens,
                                     size_t count, gxds_turns *turns);
/* Like gxds_turn_picker_create(), but picks by weight. If all weights are equal, the result is the
 * picker of that function. shares: factors for the weights, each greater than 0; NULL: no
 * factors. */
gxds_picker *gxds_turn_picker_create_by_weight(const gxds_endpoints_policy *e,
                                               const uint64_t *tokens, size_t count,
                                               gxds_turns *turns, const double *shares);

#ifdef __cplusplus
}
#endif

#endif
