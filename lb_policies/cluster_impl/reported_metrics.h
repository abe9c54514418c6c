/* What of a backend's load report is counted for LRS (A64), as its cluster says (A85). Pure but for
 * the counters; any thread, lock-free. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_REPORTED_METRICS_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_REPORTED_METRICS_H_

#include "lrs/load_store.h"
#include "resources/cluster.h"

#ifdef __cplusplus
extern "C" {
#endif

/* report: a serialized OrcaLoadReport, from the network; one that is none counts for nothing. */
void gxds_reported_metrics_count(const gxds_lrs_metrics *wanted, gxds_str report,
                                 gxds_locality_load *load);

#ifdef __cplusplus
}
#endif

#endif
