// The xds_cluster_manager_experimental LB policy (A28): one child per cluster in use, chosen per
// RPC by the cluster name that the ConfigSelector left in the call's attributes. The children are
// the roots of the snapshot, and the policies of its cluster specifier plugins; a JSON config may
// add others. Under the channel's WorkSerializer; its pickers under the data-plane mutex.
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_CLUSTER_MANAGER_POLICY_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_CLUSTER_MANAGER_POLICY_H_

#include <grpc/support/port_platform.h>

#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kClusterManagerPolicyName = "xds_cluster_manager_experimental";

class ClusterManagerConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  using Children =
      std::map<std::string, grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>>;

  ClusterManagerConfig() = default;
  // children: beside those of the snapshot's roots, by the name that RPCs carry.
  explicit ClusterManagerConfig(Children children) : children_(std::move(children)) {}

  absl::string_view name() const override { return kClusterManagerPolicyName; }
  const Children& children() const { return children_; }

 private:
  Children children_;
};

void RegisterClusterManagerLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
