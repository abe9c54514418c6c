// The policy "grpc_xds_shuffled": a child that gets its addresses in a random order. With the
// host's pick_first as the child it is what A62 calls pick_first with shuffleAddressList, which the
// host's does not know.
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLED_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLED_POLICY_H_

#include <grpc/support/port_platform.h>

#include <utility>

#include "absl/strings/string_view.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kShuffledPolicy = "grpc_xds_shuffled";

class ShuffledConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  using Config = grpc_core::LoadBalancingPolicy::Config;

  explicit ShuffledConfig(grpc_core::RefCountedPtr<Config> child) : child_(std::move(child)) {}

  absl::string_view name() const override { return kShuffledPolicy; }
  const grpc_core::RefCountedPtr<Config>& child() const { return child_; }

 private:
  const grpc_core::RefCountedPtr<Config> child_;
};

void RegisterShuffledLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
