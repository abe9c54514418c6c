// What policies of this process have counted, as Prometheus reads it.
#ifndef GRPC_XDS_TEST_METRICS_READ_METRICS_H_
#define GRPC_XDS_TEST_METRICS_READ_METRICS_H_

#include <string>

namespace gxds_test {

std::string PolicyMetrics();

// The value in that text of a metric with exactly these labels: name{labels}. Empty: it has none.
std::string MetricIn(const std::string& text, const std::string& metric);
inline std::string PolicyMetric(const std::string& metric) {
  return MetricIn(PolicyMetrics(), metric);
}

}  // namespace gxds_test

#endif
