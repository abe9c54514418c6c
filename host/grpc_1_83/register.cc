// Replaces the host's resolver and policies by ours.
//
// The host can't replace a single registration: registering "xds" twice aborts. But it takes a
// whole builder, as long as its registry is not built. So our builder calls every function that the
// host's builder calls (src/core/plugin_registry/), in the same order. It leaves out the xDS
// resolver, and the policies that ours replace.
#include <grpc/support/port_platform.h>

#include "host/grpc_1_83/child_of_fork.h"
#include "host/grpc_common/core_register.h"
#include "host/grpc_common/register.h"
#include "plugin/impl.h"
#include "src/core/handshaker/endpoint_info/endpoint_info_handshaker.h"
#include "src/core/handshaker/http_connect/http_connect_client_handshaker.h"
#include "src/core/handshaker/tcp_connect/tcp_connect_handshaker.h"
#include "src/core/lib/surface/channel_stack_type.h"
#include "src/core/lib/surface/lame_client.h"
#include "src/core/server/server.h"
#include "src/core/server/server_call_tracer_filter.h"

namespace grpc_core {

// Further functions that the host's builder calls. No header has them; the host's builder declares
// them in its source too.
void RegisterBackendMetricFilter(CoreConfiguration::Builder* builder);
void RegisterChttp2Transport(CoreConfiguration::Builder* builder);
void RegisterConnectedChannel(CoreConfiguration::Builder* builder);
void RegisterDefaultCallCreds(CoreConfiguration::Builder* builder);
void RegisterDnsResolver(CoreConfiguration::Builder* builder);
void RegisterFusedFilters(CoreConfiguration::Builder* builder);
void RegisterLegacyChannelIdleFilters(CoreConfiguration::Builder* builder);
void RegisterLoadBalancedCallDestination(CoreConfiguration::Builder* builder);

}  // namespace grpc_core

namespace grpc_xds {
namespace {

// Part of the host's own RegisterBuiltins(), which can't be called from here.
void RegisterBuiltins(Builder* builder) {
  grpc_core::RegisterServerCallTracerFilter(builder);
  builder->channel_init()
      ->RegisterV2Filter<grpc_core::LameClientFilter>(GRPC_CLIENT_LAME_CHANNEL)
      .Terminal();
  for (grpc_channel_stack_type type : {GRPC_SERVER_CHANNEL, GRPC_SERVER_VIRTUAL_CHANNEL}) {
    builder->channel_init()
        ->RegisterFilter(type, &grpc_core::Server::kServerTopFilter)
        .SkipV3()
        .BeforeAll();
  }
}

}  // namespace

void BuildConfiguration(Builder* builder) {
  RegisterRenewForChild(builder);
  grpc_event_engine::experimental::RegisterEventEngineChannelArgPreconditioning(builder);
  RegisterRememberForChild(builder);
  // The TCP handshaker comes last, because it is put at the front of the list.
  grpc_core::RegisterEndpointInfoHandshaker(builder);
  grpc_core::RegisterHttpConnectClientHandshaker(builder);
  grpc_core::RegisterTCPConnectHandshaker(builder);
  grpc_core::RegisterChttp2Transport(builder);
  RegisterPolicies(builder);
  grpc_core::BuildClientChannelConfiguration(builder);
  grpc_core::SecurityRegisterHandshakerFactories(builder);
  grpc_core::RegisterClientAuthorityFilter(builder);
  grpc_core::RegisterLegacyChannelIdleFilters(builder);
  grpc_core::RegisterConnectedChannel(builder);
  grpc_core::RegisterGrpcLbPolicy(builder);
  grpc_core::RegisterHttpFilters(builder);
  grpc_core::RegisterMessageSizeFilter(builder);
  grpc_core::RegisterServiceConfigChannelArgFilter(builder);
  grpc_core::RegisterResourceQuota(builder);
  grpc_core::RegisterDnsResolver(builder);
  grpc_core::RegisterSockaddrResolver(builder);
  grpc_core::RegisterFakeResolver(builder);
  grpc_core::RegisterHttpProxyMapper(builder);
  grpc_core::RegisterLoadBalancedCallDestination(builder);
  grpc_core::RegisterRlsLbPolicy(builder);
  // Last, so that these filters always have the same place.
  grpc_core::RegisterBackendMetricFilter(builder);
  grpc_core::RegisterSecurityFilters(builder);
  grpc_core::RegisterDefaultCallCreds(builder);
  RegisterExtraFilters(builder);
  grpc_core::RegisterFusedFilters(builder);
  RegisterBuiltins(builder);
}

}  // namespace grpc_xds

const char gxds_impl_host_version[] = "56.0.0";
const bool gxds_impl_host_dumps_by_client = true;
