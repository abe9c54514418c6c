// What the benchmark's control plane serves, as serialized resources. Written field by field, since
// a JSON form of ten thousand endpoints would cost more than what is measured.
#ifndef GRPC_XDS_TEST_BENCH_RESOURCES_H_
#define GRPC_XDS_TEST_BENCH_RESOURCES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace gxds_bench {

inline constexpr char kListener[] = "type.googleapis.com/envoy.config.listener.v3.Listener";
inline constexpr char kRoutes[] = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";
inline constexpr char kCluster[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
inline constexpr char kEndpoints[] =
    "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";

// A protobuf message that grows at its end.
class Message {
 public:
  Message& Bytes(uint32_t field, const std::string& value);
  Message& Bytes(uint32_t field, const Message& value) { return Bytes(field, value.bytes_); }
  Message& Number(uint32_t field, uint64_t value);
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value);
  std::string bytes_;
};

struct Endpoint {
  std::string ip;
  int port = 0;
  std::string version = {};  // a label of its; empty: it has none
};

enum class Match { kPath, kPrefix, kRegex, kHeader };

struct Route {
  Match match = Match::kPath;
  std::string value;
  std::string cluster;
  bool configures_method = false;  // it has a timeout, and says when to retry
  std::string version = {};        // of the endpoints that it wants; empty: it takes any
};

// So many routes to cluster "c0", of which the last matches "/bench/Call" and the others nothing
// that is called: by path; and a mix, half by path, half by prefix, but for 100 regular expressions
// and 100 headers.
std::vector<Route> PathRoutes(long count);
std::vector<Route> MixedRoutes(long count);

std::string ListenerBytes(const std::string& name, const std::string& route_config);
// With the filter by which RPCs have sessions, and get a cookie.
std::string SessionListenerBytes(const std::string& name, const std::string& route_config);
std::string RoutesBytes(const std::string& name, const std::vector<Route>& routes);
// What an Envoy takes: a listener that listens, on that port, and a cluster that is spoken to in
// HTTP/2 and whose localities' weights count, both of which gRPC does anyway.
std::string EnvoyListenerBytes(const std::string& name, const std::string& route_config, int port);
std::string EnvoyClusterBytes(const std::string& name);
// With load reports to the server it came from.
std::string ClusterBytes(const std::string& name);
// With a subset for each version of its endpoints.
std::string SubsetClusterBytes(const std::string& name);
// One locality of weight 1 for each list.
std::string EndpointsBytes(const std::string& name,
                           const std::vector<std::vector<Endpoint>>& localities);

}  // namespace gxds_bench

#endif
