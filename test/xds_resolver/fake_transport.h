// Fakes of the reactor and the XdsClients that the resolver's C code calls, in a single thread.
// Posted functions run when the test says so, and resources come from a table.
#ifndef GRPC_XDS_TEST_XDS_RESOLVER_FAKE_TRANSPORT_H_
#define GRPC_XDS_TEST_XDS_RESOLVER_FAKE_TRANSPORT_H_

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/host.h"
#include "transport/clients.h"
#include "transport/reactor.h"

namespace made_up {

using Key = std::pair<std::string, std::string>;  // {"CDS", name}

struct FakeTransport {
  int reactor_uses = 0;
  std::deque<std::pair<void (*)(void *), void *>> posts;

  int clients = 0;  // acquired handles that are not released
  int prepared = 0;
  std::string target;
  bool is_private = false;
  gxds_duration resource_timeout = 0;
  const grpc_channel_args *args = nullptr;
  int backoffs_reset = 0;
  gxds_client_handle *handle = nullptr;  // the last handle
  std::map<Key, uint64_t> watches;

  static FakeTransport &Get();
  // Runs posted functions, and those that they post.
  void RunReactor();
  // Notifies the handle's owner. Takes ownership of the reference.
  void Notify(const char *type, const std::string &name, const gxds_resource *take_resource);
  void NotifyError(const char *type, const std::string &name, const char *why);
  // Notifies an error of a resource that stays in use (A88).
  void NotifyAmbientError(const char *type, const std::string &name, const char *why);
  void Drained();
};

inline constexpr char kBootstrap[] = R"({
  "xds_servers": [{"server_uri": "xds.example:443", "channel_creds": [{"type": "insecure"}]}],
  "node": {"id": "node1"},
  "authorities": {"auth": {}}
})";

// The services of a host with only what that bootstrap needs.
inline const gxds_host *FakeHost() {
  static const gxds_host host = [] {
    gxds_host h = {};
    h.creds_supported = [](gxds_str type) { return gxds_str_equal(type, gxds_str_z("insecure")); };
    h.creds_check = [](gxds_str, gxds_str, const gxds_path *, gxds_errors *) {};
    return h;
  }();
  return &host;
}

}  // namespace made_up

#endif
