// Policies in C, as the host has them: one class carries them all out.
#ifndef GRPC_XDS_HOST_GRPC_1_51_POLICY_H_
#define GRPC_XDS_HOST_GRPC_1_51_POLICY_H_

#include <grpc/support/port_platform.h>

#include "host/policy.h"
#include "src/core/lib/config/core_configuration.h"

namespace grpc_xds {

// type: borrow, for good.
void RegisterPolicyInC(grpc_core::CoreConfiguration::Builder* builder,
                       const gxds_policy_type* type);

}  // namespace grpc_xds

#endif
