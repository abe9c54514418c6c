// The least_request_experimental LB policy (A48): as round_robin, but that each RPC goes to the one
// of a few endpoints that has the fewest RPCs on their way. It needs nothing of xDS.
#ifndef GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_LEAST_REQUEST_LEAST_REQUEST_POLICY_H_

#include <grpc/support/port_platform.h>
#include <stdint.h>

#include "absl/strings/string_view.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

inline constexpr absl::string_view kLeastRequestPolicy = "least_request_experimental";

class LeastRequestConfig : public grpc_core::LoadBalancingPolicy::Config {
 public:
  // choices: how many endpoints are drawn for an RPC.
  explicit LeastRequestConfig(uint32_t choices) : choices_(choices) {}

  absl::string_view name() const override { return kLeastRequestPolicy; }
  uint32_t choices() const { return choices_; }

 private:
  const uint32_t choices_;
};

void RegisterLeastRequestLbPolicy(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
