/* gxds_eager: how many endpoints a channel connects to before RPCs need them. Its leaf policies
 * share that number: each gets what the others left, but at least GXDS_EAGER_LEAST, so that no
 * policy begins with too few endpoints. A leaf policy connects to its other endpoints when its
 * picks need them (lb_policies/round_robin/growth.h).
 *
 * A value in the channel's own object; zero-initialised, nothing is shared out yet, and the limit
 * is 0. Confined: the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_PACE_EAGER_H_
#define GRPC_XDS_LB_POLICIES_PACE_EAGER_H_

#include <stddef.h>
#include <stdint.h>

#include "lb_policies/pace/pace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The limit, unless the environment sets another one. Up to this number of endpoints, RPCs need not
 * wait for connections. With more, connections cost CPU and memory, so they are made as RPCs need
 * them. */
#define GXDS_EAGER_ENDPOINTS 2000
/* The least that a leaf policy gets, if it has so many endpoints. They can connect at once. */
#define GXDS_EAGER_LEAST GXDS_PACE_WINDOW

/* The limit that the environment sets now: 0 if GRPC_XDS_CONNECT_ON_DEMAND is true, SIZE_MAX if it
 * is false, else GXDS_EAGER_ENDPOINTS. Any thread. */
size_t gxds_eager_limit(void);

typedef struct gxds_eager {
  size_t limit;
  size_t shared_out; /* private */
} gxds_eager;

/* Renews the share of a leaf policy, which has `count` endpoints now: it gets all of them if it
 * can. *share: its share until now, and then the new one; 0 before the first call. A share becomes
 * smaller only if the policy has fewer endpoints. With a count of 0 the share is given back. */
void gxds_eager_renew(gxds_eager *e, uint32_t *share, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
