// The weighted_round_robin LB policy (A58): as round_robin, but that each endpoint gets RPCs by the
// weight that it earns with the load it reports: with its answers, or out of band (A51). It needs
// nothing of xDS.
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_WEIGHTED_ROUND_ROBIN_POLICY_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_WEIGHTED_ROUND_ROBIN_POLICY_H_

#include <grpc/support/port_platform.h>

#include "absl/strings/string_view.h"
#include "base/time.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kWeightedRoundRobinPolicy = "weighted_round_robin";

// The defaults are A58's.
struct WeightedRoundRobinSettings {
  // How often reports out of band are asked for, in place of those with answers; GXDS_TIME_NEVER:
  // not at all.
  gxds_duration oob_reporting_period = GXDS_TIME_NEVER;
  gxds_duration blackout_period = 10 * GXDS_SECOND;
  gxds_duration weight_expiration_period = 180 * GXDS_SECOND;
  gxds_duration weight_update_period = GXDS_SECOND;
  double error_utilization_penalty = 1;
};

class WeightedRoundRobinConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  explicit WeightedRoundRobinConfig(const WeightedRoundRobinSettings& settings)
      : settings_(settings) {}

  absl::string_view name() const override { return kWeightedRoundRobinPolicy; }
  const WeightedRoundRobinSettings& settings() const { return settings_; }

 private:
  const WeightedRoundRobinSettings settings_;
};

void RegisterWeightedRoundRobinLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
