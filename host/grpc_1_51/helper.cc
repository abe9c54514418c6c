#include "host/grpc_common/hosts_policy.h"

#include <memory>
#include <utility>

#include "host/grpc_1_51/convert.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;
using Helper = LoadBalancingPolicy::ChannelControlHelper;

namespace {

class HelperOfChild : public Helper {
 public:
  explicit HelperOfChild(std::shared_ptr<HostsPolicyLink> link) : link_(std::move(link)) {}

  RefCountedPtr<SubchannelInterface> CreateSubchannel(grpc_core::ServerAddress address,
                                                      const ChannelArgs& args) override {
    if (link_->parent == nullptr) return nullptr;
    const gxds_addresses* one = ToC({std::move(address)});
    const gxds_args* in_c = ToC(WithoutOurs(args));
    const gxds_lb_address endpoint = gxds_addresses_at(one, 0);
    gxds_subchannel* made = link_->parent->ops->subchannel(link_->parent, &endpoint, in_c);
    gxds_args_unref(in_c);
    gxds_addresses_unref(one);
    return made == nullptr ? nullptr : ForHostsPolicy(made);
  }
  void UpdateState(grpc_connectivity_state state, const absl::Status& status,
                   HostsPicker picker) override {
    if (link_->parent == nullptr) return;
    const gxds_status view = View(status);
    link_->parent->ops->publish(link_->parent, state, &view, ToC(std::move(picker)));
  }
  void RequestReresolution() override {
    if (link_->parent != nullptr) link_->parent->ops->reresolve(link_->parent);
  }
  absl::string_view GetAuthority() override { return link_->helper->GetAuthority(); }
  grpc_event_engine::experimental::EventEngine* GetEventEngine() override {
    return link_->helper->GetEventEngine();
  }
  void AddTraceEvent(TraceSeverity severity, absl::string_view message) override {
    if (link_->parent == nullptr) return;
    link_->parent->ops->add_event(
        link_->parent, severity == TRACE_ERROR ? GXDS_LB_ERROR : GXDS_LB_INFO, ToGxds(message));
  }

 private:
  const std::shared_ptr<HostsPolicyLink> link_;
};

}  // namespace

std::unique_ptr<Helper> MakeHelper(std::shared_ptr<HostsPolicyLink> link) {
  return std::make_unique<HelperOfChild>(std::move(link));
}

}  // namespace grpc_xds
