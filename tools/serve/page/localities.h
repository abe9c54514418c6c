/* Shows the localities of the served ClusterLoadAssignments with their weights, and changes a
 * weight. Pure; any thread. */
#ifndef GRPC_XDS_TOOLS_SERVE_PAGE_LOCALITIES_H_
#define GRPC_XDS_TOOLS_SERVE_PAGE_LOCALITIES_H_

#include "base/status.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds {resource, priority, region, zone, sub_zone, weight, endpoints} for each locality, in the
 * order of the resources, separated by commas. limit is the most localities. */
void gxds_page_localities_render(const gxds_file_set *set, size_t limit, gxds_text *out);

typedef struct gxds_page_weight {
  gxds_str resource; /* the name of the ClusterLoadAssignment */
  uint32_t priority;
  gxds_str region;
  gxds_str zone;
  gxds_str sub_zone;
  uint32_t weight; /* 0: the locality gets no RPCs */
} gxds_page_weight;

/* Makes a set with another weight for one locality, which shares everything else with set. The
 * caller owns the returned reference. If there is no such locality, returns NULL, and sets *status
 * to NOT_FOUND with a text. */
const gxds_file_set *gxds_page_localities_reweigh(const gxds_file_set *set,
                                                  const gxds_page_weight *weight,
                                                  gxds_status *status);

#ifdef __cplusplus
}
#endif

#endif
