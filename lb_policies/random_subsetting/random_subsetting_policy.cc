#include "lb_policies/random_subsetting/random_subsetting_policy.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/random.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/parent/child_config.h"
#include "lb_policies/parent/one_child_policy.h"
#include "lb_policies/random_subsetting/subset.h"
#include "src/core/lib/address_utils/sockaddr_utils.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/json/json_args.h"
#include "src/core/lib/json/json_object_loader.h"

namespace grpc_core {
// The host's: what its child is most of the time.
extern TraceFlag grpc_lb_round_robin_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::ServerAddressList;

namespace {

class RandomSubsettingConfig : public LoadBalancingPolicy::Config {
 public:
  RandomSubsettingConfig(uint32_t size, RefCountedPtr<Config> child)
      : size_(size), child_(std::move(child)) {}

  absl::string_view name() const override { return kRandomSubsettingPolicy; }
  uint32_t size() const { return size_; }
  const RefCountedPtr<Config>& child() const { return child_; }

 private:
  const uint32_t size_;
  const RefCountedPtr<Config> child_;
};

class RandomSubsettingPolicy : public OneChildPolicy {
 public:
  explicit RandomSubsettingPolicy(Args args)
      : OneChildPolicy(std::move(args)), seed_(gxds_random_seed()) {}

  absl::string_view name() const override { return kRandomSubsettingPolicy; }
  absl::Status UpdateLocked(UpdateArgs update) override;

 private:
  ServerAddressList Subset(const ServerAddressList& all, uint32_t size) const;

  const uint64_t seed_;
};

ServerAddressList RandomSubsettingPolicy::Subset(const ServerAddressList& all,
                                                 uint32_t size) const {
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const auto& address : all) {
    texts.push_back(grpc_sockaddr_to_string(&address.address(), false).value_or(""));
  }
  std::vector<gxds_str> views;
  views.reserve(all.size());
  for (const std::string& text : texts) views.push_back(gxds_str_of(text.data(), text.size()));
  std::vector<size_t> chosen(all.size());
  chosen.resize(gxds_subset_choose(views.data(), views.size(), size, seed_, chosen.data()));
  ServerAddressList subset;
  subset.reserve(chosen.size());
  for (size_t place : chosen) subset.push_back(all[place]);
  return subset;
}

absl::Status RandomSubsettingPolicy::UpdateLocked(UpdateArgs update) {
  RefCountedPtr<Config> mine = std::move(update.config);
  const auto& config = *static_cast<const RandomSubsettingConfig*>(mine.get());
  if (update.addresses.ok()) update.addresses = Subset(*update.addresses, config.size());
  update.config = config.child();
  return PassToChild(std::move(update), &grpc_core::grpc_lb_round_robin_trace);
}

// What the JSON form holds.
struct JsonConfig {
  uint32_t size = 0;
  RefCountedPtr<LoadBalancingPolicy::Config> child;

  static const grpc_core::JsonLoaderInterface* JsonLoader(const grpc_core::JsonArgs&) {
    static const auto* loader =
        grpc_core::JsonObjectLoader<JsonConfig>().Field("subsetSize", &JsonConfig::size).Finish();
    return loader;
  }

  void JsonPostLoad(const Json& json, const grpc_core::JsonArgs&,
                    grpc_core::ValidationErrors* errors) {
    {
      grpc_core::ValidationErrors::ScopedField field(errors, ".subsetSize");
      if (size == 0 && !errors->FieldHasErrors()) errors->AddError("must be greater than 0");
    }
    child = ParseChildConfig(json, "childPolicy", errors);
  }
};

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  auto config = grpc_core::LoadFromJson<JsonConfig>(
      json, grpc_core::JsonArgs(), "errors validating random_subsetting LB policy config");
  if (!config.ok()) return config.status();
  return grpc_core::MakeRefCounted<RandomSubsettingConfig>(config->size, std::move(config->child));
}

}  // namespace

void RegisterRandomSubsettingLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<RandomSubsettingPolicy>(builder, kRandomSubsettingPolicy, ParseConfig);
}

}  // namespace grpc_xds
