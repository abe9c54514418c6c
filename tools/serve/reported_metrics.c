#include "tools/serve/reported_metrics.h"

#include "base/wire.h"

/* Fields of UpstreamLocalityStats that the table of gRPC 1.51 lacks, each an
 * UnnamedEndpointLoadMetricStats. */
enum { CPU_UTILIZATION = 12, MEM_UTILIZATION = 13, APPLICATION_UTILIZATION = 14 };

/* The fields of UnnamedEndpointLoadMetricStats. The host only has EndpointLoadMetricStats, with the
 * same two fields, but other numbers. */
enum { REQUESTS = 1, SUM = 2 };

static void add_unnamed(gxds_str message, const char *name, gxds_serve_load *load) {
  double sum = 0;
  gxds_str rest = message;
  gxds_wire_field field;
  while (gxds_wire_next(&rest, &field)) {
    if (field.number == SUM) sum = gxds_wire_double(&field);
  }
  uint64_t requests = gxds_wire_number_at(message, REQUESTS);
  gxds_serve_load_add_metric(load, gxds_str_z(name), requests, sum);
}

static void add_utilizations(const envoy_config_endpoint_v3_UpstreamLocalityStats *stats,
                             gxds_serve_load *load) {
  upb_Arena *arena = upb_Arena_New();
  size_t size = 0;
  const char *data = envoy_config_endpoint_v3_UpstreamLocalityStats_serialize(stats, arena, &size);
  gxds_str rest = gxds_str_of(data, size);
  gxds_wire_field field;
  while (gxds_wire_next(&rest, &field)) {
    if (!field.has_size) continue;
    if (field.number == CPU_UTILIZATION) add_unnamed(field.value, "cpu_utilization", load);
    if (field.number == MEM_UTILIZATION) add_unnamed(field.value, "mem_utilization", load);
    if (field.number == APPLICATION_UTILIZATION) {
      add_unnamed(field.value, "application_utilization", load);
    }
  }
  upb_Arena_Free(arena);
}

void gxds_reported_metrics_read(const envoy_config_endpoint_v3_UpstreamLocalityStats *stats,
                                gxds_serve_load *load) {
  add_utilizations(stats, load);
  size_t count = 0;
  const envoy_config_endpoint_v3_EndpointLoadMetricStats *const *named =
      envoy_config_endpoint_v3_UpstreamLocalityStats_load_metric_stats(stats, &count);
  for (size_t i = 0; i < count; i++) {
    upb_StringView name = envoy_config_endpoint_v3_EndpointLoadMetricStats_metric_name(named[i]);
    gxds_serve_load_add_metric(
        load, gxds_str_of(name.data, name.size),
        envoy_config_endpoint_v3_EndpointLoadMetricStats_num_requests_finished_with_metric(
            named[i]),
        envoy_config_endpoint_v3_EndpointLoadMetricStats_total_metric_value(named[i]));
  }
}
