#include "lb_policies/round_robin/round_robin_policy.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/random.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/round_robin/endpoints_policy.h"
#include "lb_policies/weighted_locality/wheel.h"
#include "src/core/lib/json/json.h"

namespace grpc_xds {

using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;

namespace {

struct TurnsUnref {
  void operator()(gxds_turns* t) const { gxds_turns_unref(t); }
};
using TurnsRef = std::unique_ptr<gxds_turns, TurnsUnref>;

// Immutable but for the count of turns, which is atomic and goes on from picker to picker.
class RoundRobinPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  RoundRobinPicker(std::vector<RefCountedPtr<SubchannelInterface>> subchannels, gxds_turns* turns)
      : subchannels_(std::move(subchannels)), turns_(gxds_turns_ref(turns)) {}

  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs) override {
    return LoadBalancingPolicy::PickResult::Complete(
        subchannels_[gxds_turns_next(turns_.get()) % subchannels_.size()]);
  }

 private:
  const std::vector<RefCountedPtr<SubchannelInterface>> subchannels_;
  const TurnsRef turns_;
};

class RoundRobinPolicy : public EndpointsPolicy {
 public:
  explicit RoundRobinPolicy(Args args)
      : EndpointsPolicy(std::move(args)), turns_(gxds_turns_create(gxds_random_seed())) {}

  absl::string_view name() const override { return kRoundRobinPolicy; }
  absl::Status UpdateLocked(UpdateArgs args) override;

 private:
  grpc_core::ServerAddress AddressAt(uint32_t position) override {
    return AddressOf(locality_.get(), position);
  }
  std::unique_ptr<SubchannelPicker> MakePicker(const uint64_t* tokens, size_t count) override;

  const TurnsRef turns_;
  CRef<gxds_locality> locality_;  // of the last update
};

absl::Status RoundRobinPolicy::UpdateLocked(UpdateArgs update) {
  const auto* locality = static_cast<const RoundRobinConfig*>(update.config.get())->locality();
  const bool renew = updated() && args() != update.args;
  locality_.reset(gxds_locality_ref(locality));
  return UpdateEndpoints(locality->endpoints, locality->endpoint_count, renew,
                         std::move(update.args), std::move(update.resolution_note));
}

std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> RoundRobinPolicy::MakePicker(
    const uint64_t* tokens, size_t count) {
  std::vector<RefCountedPtr<SubchannelInterface>> subchannels;
  subchannels.reserve(count);
  for (size_t i = 0; i < count; ++i) subchannels.push_back(SubchannelOf(tokens[i]));
  return std::make_unique<RoundRobinPicker>(std::move(subchannels), turns_.get());
}

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const grpc_core::Json&) {
  return absl::InvalidArgumentError(
      absl::StrCat("field:loadBalancingPolicy error:", kRoundRobinPolicy,
                   " cannot be configured: it is what round_robin becomes inside a locality. Use "
                   "round_robin."));
}

}  // namespace

void RegisterOurRoundRobinLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<RoundRobinPolicy>(builder, kRoundRobinPolicy, ParseConfig);
}

}  // namespace grpc_xds
