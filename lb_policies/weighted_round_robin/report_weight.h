/* What a backend's load report says of its weight (A58). Pure: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_REPORT_WEIGHT_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_REPORT_WEIGHT_H_

#include "lb_policies/orca/orca_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A58: qps / (utilization + eps / qps * error_penalty), where the utilization is that of the
 * application, or else of the CPU. Numbers that are negative, infinite or none count as not set. 0:
 * the report says nothing of the weight. */
double gxds_report_weight(const gxds_orca_report *r, double error_penalty);

#ifdef __cplusplus
}
#endif

#endif
