/* What backends of a locality reported of themselves, in a load report of a client (A64, A85).
 * Pure; any thread. */
#ifndef GRPC_XDS_TOOLS_SERVE_REPORTED_METRICS_H_
#define GRPC_XDS_TOOLS_SERVE_REPORTED_METRICS_H_

#include <envoy/config/endpoint/v3/load_report.upb.h>

#include "tools/serve/event.h"

/* Adds them to load: the utilizations, then what has a name. */
void gxds_reported_metrics_read(const envoy_config_endpoint_v3_UpstreamLocalityStats *stats,
                                gxds_serve_load *load);

#endif
