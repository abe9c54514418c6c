// The leaf policy inside a locality whose cluster balances by ROUND_ROBIN: "grpc_xds_round_robin".
// It takes the locality itself, not a list of addresses, and carries out what round_robin.h
// decides. The host's round_robin stays for everybody else.
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ROUND_ROBIN_POLICY_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ROUND_ROBIN_POLICY_H_

#include <grpc/support/port_platform.h>

#include <utility>

#include "absl/strings/string_view.h"
#include "lb_policies/attributes/attributes.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kRoundRobinPolicy = "grpc_xds_round_robin";

// Immutable: any thread.
class RoundRobinConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  // Takes a reference of its own on the locality.
  explicit RoundRobinConfig(const gxds_locality* locality)
      : locality_(gxds_locality_ref(locality)) {}

  absl::string_view name() const override { return kRoundRobinPolicy; }
  const gxds_locality* locality() const { return locality_.get(); }

 private:
  const CRef<gxds_locality> locality_;
};

void RegisterOurRoundRobinLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
