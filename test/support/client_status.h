// The responses of a client status discovery service (A40), parsed.
#ifndef GRPC_XDS_TEST_SUPPORT_CLIENT_STATUS_H_
#define GRPC_XDS_TEST_SUPPORT_CLIENT_STATUS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace gxds_test {

struct StatusOfResource {
  std::string type;  // "envoy.config.listener.v3.Listener"
  std::string name;
  std::string state;  // "REQUESTED", "ACKED", …
  std::string version;
  std::string config_type;  // of the Any; empty: there is none
  std::string config;
  int64_t updated = 0;  // nanoseconds since 1970; 0: not set
  bool has_error = false;
  std::string error;
  std::string failed_version;
  int64_t failed = 0;
};

struct StatusOfClient {
  bool parsed = false;
  std::string node_id;
  std::vector<std::string> client_features;  // of the node
  std::string scope;
  std::vector<StatusOfResource> resources;

  // The resource of that short type ("Listener", "Cluster", …) and name. If there is none, the
  // result has no state.
  StatusOfResource Find(const std::string& type, const std::string& name) const;
};

// A serialized ClientConfig.
StatusOfClient ParseClientConfig(const std::string& bytes);
// A serialized ClientStatusResponse.
std::vector<StatusOfClient> ParseClientStatusResponse(const std::string& bytes);

}  // namespace gxds_test

#endif
