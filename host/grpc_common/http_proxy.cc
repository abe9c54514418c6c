#include "host/grpc_common/http_proxy.h"

#include <sys/socket.h>

#include <memory>
#include <string>

#include "host/args.h"
#include "resources/endpoints.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;

namespace {

class EndpointProxies : public grpc_core::ProxyMapperInterface {
 public:
  Optional<std::string> MapName(absl::string_view /*server_uri*/, ChannelArgs* /*args*/) override {
    return {};
  }

  Optional<grpc_resolved_address> MapAddress(const grpc_resolved_address& address,
                                             ChannelArgs* args) override {
    const auto proxy = args->GetString(kHttpProxyArg);
    if (!proxy.has_value() || !args->GetInt(GXDS_HTTP_CONNECT_ARG).has_value()) return {};
    gxds_address ip;
    const auto endpoint = grpc_sockaddr_to_string(&address, true);
    if (!gxds_address_read(gxds_str_of(proxy->data(), proxy->size()), &ip) || !endpoint.ok()) {
      return {};
    }
    *args = args->Set(GRPC_ARG_HTTP_CONNECT_SERVER, *endpoint);
    grpc_resolved_address out;
    static_assert(sizeof out.addr == sizeof(sockaddr_storage));
    out.len = static_cast<socklen_t>(
        gxds_address_to_sockaddr(&ip, reinterpret_cast<sockaddr_storage*>(out.addr)));
    return out;
  }
};

}  // namespace

void RegisterEndpointProxies(grpc_core::CoreConfiguration::Builder* builder) {
  // This mapper comes before the one for a proxy in the environment, which applies to all
  // endpoints.
  builder->proxy_mapper_registry()->Register(true, std::make_unique<EndpointProxies>());
}

}  // namespace grpc_xds
