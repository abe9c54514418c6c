// The "xds" resolver: what the C side of this folder resolves, in gRPC's own terms.
#ifndef GRPC_XDS_HOST_GRPC_1_51_XDS_RESOLVER_H_
#define GRPC_XDS_HOST_GRPC_1_51_XDS_RESOLVER_H_

#include <grpc/support/port_platform.h>

#include "src/core/lib/config/core_configuration.h"

namespace grpc_xds {

// Registers the resolver for URIs with the scheme "xds".
void RegisterXdsResolver(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
