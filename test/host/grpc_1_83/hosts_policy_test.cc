// gRPC's own policies, as children of policies in C.
#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/policy.h"
#include "src/core/config/core_configuration.h"
#include "src/core/credentials/transport/transport_credentials.h"
#include "src/core/lib/event_engine/default_event_engine.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/load_balancing/lb_policy_registry.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;
using grpc_core::WorkSerializer;

// A subchannel of the host whose state the test sets.
class Connection : public SubchannelInterface {
 public:
  void Set(grpc_connectivity_state state) {
    watcher_->OnConnectivityStateChange(state, absl::OkStatus());
  }
  void WatchConnectivityState(std::unique_ptr<ConnectivityStateWatcherInterface> watcher) override {
    watcher_ = std::move(watcher);
  }
  void CancelConnectivityStateWatch(ConnectivityStateWatcherInterface* watcher) override {
    if (watcher_.get() == watcher) given_up_ = std::move(watcher_);
  }
  void RequestConnection() override {}
  void ResetBackoff() override {}
  void AddDataWatcher(std::unique_ptr<DataWatcherInterface> watcher) override {
    health_ = std::move(watcher);
  }
  void CancelDataWatcher(DataWatcherInterface* watcher) override {}
  std::string address() const override { return "ipv4:127.0.0.1:1"; }

 private:
  std::unique_ptr<ConnectivityStateWatcherInterface> watcher_, given_up_;
  std::unique_ptr<DataWatcherInterface> health_;
};

// The root's helper. It makes nothing.
class RootHelper : public LoadBalancingPolicy::ChannelControlHelper {
 public:
  RefCountedPtr<SubchannelInterface> CreateSubchannel(const grpc_resolved_address& address,
                                                      const ChannelArgs& per_address_args,
                                                      const ChannelArgs& args) override {
    return nullptr;
  }
  void UpdateState(grpc_connectivity_state state, const absl::Status& status,
                   RefCountedPtr<LoadBalancingPolicy::SubchannelPicker> picker) override {}
  void RequestReresolution() override {}
  absl::string_view GetTarget() override { return "target"; }
  absl::string_view GetAuthority() override { return "authority"; }
  RefCountedPtr<grpc_channel_credentials> GetChannelCredentials() override { return nullptr; }
  RefCountedPtr<grpc_channel_credentials> GetUnsafeChannelCredentials() override { return nullptr; }
  grpc_event_engine::experimental::EventEngine* GetEventEngine() override { return engine_.get(); }
  grpc_core::GlobalStatsPluginRegistry::StatsPluginGroup& GetStatsPluginGroup() override {
    return *plugins_;
  }
  void AddTraceEvent(absl::string_view message) override {}

 private:
  const std::shared_ptr<grpc_event_engine::experimental::EventEngine> engine_ =
      grpc_event_engine::experimental::GetDefaultEventEngine();
  const std::shared_ptr<grpc_core::GlobalStatsPluginRegistry::StatsPluginGroup> plugins_ =
      std::make_shared<grpc_core::GlobalStatsPluginRegistry::StatsPluginGroup>();
};

// The parent policy in C. It makes subchannels and keeps the published state.
struct Parent : gxds_lb_parent {
  explicit Parent(RefCountedPtr<LoadBalancingPolicy> policy) : root(std::move(policy)) {
    static const gxds_lb_parent_ops kOps = {
        [](gxds_lb_parent* p, grpc_connectivity_state state, const gxds_status* status,
           gxds_picker* take_picker) {
          static_cast<Parent*>(p)->state = state;
          gxds_picker_unref(take_picker);
        },
        [](gxds_lb_parent* p, const gxds_lb_address* address, const gxds_args* args) {
          auto* self = static_cast<Parent*>(p);
          self->connections.push_back(grpc_core::MakeRefCounted<Connection>());
          return ToC(self->connections.back(), self->root);
        },
        [](gxds_lb_parent* p) {},
        [](gxds_lb_parent* p, gxds_lb_severity severity, gxds_str line) {},
        [](gxds_lb_parent* p, gxds_metric_labels* out) {},
    };
    ops = &kOps;
  }

  const RefCountedPtr<LoadBalancingPolicy> root;
  grpc_connectivity_state state = GRPC_CHANNEL_SHUTDOWN;
  std::vector<RefCountedPtr<Connection>> connections;
};

class HostsPolicy : public testing::Test {
 protected:
  HostsPolicy() {
    grpc_init();
    serializer_ =
        std::make_shared<WorkSerializer>(grpc_event_engine::experimental::GetDefaultEventEngine());
  }
  ~HostsPolicy() override {
    Run([] {});  // the work that was put off
    serializer_.reset();
    grpc_shutdown();
  }

  void Run(std::function<void()> work) {
    absl::Notification done;
    serializer_->Run(
        [&] {
          work();
          done.Notify();
        },
        DEBUG_LOCATION);
    done.WaitForNotification();
  }

  // One that does nothing.
  class Root : public LoadBalancingPolicy {
   public:
    using LoadBalancingPolicy::LoadBalancingPolicy;
    absl::string_view name() const override { return "root"; }
    absl::Status UpdateLocked(UpdateArgs args) override { return absl::OkStatus(); }
    void ResetBackoffLocked() override {}
    void ShutdownLocked() override {}
    RefCountedPtr<LoadBalancingPolicy> Itself() { return Ref(); }
  };

  static grpc_core::OrphanablePtr<Root> MakeRoot(std::shared_ptr<WorkSerializer> serializer) {
    LoadBalancingPolicy::Args args;
    args.work_serializer = std::move(serializer);
    args.channel_control_helper = std::make_unique<RootHelper>();
    return grpc_core::MakeOrphanable<Root>(std::move(args));
  }

  std::shared_ptr<WorkSerializer> serializer_;
};

TEST_F(HostsPolicy, AConnectionThatIsLostWhileItEndsIsNothingToIt) {
  RootHelper helper;
  std::unique_ptr<Parent> parent;
  grpc_core::OrphanablePtr<Root> root;
  Run([&] {
    root = MakeRoot(serializer_);
    parent = std::make_unique<Parent>(root->Itself());
    gxds_hosts_policy* policy = MakeHostsPolicy("round_robin", parent.get(), ChannelArgs(),
                                                serializer_, root->Itself(), &helper);
    grpc_resolved_address address = {};
    address.len = sizeof(sockaddr_in);
    reinterpret_cast<sockaddr_in*>(address.addr)->sin_family = AF_INET;
    gxds_status why = {};
    gxds_lb_update update = {};
    update.addresses = ToC(std::make_shared<grpc_core::SingleEndpointIterator>(
        grpc_core::EndpointAddresses(address, ChannelArgs())));
    update.args = ToC(ChannelArgs());
    update.config = ParseList(gxds_str_z("[{\"round_robin\":{}}]"), &why);
    gxds_status status = policy->ops->update(policy, &update);
    EXPECT_EQ(status.code, GXDS_OK);
    ASSERT_EQ(parent->connections.size(), 1u);
    Connection& connection = *parent->connections[0];
    connection.Set(GRPC_CHANNEL_IDLE);
    connection.Set(GRPC_CHANNEL_CONNECTING);
    connection.Set(GRPC_CHANNEL_READY);
    EXPECT_EQ(parent->state, GRPC_CHANNEL_CONNECTING) << "its health is not known yet";
    policy->ops->end(policy);
    connection.Set(GRPC_CHANNEL_IDLE);
    EXPECT_EQ(parent->connections.size(), 1u);
    gxds_status_fini(&status);
    gxds_lb_config_unref(update.config);
    gxds_args_unref(update.args);
    gxds_addresses_unref(update.addresses);
  });
  Run([&] {
    parent.reset();
    root.reset();
  });
}

}  // namespace
}  // namespace grpc_xds
