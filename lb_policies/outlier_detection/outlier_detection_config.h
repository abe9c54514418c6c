/* The JSON form of an outlier_detection policy's config. Private to outlier_detection. */
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIER_DETECTION_CONFIG_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIER_DETECTION_CONFIG_H_

#include "host/policy.h"

/* The policy's gxds_policy_type.parse, with the host's error texts and defaults. */
gxds_lb_config *gxds_outlier_detection_parse(const struct json_t *json,
                                             gxds_lb_parse_list *parse_list, gxds_errors *errors);

#endif
