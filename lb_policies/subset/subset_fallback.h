/* Which endpoints a match of a route leads to (E5), as Envoy's subset load balancer finds them.
 * Pure: it asks which subsets there are. */
#ifndef GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_FALLBACK_H_
#define GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_FALLBACK_H_

#include "resources/lb_subsets.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The subset of those endpoints that have that metadata (empty: all endpoints, which is never
 * NULL). wanted: borrowed, valid during the call. NULL: no endpoint has it. */
typedef const void *gxds_subset_with(void *arg, gxds_str wanted);

/* match: as in lb_metadata.h; empty: there is none. NULL: it leads nowhere. */
const void *gxds_subset_resolve(const gxds_lb_subsets *rules, gxds_str match,
                                gxds_subset_with *with, void *arg);

#ifdef __cplusplus
}
#endif

#endif
