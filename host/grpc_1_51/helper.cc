#include "host/grpc_common/hosts_policy.h"

#include <memory>
#include <utility>

namespace grpc_xds {

using Helper = grpc_core::LoadBalancingPolicy::ChannelControlHelper;

namespace {

class HelperOfChild : public HelperOfHostsPolicy {
 public:
  using HelperOfHostsPolicy::HelperOfHostsPolicy;

  grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> CreateSubchannel(
      grpc_core::ServerAddress address, const grpc_core::ChannelArgs& args) override {
    return HasEnded() ? nullptr : MakeSubchannel({std::move(address)}, args);
  }
  void AddTraceEvent(TraceSeverity severity, absl::string_view message) override {
    AddEvent(severity == TRACE_ERROR ? GXDS_LB_ERROR : GXDS_LB_INFO, message);
  }
};

}  // namespace

std::unique_ptr<Helper> MakeHelper(std::shared_ptr<HostsPolicyLink> link) {
  return std::make_unique<HelperOfChild>(std::move(link));
}

}  // namespace grpc_xds
