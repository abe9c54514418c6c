// One cluster whose connections the control plane secures (A29), and channels with the host's xds
// credentials.
#ifndef GRPC_XDS_TEST_E2E_SECURED_CLUSTER_H_
#define GRPC_XDS_TEST_E2E_SECURED_CLUSTER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/e2e/certificates.h"
#include "test/e2e/e2e.h"

namespace gxds_test {

inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The fallback credentials are insecure: without security from the control plane, RPCs are sent in
// the clear.
inline std::shared_ptr<grpc::ChannelCredentials> XdsOrInsecure() {
  return grpc::XdsCredentials(grpc::InsecureChannelCredentials());
}

// The transport_socket of a cluster: an UpstreamTlsContext of these fields, in JSON.
inline std::string TransportSocket(const std::string& fields) {
  return R"({"name":"envoy.transport_sockets.tls","typed_config":{"@type":"type.googleapis.com/)"
         R"(envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",)" +
         fields + "}}";
}

class SecuredCluster : public testing::Test {
 protected:
  // authority: the authority of the certificates of the provider "files".
  explicit SecuredCluster(int authority = 1) : files_(authority) {}

  // One cluster, "a", with that transport_socket and backends in order of priority.
  void Set(const std::string& transport_socket, const std::vector<const Backend*>& backends) {
    Mesh mesh;
    mesh.routes = {{"", "a"}};
    Cluster cluster;
    cluster.name = "a";
    cluster.transport_socket = transport_socket;
    for (const Backend* b : backends) {
      cluster.localities.push_back(
          {b->name(), 1, unsigned(cluster.localities.size()), {b->port()}});
    }
    mesh.clusters.push_back(std::move(cluster));
    plane_.Set(mesh);
  }
  std::string Bootstrap() const {
    std::string json = plane_.Bootstrap();
    return json.insert(1, R"("certificate_providers":{"files":{"plugin_name":"file_watcher",)"
                          R"("config":)" +
                              files_.Json(true) + "}},");
  }
  std::unique_ptr<Client> Connect(
      std::shared_ptr<grpc::ChannelCredentials> credentials = XdsOrInsecure()) {
    return std::make_unique<Client>("xds:///greeter.example", Bootstrap(), grpc::ChannelArguments(),
                                    std::move(credentials));
  }

  ClientFiles files_;
  ControlPlane plane_;
};

}  // namespace gxds_test

#endif
