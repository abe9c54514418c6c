// The metrics of this process's policies, in Prometheus's text format.
#ifndef GRPC_XDS_TEST_METRICS_READ_METRICS_H_
#define GRPC_XDS_TEST_METRICS_READ_METRICS_H_

#include <string>

namespace gxds_test {

std::string PolicyMetrics();

// The value in the text of a metric with exactly these labels: name{labels}. Empty if there is
// none.
std::string MetricIn(const std::string& text, const std::string& metric);
inline std::string PolicyMetric(const std::string& metric) {
  return MetricIn(PolicyMetrics(), metric);
}

// The counts of connections with these labels (A94): "1 open, 1 made, 0 failed, 0 lost, 0 shut".
// Empty if none has them. The zone is in that region, and has no sub-zones.
std::string ConnectionCounts(const std::string& target, const std::string& service,
                             const std::string& region, const std::string& zone);

}  // namespace gxds_test

#endif
