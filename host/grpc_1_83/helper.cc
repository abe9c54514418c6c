#include "host/grpc_common/hosts_policy.h"

#include <memory>
#include <utility>
#include <vector>

#include "host/grpc_1_83/convert.h"
#include "src/core/credentials/transport/transport_credentials.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;
using Helper = LoadBalancingPolicy::ChannelControlHelper;

namespace {

// A subchannel that does nothing, for a policy that has ended and does not know it yet. Without it,
// round_robin would take a connection that is lost at that moment for two changes of state at a
// time, and end the process.
class NoSubchannel : public SubchannelInterface {
 public:
  void WatchConnectivityState(std::unique_ptr<ConnectivityStateWatcherInterface> watcher) override {
    watchers_.push_back(std::move(watcher));
  }
  void CancelConnectivityStateWatch(ConnectivityStateWatcherInterface* watcher) override {
    for (auto it = watchers_.begin(); it != watchers_.end(); ++it) {
      if (it->get() != watcher) continue;
      watchers_.erase(it);
      return;
    }
  }
  void RequestConnection() override {}
  void ResetBackoff() override {}
  void AddDataWatcher(std::unique_ptr<DataWatcherInterface> watcher) override {
    data_watchers_.push_back(std::move(watcher));
  }
  void CancelDataWatcher(DataWatcherInterface* /*lives as long as this*/) override {}
  std::string address() const override { return ""; }

 private:
  std::vector<std::unique_ptr<ConnectivityStateWatcherInterface>> watchers_;
  std::vector<std::unique_ptr<DataWatcherInterface>> data_watchers_;
};

class HelperOfChild : public Helper {
 public:
  explicit HelperOfChild(std::shared_ptr<HostsPolicyLink> link) : link_(std::move(link)) {}

  RefCountedPtr<SubchannelInterface> CreateSubchannel(const grpc_resolved_address& address,
                                                      const ChannelArgs& per_address_args,
                                                      const ChannelArgs& args) override {
    if (link_->parent == nullptr) return grpc_core::MakeRefCounted<NoSubchannel>();
    const gxds_addresses* one = ToC(std::make_shared<grpc_core::SingleEndpointIterator>(
        grpc_core::EndpointAddresses(address, per_address_args)));
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
  absl::string_view GetTarget() override { return link_->helper->GetTarget(); }
  absl::string_view GetAuthority() override { return link_->helper->GetAuthority(); }
  RefCountedPtr<grpc_channel_credentials> GetChannelCredentials() override {
    return link_->helper->GetChannelCredentials();
  }
  RefCountedPtr<grpc_channel_credentials> GetUnsafeChannelCredentials() override {
    return link_->helper->GetUnsafeChannelCredentials();
  }
  grpc_core::GlobalStatsPluginRegistry::StatsPluginGroup& GetStatsPluginGroup() override {
    return link_->helper->GetStatsPluginGroup();
  }
  grpc_event_engine::experimental::EventEngine* GetEventEngine() override {
    return link_->helper->GetEventEngine();
  }
  void AddTraceEvent(absl::string_view message) override {
    if (link_->parent == nullptr) return;
    link_->parent->ops->add_event(link_->parent, GXDS_LB_INFO, ToGxds(message));
  }

 private:
  const std::shared_ptr<HostsPolicyLink> link_;
};

}  // namespace

std::unique_ptr<Helper> MakeHelper(std::shared_ptr<HostsPolicyLink> link) {
  return std::make_unique<HelperOfChild>(std::move(link));
}

}  // namespace grpc_xds
