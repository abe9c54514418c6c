// The serialized resources of the benchmark's control plane. They are written field by field, since
// the JSON form of ten thousand endpoints would cost more than what is measured.
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

// A protobuf message to which fields are appended.
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
  std::string version = {};  // its label "version"; empty: none
};

enum class Match { kPath, kPrefix, kRegex, kHeader };

struct Route {
  Match match = Match::kPath;
  std::string value;
  std::string cluster;
  bool configures_method = false;  // it has a timeout and a retry policy
  std::string version = {};        // the version of endpoints that it selects; empty: any
};

// That many routes to cluster "c0". The last matches "/bench/Call", the others match no call.
// PathRoutes() match by path. MixedRoutes() match half by path and half by prefix, except for 100
// regular expressions and 100 headers.
std::vector<Route> PathRoutes(long count);
std::vector<Route> MixedRoutes(long count);

std::string ListenerBytes(const std::string& name, const std::string& route_config);
// A listener with the filter that gives RPCs sessions and a cookie.
std::string SessionListenerBytes(const std::string& name, const std::string& route_config);
std::string RoutesBytes(const std::string& name, const std::vector<Route>& routes);
// Resources for an Envoy: a listener on that port, and a cluster with HTTP/2 and with weights of
// localities, which gRPC uses anyway.
std::string EnvoyListenerBytes(const std::string& name, const std::string& route_config, int port);
std::string EnvoyClusterBytes(const std::string& name);
// A cluster with load reports to its own control plane.
std::string ClusterBytes(const std::string& name);
// A cluster with a subset for each version of its endpoints.
std::string SubsetClusterBytes(const std::string& name);
// One locality with weight 1 for each list.
std::string EndpointsBytes(const std::string& name,
                           const std::vector<std::vector<Endpoint>>& localities);

}  // namespace gxds_bench

#endif
