// The xds_cluster_impl_experimental LB policy: drops, circuit breaking (A32) and load reports of
// one leaf cluster. Under the channel's WorkSerializer; its pickers under the data-plane mutex.
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_IMPL_POLICY_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_IMPL_POLICY_H_

#include <grpc/support/port_platform.h>

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kClusterImplPolicyName = "xds_cluster_impl_experimental";

// Drop categories, limits and the LRS server are in the snapshot, under the cluster's name.
class ClusterImplConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  ClusterImplConfig(std::string cluster,
                    grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> child)
      : cluster_(std::move(cluster)), child_(std::move(child)) {}

  absl::string_view name() const override { return kClusterImplPolicyName; }
  const std::string& cluster() const { return cluster_; }
  const grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>& child() const {
    return child_;
  }

 private:
  std::string cluster_;
  grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> child_;
};

void RegisterClusterImplLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
