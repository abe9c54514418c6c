// The outlier_detection policy in the host's terms (A50), above a policy of the test's and above
// the host's own pick_first and round_robin.
#include "lb_policies/outlier_detection/outlier_detection_policy.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/variant.h"
#include "host/grpc_1_51/policy.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "test/lb_policies/support/configs.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {
namespace {

// Before the fixture's environment makes the configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](auto* builder) { RegisterPolicyInC(builder, &gxds_outlier_detection_policy); });
  return true;
}();

using Tracker = LoadBalancingPolicy::SubchannelCallTrackerInterface;

class OutlierDetectionPolicyTest : public PolicyTest {
 protected:
  void Start(const std::string& child, const std::vector<uint16_t>& ports) {
    child_ = child;
    Create(gxds_outlier_detection_policy.name);
    Apply(ports);
  }
  // Ejects for 3 s what fails more than half of its RPCs, by an interval of 1 s.
  void Apply(const std::vector<uint16_t>& ports, bool ejects = true) {
    auto config = ParseConfig(absl::StrCat(
        R"([{"outlier_detection_experimental":{"interval":"1s","baseEjectionTime":"3s",)",
        R"("maxEjectionPercent":50,)",
        ejects ? R"("failurePercentageEjection":{"threshold":50,"enforcementPercentage":100,)"
                 R"("minimumHosts":1,"requestVolume":2},)"
               : "",
        R"("childPolicy":[{")", child_, R"(":{}}]}}])"));
    ASSERT_TRUE(config.ok()) << config.status();
    ServerAddressList addresses;
    locality_ = MakeLocality({"z", 1, ports});
    AppendAddresses(locality_.get(), &addresses);
    Update(*config, ChannelArgs(), std::move(addresses));
  }
  void Say(const std::string& address, grpc_connectivity_state state) {
    for (auto it = subchannels_.rbegin(); it != subchannels_.rend(); ++it) {
      if (it->address != address || it->subchannel->watcher == nullptr) continue;
      In([&] { it->subchannel->watcher->OnConnectivityStateChange(state, absl::OkStatus()); });
      return;
    }
    FAIL() << "nobody watches " << address;
  }
  // An RPC: where it went; it fails when it went to this address.
  std::string Call(const std::string& failing) {
    grpc_core::ExecCtx exec_ctx;
    auto result = picker_->Pick({"/service/method", nullptr, &call_});
    auto* complete = absl::get_if<LoadBalancingPolicy::PickResult::Complete>(&result.result);
    if (complete == nullptr) return PolicyTest::Pick();
    std::string address = static_cast<FakeSubchannel*>(complete->subchannel.get())->address;
    counted_ = complete->subchannel_call_tracker != nullptr;
    if (!counted_) return address;
    complete->subchannel_call_tracker->Start();
    absl::Status status = address == failing ? absl::InternalError("failed") : absl::OkStatus();
    complete->subchannel_call_tracker->Finish({status, nullptr, nullptr});
    return address;
  }
  // Calls so often that the failing one is ejected at the end of the interval.
  void Eject(const std::string& failing) {
    for (int i = 0; i < 20; ++i) Call(failing);
    Pass(GXDS_SECOND);
  }
  size_t Watched(const std::string& address) {
    size_t count = 0;
    for (auto& s : subchannels_) {
      count += s.address == address && s.subchannel->watcher != nullptr;
    }
    return count;
  }

  std::string child_;
  CRef<gxds_locality> locality_;
  bool counted_ = false;
};

constexpr char kA[] = "10.0.0.1:1";
constexpr char kB[] = "10.0.0.1:2";

TEST_F(OutlierDetectionPolicyTest, EjectedBackendIsLeftAloneUntilItsTimeIsOver) {  // A50.1
  Start("round_robin", {1, 2});
  EXPECT_EQ(accepted_, absl::OkStatus());
  for (const char* a : {kA, kB}) Say(a, GRPC_CHANNEL_READY);
  ASSERT_EQ(state_, GRPC_CHANNEL_READY);
  Eject(kA);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Call(""), kB);
  Pass(4 * GXDS_SECOND);
  EXPECT_NE(Call(""), Call("")) << "both again";
}

TEST_F(OutlierDetectionPolicyTest, EjectedBackendsStatesAreKeptForLater) {  // A50.2
  Start("round_robin", {1, 2});
  for (const char* a : {kA, kB}) Say(a, GRPC_CHANNEL_READY);
  Eject(kA);
  Say(kA, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Call(""), kB);
  EXPECT_EQ(Call(""), kB);
  Pass(4 * GXDS_SECOND);
  EXPECT_EQ(Call(""), kB) << "it is IDLE in truth";
  Say(kA, GRPC_CHANNEL_CONNECTING);
  Say(kA, GRPC_CHANNEL_READY);
  EXPECT_NE(Call(""), Call(""));
}

TEST_F(OutlierDetectionPolicyTest, UpdateDoesNotFreeTheEjected) {  // A50.3
  Start("round_robin", {1, 2});
  for (const char* a : {kA, kB}) Say(a, GRPC_CHANNEL_READY);
  Eject(kA);
  Apply({1, 2});  // round_robin makes all its subchannels anew
  for (const char* a : {kA, kB}) Say(a, GRPC_CHANNEL_READY);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Call(""), kB);
}

TEST_F(OutlierDetectionPolicyTest, WithoutEjectionNothingIsCounted) {  // A50.5
  Start("round_robin", {1, 2});
  for (const char* a : {kA, kB}) Say(a, GRPC_CHANNEL_READY);
  Call("");
  EXPECT_TRUE(counted_);
  Eject(kA);
  Apply({1, 2}, /*ejects=*/false);
  Call("");
  EXPECT_FALSE(counted_);
  EXPECT_EQ(timer_count(), 0u);
  for (const char* a : {kA, kB}) Say(a, GRPC_CHANNEL_READY);
  EXPECT_NE(Call(""), Call("")) << "what was ejected is free";
}

// The host's policy used here what pick_first had freed.
TEST_F(OutlierDetectionPolicyTest, PickFirstGoesToTheNextAddress) {  // A50
  Start("pick_first", {1, 2});
  for (const char* a : {kA, kB}) Say(a, GRPC_CHANNEL_IDLE);
  Say(kA, GRPC_CHANNEL_CONNECTING);
  Say(kA, GRPC_CHANNEL_READY);
  ASSERT_EQ(Call(""), kA);
  Eject(kA);
  EXPECT_EQ(state_, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Call(""), "queue");
  In([&] { policy_->ExitIdleLocked(); });
  Say(kA, GRPC_CHANNEL_READY);
  Say(kB, GRPC_CHANNEL_IDLE);
  In([] {});
  EXPECT_EQ(Watched(kB), 1u);
  Say(kB, GRPC_CHANNEL_CONNECTING);
  Say(kB, GRPC_CHANNEL_READY);
  EXPECT_EQ(Call(""), kB) << "the first is ejected, though it is connected";
}

TEST_F(OutlierDetectionPolicyTest, OnlyAddressOfPickFirstComesBack) {  // A50
  Start("pick_first", {1});
  Say(kA, GRPC_CHANNEL_READY);
  ASSERT_EQ(Call(""), kA);
  Eject(kA);
  In([&] { policy_->ExitIdleLocked(); });
  Say(kA, GRPC_CHANNEL_READY);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Call(""),
            "fail: UNAVAILABLE: failed to connect to all addresses; last error: UNAVAILABLE: "
            "subchannel ejected by outlier detection");
  Pass(4 * GXDS_SECOND);
  EXPECT_EQ(Call(""), kA);
}

TEST_F(OutlierDetectionPolicyTest, PickersAndCallsOutliveThePolicy) {
  Start("round_robin", {1});
  Say(kA, GRPC_CHANNEL_READY);
  auto result = picker_->Pick({"/service/method", nullptr, &call_});
  auto* complete = absl::get_if<LoadBalancingPolicy::PickResult::Complete>(&result.result);
  ASSERT_NE(complete, nullptr);
  auto tracker = std::move(complete->subchannel_call_tracker);
  In([&] { policy_.reset(); });
  EXPECT_EQ(Call(""), kA);
  tracker->Finish({absl::OkStatus(), nullptr, nullptr});
}

TEST_F(OutlierDetectionPolicyTest, ConfigFromJson) {  // A50.24
  auto config = ParseConfig(
      R"([{"outlier_detection_experimental":{"interval":"1s","baseEjectionTime":"2s",)"
      R"("maxEjectionTime":"3s","maxEjectionPercent":4,"successRateEjection":{"stdevFactor":5,)"
      R"("enforcementPercentage":6,"minimumHosts":7,"requestVolume":8},"childPolicy":)"
      R"([{"test_leaf":{}}]}}])");
  ASSERT_TRUE(config.ok()) << config.status();
  const Config parsed = *config;
  const auto& s = parsed.as<gxds_outlier_detection_config>().settings;
  EXPECT_EQ(s.interval, GXDS_SECOND);
  EXPECT_EQ(s.base_ejection_time, 2 * GXDS_SECOND);
  EXPECT_EQ(s.max_ejection_time, 3 * GXDS_SECOND);
  EXPECT_EQ(s.max_ejection_percent, 4u);
  EXPECT_EQ(s.success_rate.threshold, 5u);
  EXPECT_EQ(s.success_rate.enforcement_percentage, 6u);
  EXPECT_EQ(s.success_rate.minimum_hosts, 7u);
  EXPECT_EQ(s.success_rate.request_volume, 8u);
  EXPECT_EQ(s.failure_percentage.enforcement_percentage, 0u);
  EXPECT_EQ(ParseConfig(R"([{"outlier_detection_experimental":{"maxEjectionPercent":101}}])")
                .status()
                .message(),
            "errors validating outlier_detection LB policy config: [field:childPolicy error:field "
            "not present; field:max_ejection_percent error:value must be <= 100]");
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
