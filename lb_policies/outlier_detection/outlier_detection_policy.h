/* The outlier_detection_experimental LB policy (A50): it ejects addresses that fail too often. For
 * a while, their subchannels then report a failure to the policies below. It replaces the host's
 * policy, which can use freed memory if pick_first is below it, and which needs the list of all
 * addresses at each update. */
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIER_DETECTION_POLICY_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIER_DETECTION_POLICY_H_

#include "host/policy.h"
#include "lb_policies/cluster_child_config.h"
#include "resources/outlier_detection.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_outlier_detection_policy;

typedef struct gxds_outlier_detection_config {
  /* First. The endpoints of its cluster in the snapshot are the addresses; without a cluster, they
   * are the addresses of the update. */
  gxds_cluster_child_config of;
  gxds_outlier_detection settings;
} gxds_outlier_detection_config;

/* Copies the name and the settings. Takes ownership of the reference to the child's config. The
 * caller owns the returned reference. */
gxds_lb_config *gxds_outlier_detection_config_create(gxds_str cluster,
                                                     const gxds_outlier_detection *settings,
                                                     gxds_lb_config *take_child);

#ifdef __cplusplus
}
#endif

#endif
