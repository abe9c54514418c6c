#include <grpc/support/port_platform.h>

#include <vector>

#include "absl/status/status.h"
#include "host/grpc_1_51/response_filter.h"
#include "host/grpc_1_51/routed_call.h"
#include "host/grpc_common/config_selector.h"
#include "host/grpc_common/resolver.h"
#include "src/core/ext/xds/xds_http_fault_filter.h"
#include "src/core/lib/gprpp/no_destruct.h"
#include "src/core/lib/gprpp/time.h"
#include "src/core/lib/slice/slice_internal.h"
#include "transport/reactor.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::ConfigSelector;
using grpc_core::Duration;
using grpc_core::RefCountedPtr;

const grpc_core::XdsHttpFilterImpl& FaultFilter() {
  static const grpc_core::NoDestruct<grpc_core::XdsHttpFaultFilter> fault_filter;
  return *fault_filter;
}

const grpc_channel_filter* FilterOf(gxds_call_filter filter) {
  return filter == GXDS_CALL_FILTER_RESPONSE ? &kResponseFilter : FaultFilter().channel_filter();
}

// Sets the timeout of a method config for the RPC that is being routed. Only the channel reads the
// timeout. It does so at once, under the lock under which it routes the RPC. So each RPC can have
// its own timeout, and no method config is parsed again.
void SetTimeout(ConfigOfChannel* config, Duration timeout);

// The host has no function to set the timeout. An explicit instantiation may name a private member.
template <Duration ConfigOfChannel::*kTimeout>
struct TimeoutSetter {
  friend void SetTimeout(ConfigOfChannel* config, Duration timeout) {
    __atomic_store(&(config->*kTimeout), &timeout, __ATOMIC_RELAXED);
  }
};
template struct TimeoutSetter<&ConfigOfChannel::timeout_>;

class Selector : public ConfigSelectorInC {
 public:
  Selector(gxds_config_selector* selector, const ChannelArgs& args, const ConfigSelector* before)
      : ConfigSelectorInC(selector, FaultFilter().ModifyChannelArgs(args), before) {}

  const char* name() const override { return "grpc_xds.XdsConfigSelector"; }

  std::vector<const grpc_channel_filter*> GetFilters() override {
    std::vector<const grpc_channel_filter*> filters;
    for (size_t i = 0; i < selector_->filter_count; ++i) {
      filters.push_back(FilterOf(selector_->filters[i]));
    }
    return filters;
  }

  CallConfig GetCallConfig(GetCallConfigArgs args) override {
    gxds_reactor_make_way();
    CallConfig result;
    RoutedCall<DispatchController> call(args, grpc_core::StringViewFromSlice(*args.path));
    gxds_call_route route;
    selector_->ops->route(selector_, &call, &route);
    if (route.error.size > 0) {
      result.status = absl::UnavailableError(ToAbsl(route.error));
      return result;
    }
    if (route.method_config != GXDS_CALL_NO_METHOD_CONFIG) {
      const MethodConfig& config = method_configs_[route.method_config];
      result.service_config = config.service_config;
      result.method_configs = config.parsed;
      if (route.timeout != 0) {
        SetTimeout(config.of_channel, Duration::Milliseconds(route.timeout / GXDS_MILLISECOND));
      }
    }
    result.call_dispatch_controller =
        new (call.front()) DispatchController(route.hold, ToAbsl(route.cluster));
    return result;
  }
};

}  // namespace

RefCountedPtr<ConfigSelector> ToHost(gxds_config_selector* selector, const ChannelArgs& args,
                                     const ConfigSelector* before) {
  return grpc_core::MakeRefCounted<Selector>(selector, args, before);
}

void PrepareMethodConfig(ConfigOfChannel* /*config*/) {}

}  // namespace grpc_xds
