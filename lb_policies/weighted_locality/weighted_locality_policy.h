// The locality-picking policy as the host sees it: "xds_wrr_locality_experimental". It takes the
// localities of its Slice (attributes.h) and carries out what weighted_locality.h decides: one leaf
// policy per locality, picked by weight. A round_robin leaf is one of ours (round_robin_policy.h).
//
// Without a slice (outside of our own tree) it reports TRANSIENT_FAILURE.
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WEIGHTED_LOCALITY_POLICY_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WEIGHTED_LOCALITY_POLICY_H_

#include <grpc/support/port_platform.h>

#include <utility>

#include "absl/strings/string_view.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kWeightedLocalityPolicy = "xds_wrr_locality_experimental";

// Immutable: any thread.
class WeightedLocalityConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  // child: the policy inside each locality.
  explicit WeightedLocalityConfig(
      grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> child)
      : child_(std::move(child)) {}

  absl::string_view name() const override { return kWeightedLocalityPolicy; }
  const grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>& child() const {
    return child_;
  }

 private:
  const grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> child_;
};

void RegisterWeightedLocalityLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
