#include <grpc/support/port_platform.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "host/grpc_1_51/convert.h"
#include "host/grpc_1_51/response_filter.h"
#include "host/grpc_common/resolver.h"
#include "src/core/ext/filters/client_channel/client_channel_service_config.h"
#include "src/core/ext/xds/xds_http_fault_filter.h"
#include "src/core/lib/gprpp/no_destruct.h"
#include "src/core/lib/gprpp/time.h"
#include "src/core/lib/resource_quota/arena.h"
#include "src/core/lib/service_config/service_config.h"
#include "src/core/lib/service_config/service_config_impl.h"
#include "src/core/lib/slice/slice_internal.h"
#include "src/core/lib/transport/metadata_batch.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::ConfigSelector;
using grpc_core::Duration;
using grpc_core::RefCountedPtr;
using grpc_core::internal::ClientChannelMethodParsedConfig;
using grpc_core::internal::ClientChannelServiceConfigParser;

// Lives in the memory of the RPC; the host never destroys it.
class DispatchController : public ConfigSelector::CallDispatchController {
 public:
  bool ShouldRetry() override { return true; }
  void Commit() override { hold->commit(hold); }

  gxds_call_hold* hold;
};

// One RPC that is routed, on the stack.
struct Call : gxds_call {
  const ConfigSelector::GetCallConfigArgs* args;
  void* front = nullptr;               // the start of the allocation, for a DispatchController
  absl::optional<std::string> buffer;  // made when it is first needed
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
      c.front = c.args->arena->Alloc(sizeof(DispatchController) + size);
      return static_cast<char*>(c.front) + sizeof(DispatchController);
    },
};

const grpc_core::XdsHttpFilterImpl& FaultFilter() {
  static const grpc_core::NoDestruct<grpc_core::XdsHttpFaultFilter> fault_filter;
  return *fault_filter;
}

const grpc_channel_filter* FilterOf(gxds_call_filter filter) {
  return filter == GXDS_CALL_FILTER_RESPONSE ? &kResponseFilter : FaultFilter().channel_filter();
}

// Sets the timeout of a method config for the RPC that is being routed. Only the channel reads it,
// at once, under the lock that it routes with. So each RPC can have its own timeout, and nothing is
// parsed again.
void SetTimeout(ClientChannelMethodParsedConfig* config, Duration timeout);

// The host has no function to set it. An explicit instantiation may name a private member.
template <Duration ClientChannelMethodParsedConfig::*kTimeout>
struct TimeoutSetter {
  friend void SetTimeout(ClientChannelMethodParsedConfig* config, Duration timeout) {
    __atomic_store(&(config->*kTimeout), &timeout, __ATOMIC_RELAXED);
  }
};
template struct TimeoutSetter<&ClientChannelMethodParsedConfig::timeout_>;

class ConfigSelectorInC : public ConfigSelector {
 public:
  ConfigSelectorInC(gxds_config_selector* selector, const ChannelArgs& args,
                    const ConfigSelectorInC* before)
      : selector_(gxds_config_selector_ref(selector)),
        client_channel_parser_(ClientChannelServiceConfigParser::ParserIndex()) {
    const ChannelArgs parser_args = FaultFilter().ModifyChannelArgs(args);
    for (size_t i = 0; i < selector_->method_config_count; ++i) {
      const gxds_str text = selector_->method_configs[i];
      const size_t old = before == nullptr ? GXDS_CALL_NO_METHOD_CONFIG
                                           : before->selector_->ops->find(before->selector_, text);
      if (old != GXDS_CALL_NO_METHOD_CONFIG && before->method_configs_[old] != nullptr) {
        method_configs_.push_back(before->method_configs_[old]);
        continue;
      }
      auto config = grpc_core::ServiceConfigImpl::Create(parser_args, ToAbsl(text));
      if (!config.ok()) selector_->ops->refuse(selector_, i, ToGxds(config.status().message()));
      method_configs_.push_back(config.ok() ? *std::move(config) : nullptr);
    }
  }
  ~ConfigSelectorInC() override { gxds_config_selector_unref(selector_); }

  const char* name() const override { return "grpc_xds.XdsConfigSelector"; }
  bool Equals(const ConfigSelector* other) const override {
    return selector_ == static_cast<const ConfigSelectorInC*>(other)->selector_;
  }

  std::vector<const grpc_channel_filter*> GetFilters() override {
    std::vector<const grpc_channel_filter*> filters;
    for (size_t i = 0; i < selector_->filter_count; ++i) {
      filters.push_back(FilterOf(selector_->filters[i]));
    }
    return filters;
  }

  CallConfig GetCallConfig(GetCallConfigArgs args) override {
    CallConfig result;
    Call call;
    call.ops = &kCallOps;
    call.path = ToGxds(grpc_core::StringViewFromSlice(*args.path));
    call.args = &args;
    gxds_call_route route;
    selector_->ops->route(selector_, &call, &route);
    if (route.error.size > 0) {
      result.status = absl::UnavailableError(ToAbsl(route.error));
      return result;
    }
    if (route.method_config != GXDS_CALL_NO_METHOD_CONFIG) {
      result.service_config = method_configs_[route.method_config];
      result.method_configs =
          result.service_config->GetMethodParsedConfigVector(grpc_empty_slice());
      if (route.timeout != 0) {
        SetTimeout(static_cast<ClientChannelMethodParsedConfig*>(
                       (*result.method_configs)[client_channel_parser_].get()),
                   Duration::Milliseconds(route.timeout / GXDS_MILLISECOND));
      }
    }
    auto* controller = new (call.front) DispatchController;
    controller->hold = route.hold;
    result.call_dispatch_controller = controller;
    result.call_attributes.emplace(ClusterAttributeName(), ToAbsl(route.cluster));
    return result;
  }

 private:
  gxds_config_selector* const selector_;
  const size_t client_channel_parser_;
  // Indexed by their numbers; null: refused.
  std::vector<RefCountedPtr<grpc_core::ServiceConfig>> method_configs_;
};

}  // namespace

RefCountedPtr<ConfigSelector> ToHost(gxds_config_selector* selector, const ChannelArgs& args,
                                     const ConfigSelector* before) {
  return grpc_core::MakeRefCounted<ConfigSelectorInC>(
      selector, args, static_cast<const ConfigSelectorInC*>(before));
}

}  // namespace grpc_xds
