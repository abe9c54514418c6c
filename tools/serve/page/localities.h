/* The localities of the ClusterLoadAssignments that are being served: shown with their weights, and
 * given others. Pure; any thread. */
#ifndef GRPC_XDS_TOOLS_SERVE_PAGE_LOCALITIES_H_
#define GRPC_XDS_TOOLS_SERVE_PAGE_LOCALITIES_H_

#include "base/status.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds {resource, priority, region, zone, sub_zone, weight, endpoints} for each, in the order of
 * the resources, with commas between; limit: of localities. */
void gxds_page_localities_render(const gxds_file_set *set, size_t limit, gxds_text *out);

typedef struct gxds_page_weight {
  gxds_str resource; /* of the ClusterLoadAssignment */
  uint32_t priority;
  gxds_str region;
  gxds_str zone;
  gxds_str sub_zone;
  uint32_t weight; /* 0: the locality gets nothing */
} gxds_page_weight;

/* The set with another weight for one locality; it shares all else with set. The caller owns the
 * returned reference. NULL: there is no such locality (NOT_FOUND in *status, with words). */
const gxds_file_set *gxds_page_localities_reweigh(const gxds_file_set *set,
                                                  const gxds_page_weight *weight,
                                                  gxds_status *status);

#ifdef __cplusplus
}
#endif

#endif
