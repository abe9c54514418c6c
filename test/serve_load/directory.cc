#include "test/serve_load/directory.h"

#include <cstdio>

namespace gxds_serve_load {
namespace {

std::string ClusterJson(const std::string& name) {
  return R"({"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":")" + name +
         R"(","type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}}})";
}

std::string EndpointJson(const std::string& ip, uint16_t port) {
  return R"({"endpoint":{"address":{"socket_address":{"address":")" + ip + R"(","port_value":)" +
         std::to_string(port) + "}}}}";
}

std::string EndpointsJson(const std::string& name, uint16_t port) {
  return R"({"@type":"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",)"
         R"("cluster_name":")" +
         name + R"(","endpoints":[{"locality":{"zone":"z"},"load_balancing_weight":1,)" +
         R"("lb_endpoints":[)" + EndpointJson("10.0.0.1", port) + "," +
         EndpointJson("10.0.0.2", Directory::PortOf(0)) + "]}]}";
}

}  // namespace

std::string ClusterName(int i) {
  char name[32];
  snprintf(name, sizeof name, "cluster-%06d", i);
  return name;
}

Directory::Directory(int clusters) : clusters_(clusters) {
  std::string rest;
  for (int i = 0; i < clusters; i++) {
    rest += (rest.empty() ? "" : ",\n") + ClusterJson(ClusterName(i));
    if (i != changing()) rest += ",\n" + EndpointsJson(ClusterName(i), PortOf(0));
  }
  dir_.Write("rest.json", "[" + rest + "]\n");
  Change(0);
}

void Directory::Change(int number) const {
  dir_.Write("changing.json", EndpointsJson(ClusterName(changing()), PortOf(number)));
}

}  // namespace gxds_serve_load
