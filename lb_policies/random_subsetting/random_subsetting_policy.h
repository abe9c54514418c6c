// The policy "random_subsetting_experimental" (A68): a child that gets so many of the addresses,
// chosen by subset.h with a seed of the policy's own. For any address list, xDS or not.
#ifndef GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_RANDOM_SUBSETTING_POLICY_H_
#define GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_RANDOM_SUBSETTING_POLICY_H_

#include <grpc/support/port_platform.h>

#include "absl/strings/string_view.h"
#include "src/core/lib/config/core_configuration.h"

namespace grpc_xds {

inline constexpr absl::string_view kRandomSubsettingPolicy = "random_subsetting_experimental";

void RegisterRandomSubsettingLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
