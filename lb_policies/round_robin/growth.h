/* gxds_growth: how many of its endpoints a leaf policy connects to. A policy with more endpoints
 * than it may connect to before RPCs need them (lb_policies/pace/eager.h) grows by use:
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
 * A value in its policy's own object. Confined: the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_GROWTH_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_GROWTH_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_growth {
  uint32_t eager;  /* how many are tried before RPCs need them */
  uint32_t window; /* by how many it grows at least */
  uint64_t random; /* decides with which endpoint to begin if some are left out */
  uint32_t grown;  /* private: how many the picks have asked for since */
} gxds_growth;

/* No limit: all endpoints are tried. */
#define GXDS_GROWTH_UNLIMITED ((gxds_growth){UINT32_MAX, 0, 0, 0})

/* The endpoints of the policy now. */
typedef struct gxds_growth_counts {
  uint32_t ready;
  uint32_t tried;   /* without those whose connection was lost and could not be made again */
  uint32_t waiting; /* not tried yet */
} gxds_growth_counts;

/* How many of those that wait are to be tried now. */
uint32_t gxds_growth_wanted(const gxds_growth *g, const gxds_growth_counts *counts);
/* Picks have used each READY endpoint about once since the last call. */
void gxds_growth_on_use(gxds_growth *g, const gxds_growth_counts *counts);
/* The place of the endpoint to begin with, out of count; the others follow in their order, and
 * those before it at the end. It is the first one if none is left out. Otherwise the random number
 * decides, so that not all clients choose the same endpoints. */
uint32_t gxds_growth_first(const gxds_growth *g, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
