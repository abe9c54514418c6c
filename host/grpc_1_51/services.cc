#include "host/grpc_common/services.h"

#include <grpc/support/port_platform.h>

#include "host/grpc_common/core_credentials.h"
#include "src/core/lib/debug/trace.h"

namespace grpc_core {
// The host's own flag, so that GRPC_TRACE=xds_client still works.
extern TraceFlag grpc_xds_client_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::CoreConfiguration;

const gxds_duration kShortestRetryBackoff = 0;

void CredsCheck(gxds_str type, gxds_str config_json, const gxds_path* at, gxds_errors* errors) {
  const auto& registry = CoreConfiguration::Get().channel_creds_registry();
  auto config = ParseConfigText(config_json);
  if (config.ok() && registry.IsValidConfig(Text(type), *config)) return;
  gxds_errors_add(errors, at, "invalid config for channel creds type \"%.*s\"", GXDS_STR_ARG(type));
}

grpc_channel_credentials* CredsCreate(gxds_str type, gxds_str config_json) {
  auto config = ParseConfigText(config_json);
  if (!config.ok()) return nullptr;
  const auto& registry = CoreConfiguration::Get().channel_creds_registry();
  return registry.CreateChannelCreds(Text(type), *config).release();
}

bool TracesEngine(gxds_trace trace) {
  return trace == GXDS_TRACE_XDS_CLIENT &&
         GRPC_TRACE_FLAG_ENABLED(grpc_core::grpc_xds_client_trace);
}

}  // namespace grpc_xds
