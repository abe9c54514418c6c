// Replaces the host's resolver and policies by ours.
//
// The host can't replace a single registration: registering "xds" twice aborts. But it takes a
// whole builder, as long as its registry is not built. So our builder calls every function that the
// host's builder calls (src/core/plugin_registry/), in the same order. It leaves out the xDS
// resolver, the xDS policies, and two policies with bugs: ring_hash and outlier_detection.
#include <grpc/support/port_platform.h>

#include "host/grpc_1_51/child_of_fork.h"
#include "host/grpc_common/core_register.h"
#include "host/grpc_common/register.h"
#include "plugin/impl.h"
#include "src/core/lib/surface/builtins.h"
#include "src/core/lib/transport/http_connect_handshaker.h"
#include "src/core/lib/transport/tcp_connect_handshaker.h"

namespace grpc_core {

// Further functions that the host's builder calls. No header has them; the host's builder declares
// them in its source too.
void FaultInjectionFilterRegister(CoreConfiguration::Builder* builder);
void RegisterAresDnsResolver(CoreConfiguration::Builder* builder);
void RegisterChannelIdleFilters(CoreConfiguration::Builder* builder);
void RegisterDeadlineFilter(CoreConfiguration::Builder* builder);
void RegisterNativeDnsResolver(CoreConfiguration::Builder* builder);

}  // namespace grpc_core

namespace grpc_xds {
void BuildConfiguration(Builder* builder) {
  // Without this call, the creation of a channel crashes.
  grpc_event_engine::experimental::RegisterEventEngineChannelArgPreconditioning(builder);
  RegisterChildOfFork(builder);
  // The TCP handshaker comes last, because it is put at the front of the list.
  grpc_core::RegisterHttpConnectHandshaker(builder);
  grpc_core::RegisterTCPConnectHandshaker(builder);
  RegisterPolicies(builder);
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
  // Last, so that these filters always have the same place.
  grpc_core::RegisterSecurityFilters(builder);
  RegisterExtraFilters(builder);
  RegisterInheritedChannel(builder);
  grpc_core::RegisterBuiltins(builder);
}

}  // namespace grpc_xds

const char gxds_impl_host_version[] = "29.0.0";
const bool gxds_impl_host_dumps_by_client = false;
