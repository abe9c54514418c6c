#include "host/grpc_common/hosts_policy.h"

#include <memory>
#include <utility>
#include <vector>

#include "src/core/credentials/transport/transport_credentials.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;
using Helper = grpc_core::LoadBalancingPolicy::ChannelControlHelper;

namespace {

// A subchannel that does nothing, for a policy that has ended but does not know it yet. Without it,
// if a connection is lost at that moment, round_robin would see two changes of state at a time, and
// end the process.
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

class HelperOfChild : public HelperOfHostsPolicy {
 public:
  using HelperOfHostsPolicy::HelperOfHostsPolicy;

  RefCountedPtr<SubchannelInterface> CreateSubchannel(const grpc_resolved_address& address,
                                                      const ChannelArgs& per_address_args,
                                                      const ChannelArgs& args) override {
    if (HasEnded()) return grpc_core::MakeRefCounted<NoSubchannel>();
    return MakeSubchannel(std::make_shared<grpc_core::SingleEndpointIterator>(
                              grpc_core::EndpointAddresses(address, per_address_args)),
                          args);
  }
  absl::string_view GetTarget() override { return link_->helper->GetTarget(); }
  RefCountedPtr<grpc_channel_credentials> GetChannelCredentials() override {
    return link_->helper->GetChannelCredentials();
  }
  RefCountedPtr<grpc_channel_credentials> GetUnsafeChannelCredentials() override {
    return link_->helper->GetUnsafeChannelCredentials();
  }
  grpc_core::GlobalStatsPluginRegistry::StatsPluginGroup& GetStatsPluginGroup() override {
    return link_->helper->GetStatsPluginGroup();
  }
  void AddTraceEvent(absl::string_view message) override { AddEvent(GXDS_LB_INFO, message); }
};

}  // namespace

std::unique_ptr<Helper> MakeHelper(std::shared_ptr<HostsPolicyLink> link) {
  return std::make_unique<HelperOfChild>(std::move(link));
}

}  // namespace grpc_xds
