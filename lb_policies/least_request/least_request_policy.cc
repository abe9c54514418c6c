#include "lb_policies/least_request/least_request_policy.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/random.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/least_request/least_request.h"
#include "lb_policies/round_robin/address_list_policy.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/json/json_args.h"
#include "src/core/lib/json/json_object_loader.h"

namespace grpc_xds {

using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;

namespace {

struct ActiveUnref {
  void operator()(gxds_active_requests* a) const { gxds_active_requests_unref(a); }
};
using ActiveRef = std::unique_ptr<gxds_active_requests, ActiveUnref>;

gxds_random* Random() {
  thread_local gxds_random random = {gxds_random_seed()};
  return &random;
}

// The host calls Start when the attempt goes to the backend, Finish when it is over; it may drop
// the tracker before either.
class ActiveTracker : public LoadBalancingPolicy::SubchannelCallTrackerInterface {
 public:
  explicit ActiveTracker(ActiveRef active) : active_(std::move(active)) {}
  ~ActiveTracker() override { End(); }

  void Start() override {
    gxds_active_requests_begin(active_.get());
    begun_ = true;
  }
  void Finish(FinishArgs) override { End(); }

 private:
  void End() {
    if (begun_) gxds_active_requests_end(active_.get());
    begun_ = false;
  }

  const ActiveRef active_;
  bool begun_ = false;
};

class LeastRequestPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  explicit LeastRequestPicker(uint32_t choices) : choices_(choices) {}
  ~LeastRequestPicker() override {
    for (gxds_active_requests* a : active_) gxds_active_requests_unref(a);
  }

  void Add(RefCountedPtr<SubchannelInterface> subchannel, gxds_active_requests* active) {
    subchannels_.push_back(std::move(subchannel));
    active_.push_back(gxds_active_requests_ref(active));
  }

  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs) override {
    size_t chosen = gxds_least_request_choose(active_.data(), active_.size(), choices_, Random());
    ActiveRef active(gxds_active_requests_ref(active_[chosen]));
    return LoadBalancingPolicy::PickResult::Complete(
        subchannels_[chosen], std::make_unique<ActiveTracker>(std::move(active)));
  }

 private:
  const uint32_t choices_;
  std::vector<RefCountedPtr<SubchannelInterface>> subchannels_;
  std::vector<gxds_active_requests*> active_;  // a reference each
};

class LeastRequestPolicy : public AddressListPolicy {
 public:
  explicit LeastRequestPolicy(Args args) : AddressListPolicy(std::move(args)) {}

  absl::string_view name() const override { return kLeastRequestPolicy; }
  absl::Status UpdateLocked(UpdateArgs update) override;

 private:
  void OnCreated(uint64_t token, uint32_t /*position*/) override {
    active_.resize(slot_count());
    active_[static_cast<uint32_t>(token)].reset(gxds_active_requests_create());
  }
  std::unique_ptr<SubchannelPicker> MakePicker(const uint64_t* tokens, size_t count) override;

  uint32_t choices_ = GXDS_LEAST_REQUEST_CHOICES_DEFAULT;
  std::vector<ActiveRef> active_;  // by the low half of the token
};

absl::Status LeastRequestPolicy::UpdateLocked(UpdateArgs update) {
  const uint32_t choices = static_cast<const LeastRequestConfig*>(update.config.get())->choices();
  if (choices != choices_) RenewPicker();
  choices_ = choices;
  return UpdateAddresses(std::move(update));
}

std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> LeastRequestPolicy::MakePicker(
    const uint64_t* tokens, size_t count) {
  auto picker = std::make_unique<LeastRequestPicker>(choices_);
  for (size_t i = 0; i < count; ++i) {
    picker->Add(SubchannelOf(tokens[i]), active_[static_cast<uint32_t>(tokens[i])].get());
  }
  return picker;
}

// What the JSON form holds.
struct JsonConfig {
  uint32_t choice_count = GXDS_LEAST_REQUEST_CHOICES_DEFAULT;

  static const grpc_core::JsonLoaderInterface* JsonLoader(const grpc_core::JsonArgs&) {
    static const auto* loader = grpc_core::JsonObjectLoader<JsonConfig>()
                                    .OptionalField("choiceCount", &JsonConfig::choice_count)
                                    .Finish();
    return loader;
  }

  void JsonPostLoad(const Json&, const grpc_core::JsonArgs&, grpc_core::ValidationErrors* errors) {
    grpc_core::ValidationErrors::ScopedField field(errors, ".choiceCount");
    if (errors->FieldHasErrors() || choice_count >= GXDS_LEAST_REQUEST_CHOICES_MIN) return;
    errors->AddError("must be at least 2");
  }
};

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  auto config = grpc_core::LoadFromJson<JsonConfig>(
      json, grpc_core::JsonArgs(), "errors validating least_request LB policy config");
  if (!config.ok()) return config.status();
  return grpc_core::MakeRefCounted<LeastRequestConfig>(
      std::min<uint32_t>(config->choice_count, GXDS_LEAST_REQUEST_CHOICES_MAX));
}

}  // namespace

void RegisterLeastRequestLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<LeastRequestPolicy>(builder, kLeastRequestPolicy, ParseConfig);
}

}  // namespace grpc_xds
