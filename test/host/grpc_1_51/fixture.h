// Runs one policy without a channel: under a real serializer and with the host's real registry, but
// with our own helper, event engine, clock and leaf policies.
#ifndef GRPC_XDS_TEST_HOST_GRPC_1_51_FIXTURE_H_
#define GRPC_XDS_TEST_HOST_GRPC_1_51_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/time.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/load_balancing/lb_policy.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "test/host/grpc_1_51/snapshot.h"

namespace grpc_xds {
namespace testing {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::ServerAddress;
using grpc_core::ServerAddressList;

// "10.0.0.1:80"
std::string AddressText(const ServerAddress& address);

// A config of the test's own leaf policies: "test_leaf" and "other_leaf".
class LeafConfig : public LoadBalancingPolicy::Config {
 public:
  explicit LeafConfig(std::string name = "test_leaf") : name_(std::move(name)) {}
  absl::string_view name() const override { return name_; }

 private:
  const std::string name_;
};

// A leaf policy that makes a subchannel for each address and reports what the test says. It is in
// leaves() while it exists.
class Leaf : public LoadBalancingPolicy {
 public:
  Leaf(Args args, std::string name);
  ~Leaf() override = default;

  static std::vector<Leaf*>& leaves();
  // The leaf whose addresses are in this zone; null: none.
  static Leaf* InZone(const std::string& zone);
  static int created;
  static int updated;
  // Called at the end of each update.
  static std::function<void(Leaf*)> on_update;
  static absl::Status update_status;

  absl::string_view name() const override { return name_; }
  absl::Status UpdateLocked(UpdateArgs args) override;
  void ExitIdleLocked() override { ++exit_idle_count; }
  void ResetBackoffLocked() override { ++reset_backoff_count; }

  // Publishes the state with a picker that fails each RPC with "picked ZONE".
  void Report(grpc_connectivity_state state, absl::Status status = absl::OkStatus());
  void RequestReresolution() { channel_control_helper()->RequestReresolution(); }
  std::string zone() const;
  std::vector<std::string> addresses() const;

  UpdateArgs last;
  int updates = 0;
  int exit_idle_count = 0;
  int reset_backoff_count = 0;

 private:
  void ShutdownLocked() override;

  const std::string name_;
  std::vector<RefCountedPtr<grpc_core::SubchannelInterface>> subchannels_;
};

// The subchannel that CreateSubchannel returns to a policy.
class FakeSubchannel : public grpc_core::SubchannelInterface {
 public:
  explicit FakeSubchannel(std::string address_text) : address(std::move(address_text)) {}

  void WatchConnectivityState(std::unique_ptr<ConnectivityStateWatcherInterface> w) override {
    watcher = std::move(w);
  }
  void CancelConnectivityStateWatch(ConnectivityStateWatcherInterface*) override {
    watcher.reset();
  }
  void RequestConnection() override { ++connects; }
  void ResetBackoff() override {}
  void AddDataWatcher(std::unique_ptr<DataWatcherInterface> w) override {
    data_watchers.push_back(std::move(w));
  }

  const std::string address;
  int connects = 0;
  std::unique_ptr<ConnectivityStateWatcherInterface> watcher;
  std::vector<std::unique_ptr<DataWatcherInterface>> data_watchers;
};

// A call whose memory lives as long as the test.
class MadeUpCall : public LoadBalancingPolicy::CallState {
 public:
  void* Alloc(size_t size) override {
    memory_.push_back(std::make_unique<std::max_align_t[]>(size / sizeof(std::max_align_t) + 1));
    return memory_.back().get();
  }

 private:
  std::vector<std::unique_ptr<std::max_align_t[]>> memory_;
};

class FakeEngine;

class PolicyTest : public ::testing::Test {
 protected:
  PolicyTest();
  ~PolicyTest() override;
  // Ends the policy; no timer and no leaf may be left.
  void TearDown() override;

  // Runs fn under the serializer.
  void In(std::function<void()> fn);

  void Create(absl::string_view policy_name, ChannelArgs args = ChannelArgs());
  // Sets accepted_ to the policy's status for the update.
  void Update(RefCountedPtr<LoadBalancingPolicy::Config> config, ChannelArgs args,
              absl::StatusOr<ServerAddressList> addresses = ServerAddressList(),
              std::string note = "");
  void Report(const std::string& zone, grpc_connectivity_state state,
              absl::Status status = absl::OkStatus());
  // Advances the clock and runs the timers that are due.
  void Pass(gxds_duration time);
  size_t timer_count() const;

  // Makes one pick with the last picker. Returns the zone that a Leaf's picker named, or the
  // subchannel's address, or "queue", or "fail: …".
  std::string Pick(LoadBalancingPolicy::MetadataInterface* metadata = nullptr);
  static absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(
      absl::string_view json);

  OrphanablePtr<LoadBalancingPolicy> policy_;

  // What the policy did.
  absl::Status accepted_;
  struct Subchannel {
    std::string address;
    ChannelArgs args;
    RefCountedPtr<FakeSubchannel> subchannel;
  };
  std::vector<Subchannel> subchannels_;
  bool refuse_ = false;  // no subchannel can be made
  int published_ = 0;
  grpc_connectivity_state state_ = GRPC_CHANNEL_SHUTDOWN;
  absl::Status status_;
  std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> picker_;
  int reresolutions_ = 0;
  MadeUpCall call_;  // for picks that allocate from the call's memory

 private:
  class Helper;

  std::shared_ptr<grpc_core::WorkSerializer> serializer_;
  std::shared_ptr<FakeEngine> engine_;
};

}  // namespace testing
}  // namespace grpc_xds

#endif
