// The outlier_detection_experimental LB policy (A50): addresses that fail too often are shown to
// the policies below as failed, for a while. In the place of the host's, which would use what
// pick_first below it has freed, and which needs the list of all addresses at each update.
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIER_DETECTION_POLICY_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_OUTLIER_DETECTION_POLICY_H_

#include <grpc/support/port_platform.h>

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "resources/outlier_detection.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kOutlierDetectionPolicy = "outlier_detection_experimental";

class OutlierDetectionConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  // cluster: whose endpoints in the snapshot are the addresses; empty: those of the update are.
  OutlierDetectionConfig(std::string cluster, const gxds_outlier_detection& settings,
                         grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> child)
      : cluster_(std::move(cluster)), settings_(settings), child_(std::move(child)) {}

  absl::string_view name() const override { return kOutlierDetectionPolicy; }
  const std::string& cluster() const { return cluster_; }
  const gxds_outlier_detection& settings() const { return settings_; }
  const grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>& child() const {
    return child_;
  }

 private:
  const std::string cluster_;
  const gxds_outlier_detection settings_;
  const grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> child_;
};

void RegisterOutlierDetectionLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
