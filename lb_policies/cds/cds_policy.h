// The cds_experimental LB policy (A74, A75): looks its cluster up in the snapshot and builds the
// tree below it: cluster_impl over priority for a leaf, below outlier_detection when
// that is configured (A50), or priority over one cds per leaf for an aggregate. Under the channel's
// WorkSerializer.
#ifndef GRPC_XDS_LB_POLICIES_CDS_CDS_POLICY_H_
#define GRPC_XDS_LB_POLICIES_CDS_CDS_POLICY_H_

#include <grpc/support/port_platform.h>

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kCdsPolicyName = "cds_experimental";

class CdsConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  // is_dynamic: the cluster is not known to the route configuration (a cluster specifier plugin
  // named it), so the policy subscribes to it (A74).
  CdsConfig(std::string cluster, bool is_dynamic)
      : cluster_(std::move(cluster)), is_dynamic_(is_dynamic) {}

  absl::string_view name() const override { return kCdsPolicyName; }
  const std::string& cluster() const { return cluster_; }
  bool is_dynamic() const { return is_dynamic_; }

 private:
  std::string cluster_;
  bool is_dynamic_;
};

void RegisterCdsLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
