// Replaces the host's resolver and policies by ours while the host builds its configuration.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_REGISTER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_REGISTER_H_

#include "host/grpc_common/core_policy.h"

namespace grpc_xds {

using Builder = grpc_core::CoreConfiguration::Builder;

// Registers everything: our own parts, and those parts of the host that stay. Each version of gRPC
// has its own function.
void BuildConfiguration(Builder* builder);

// Registers our policies, those that the program registered, and three of the host's own.
void RegisterPolicies(Builder* builder);
// Registers what an "xds:" channel needs besides policies (filters, the resolver, credentials), in
// the order of the host's own xDS.
void RegisterExtraFilters(Builder* builder);

}  // namespace grpc_xds

#endif
