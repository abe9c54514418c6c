/* Counts those metrics of a backend's load report for LRS (A64) that the cluster names (A85).
 * Changes nothing but the counters. Any thread, lock-free. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_REPORTED_METRICS_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_REPORTED_METRICS_H_

#include "lrs/load_store.h"
#include "resources/cluster.h"

#ifdef __cplusplus
extern "C" {
#endif

/* report: a serialized OrcaLoadReport, from the network. If it can't be decoded, nothing is
 * counted. */
void gxds_reported_metrics_count(const gxds_lrs_metrics *wanted, gxds_str report,
                                 gxds_locality_load *load);

#ifdef __cplusplus
}
#endif

#endif
