/* The metrics of clients (gRFC A78), as text for Prometheus. The names are those that OpenTelemetry
 * gives: "grpc.xds_client.connected" becomes "grpc_xds_client_connected", and counters end in
 * "_total".
 *
 * A pure function on the clients; confined, as the clients are. */
#ifndef GRPC_XDS_XDS_CLIENT_METRICS_H_
#define GRPC_XDS_XDS_CLIENT_METRICS_H_

#include "xds_client/client_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the metrics of all sources to out. The source's scope is the label grpc_target. The cost
 * grows with the resources that the clients hold. Metrics of resources are per source. Metrics of
 * servers are per client: targets that share a client show the same figures, which must not be
 * added up. */
void gxds_metrics_render(const gxds_status_source *sources, size_t count, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
