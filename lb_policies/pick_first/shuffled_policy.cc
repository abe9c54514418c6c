#include "lb_policies/pick_first/shuffled_policy.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/random.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/parent/child_config.h"
#include "lb_policies/parent/one_child_policy.h"
#include "lb_policies/pick_first/shuffle.h"
#include "src/core/lib/json/json.h"

namespace grpc_core {
// The host's: what its child is most of the time.
extern TraceFlag grpc_lb_pick_first_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::ServerAddressList;

namespace {

class ShuffledPolicy : public OneChildPolicy {
 public:
  explicit ShuffledPolicy(Args args)
      : OneChildPolicy(std::move(args)), random_{gxds_random_seed()} {}

  absl::string_view name() const override { return kShuffledPolicy; }
  absl::Status UpdateLocked(UpdateArgs update) override;

 private:
  gxds_random random_;
  ServerAddressList given_;  // the list of the last update, as it came
  std::vector<size_t> order_;
};

absl::Status ShuffledPolicy::UpdateLocked(UpdateArgs update) {
  update.config = static_cast<const ShuffledConfig*>(update.config.get())->child();
  if (update.addresses.ok()) {
    // A62: for a new list. Another update of the same one moves no connection.
    if (*update.addresses != given_) {
      given_ = *update.addresses;
      order_.resize(given_.size());
      gxds_shuffle(order_.data(), order_.size(), &random_);
    }
    update.addresses->clear();
    for (size_t place : order_) update.addresses->push_back(given_[place]);
  }
  return PassToChild(std::move(update), &grpc_core::grpc_lb_pick_first_trace);
}

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  grpc_core::ValidationErrors errors;
  auto child = ParseChildConfig(json, "childPolicy", &errors);
  if (!errors.ok()) return errors.status("errors validating grpc_xds_shuffled LB policy config");
  return grpc_core::MakeRefCounted<ShuffledConfig>(std::move(child));
}

}  // namespace

void RegisterShuffledLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<ShuffledPolicy>(builder, kShuffledPolicy, ParseConfig);
}

}  // namespace grpc_xds
