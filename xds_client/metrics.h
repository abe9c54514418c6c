/* The metrics of clients (gRFC A78), as text for Prometheus: what is "grpc.xds_client.connected"
 * there is "grpc_xds_client_connected" here, as OpenTelemetry has it; counters end in "_total".
 *
 * A pure function on the clients; confined as these are. */
#ifndef GRPC_XDS_XDS_CLIENT_METRICS_H_
#define GRPC_XDS_XDS_CLIENT_METRICS_H_

#include "xds_client/client_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the metrics of all sources, whose scope is the label grpc_target, to out. It costs what the
 * clients hold. Resources are those of the source; what is counted of servers is the client's: for
 * each of the targets that share one it is the same, and nothing to be added up. */
void gxds_metrics_render(const gxds_status_source *sources, size_t count, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
