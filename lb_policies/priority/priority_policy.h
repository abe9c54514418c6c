// The priority policy (A56) as the host sees it: "priority_experimental". It carries out what
// priority.h decides.
//
// Children take their parts of the snapshot by {cluster, priority}. A config that was parsed from
// JSON has no cluster: then children are given the addresses that the hierarchical path of each
// address names, as the host's own policy of this name does.
#ifndef GRPC_XDS_LB_POLICIES_PRIORITY_PRIORITY_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PRIORITY_PRIORITY_POLICY_H_

#include <grpc/support/port_platform.h>

#include <stddef.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kPriorityPolicy = "priority_experimental";

// Immutable: any thread.
class PriorityConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  struct Child {
    std::string name;  // the child's identity: it stays while its place in the order changes
    grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> config;
    bool ignore_reresolution_requests = false;
    // The number in the cluster's endpoints resource that the child serves (its Slice). None: the
    // child gets all that the policy itself was given (aggregate clusters).
    absl::optional<size_t> priority;
  };

  // cluster: the leaf cluster whose slices the children take; empty for an aggregate (its children
  // are cds policies). children: in order of priority; of those with the same name the first
  // counts.
  PriorityConfig(std::string cluster, std::vector<Child> children)
      : cluster_(std::move(cluster)), children_(std::move(children)) {}

  absl::string_view name() const override { return kPriorityPolicy; }
  const std::string& cluster() const { return cluster_; }
  const std::vector<Child>& children() const { return children_; }

 private:
  const std::string cluster_;
  const std::vector<Child> children_;
};

void RegisterPriorityLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
