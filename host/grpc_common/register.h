// Puts our resolver and policies in the place of the host's, while it builds its configuration.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_REGISTER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_REGISTER_H_

#include "host/grpc_common/core_policy.h"

namespace grpc_xds {

using Builder = grpc_core::CoreConfiguration::Builder;

// Registers all that a process has: ours, and of the host's what stays. Each version of gRPC has
// its own.
void BuildConfiguration(Builder* builder);

// Ours, and those that the program registered.
void RegisterPoliciesInC(Builder* builder);

}  // namespace grpc_xds

#endif
