#include "test/support/mesh.h"

namespace gxds_test {
namespace {

const char kTypes[] = "type.googleapis.com/";

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

std::string ListenerJson(const Mesh& mesh) {
  const std::string http = std::string(kTypes) + "envoy.extensions.filters.";
  return R"({"@type":")" + std::string(kTypes) + R"(envoy.config.listener.v3.Listener","name":)" +
         Quoted(mesh.service) + R"(,"api_listener":{"api_listener":{"@type":")" + http +
         R"(network.http_connection_manager.v3.HttpConnectionManager","rds":{"route_config_name":)" +
         Quoted(mesh.service + "-routes") + R"(,"config_source":{"ads":{}}},"http_filters":[)" +
         mesh.filters + R"({"name":"router","typed_config":{"@type":")" + http +
         R"(http.router.v3.Router"}}]}}})";
}

std::string RoutesJson(const Mesh& mesh) {
  std::string routes;
  for (const Route& r : mesh.routes) {
    const std::string action =
        r.action.empty() ? R"({"cluster":)" + Quoted(r.cluster) + "}" : r.action;
    const std::string match = r.match.empty() ? R"({"prefix":)" + Quoted(r.prefix) + "}" : r.match;
    routes += (routes.empty() ? "" : ",") + std::string(R"({"match":)") + match + R"(,"route":)" +
              action + r.fields + "}";
  }
  return R"({"@type":")" + std::string(kTypes) +
         R"(envoy.config.route.v3.RouteConfiguration","name":)" + Quoted(mesh.service + "-routes") +
         R"(,"virtual_hosts":[{"domains":["*"],"routes":[)" + routes + "]" +
         mesh.virtual_host_fields + "}]" + mesh.route_config_fields + "}";
}

std::string ClusterJson(const Cluster& c) {
  std::string json = R"({"@type":")" + std::string(kTypes) +
                     R"(envoy.config.cluster.v3.Cluster","name":)" + Quoted(c.name) +
                     R"(,"type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}})";
  if (!c.outlier_detection.empty()) json += ",\"outlier_detection\":" + c.outlier_detection;
  if (!c.transport_socket.empty()) json += ",\"transport_socket\":" + c.transport_socket;
  if (!c.more.empty()) json += "," + c.more;
  if (c.report_load) json += R"(,"lrs_server":{"self":{}})";
  if (c.max_requests >= 0) {
    json += R"(,"circuit_breakers":{"thresholds":[{"max_requests":)" +
            std::to_string(c.max_requests) + "}]}";
  }
  return json + "}";
}

std::string MoreJson(const Locality& l, size_t i) {
  if (i >= l.more.size() || l.more[i].empty()) return "";
  std::string list;
  for (const auto& [ip, port] : l.more[i]) {
    list += (list.empty() ? "" : ",") + std::string(R"({"address":{"socket_address":{"address":)") +
            Quoted(ip) + R"(,"port_value":)" + std::to_string(port) + "}}}";
  }
  return R"(,"additional_addresses":[)" + list + "]";
}

// A member of Metadata that names an HTTP proxy at that port (A86).
std::string ProxyJson(int port) {
  return R"("typed_filter_metadata":{"envoy.http11_proxy_transport_socket.proxy_address":{"@type":")" +
         std::string(kTypes) +
         R"(envoy.config.core.v3.Address","socket_address":{"address":"127.0.0.1","port_value":)" +
         std::to_string(port) + "}}}";
}

std::string MetadataJson(const Locality& l, size_t i) {
  std::string members;
  if (i < l.labels.size()) members = R"("filter_metadata":{"envoy.lb":)" + l.labels[i] + "}";
  if (i < l.proxies.size() && l.proxies[i] > 0) {
    members += (members.empty() ? "" : ",") + ProxyJson(l.proxies[i]);
  }
  return members.empty() ? "" : R"(,"metadata":{)" + members + "}";
}

// The endpoint with that index.
std::string EndpointJson(const Locality& l, size_t i) {
  const std::string weight =
      i < l.weights.size() ? R"(,"load_balancing_weight":)" + std::to_string(l.weights[i]) : "";
  const std::string health = i < l.health.size() && !l.health[i].empty()
                                 ? R"(,"health_status":)" + Quoted(l.health[i])
                                 : "";
  return R"({"endpoint":{"address":{"socket_address":{"address":)" +
         Quoted(i < l.ips.size() ? l.ips[i] : "127.0.0.1") + R"(,"port_value":)" +
         std::to_string(l.ports[i]) + "}}" + MoreJson(l, i) + "}" + weight + MetadataJson(l, i) +
         health + "}";
}

std::string EndpointsJson(const Cluster& c) {
  std::string localities;
  for (const Locality& l : c.localities) {
    std::string endpoints;
    for (size_t i = 0; i < l.ports.size(); i++) endpoints += (i ? "," : "") + EndpointJson(l, i);
    localities += (localities.empty() ? "" : ",") +
                  std::string(R"({"locality":{"region":"r","zone":)") + Quoted(l.zone) +
                  R"(},"priority":)" + std::to_string(l.priority) + R"(,"load_balancing_weight":)" +
                  std::to_string(l.weight) + R"(,"lb_endpoints":[)" + endpoints + "]" +
                  (l.proxy > 0 ? R"(,"metadata":{)" + ProxyJson(l.proxy) + "}" : "") + "}";
  }
  std::string drops;
  for (const auto& [category, percent] : c.drops) {
    drops += (drops.empty() ? "" : ",") + std::string(R"({"category":)") + Quoted(category) +
             R"(,"drop_percentage":{"numerator":)" + std::to_string(percent) + "}}";
  }
  return R"({"@type":")" + std::string(kTypes) +
         R"(envoy.config.endpoint.v3.ClusterLoadAssignment","cluster_name":)" + Quoted(c.name) +
         R"(,"endpoints":[)" + localities + R"(],"policy":{"drop_overloads":[)" + drops + "]}}";
}

}  // namespace

std::string Mesh::Json() const {
  std::string json = "[" + ListenerJson(*this) + ",\n" + RoutesJson(*this);
  for (const Cluster& c : clusters) {
    json += ",\n" + ClusterJson(c);
    if (c.with_endpoints) json += ",\n" + EndpointsJson(c);
  }
  return json + "]\n";
}

}  // namespace gxds_test
