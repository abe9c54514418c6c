/* gxds_load_report: what counts for weights (A58) of an OrcaLoadReport, which a backend sends with
 * its answers. Pure functions: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_LOAD_REPORT_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_LOAD_REPORT_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* None is negative, infinite or no number: what was sent so counts as 0, which is "not set". */
typedef struct gxds_load_report {
  double qps;
  double eps;
  double application_utilization;
  double cpu_utilization;
} gxds_load_report;

/* bytes: serialized; from the network. False: they are no message. */
bool gxds_load_report_decode(gxds_str bytes, gxds_load_report *out);

/* A58: qps / (utilization + eps / qps * error_penalty), where the utilization is that of the
 * application, or else of the CPU. 0: the report says nothing of the weight. */
double gxds_load_report_weight(const gxds_load_report *r, double error_penalty);

#ifdef __cplusplus
}
#endif

#endif
