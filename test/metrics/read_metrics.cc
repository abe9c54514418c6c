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

std::string ConnectionCounts(const std::string& target, const std::string& service,
                             const std::string& region, const std::string& zone) {
  const std::string all = PolicyMetrics();
  const std::string labels = "grpc_target=\"" + target + "\",grpc_lb_backend_service=\"" + service +
                             R"(",grpc_lb_locality="{region=\")" + region + R"(\", zone=\")" +
                             zone + R"(\", sub_zone=\"\"}")";
  const auto value = [&](const std::string& name, const std::string& more = "") {
    return MetricIn(all, "grpc_subchannel_" + name + "{" + labels + more + "}");
  };
  const auto ended = [&](const std::string& why) {
    return value("disconnections_total", ",grpc_disconnect_error=\"" + why + "\"");
  };
  const std::string open = value("open_connections");
  if (open.empty()) return open;
  return open + " open, " + value("connection_attempts_succeeded_total") + " made, " +
         value("connection_attempts_failed_total") + " failed, " + ended("unknown") + " lost, " +
         ended("subchannel shutdown") + " shut";
}

}  // namespace gxds_test
