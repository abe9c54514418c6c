/* The outlier_detection_experimental LB policy (A50): it ejects addresses that fail too often. For
 * a while, their subchannels then report a failure to the policies below. It replaces the host's
 * policy, which can use freed memory if pick_first is below it, and which needs the list of all
 * addresses at each update. */
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIER_DETECTION_POLICY_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIER_DETECTION_POLICY_H_

#include "host/policy.h"
#include "resources/outlier_detection.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_outlier_detection_policy;

typedef struct gxds_outlier_detection_config {
  gxds_lb_config base;
  gxds_str cluster; /* the cluster whose endpoints in the snapshot are the addresses; empty: the
                       addresses of the update */
  gxds_outlier_detection settings;
  gxds_lb_config *child; /* a reference */
} gxds_outlier_detection_config;

/* Copies the name and the settings, and takes its own reference to child. The caller owns the
 * returned reference. */
gxds_lb_config *gxds_outlier_detection_config_create(gxds_str cluster,
                                                     const gxds_outlier_detection *settings,
                                                     gxds_lb_config *child);

#ifdef __cplusplus
}
#endif

#endif
