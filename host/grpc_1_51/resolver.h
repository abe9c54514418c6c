// Resolvers in C, as the host has them: one class carries them all out.
#ifndef GRPC_XDS_HOST_GRPC_1_51_RESOLVER_H_
#define GRPC_XDS_HOST_GRPC_1_51_RESOLVER_H_

#include <grpc/support/port_platform.h>

#include "host/resolver.h"
#include "src/core/lib/config/core_configuration.h"

namespace grpc_xds {

// For URIs with the type's scheme. type: borrow, for good.
void RegisterResolverInC(grpc_core::CoreConfiguration::Builder* builder,
                         const gxds_resolver_type* type);

}  // namespace grpc_xds

#endif
