/* gxds_stride: picks among weighted members, in turn (A58), as gRPC's other implementations do it
 * ("static stride"): turn t is offered to member t mod n. A member skips some of its turns, evenly
 * spread: the smaller its weight, the more. So a pick costs a division or two, and takes no lock.
 *
 * Any thread. Weights may change while it is used. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_STRIDE_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_STRIDE_H_

#include <stdbool.h>
#include <stddef.h>

#include "lb_policies/weighted_locality/wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A weight is limited to at most this many times the mean, and to at least the mean divided by the
 * constant below. Otherwise one wrong report could move all RPCs to a member, or away from it. A
 * member without RPCs would never send a new report. */
#define GXDS_STRIDE_ABOVE_MEAN_MAX 10
#define GXDS_STRIDE_BELOW_MEAN_MAX 100

typedef struct gxds_stride gxds_stride;

/* count is at least 1. At first all members weigh the same. */
gxds_stride *gxds_stride_create(size_t count);
void gxds_stride_destroy(gxds_stride *s); /* NULL is allowed */
/* Sets the weight of each member; no weight is negative. 0 stands for an unknown weight, which
 * counts as the mean of the known ones. If fewer than two are known, all members weigh the same,
 * and the function returns false. One caller at a time. */
bool gxds_stride_set(gxds_stride *s, const double *weights);
/* Sets the share of each member. Shares are greater than 0. Shares have no limits relative to the
 * mean, but each counts as at least a 65,535th of the greatest. One caller at a time. */
void gxds_stride_set_shares(gxds_stride *s, const double *shares);
/* Takes turns until a member does not skip its turn, and returns that member. */
size_t gxds_stride_pick(const gxds_stride *s, gxds_turns *turns);

#ifdef __cplusplus
}
#endif

#endif
