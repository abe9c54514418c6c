/* All metrics of all clients, as text for Prometheus: those of A78 (xds_client/metrics.h), the RPCs
 * of each locality (lrs/load_metrics.h), the counts of policies (metrics/policy_counts.h), and the
 * durations of updates. Confined: the reactor. */
#ifndef GRPC_XDS_TRANSPORT_CLIENT_METRICS_H_
#define GRPC_XDS_TRANSPORT_CLIENT_METRICS_H_

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds all metrics to out. */
void gxds_client_metrics_render(gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
