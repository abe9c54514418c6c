// The functions of each gRPC that its builder of the core's configuration calls. No header of gRPC
// has them.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_REGISTER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_REGISTER_H_

#include "host/grpc_common/core.h"

namespace grpc_event_engine {
namespace experimental {
void RegisterEventEngineChannelArgPreconditioning(grpc_core::CoreConfiguration::Builder* builder);
}  // namespace experimental
}  // namespace grpc_event_engine

namespace grpc_core {

void BuildClientChannelConfiguration(CoreConfiguration::Builder* builder);
void RbacFilterRegister(CoreConfiguration::Builder* builder);
void RegisterChannelDefaultCreds(CoreConfiguration::Builder* builder);
void RegisterClientAuthorityFilter(CoreConfiguration::Builder* builder);
void RegisterCloud2ProdResolver(CoreConfiguration::Builder* builder);
void RegisterFakeResolver(CoreConfiguration::Builder* builder);
void RegisterFileWatcherCertificateProvider(CoreConfiguration::Builder* builder);
void RegisterGrpcLbPolicy(CoreConfiguration::Builder* builder);
void RegisterHttpFilters(CoreConfiguration::Builder* builder);
void RegisterHttpProxyMapper(CoreConfiguration::Builder* builder);
void RegisterMessageSizeFilter(CoreConfiguration::Builder* builder);
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

#endif
