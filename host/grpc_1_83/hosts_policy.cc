#include "host/grpc_1_83/policy.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/grpc_1_83/convert.h"
#include "src/core/config/core_configuration.h"
#include "src/core/credentials/transport/transport_credentials.h"
#include "src/core/lib/iomgr/pollset_set.h"
#include "src/core/load_balancing/lb_policy_registry.h"
#include "src/core/util/debug_location.h"
#include "src/core/util/orphanable.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;
using grpc_core::WorkSerializer;
using Helper = LoadBalancingPolicy::ChannelControlHelper;

namespace {

// Who hears the policy: nobody, once it has ended.
struct Link {
  gxds_lb_parent* parent;
  RefCountedPtr<LoadBalancingPolicy> root;
  Helper* helper;  // root's
};

// What a policy gets that has ended, and does not know yet: nothing becomes of it. Without one,
// round_robin would take a connection that is lost just then for two changes of state at a time,
// and end the process.
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
  explicit HelperOfChild(std::shared_ptr<Link> link) : link_(std::move(link)) {}

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
                   RefCountedPtr<LoadBalancingPolicy::SubchannelPicker> picker) override {
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
  const std::shared_ptr<Link> link_;
};

struct HostsPolicy : gxds_hosts_policy {
  std::shared_ptr<Link> link;
  std::shared_ptr<WorkSerializer> serializer;
  OrphanablePtr<LoadBalancingPolicy> child;
};

HostsPolicy* Of(gxds_hosts_policy* policy) { return static_cast<HostsPolicy*>(policy); }

gxds_status Update(gxds_hosts_policy* policy, const gxds_lb_update* in) {
  LoadBalancingPolicy::UpdateArgs update;
  update.config = ToHost(in->config);
  update.args = WithConfig(ToHost(in->args), in->snapshot, in->mailbox);
  // No resolution note: those of this host add it to their errors, as the policies in C above them
  // do.
  if (in->addresses != nullptr) {
    update.addresses = ToHost(in->addresses);
  } else {
    update.addresses = ToAbsl(in->addresses_status);
  }
  return ToC(Of(policy)->child->UpdateLocked(std::move(update)));
}

// A function of the policy may be at work: so it goes when the serializer is done with that.
void End(gxds_hosts_policy* policy) {
  HostsPolicy* self = Of(policy);
  self->link->parent = nullptr;
  self->serializer->Run(
      [self, serializer = self->serializer] {
        grpc_pollset_set_del_pollset_set(self->child->interested_parties(),
                                         self->link->root->interested_parties());
        delete self;
      },
      DEBUG_LOCATION);
}

const gxds_hosts_policy_ops kOps = {
    Update,
    [](gxds_hosts_policy* policy) { Of(policy)->child->ExitIdleLocked(); },
    [](gxds_hosts_policy* policy) { Of(policy)->child->ResetBackoffLocked(); },
    End,
};

}  // namespace

gxds_hosts_policy* MakeHostsPolicy(absl::string_view name, gxds_lb_parent* parent,
                                   const ChannelArgs& args,
                                   std::shared_ptr<WorkSerializer> serializer,
                                   RefCountedPtr<LoadBalancingPolicy> root, Helper* helper) {
  auto link = std::make_shared<Link>(Link{parent, std::move(root), helper});
  LoadBalancingPolicy::Args child_args;
  child_args.work_serializer = serializer;
  child_args.channel_control_helper = std::make_unique<HelperOfChild>(link);
  child_args.args = args;
  auto child = grpc_core::CoreConfiguration::Get().lb_policy_registry().CreateLoadBalancingPolicy(
      name, std::move(child_args));
  if (child == nullptr) return nullptr;
  // So that activity on the channel lets the child make progress.
  grpc_pollset_set_add_pollset_set(child->interested_parties(), link->root->interested_parties());
  auto* out = new HostsPolicy{};
  out->ops = &kOps;
  out->link = std::move(link);
  out->serializer = std::move(serializer);
  out->child = std::move(child);
  return out;
}

}  // namespace grpc_xds
