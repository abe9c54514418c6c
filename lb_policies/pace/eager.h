/* gxds_eager: how many endpoints a channel connects to before RPCs need them. Its leaf policies
 * share that number: each gets what the others left, but at least `least`, so that no policy begins
 * with too few endpoints. A leaf policy connects to its other endpoints when its picks need them
 * (lb_policies/round_robin/growth.h).
 *
 * Lives in the channel's own object. Confined: the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_PACE_EAGER_H_
#define GRPC_XDS_LB_POLICIES_PACE_EAGER_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first two fields are limits of the channel (limits.h). */
typedef struct gxds_eager {
  size_t limit;
  uint32_t least;    /* what each leaf policy gets at least, if it has that many endpoints */
  size_t shared_out; /* private; 0 at first */
} gxds_eager;

/* Computes the share of a leaf policy that has `count` endpoints now: all of them, if that many are
 * left. *share must be the policy's last share, or 0 before the first call, and becomes the new
 * one. A share becomes smaller only if the policy has fewer endpoints. With a count of 0 the share
 * is given back. */
void gxds_eager_renew(gxds_eager *e, uint32_t *share, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
