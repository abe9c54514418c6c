/* A114: the most metrics from which a weighted_round_robin computes utilization, because each
 * report of a backend is searched for each of them. It applies in a Cluster and in a policy's JSON.
 */
#ifndef GRPC_XDS_RESOURCES_UTILIZATION_METRICS_H_
#define GRPC_XDS_RESOURCES_UTILIZATION_METRICS_H_

#define GXDS_UTILIZATION_METRICS_MAX 64u

#endif
