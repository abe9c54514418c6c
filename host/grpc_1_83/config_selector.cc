#include <grpc/support/port_platform.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "host/grpc_1_83/convert.h"
#include "host/grpc_1_83/response_filter.h"
#include "host/grpc_common/resolver.h"
#include "src/core/call/metadata_batch.h"
#include "src/core/call/status_util.h"
#include "src/core/client_channel/client_channel_service_config.h"
#include "src/core/ext/filters/fault_injection/fault_injection_filter.h"
#include "src/core/lib/resource_quota/arena.h"
#include "src/core/lib/surface/call.h"
#include "src/core/resolver/xds/xds_resolver_attributes.h"
#include "src/core/service_config/service_config.h"
#include "src/core/service_config/service_config_impl.h"
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
using grpc_core::internal::ClientChannelMethodParsedConfig;
using grpc_core::internal::ClientChannelServiceConfigParser;

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

// Lives in the memory of the RPC, in front of C's part.
struct Front {
  alignas(grpc_core::XdsClusterAttribute) char attribute[sizeof(grpc_core::XdsClusterAttribute)];
};
constexpr size_t kFrontSize =
    (sizeof(Front) + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);

// One RPC that is routed, on the stack.
struct Call : gxds_call {
  const ConfigSelector::GetCallConfigArgs* args;
  void* front = nullptr;
  std::optional<std::string> buffer;  // made when it is first needed
};

Call& Of(gxds_call* call) { return *static_cast<Call*>(call); }

const gxds_call_ops kCallOps = {
    [](gxds_call* call, gxds_str name, gxds_str* value) {
      Call& c = Of(call);
      if (!c.buffer.has_value()) c.buffer.emplace();
      auto found = c.args->initial_metadata->GetStringValue(ToAbsl(name), &*c.buffer);
      if (found.has_value()) *value = ToGxds(*found);
      return found.has_value();
    },
    [](gxds_call* call, gxds_str name, gxds_str value) {
      Of(call).args->initial_metadata->Append(
          ToAbsl(name), grpc_core::Slice::FromCopiedBuffer(value.data, value.size),
          [](absl::string_view, const grpc_core::Slice&) {});
    },
    [](gxds_call* call, size_t size) -> void* {
      Call& c = Of(call);
      c.front = c.args->arena->Alloc(kFrontSize + size);
      return static_cast<char*>(c.front) + kFrontSize;
    },
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

struct MethodConfig {
  RefCountedPtr<grpc_core::ServiceConfig> service_config;  // null: refused
  const grpc_core::ServiceConfigParser::ParsedConfigVector* parsed = nullptr;
};

// Removes the timeout from a method config that no RPC uses yet. The channel would start the
// timeout on one clock and end the RPC on another (gxds_host.clock_distance).
void TakeTimeout(ClientChannelMethodParsedConfig* config);

// The host has no function to change it. An explicit instantiation may name a private member.
template <Duration ClientChannelMethodParsedConfig::*kTimeout>
struct TimeoutTaker {
  friend void TakeTimeout(ClientChannelMethodParsedConfig* config) {
    config->*kTimeout = Duration::Zero();
  }
};
template struct TimeoutTaker<&ClientChannelMethodParsedConfig::timeout_>;

class ConfigSelectorInC : public ConfigSelector {
 public:
  ConfigSelectorInC(gxds_config_selector* selector, const ChannelArgs& args,
                    const ConfigSelectorInC* before)
      : selector_(gxds_config_selector_ref(selector)) {
    for (size_t i = 0; i < selector_->method_config_count; ++i) {
      const gxds_str text = selector_->method_configs[i];
      const size_t old = before == nullptr ? GXDS_CALL_NO_METHOD_CONFIG
                                           : before->selector_->ops->find(before->selector_, text);
      if (old != GXDS_CALL_NO_METHOD_CONFIG &&
          before->method_configs_[old].service_config != nullptr) {
        method_configs_.push_back(before->method_configs_[old]);
        continue;
      }
      MethodConfig made;
      auto config = grpc_core::ServiceConfigImpl::Create(args, ToAbsl(text));
      if (config.ok()) {
        made.service_config = *std::move(config);
        made.parsed = made.service_config->GetMethodParsedConfigVector(grpc_empty_slice());
        TakeTimeout(static_cast<ClientChannelMethodParsedConfig*>(
            (*made.parsed)[ClientChannelServiceConfigParser::ParserIndex()].get()));
      } else {
        selector_->ops->refuse(selector_, i, ToGxds(config.status().message()));
      }
      method_configs_.push_back(std::move(made));
    }
  }
  ~ConfigSelectorInC() override { gxds_config_selector_unref(selector_); }

  grpc_core::UniqueTypeName name() const override {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds.XdsConfigSelector");
    return factory.Create();
  }
  bool Equals(const ConfigSelector* other) const override {
    return selector_ == static_cast<const ConfigSelectorInC*>(other)->selector_;
  }

  // Builds a chain for each method config, whose filters have its configs, and one for RPCs without
  // any. If it is called again for the same selector, RPCs may be using the chains, so they stay.
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
    Call call;
    call.ops = &kCallOps;
    call.path =
        ToGxds(args.initial_metadata->get_pointer(grpc_core::HttpPathMetadata())->as_string_view());
    call.args = &args;
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
        new (call.front) grpc_core::XdsClusterAttribute(ToAbsl(route.cluster)));
    const auto& chain = chains_[has_config ? route.method_config : chains_.size() - 1];
    if (!chain.ok()) return chain.status();
    return *chain;
  }

 private:
  // RPCs on several threads share a method config, so the timeout is set on the call. It is counted
  // as the channel would, and includes the distance of the clocks.
  static void SetTimeout(const GetCallConfigArgs& args, gxds_duration timeout) {
    auto* call = args.arena->GetContext<grpc_core::Call>();
    call->UpdateDeadline(Timestamp::FromCycleCounterRoundUp(call->start_time()) +
                         Duration::Milliseconds(timeout / GXDS_MILLISECOND))
        .IgnoreError();
  }

  gxds_config_selector* const selector_;
  std::vector<MethodConfig> method_configs_;  // indexed by their numbers
  // Indexed by the numbers of method configs; the last is for RPCs without one.
  std::vector<absl::StatusOr<RefCountedPtr<FilterChain>>> chains_;
};

}  // namespace

RefCountedPtr<ConfigSelector> ToHost(gxds_config_selector* selector, const ChannelArgs& args,
                                     const ConfigSelector* before) {
  return grpc_core::MakeRefCounted<ConfigSelectorInC>(
      selector, args, static_cast<const ConfigSelectorInC*>(before));
}

}  // namespace grpc_xds
