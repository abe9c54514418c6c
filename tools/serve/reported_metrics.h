/* Reads the metrics that a locality's backends reported, from a client's load report (A64, A85).
 * Pure; any thread. */
#ifndef GRPC_XDS_TOOLS_SERVE_REPORTED_METRICS_H_
#define GRPC_XDS_TOOLS_SERVE_REPORTED_METRICS_H_

#include <envoy/config/endpoint/v3/load_report.upb.h>

#include "tools/serve/event.h"

/* Adds the metrics to load: first the utilizations, then the named metrics. */
void gxds_reported_metrics_read(const envoy_config_endpoint_v3_UpstreamLocalityStats *stats,
                                gxds_serve_load *load);

#endif
