// Replaces the host's resolver and policies by ours.
//
// The host can't replace a single registration: registering "xds" twice aborts. But it takes a
// whole builder, as long as its registry is not built. So our builder calls everything that the
// host's calls (src/core/plugin_registry/), in the same order, except the xDS resolver, the xDS
// policies, and two policies that are not sound: ring_hash and outlier_detection.
#include <grpc/support/port_platform.h>

#include "host/grpc_1_51/child_of_fork.h"
#include "host/grpc_common/http_proxy.h"
#include "host/grpc_common/register.h"
#include "host/grpc_common/resolver.h"
#include "plugin/impl.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/surface/builtins.h"
#include "src/core/lib/transport/http_connect_handshaker.h"
#include "src/core/lib/transport/tcp_connect_handshaker.h"
#include "xds_resolver/xds_resolver.h"

namespace grpc_event_engine {
namespace experimental {
void RegisterEventEngineChannelArgPreconditioning(grpc_core::CoreConfiguration::Builder* builder);
}  // namespace experimental
}  // namespace grpc_event_engine

namespace grpc_core {

// The functions that the host's builder calls. It declares them in place as well.
void BuildClientChannelConfiguration(CoreConfiguration::Builder* builder);
void FaultInjectionFilterRegister(CoreConfiguration::Builder* builder);
void RbacFilterRegister(CoreConfiguration::Builder* builder);
void RegisterAresDnsResolver(CoreConfiguration::Builder* builder);
void RegisterChannelDefaultCreds(CoreConfiguration::Builder* builder);
void RegisterChannelIdleFilters(CoreConfiguration::Builder* builder);
void RegisterClientAuthorityFilter(CoreConfiguration::Builder* builder);
void RegisterCloud2ProdResolver(CoreConfiguration::Builder* builder);
void RegisterDeadlineFilter(CoreConfiguration::Builder* builder);
void RegisterFakeResolver(CoreConfiguration::Builder* builder);
void RegisterFileWatcherCertificateProvider(CoreConfiguration::Builder* builder);
void RegisterGrpcLbPolicy(CoreConfiguration::Builder* builder);
void RegisterHttpFilters(CoreConfiguration::Builder* builder);
void RegisterHttpProxyMapper(CoreConfiguration::Builder* builder);
void RegisterMessageSizeFilter(CoreConfiguration::Builder* builder);
void RegisterNativeDnsResolver(CoreConfiguration::Builder* builder);
void RegisterPickFirstLbPolicy(CoreConfiguration::Builder* builder);
void RegisterResourceQuota(CoreConfiguration::Builder* builder);
void RegisterRlsLbPolicy(CoreConfiguration::Builder* builder);
void RegisterRoundRobinLbPolicy(CoreConfiguration::Builder* builder);
void RegisterSecurityFilters(CoreConfiguration::Builder* builder);
void RegisterServiceConfigChannelArgFilter(CoreConfiguration::Builder* builder);
void RegisterSockaddrResolver(CoreConfiguration::Builder* builder);
void RegisterWeightedTargetLbPolicy(CoreConfiguration::Builder* builder);
void RegisterXdsChannelStackModifier(CoreConfiguration::Builder* builder);
void SecurityRegisterHandshakerFactories(CoreConfiguration::Builder* builder);

}  // namespace grpc_core

namespace grpc_xds {
namespace {

// Registers everything that can handle an "xds:" channel, in the order of the host's.
void RegisterExtraFilters(Builder* builder) {
  grpc_core::RbacFilterRegister(builder);
  grpc_core::RegisterXdsChannelStackModifier(builder);
  grpc_core::RegisterChannelDefaultCreds(builder);
  RegisterResolverInC(builder, &gxds_xds_resolver);
  grpc_core::RegisterCloud2ProdResolver(builder);
  grpc_core::RegisterFileWatcherCertificateProvider(builder);
  RegisterEndpointProxies(builder);
}

}  // namespace

void BuildConfiguration(Builder* builder) {
  // Without this one, channel creation crashes.
  grpc_event_engine::experimental::RegisterEventEngineChannelArgPreconditioning(builder);
  RegisterChildOfFork(builder);
  // The TCP handshaker last: it is put at the front of the list.
  grpc_core::RegisterHttpConnectHandshaker(builder);
  grpc_core::RegisterTCPConnectHandshaker(builder);
  RegisterPoliciesInC(builder);
  grpc_core::RegisterWeightedTargetLbPolicy(builder);
  grpc_core::RegisterPickFirstLbPolicy(builder);
  grpc_core::RegisterRoundRobinLbPolicy(builder);
  grpc_core::BuildClientChannelConfiguration(builder);
  grpc_core::SecurityRegisterHandshakerFactories(builder);
  grpc_core::RegisterClientAuthorityFilter(builder);
  grpc_core::RegisterChannelIdleFilters(builder);
  grpc_core::RegisterGrpcLbPolicy(builder);
  grpc_core::RegisterHttpFilters(builder);
  grpc_core::RegisterDeadlineFilter(builder);
  grpc_core::RegisterMessageSizeFilter(builder);
  grpc_core::RegisterServiceConfigChannelArgFilter(builder);
  grpc_core::RegisterResourceQuota(builder);
  grpc_core::FaultInjectionFilterRegister(builder);
  grpc_core::RegisterAresDnsResolver(builder);
  grpc_core::RegisterNativeDnsResolver(builder);
  grpc_core::RegisterSockaddrResolver(builder);
  grpc_core::RegisterFakeResolver(builder);
  grpc_core::RegisterHttpProxyMapper(builder);
  grpc_core::RegisterRlsLbPolicy(builder);
  // Last, so that they get a consistent place.
  grpc_core::RegisterSecurityFilters(builder);
  RegisterExtraFilters(builder);
  RegisterInheritedChannel(builder);
  grpc_core::RegisterBuiltins(builder);
}

}  // namespace grpc_xds

const char gxds_impl_host_version[] = "29.0.0";
const bool gxds_impl_host_dumps_by_client = false;
