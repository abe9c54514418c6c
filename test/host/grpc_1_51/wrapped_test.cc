// The host's own policies on wrapped subchannels, with the host's own trackers. Their parent in C,
// outlier_detection (A50), wraps the host's subchannels.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/variant.h"
#include "host/grpc_common/policy.h"
#include "lb_policies/outlier_detection/outlier_detection_policy.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/load_balancing/lb_policy_factory.h"
#include "src/core/lib/load_balancing/lb_policy_registry.h"
#include "test/host/grpc_1_51/fixture.h"

namespace grpc_xds {
namespace testing {
namespace {

using grpc_core::SubchannelInterface;
using Tracker = LoadBalancingPolicy::SubchannelCallTrackerInterface;

int g_started, g_finished, g_destroyed;

class CountingTracker : public Tracker {
 public:
  ~CountingTracker() override { g_destroyed++; }
  void Start() override { g_started++; }
  void Finish(FinishArgs) override { g_finished++; }
};

class FirstPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  explicit FirstPicker(RefCountedPtr<SubchannelInterface> subchannel)
      : subchannel_(std::move(subchannel)) {}
  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs) override {
    return LoadBalancingPolicy::PickResult::Complete(subchannel_,
                                                     std::make_unique<CountingTracker>());
  }

 private:
  const RefCountedPtr<SubchannelInterface> subchannel_;
};

// A policy that is READY at once and picks its first address.
class PickingLeaf : public LoadBalancingPolicy {
 public:
  explicit PickingLeaf(Args args) : LoadBalancingPolicy(std::move(args)) {}
  absl::string_view name() const override { return "picking_leaf"; }
  absl::Status UpdateLocked(UpdateArgs args) override {
    channel_control_helper()->UpdateState(
        GRPC_CHANNEL_READY, absl::OkStatus(),
        std::make_unique<FirstPicker>(
            channel_control_helper()->CreateSubchannel(args.addresses->front(), args.args)));
    return absl::OkStatus();
  }
  void ResetBackoffLocked() override {}

 private:
  void ShutdownLocked() override {}
};

class PickingLeafFactory : public grpc_core::LoadBalancingPolicyFactory {
 public:
  OrphanablePtr<LoadBalancingPolicy> CreateLoadBalancingPolicy(
      LoadBalancingPolicy::Args args) const override {
    return grpc_core::MakeOrphanable<PickingLeaf>(std::move(args));
  }
  absl::string_view name() const override { return "picking_leaf"; }
  absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseLoadBalancingConfig(
      const grpc_core::Json&) const override {
    return grpc_core::MakeRefCounted<LeafConfig>("picking_leaf");
  }
};

// Runs before the fixture's environment makes the core configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder([](auto* builder) {
    RegisterPolicyInC(builder, &gxds_outlier_detection_policy);
    builder->lb_policy_registry()->RegisterLoadBalancingPolicyFactory(
        std::make_unique<PickingLeafFactory>());
  });
  return true;
}();

constexpr char kA[] = "10.0.0.1:1";
constexpr char kB[] = "10.0.0.1:2";

class WrappedTest : public PolicyTest {
 protected:
  // Ejects for 3 s, at intervals of 1 s, the addresses with more than half of their RPCs failed.
  void Start(const std::string& child, const std::vector<uint16_t>& ports) {
    Create(gxds_outlier_detection_policy.name);
    auto config = ParseConfig(
        R"([{"outlier_detection_experimental":{"interval":"1s","baseEjectionTime":"3s",)"
        R"("maxEjectionPercent":50,"failurePercentageEjection":{"threshold":50,)"
        R"("enforcementPercentage":100,"minimumHosts":1,"requestVolume":2},"childPolicy":[{")" +
        child + R"(":{}}]}}])");
    ASSERT_TRUE(config.ok()) << config.status();
    ServerAddressList addresses;
    locality_ = MakeLocality({"z", 1, ports});
    AppendAddresses(locality_.get(), &addresses);
    Update(*config, ChannelArgs(), std::move(addresses));
  }
  void SetState(const std::string& address, grpc_connectivity_state state) {
    for (auto it = subchannels_.rbegin(); it != subchannels_.rend(); ++it) {
      if (it->address != address || it->subchannel->watcher == nullptr) continue;
      In([&] { it->subchannel->watcher->OnConnectivityStateChange(state, absl::OkStatus()); });
      return;
    }
    FAIL() << "nobody watches " << address;
  }
  // The address of the host's own subchannel, and the tracker; null: none.
  std::string PickWith(std::unique_ptr<Tracker>* tracker) {
    grpc_core::ExecCtx exec_ctx;
    auto result = picker_->Pick({"/service/method", nullptr, &call_});
    auto* complete = absl::get_if<LoadBalancingPolicy::PickResult::Complete>(&result.result);
    if (complete == nullptr) return Pick();
    *tracker = std::move(complete->subchannel_call_tracker);
    return static_cast<FakeSubchannel*>(complete->subchannel.get())->address;
  }
  // Makes an RPC and returns the address that it went to.
  std::string Call(const absl::Status& status = absl::OkStatus()) {
    std::unique_ptr<Tracker> tracker;
    std::string address = PickWith(&tracker);
    if (tracker == nullptr) return address;
    tracker->Start();
    tracker->Finish({status, nullptr, nullptr});
    return address;
  }
  void EjectA() {
    for (int i = 0; i < 20; ++i) Call(absl::InternalError("failed"));
    Pass(GXDS_SECOND);
  }

  CRef<gxds_locality> locality_;
};

TEST_F(WrappedTest, HostIsGivenItsOwnSubchannel) {
  Start("picking_leaf", {1});
  EXPECT_EQ(Call(), kA);
}

TEST_F(WrappedTest, TrackerOfTheHostsPolicyGetsAllThatOursGets) {
  g_started = g_finished = g_destroyed = 0;
  Start("picking_leaf", {1});
  std::unique_ptr<Tracker> tracker;
  PickWith(&tracker);
  EXPECT_EQ(g_started, 0);
  tracker->Start();
  EXPECT_EQ(g_started, 1);
  tracker->Finish({absl::OkStatus(), nullptr, nullptr});
  EXPECT_EQ(g_finished, 1);
  EXPECT_EQ(g_destroyed, 0);
  tracker.reset();
  EXPECT_EQ(g_destroyed, 1);
}

// Regression: the host's policy used an object here that pick_first had freed.
TEST_F(WrappedTest, PickFirstGoesToTheNextAddress) {  // A50
  Start("pick_first", {1, 2});
  for (const char* a : {kA, kB}) SetState(a, GRPC_CHANNEL_IDLE);
  SetState(kA, GRPC_CHANNEL_CONNECTING);
  SetState(kA, GRPC_CHANNEL_READY);
  ASSERT_EQ(Call(), kA);
  EjectA();
  EXPECT_EQ(state_, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Call(), "queue");
  In([&] { policy_->ExitIdleLocked(); });
  SetState(kA, GRPC_CHANNEL_READY);
  SetState(kB, GRPC_CHANNEL_IDLE);
  In([] {});
  SetState(kB, GRPC_CHANNEL_CONNECTING);
  SetState(kB, GRPC_CHANNEL_READY);
  EXPECT_EQ(Call(), kB) << "the first is ejected, though it is connected";
}

TEST_F(WrappedTest, OnlyAddressOfPickFirstComesBack) {  // A50
  Start("pick_first", {1});
  SetState(kA, GRPC_CHANNEL_READY);
  ASSERT_EQ(Call(), kA);
  EjectA();
  In([&] { policy_->ExitIdleLocked(); });
  SetState(kA, GRPC_CHANNEL_READY);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Call(),
            "fail: UNAVAILABLE: failed to connect to all addresses; last error: UNAVAILABLE: "
            "subchannel ejected by outlier detection");
  Pass(4 * GXDS_SECOND);
  EXPECT_EQ(Call(), kA);
}

TEST_F(WrappedTest, PickersAndCallsOutliveThePolicy) {
  Start("round_robin", {1});
  SetState(kA, GRPC_CHANNEL_READY);
  std::unique_ptr<Tracker> tracker;
  PickWith(&tracker);
  In([&] { policy_.reset(); });
  EXPECT_EQ(Call(), kA);
  tracker->Finish({absl::OkStatus(), nullptr, nullptr});
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
