#include "test/metrics/read_metrics.h"

#include "metrics/policy_counts.h"

namespace gxds_test {

std::string PolicyMetrics() {
  gxds_text text = {};
  gxds_policy_counts_render(&text);
  std::string out(text.data, text.size);
  gxds_text_fini(&text);
  return out;
}

std::string MetricIn(const std::string& text, const std::string& metric) {
  const std::string begin = "\n" + metric + " ";
  size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  at += begin.size();
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace gxds_test
