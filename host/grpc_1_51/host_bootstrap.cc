#include "host/grpc_common/services.h"

#include <grpc/support/port_platform.h>

#include <string>
#include <utility>

#include "src/core/ext/xds/xds_bootstrap_grpc.h"
#include "src/core/ext/xds/xds_client_grpc.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/json/json.h"

namespace grpc_xds {
namespace {

using grpc_core::GrpcXdsBootstrap;
using grpc_core::Json;

Json Servers(const grpc_core::XdsBootstrap::XdsServer& server) {
  return Json::Array{static_cast<const GrpcXdsBootstrap::GrpcXdsServer&>(server).ToJson()};
}

Json Node(const grpc_core::XdsBootstrap::Node& node) {
  return Json::Object{{"id", node.id()},
                      {"cluster", node.cluster()},
                      {"locality", Json::Object{{"region", node.locality_region()},
                                                {"zone", node.locality_zone()},
                                                {"sub_zone", node.locality_sub_zone()}}},
                      {"metadata", node.metadata()}};
}

Json Authority(const GrpcXdsBootstrap::GrpcAuthority& authority) {
  Json::Object out;
  if (!authority.client_listener_resource_name_template().empty()) {
    out["client_listener_resource_name_template"] =
        authority.client_listener_resource_name_template();
  }
  if (authority.server() != nullptr) out["xds_servers"] = Servers(*authority.server());
  return out;
}

// The host does not keep the text of a bootstrap, but it keeps all the values that a client reads.
std::string ToJson(const GrpcXdsBootstrap& bootstrap) {
  Json::Object out{{"xds_servers", Servers(bootstrap.server())}};
  if (bootstrap.node() != nullptr) out["node"] = Node(*bootstrap.node());
  if (!bootstrap.client_default_listener_resource_name_template().empty()) {
    out["client_default_listener_resource_name_template"] =
        bootstrap.client_default_listener_resource_name_template();
  }
  Json::Object authorities;
  for (const auto& entry : bootstrap.authorities()) {
    authorities[entry.first] = Authority(entry.second);
  }
  if (!authorities.empty()) out["authorities"] = std::move(authorities);
  return Json(std::move(out)).Dump();
}

}  // namespace

bool FallbackBootstrap(gxds_str* out) {
  grpc_core::ApplicationCallbackExecCtx callback_exec_ctx;
  grpc_core::ExecCtx exec_ctx;
  // The stored bootstrap can be reached only through the host's client, which does not connect
  // until it has a watch.
  auto client =
      grpc_core::GrpcXdsClient::GetOrCreate(grpc_core::ChannelArgs(), "grpc_xds fallback");
  // The contexts' destructors take their addresses back, which the analyzer does not see.
  if (!client.ok()) return false;  // NOLINT(clang-analyzer-core.StackAddressEscape)
  std::string json = ToJson(static_cast<const GrpcXdsBootstrap&>((*client)->bootstrap()));
  *out = gxds_str_dup(gxds_str_of(json.data(), json.size()));
  return true;
}

}  // namespace grpc_xds
