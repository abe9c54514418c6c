#include <grpc/support/port_platform.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "host/grpc_1_83/response_filter.h"
#include "host/grpc_common/config_selector.h"
#include "host/grpc_common/resolver.h"
#include "src/core/call/status_util.h"
#include "src/core/ext/filters/fault_injection/fault_injection_filter.h"
#include "src/core/lib/surface/call.h"
#include "src/core/resolver/xds/xds_resolver_attributes.h"
#include "src/core/util/json/json_reader.h"
#include "src/core/util/json/json_util.h"
#include "src/core/util/time.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::ConfigSelector;
using grpc_core::Duration;
using grpc_core::FaultInjectionFilter;
using grpc_core::FilterChain;
using grpc_core::FilterChainBuilder;
using grpc_core::Json;
using grpc_core::RefCountedPtr;
using grpc_core::Timestamp;

// What an RPC holds until it is committed. An RPC that is never committed releases it at its end.
class Hold {
 public:
  explicit Hold(gxds_call_hold* hold) : hold_(hold) {}
  Hold(Hold&& other) noexcept : hold_(std::exchange(other.hold_, nullptr)) {}
  Hold& operator=(Hold&&) = delete;
  ~Hold() { Commit(); }
  void Commit() {
    if (hold_ != nullptr) hold_->commit(hold_);
    hold_ = nullptr;
  }

 private:
  gxds_call_hold* hold_;
};

// The memory for the call attribute with the cluster's name.
struct Front {
  alignas(grpc_core::XdsClusterAttribute) char attribute[sizeof(grpc_core::XdsClusterAttribute)];
};

// ---- faults: from the JSON of a method config, which C writes, to the filter's own config ----

const Json* Member(const Json& object, const char* name) {
  if (object.type() != Json::Type::kObject) return nullptr;
  auto it = object.object().find(name);
  return it == object.object().end() ? nullptr : &it->second;
}

void TakeText(const Json& policy, const char* name, std::string* out) {
  const Json* member = Member(policy, name);
  if (member != nullptr && member->type() == Json::Type::kString) *out = member->string();
}

void TakeNumber(const Json& policy, const char* name, uint32_t* out) {
  const Json* member = Member(policy, name);
  uint32_t number;
  if (member == nullptr || member->type() != Json::Type::kNumber) return;
  if (absl::SimpleAtoi(member->string(), &number)) *out = number;
}

RefCountedPtr<const grpc_core::FilterConfig> FaultConfig(const Json& policy) {
  auto config = grpc_core::MakeRefCounted<FaultInjectionFilter::Config>();
  std::string code;
  TakeText(policy, "abortCode", &code);
  if (!code.empty()) grpc_status_code_from_string(code.c_str(), &config->abort_code);
  TakeText(policy, "abortCodeHeader", &config->abort_code_header);
  TakeText(policy, "abortPercentageHeader", &config->abort_percentage_header);
  TakeNumber(policy, "abortPercentageNumerator", &config->abort_percentage_numerator);
  TakeNumber(policy, "abortPercentageDenominator", &config->abort_percentage_denominator);
  const Json* delay = Member(policy, "delay");
  if (delay != nullptr) grpc_core::ParseDurationFromJson(*delay, &config->delay);
  TakeText(policy, "delayHeader", &config->delay_header);
  TakeText(policy, "delayPercentageHeader", &config->delay_percentage_header);
  TakeNumber(policy, "delayPercentageNumerator", &config->delay_percentage_numerator);
  TakeNumber(policy, "delayPercentageDenominator", &config->delay_percentage_denominator);
  TakeNumber(policy, "maxFaults", &config->max_faults);
  return config;
}

// The fault injection policies of a method config, in the order of the filters; null if it has
// none.
const Json* FaultPolicies(const Json& service_config) {
  const Json* methods = Member(service_config, "methodConfig");
  if (methods == nullptr || methods->type() != Json::Type::kArray || methods->array().empty()) {
    return nullptr;
  }
  const Json* policies = Member(methods->array()[0], "faultInjectionPolicy");
  return policies != nullptr && policies->type() == Json::Type::kArray ? policies : nullptr;
}

// ---- the selector ----

// Removes the timeout from a method config that no RPC uses yet. The channel would start the
// timeout on one clock and end the RPC on another (gxds_host.clock_distance).
void TakeTimeout(ConfigOfChannel* config);

// The host has no function to change the timeout. An explicit instantiation may name a private
// member.
template <Duration ConfigOfChannel::*kTimeout>
struct TimeoutTaker {
  friend void TakeTimeout(ConfigOfChannel* config) { config->*kTimeout = Duration::Zero(); }
};
template struct TimeoutTaker<&ConfigOfChannel::timeout_>;

class Selector : public ConfigSelectorInC {
 public:
  using ConfigSelectorInC::ConfigSelectorInC;

  grpc_core::UniqueTypeName name() const override {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds.XdsConfigSelector");
    return factory.Create();
  }

  // Builds a chain of filters for each method config, and one for RPCs without a method config. If
  // it is called again for the same selector, RPCs may be using the chains, so they stay.
  void BuildFilterChains(FilterChainBuilder& builder) override {
    if (!chains_.empty()) return;
    for (size_t i = 0; i <= selector_->method_config_count; ++i) {
      const bool has_config = i < selector_->method_config_count;
      auto json = has_config ? grpc_core::JsonParse(ToAbsl(selector_->method_configs[i]))
                             : Json::FromObject({});
      const Json* policies = json.ok() ? FaultPolicies(*json) : nullptr;
      size_t faults = 0;
      for (size_t filter = 0; filter < selector_->filter_count; ++filter) {
        if (selector_->filters[filter] == GXDS_CALL_FILTER_RESPONSE) {
          builder.AddFilter<ResponseFilter>(nullptr);
          continue;
        }
        const bool has_policy = policies != nullptr && faults < policies->array().size();
        builder.AddFilter<FaultInjectionFilter>(
            FaultConfig(has_policy ? policies->array()[faults] : Json::FromObject({})));
        ++faults;
      }
      chains_.push_back(builder.Build());
    }
  }

  absl::StatusOr<RefCountedPtr<const FilterChain>> GetCallConfig(GetCallConfigArgs args) override {
    RoutedCall<Front> call(
        args, args.initial_metadata->get_pointer(grpc_core::HttpPathMetadata())->as_string_view());
    gxds_call_route route;
    selector_->ops->route(selector_, &call, &route);
    if (route.error.size > 0) return absl::UnavailableError(ToAbsl(route.error));
    const bool has_config = route.method_config != GXDS_CALL_NO_METHOD_CONFIG;
    if (has_config) {
      const MethodConfig& config = method_configs_[route.method_config];
      args.service_config_call_data->SetServiceConfig(config.service_config, config.parsed);
    }
    if (route.timeout != 0) SetTimeout(args, route.timeout);
    args.service_config_call_data->SetOnCommit(
        [hold = Hold(route.hold)]() mutable { hold.Commit(); });
    args.service_config_call_data->SetCallAttribute(
        new (call.front()) grpc_core::XdsClusterAttribute(ToAbsl(route.cluster)));
    const auto& chain = chains_[has_config ? route.method_config : chains_.size() - 1];
    if (!chain.ok()) return chain.status();
    return *chain;
  }

 private:
  // RPCs on several threads share a method config, so the timeout is set on the call. The deadline
  // is computed as the channel would compute it, and includes the difference between the clocks.
  static void SetTimeout(const GetCallConfigArgs& args, gxds_duration timeout) {
    auto* call = args.arena->GetContext<grpc_core::Call>();
    call->UpdateDeadline(Timestamp::FromCycleCounterRoundUp(call->start_time()) +
                         Duration::Milliseconds(timeout / GXDS_MILLISECOND))
        .IgnoreError();
  }

  // Indexed by the numbers of method configs; the last chain is for RPCs without a method config.
  std::vector<absl::StatusOr<RefCountedPtr<FilterChain>>> chains_;
};

}  // namespace

RefCountedPtr<ConfigSelector> ToHost(gxds_config_selector* selector, const ChannelArgs& args,
                                     const ConfigSelector* before) {
  return grpc_core::MakeRefCounted<Selector>(selector, args, before);
}

void PrepareMethodConfig(ConfigOfChannel* config) { TakeTimeout(config); }

}  // namespace grpc_xds
