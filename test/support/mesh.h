// A configuration as a test writes it, and its resources as `xds serve` reads them.
#ifndef GRPC_XDS_TEST_SUPPORT_MESH_H_
#define GRPC_XDS_TEST_SUPPORT_MESH_H_

#include <string>
#include <utility>
#include <vector>

namespace gxds_test {

struct Locality {
  std::string zone;
  unsigned weight = 1;
  unsigned priority = 0;
  std::vector<int> ports;
  std::vector<std::string> ips = {};     // of the first endpoints; the others are on 127.0.0.1
  std::vector<unsigned> weights = {};    // likewise; the others have no weight
  std::vector<std::string> labels = {};  // likewise: JSON of their metadata in "envoy.lb"
  std::vector<std::string> health = {};  // likewise: "DRAINING"; empty: not set
  // Likewise, their additional addresses: IPs and ports (A61).
  std::vector<std::vector<std::pair<std::string, int>>> more = {};
  std::vector<int> proxies = {};  // likewise, the ports of their HTTP proxies (A86); 0: none
  int proxy = 0;                  // the port of the locality's HTTP proxy; 0: none
};

struct Cluster {
  std::string name;
  std::vector<Locality> localities;
  std::vector<std::pair<std::string, unsigned>> drops;  // category, per hundred
  int max_requests = -1;                                // -1: not set
  bool report_load = true;
  bool with_endpoints = true;          // false: no EDS resource exists
  std::string outlier_detection = {};  // JSON of the field; empty: not set
  std::string transport_socket = {};   // the same
  std::string more = {};               // more fields: R"("lb_policy":"RING_HASH")"
};

struct Route {
  std::string prefix;
  std::string cluster;
  std::string action = {};  // JSON of its "route" field; empty: to cluster
  std::string fields = {};  // JSON of more of its fields, a comma before each
  std::string match = {};   // JSON of its "match" field; empty: by prefix
};

struct Mesh {
  std::string service = "greeter.example";
  std::vector<Route> routes;
  std::vector<Cluster> clusters;
  std::string filters = {};  // JSON of the HTTP filters before the router, a comma after each
  std::string virtual_host_fields = {};  // JSON, a comma before each
  std::string route_config_fields = {};  // likewise

  // One JSON document with every resource.
  std::string Json() const;
};

}  // namespace gxds_test

#endif
