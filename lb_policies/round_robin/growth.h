/* gxds_growth: how many of its endpoints a leaf policy connects to. Before RPCs need them, a policy
 * may connect to only a limited number of its endpoints (lb_policies/pace/eager.h). A policy with
 * more endpoints grows by use:
 *
 * - At first it tries as many as it may. It tries others in place of those whose connections it
 *   lost. One that never connected has no replacement: a policy that nobody uses need not try ten
 *   thousand endpoints because most of them are down.
 * - When its picks have used each READY endpoint about once (demand.h), it tries as many more as
 *   are READY, but at least a window of the pace. So a policy with many RPCs soon has all of its
 *   endpoints. It never becomes smaller again.
 * - While no endpoint is READY it tries all of them: no RPC may wait or fail because an endpoint
 *   was not tried.
 *
 * Lives in its policy's own object. Confined: the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_GROWTH_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_GROWTH_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_growth {
  uint32_t eager;  /* how many endpoints are tried before RPCs need them */
  uint32_t window; /* the least number of endpoints by which it grows */
  uint64_t random; /* decides which endpoint comes first, if some are left out */
  uint32_t grown;  /* private: how many more endpoints picks have needed so far */
} gxds_growth;

/* No limit: all endpoints are tried. */
#define GXDS_GROWTH_UNLIMITED ((gxds_growth){UINT32_MAX, 0, 0, 0})

/* How many endpoints of the policy are in each state now. */
typedef struct gxds_growth_counts {
  uint32_t ready;
  uint32_t tried;   /* the endpoints that were tried, except those that lost their connection and
                       could not connect again */
  uint32_t waiting; /* not tried yet */
} gxds_growth_counts;

/* How many of the waiting endpoints the policy must try now. */
uint32_t gxds_growth_wanted(const gxds_growth *g, const gxds_growth_counts *counts);
/* Picks have used each READY endpoint about once since the last call. */
void gxds_growth_on_use(gxds_growth *g, const gxds_growth_counts *counts);
/* The index of the endpoint to begin with, below count. The endpoints after it follow, and then
 * those before it. The index is 0 if no endpoint is left out. Otherwise the random number decides,
 * so that not all clients choose the same endpoints. */
uint32_t gxds_growth_first(const gxds_growth *g, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
