#include <grpc/support/port_platform.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "host/grpc_common/core_credentials.h"
#include "host/grpc_common/services.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/xds/grpc/certificate_provider_store.h"

namespace grpc_xds {

using grpc_core::CoreConfiguration;

// 1.83 draws a backoff from 0.8 to 1.2 times the policy's, in whole milliseconds. If the result is
// zero, the retry runs at once and has no timer handle. The retry filter takes the missing handle
// for a cancelled timer, and the RPC hangs.
const gxds_duration kShortestRetryBackoff = 2 * GXDS_MILLISECOND;

void CredsCheck(gxds_str type, gxds_str config_json, const gxds_path* at, gxds_errors* errors) {
  auto config = ParseConfigText(config_json);
  grpc_core::ValidationErrors wrong;
  if (config.ok() &&
      CoreConfiguration::Get().channel_creds_registry().ParseConfig(
          Text(type), *config, grpc_core::JsonArgs(), &wrong) != nullptr &&
      wrong.ok()) {
    return;
  }
  const std::string what =
      absl::StrCat("invalid config for channel creds type \"", Text(type), "\"");
  gxds_errors_add(errors, at, "%s", (wrong.ok() ? what : wrong.message(what)).c_str());
}

grpc_channel_credentials* CredsCreate(gxds_str type, gxds_str config_json) {
  auto config = ParseConfigText(config_json);
  if (!config.ok()) return nullptr;
  const auto& registry = CoreConfiguration::Get().channel_creds_registry();
  grpc_core::ValidationErrors wrong;
  auto parsed = registry.ParseConfig(Text(type), *config, grpc_core::JsonArgs(), &wrong);
  if (parsed == nullptr || !wrong.ok()) return nullptr;
  // The map of certificate providers for configs that name a provider. No config in a bootstrap
  // does so.
  auto no_providers = grpc_core::MakeRefCounted<grpc_core::CertificateProviderStore>(
      grpc_core::CertificateProviderStore::PluginDefinitionMap());
  return registry.CreateChannelCreds(std::move(parsed), *no_providers).release();
}

bool TracesEngine(gxds_trace trace) {
  return trace == GXDS_TRACE_XDS_CLIENT && GRPC_TRACE_FLAG_ENABLED(xds_client);
}

}  // namespace grpc_xds
