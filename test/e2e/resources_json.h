// Single resources as `xds serve` reads them, for tests with incomplete configurations. The
// listener is "greeter.example".
#ifndef GRPC_XDS_TEST_E2E_RESOURCES_JSON_H_
#define GRPC_XDS_TEST_E2E_RESOURCES_JSON_H_

#include <string>
#include <vector>

namespace gxds_test {

inline std::string Typed(const std::string& type, const std::string& fields) {
  return R"({"@type":"type.googleapis.com/)" + type + "\"," + fields + "}";
}

// manager: the fields of the HttpConnectionManager that give the routes.
inline std::string ListenerOf(const std::string& manager) {
  const std::string filters = "envoy.extensions.filters.";
  return Typed(
      "envoy.config.listener.v3.Listener",
      R"("name":"greeter.example","api_listener":{"api_listener":)" +
          Typed(filters + "network.http_connection_manager.v3.HttpConnectionManager",
                manager + R"("http_filters":[{"name":"router","typed_config":{"@type":)" +
                    R"("type.googleapis.com/)" + filters + R"(http.router.v3.Router"}}])") +
          "}");
}
inline std::string RdsListener(const std::string& name = "routes") {
  return ListenerOf(R"("rds":{"route_config_name":")" + name + R"(","config_source":{"ads":{}}},)");
}
inline std::string SocketListener(int port = 80) {
  return Typed("envoy.config.listener.v3.Listener",
               R"("name":"greeter.example","address":{"socket_address":{"address":"127.0.0.1",)"
               R"("port_value":)" +
                   std::to_string(port) +
                   R"(}},"default_filter_chain":{"filters":[{"name":"hcm",)"
                   R"("typed_config":)" +
                   Typed("envoy.extensions.filters.network.http_connection_manager.v3."
                         "HttpConnectionManager",
                         R"("route_config":{"name":"r"},"http_filters":[{"name":"router",)"
                         R"("typed_config":{"@type":"type.googleapis.com/)"
                         R"(envoy.extensions.filters.http.router.v3.Router"}}])") +
                   "}]}");
}

// The fields of a RouteConfiguration except its name.
inline std::string VirtualHost(const std::string& routes, const std::string& domain = "*") {
  return R"("virtual_hosts":[{"domains":[")" + domain + R"("],"routes":[)" + routes + "]}]";
}
inline std::string RouteTo(const std::string& cluster, const std::string& prefix = "") {
  return R"({"match":{"prefix":")" + prefix + R"("},"route":{"cluster":")" + cluster + R"("}})";
}
inline std::string Routes(const std::string& fields, const std::string& name = "routes") {
  return Typed("envoy.config.route.v3.RouteConfiguration", R"("name":")" + name + "\"," + fields);
}
inline std::string InlineListener(const std::string& fields) {
  return ListenerOf(R"("route_config":{"name":"inline",)" + fields + "},");
}

inline std::string EdsCluster(const std::string& name, const std::string& service = "",
                              const std::string& more = "") {
  const std::string service_name = service.empty() ? "" : R"(,"service_name":")" + service + "\"";
  return Typed("envoy.config.cluster.v3.Cluster",
               R"("name":")" + name + R"(","type":"EDS","eds_cluster_config":{"eds_config":)" +
                   R"({"ads":{}})" + service_name + "}" + more);
}
inline std::string AggregateCluster(const std::string& name, const std::string& quoted_children) {
  return Typed("envoy.config.cluster.v3.Cluster",
               R"("name":")" + name +
                   R"(","cluster_type":{"name":"envoy.clusters.aggregate","typed_config":)" +
                   Typed("envoy.extensions.clusters.aggregate.v3.ClusterConfig",
                         "\"clusters\":[" + quoted_children + "]") +
                   "}");
}

// One locality, of that priority, with an endpoint for each port.
inline std::string LocalityOf(const std::vector<int>& ports, int priority = 0) {
  std::string endpoints;
  for (int port : ports) {
    endpoints +=
        (endpoints.empty() ? "" : ",") +
        std::string(R"({"endpoint":{"address":{"socket_address":{"address":"127.0.0.1",)") +
        R"("port_value":)" + std::to_string(port) + "}}}}";
  }
  return R"({"locality":{"region":"r","zone":"z"},"priority":)" + std::to_string(priority) +
         R"(,"load_balancing_weight":1,"lb_endpoints":[)" + endpoints + "]}";
}
inline std::string Endpoints(const std::string& name, const std::string& localities,
                             const std::string& more = "") {
  return Typed("envoy.config.endpoint.v3.ClusterLoadAssignment",
               R"("cluster_name":")" + name + R"(","endpoints":[)" + localities + "]" + more);
}

inline std::string Document(const std::vector<std::string>& resources) {
  std::string json;
  for (const std::string& r : resources) json += (json.empty() ? "" : ",\n") + r;
  return "[" + json + "]\n";
}

}  // namespace gxds_test

#endif
