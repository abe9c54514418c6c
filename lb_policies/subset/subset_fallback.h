/* Finds the endpoints for a route's match (E5), as Envoy's subset load balancer does. Pure: a
 * callback finds the subsets that exist. */
#ifndef GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_FALLBACK_H_
#define GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_FALLBACK_H_

#include "resources/lb_subsets.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the subset of the endpoints with that metadata; NULL if no endpoint has it. If wanted is
 * empty, returns all endpoints, and never NULL. wanted: borrowed, valid during the call. */
typedef const void *gxds_subset_with(void *arg, gxds_str wanted);

/* match is as in lb_metadata.h, and empty if the route has none. Returns NULL if no endpoint may be
 * used. */
const void *gxds_subset_resolve(const gxds_lb_subsets *rules, gxds_str match,
                                gxds_subset_with *with, void *arg);

#ifdef __cplusplus
}
#endif

#endif
