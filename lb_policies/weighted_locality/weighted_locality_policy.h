// The locality-picking policy as the host sees it: "xds_wrr_locality_experimental". It takes the
// localities of its Slice and carries out what weighted_locality.h decides: one leaf
// policy per locality, picked by weight. A round_robin leaf is one of ours (round_robin_policy.h).
//
// Without a slice (outside of our own tree) it reports TRANSIENT_FAILURE.
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WEIGHTED_LOCALITY_POLICY_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WEIGHTED_LOCALITY_POLICY_H_

#include <grpc/support/port_platform.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "lb_policies/attributes/attributes.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kWeightedLocalityPolicy = "xds_wrr_locality_experimental";

// The part of a leaf cluster that is below one child of priority: its cluster's entry and the
// number of the priority in entry->endpoints. Borrow.
struct Slice {
  const gxds_cluster_entry* entry = nullptr;  // null: there is no slice
  size_t priority = 0;
  // Null when there is none (no endpoints, or fewer priorities than that).
  const gxds_priority* Priority() const {
    if (entry == nullptr || entry->endpoints == nullptr) return nullptr;
    if (priority >= entry->endpoints->priority_count) return nullptr;
    return &entry->endpoints->priorities[priority];
  }
};

// Immutable: any thread.
class WeightedLocalityConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  // child: the policy inside each locality. Takes references of its own on the localities of slice,
  // and on nothing else there: a policy that is kept though its priority is gone (A56) must not
  // keep the whole resource. Of what is parsed there is no slice: priority adds it for each of its
  // children.
  explicit WeightedLocalityConfig(
      grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> child,
      const Slice& slice = {});

  absl::string_view name() const override { return kWeightedLocalityPolicy; }
  const grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>& child() const {
    return child_;
  }
  bool has_slice() const { return has_slice_; }
  const std::string& cluster() const { return cluster_; }
  // As long as this lives.
  const gxds_priority& priority() const { return priority_; }

 private:
  const grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> child_;
  const bool has_slice_;
  const std::string cluster_;
  std::vector<CRef<gxds_locality>> localities_;
  std::vector<const gxds_locality*> list_;
  gxds_priority priority_;
};

void RegisterWeightedLocalityLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
