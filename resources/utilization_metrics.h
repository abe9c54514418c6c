/* A114: how many metrics a weighted_round_robin may compute utilization by: each report of a
 * backend is searched for each of them. Wherever they are configured: in a Cluster, and in a
 * policy's JSON.
 */
#ifndef GRPC_XDS_RESOURCES_UTILIZATION_METRICS_H_
#define GRPC_XDS_RESOURCES_UTILIZATION_METRICS_H_

#define GXDS_UTILIZATION_METRICS_MAX 64u

#endif
