#include <grpc/support/port_platform.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "host/grpc_common/services.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/util/down_cast.h"
#include "src/core/util/json/json.h"
#include "src/core/util/json/json_writer.h"
#include "src/core/xds/grpc/xds_bootstrap_grpc.h"
#include "src/core/xds/grpc/xds_client_grpc.h"
#include "src/core/xds/grpc/xds_server_grpc.h"

namespace grpc_xds {
namespace {

using grpc_core::DownCast;
using grpc_core::GrpcXdsBootstrap;
using grpc_core::GrpcXdsClient;
using grpc_core::GrpcXdsServer;
using grpc_core::GrpcXdsServerTarget;
using grpc_core::Json;
using grpc_core::XdsBootstrap;

// The beginning of the targets that the google-c2p resolver makes.
constexpr char kC2pTargets[] = "xds://traffic-director-c2p.xds.googleapis.com/";

Json Text(const std::string& text) { return Json::FromString(text); }

// The host does not keep the configs of credentials as text. The credentials of google-c2p have no
// config.
Json Server(const GrpcXdsServer& server) {
  const auto& target = DownCast<const GrpcXdsServerTarget&>(*server.target());
  Json::Array features;
  if (server.IgnoreResourceDeletion()) features.push_back(Text("ignore_resource_deletion"));
  if (server.FailOnDataErrors()) features.push_back(Text("fail_on_data_errors"));
  if (server.ResourceTimerIsTransientFailure()) {
    features.push_back(Text("resource_timer_is_transient_error"));
  }
  if (server.TrustedXdsServer()) features.push_back(Text("trusted_xds_server"));
  return Json::FromObject({
      {"server_uri", Text(target.server_uri())},
      {"channel_creds", Json::FromArray({Json::FromObject({
                            {"type", Text(std::string(target.channel_creds_config()->type()))},
                        })})},
      {"server_features", Json::FromArray(std::move(features))},
  });
}

template <typename HasServers>
Json Servers(const HasServers& of) {
  Json::Array out;
  for (const XdsBootstrap::XdsServer* server : of.servers()) {
    out.push_back(Server(DownCast<const GrpcXdsServer&>(*server)));
  }
  return Json::FromArray(std::move(out));
}

Json Node(const XdsBootstrap::Node& node) {
  return Json::FromObject({
      {"id", Text(node.id())},
      {"cluster", Text(node.cluster())},
      {"locality", Json::FromObject({{"region", Text(node.locality_region())},
                                     {"zone", Text(node.locality_zone())},
                                     {"sub_zone", Text(node.locality_sub_zone())}})},
      {"metadata", Json::FromObject(node.metadata())},
  });
}

// The host does not keep the text of a bootstrap.
std::string ToJson(const GrpcXdsBootstrap& bootstrap) {
  Json::Object authorities;
  for (const auto& [name, authority] : bootstrap.authorities()) {
    Json::Object out{{"xds_servers", Servers(authority)}};
    if (!authority.client_listener_resource_name_template().empty()) {
      out["client_listener_resource_name_template"] =
          Text(authority.client_listener_resource_name_template());
    }
    authorities[name] = Json::FromObject(std::move(out));
  }
  Json::Object out{{"xds_servers", Servers(bootstrap)},
                   {"authorities", Json::FromObject(std::move(authorities))}};
  if (bootstrap.node() != nullptr) out["node"] = Node(*bootstrap.node());
  if (!bootstrap.client_default_listener_resource_name_template().empty()) {
    out["client_default_listener_resource_name_template"] =
        Text(bootstrap.client_default_listener_resource_name_template());
  }
  return grpc_core::JsonDump(Json::FromObject(std::move(out)));
}

// The host keeps a bootstrap only in its client of that name. If there is no such client, makes one
// with the bootstrap `mine`, and returns false. If `mine` is null, the new client has the bootstrap
// for all targets, which the caller wants then. A client does not connect until it has a watch.
bool BootstrapOfClient(absl::string_view name, std::shared_ptr<GrpcXdsBootstrap> mine,
                       gxds_str* out) {
  grpc_core::ExecCtx exec_ctx;
  auto client =
      GrpcXdsClient::GetOrCreate(name, grpc_core::ChannelArgs(), "grpc_xds bootstrap", mine);
  // The context's destructor takes its address back, which the analyzer does not see.
  if (!client.ok()) return false;  // NOLINT(clang-analyzer-core.StackAddressEscape)
  const XdsBootstrap& bootstrap = (*client)->bootstrap();
  if (&bootstrap == mine.get()) return false;
  const std::string json = ToJson(DownCast<const GrpcXdsBootstrap&>(bootstrap));
  *out = gxds_str_dup(gxds_str_of(json.data(), json.size()));
  return true;
}

}  // namespace

bool TargetBootstrap(gxds_str target, gxds_str* out) {
  const absl::string_view name(target.data, target.size);
  if (!absl::StartsWith(name, kC2pTargets)) return false;
  auto mine = GrpcXdsBootstrap::Create(
      R"({"xds_servers":[{"server_uri":"none","channel_creds":[{"type":"insecure"}]}]})");
  return mine.ok() && BootstrapOfClient(name, *std::move(mine), out);
}

bool FallbackBootstrap(gxds_str* out) {
  return BootstrapOfClient("grpc_xds fallback", nullptr, out);
}

}  // namespace grpc_xds
