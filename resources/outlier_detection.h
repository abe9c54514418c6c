/* gxds_outlier_detection: when endpoints of a cluster are ejected (A50). Part of a cluster:
 * immutable, borrowed as long as its resource. Any thread. */
#ifndef GRPC_XDS_RESOURCES_OUTLIER_DETECTION_H_
#define GRPC_XDS_RESOURCES_OUTLIER_DETECTION_H_

#include "base/time.h"

/* One way to find outliers: by success rate, or by percentage of failures. */
typedef struct gxds_ejection {
  uint32_t enforcement_percentage; /* 0: this way is off, and the other fields have no meaning */
  uint32_t threshold;              /* success rate: the factor of the standard deviation, in
                                      thousandths; failures: the percentage */
  uint32_t minimum_hosts;
  uint32_t request_volume;
} gxds_ejection;

typedef struct gxds_outlier_detection {
  gxds_duration interval;
  gxds_duration base_ejection_time;
  gxds_duration max_ejection_time;
  uint32_t max_ejection_percent;
  gxds_ejection success_rate;
  gxds_ejection failure_percentage;
} gxds_outlier_detection;

#endif
