// The weighted_round_robin policy in the host's terms (A58).
#include "lb_policies/weighted_round_robin/weighted_round_robin_policy.h"

#include <string.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/variant.h"
#include "host/grpc_1_51/config.h"
#include "host/grpc_1_51/load_reports.h"
#include "host/grpc_1_51/policy.h"
#include "lb_policies/orca/orca_report.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {
namespace {

// Before the fixture's environment makes the configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](auto* builder) { RegisterPolicyInC(builder, &gxds_weighted_round_robin_policy); });
  return true;
}();

// Trailing metadata with this load report; empty: without one.
class Trailers : public LoadBalancingPolicy::MetadataInterface {
 public:
  explicit Trailers(std::string report) : report_(std::move(report)) {}
  void Add(absl::string_view, absl::string_view) override {}
  std::vector<std::pair<std::string, std::string>> TestOnlyCopyToVector() override { return {}; }
  absl::optional<absl::string_view> Lookup(absl::string_view key, std::string*) const override {
    if (key == "endpoint-load-metrics-bin" && !report_.empty()) return report_;
    return absl::nullopt;
  }

 private:
  const std::string report_;
};

std::string Field(unsigned number, double value) {
  std::string out(1, static_cast<char>(number << 3 | 1));
  char bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  return out + std::string(bytes, sizeof bytes);
}
// 100 queries per second at this utilization: the weight is 100 by it.
std::string Load(double utilization) { return Field(6, 100) + Field(9, utilization); }

class WeightedRoundRobinPolicyTest : public PolicyTest {
 protected:
  void SetUp() override { Create(gxds_weighted_round_robin_policy.name); }

  void Apply(const std::vector<uint16_t>& ports, const std::string& fields = "",
             ChannelArgs args = ChannelArgs()) {
    auto config = ParseConfig("[{\"weighted_round_robin\":{" + fields + "}}]");
    ASSERT_TRUE(config.ok()) << config.status();
    localities_.push_back(MakeLocality({"z", 1, ports}));
    ServerAddressList addresses;
    AppendAddresses(localities_.back().get(), &addresses);
    Update(*config, std::move(args), std::move(addresses), "note");
    Pass(0);
  }
  void Say(int port, grpc_connectivity_state state) {
    In([&] {
      for (auto& s : subchannels_) {
        if (s.address == "10.0.0.1:" + std::to_string(port) && s.subchannel->watcher != nullptr) {
          s.subchannel->watcher->OnConnectivityStateChange(state, absl::OkStatus());
        }
      }
    });
  }
  // RPCs, one after the other; each backend reports what loads_ says. How many each got.
  std::map<std::string, int> Call(int count) {
    std::map<std::string, int> calls;
    for (int i = 0; i < count; i++) {
      LoadBalancingPolicy::PickResult result = picker_->Pick({"/service/method", nullptr, &call_});
      auto* complete = absl::get_if<LoadBalancingPolicy::PickResult::Complete>(&result.result);
      if (complete == nullptr) return {};
      std::string address = static_cast<FakeSubchannel*>(complete->subchannel.get())->address;
      calls[address]++;
      if (complete->subchannel_call_tracker == nullptr) continue;
      complete->subchannel_call_tracker->Start();
      Trailers trailers(loads_[address]);
      complete->subchannel_call_tracker->Finish({absl::OkStatus(), &trailers, nullptr});
    }
    return calls;
  }

  // Who listens for the reports out of band of the last subchannel to that port; null: nobody.
  OobReports* OobOf(int port) {
    for (auto it = subchannels_.rbegin(); it != subchannels_.rend(); ++it) {
      if (it->address != "10.0.0.1:" + std::to_string(port)) continue;
      auto& watchers = it->subchannel->data_watchers;
      return watchers.empty() ? nullptr : static_cast<OobWatcher*>(watchers[0].get())->reports();
    }
    return nullptr;
  }
  void ConnectionChanges(int port) {
    gxds_load_listener* listener = OobOf(port)->listener();
    listener->ops->connection_changed(listener);
  }
  void ReportOutOfBand(int port, const std::string& bytes) {
    gxds_orca_report report;
    ASSERT_TRUE(gxds_orca_report_decode(gxds_str_of(bytes.data(), bytes.size()), &report));
    gxds_load_listener* listener = OobOf(port)->listener();
    listener->ops->reported(listener, &report);
  }

  std::map<std::string, std::string> loads_;
  std::vector<CRef<gxds_locality>> localities_;
};

TEST_F(WeightedRoundRobinPolicyTest, SharesFollowTheLoadOnceTheBlackoutIsOver) {  // A58.1, A58.7
  Apply({80, 81});
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500);
  Pass(9 * GXDS_SECOND);
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500) << "blackout";
  Pass(2 * GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 250, 5);
  loads_ = {{"10.0.0.1:80", Load(0.2)}, {"10.0.0.1:81", Load(0.8)}};
  Call(100);
  const int published = published_;
  Pass(GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 800, 5) << "taken up each second";
  EXPECT_EQ(published_, published) << "by the same picker";
}

TEST_F(WeightedRoundRobinPolicyTest, ReportsThatStopAreForgotten) {  // A58.8
  Apply({80, 81}, R"("blackoutPeriod":"0s","weightExpirationPeriod":"5s")");
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  Call(100);
  Pass(GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 250, 5);
  loads_.clear();
  Pass(7 * GXDS_SECOND);
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500);
}

TEST_F(WeightedRoundRobinPolicyTest, WhatWasEarnedOutlivesTheSubchannel) {  // A58.10
  Apply({80, 81}, R"("blackoutPeriod":"0s")");
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  Call(100);
  loads_.clear();
  Apply({80, 81}, R"("blackoutPeriod":"0s")", ChannelArgs().Set("a", 1));
  EXPECT_EQ(subchannels_.size(), 4u);
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 250, 5);
}

TEST_F(WeightedRoundRobinPolicyTest, NewSettingsAreTakenUp) {  // A58.9, A58.11
  Apply({80, 81});
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.5) + Field(7, 50)}, {"10.0.0.1:81", Load(0.5)}};
  Apply({80, 81}, R"("blackoutPeriod":"0s","errorUtilizationPenalty":3)");
  EXPECT_EQ(subchannels_.size(), 2u);
  Call(100);
  Pass(GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 200, 5) << "100 by 2, against 100 by 0.5";
}

TEST_F(WeightedRoundRobinPolicyTest, ReportsOutOfBandCountInPlaceOfThoseWithAnswers) {  // A58.13
  Apply({80, 81}, R"("enableOobLoadReport":true)");
  for (int port : {80, 81}) {
    ASSERT_NE(OobOf(port), nullptr);
    EXPECT_EQ(OobOf(port)->wanted(), 10 * GXDS_SECOND);
    Say(port, GRPC_CHANNEL_READY);
  }
  loads_ = {{"10.0.0.1:80", Load(0.1)}, {"10.0.0.1:81", Load(0.9)}};
  ReportOutOfBand(80, Load(0.9));
  ReportOutOfBand(81, Load(0.3));
  Call(100);
  Pass(9 * GXDS_SECOND);
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500) << "blackout";  // A58.7
  Pass(2 * GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 250, 5);
  ReportOutOfBand(80, Load(0.3));
  Pass(GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 500, 5) << "the last one";
  ReportOutOfBand(81, Load(0.1));
  Pass(GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 250, 5);
  Pass(181 * GXDS_SECOND);
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500) << "expired";  // A58.8
}

TEST_F(WeightedRoundRobinPolicyTest, AReportBeforeThePolicyHearsThatItConnectedCounts) {  // A58.7
  Apply({80, 81}, R"("enableOobLoadReport":true)");
  for (int port : {80, 81}) {
    Say(port, GRPC_CHANNEL_CONNECTING);
    ConnectionChanges(port);
    ReportOutOfBand(port, Load(port == 80 ? 0.9 : 0.3));
    Say(port, GRPC_CHANNEL_READY);
  }
  Pass(9 * GXDS_SECOND);
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500) << "blackout";
  Pass(2 * GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 250, 5);
  // It breaks, and connects anew.
  Say(80, GRPC_CHANNEL_IDLE);
  ConnectionChanges(80);
  Say(80, GRPC_CHANNEL_CONNECTING);
  ConnectionChanges(80);
  Say(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500) << "at once: the weight is of another connection";
  ReportOutOfBand(80, Load(0.9));
  Pass(9 * GXDS_SECOND);
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500) << "blackout";
  Pass(2 * GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 250, 5);
}

TEST_F(WeightedRoundRobinPolicyTest, TheWayOfReportsFollowsTheSettings) {  // A58.13
  Apply({80, 81}, R"("blackoutPeriod":"0s")");
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  EXPECT_EQ(OobOf(80), nullptr) << "not asked for";
  Apply({80, 81}, R"("blackoutPeriod":"0s","enableOobLoadReport":true)");
  ASSERT_NE(OobOf(80), nullptr);
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  Call(100);
  Pass(GXDS_SECOND);
  EXPECT_EQ(Call(1000)["10.0.0.1:80"], 500) << "those with answers are not looked at";
  Apply({80, 81, 82},
        R"("blackoutPeriod":"0s","enableOobLoadReport":true,"oobReportingPeriod":"0.5s",)"
        R"("errorUtilizationPenalty":3)");
  for (int port : {80, 81, 82}) EXPECT_EQ(OobOf(port)->wanted(), 500 * GXDS_MILLISECOND) << port;
  ReportOutOfBand(80, Load(0.5) + Field(7, 50));
  ReportOutOfBand(81, Load(0.5));
  Pass(GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 200, 5) << "100 by 2, against 100 by 0.5";
  Apply({80, 81}, R"("blackoutPeriod":"0s")");
  for (int port : {80, 81}) EXPECT_EQ(OobOf(port)->wanted(), GXDS_TIME_NEVER) << port;
  Call(100);
  Pass(GXDS_SECOND);
  EXPECT_NEAR(Call(1000)["10.0.0.1:80"], 250, 5) << "by answers";
  for (auto& s : subchannels_) EXPECT_LE(s.subchannel->data_watchers.size(), 1u);
  EXPECT_EQ(subchannels_.size(), 3u);
}

TEST_F(WeightedRoundRobinPolicyTest, AReportThatComesAfterThePolicyEndedIsHarmless) {
  Apply({80}, R"("enableOobLoadReport":true)");
  Say(80, GRPC_CHANNEL_READY);
  In([&] { policy_.reset(); });
  picker_.reset();
  ReportOutOfBand(80, Load(0.5));
}

TEST_F(WeightedRoundRobinPolicyTest, WithoutReportsItIsRoundRobin) {  // A58.2, A58.14
  Apply({80, 80, 81, 82}, R"("blackoutPeriod":"0s")");
  EXPECT_EQ(subchannels_.size(), 3u) << "each address once";
  EXPECT_EQ(Pick(), "queue");
  for (int port : {80, 81, 82}) Say(port, GRPC_CHANNEL_READY);
  for (const auto& [address, calls] : Call(300)) EXPECT_EQ(calls, 100) << address;
}

TEST_F(WeightedRoundRobinPolicyTest, HasNoTimerWithoutAnEndpointThatIsReady) {
  Apply({80});
  EXPECT_EQ(timer_count(), 0u);
  Say(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(timer_count(), 1u);
  Say(80, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(timer_count(), 0u);
}

TEST(WeightedRoundRobinConfigTest, IsChecked) {  // A58.11
  auto parse = [](const std::string& fields) {
    auto json = grpc_core::Json::Parse("[{\"weighted_round_robin\":{" + fields + "}}]");
    EXPECT_TRUE(json.ok());
    return grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*json);
  };
  auto settings = [&](const std::string& fields) {
    auto parsed = parse(fields);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return *reinterpret_cast<gxds_weighted_round_robin_config*>(
        static_cast<ConfigInC*>(parsed->get())->config());
  };
  EXPECT_EQ(settings("").blackout_period, 10 * GXDS_SECOND);
  EXPECT_EQ(settings("").weight_expiration_period, 180 * GXDS_SECOND);
  EXPECT_EQ(settings("").weight_update_period, GXDS_SECOND);
  EXPECT_EQ(settings("").error_utilization_penalty, 1);
  EXPECT_EQ(settings(R"("weightUpdatePeriod":"0.001s")").weight_update_period,
            100 * GXDS_MILLISECOND);
  EXPECT_EQ(settings(R"("errorUtilizationPenalty":0.5)").error_utilization_penalty, 0.5);
  const std::string head = "errors validating weighted_round_robin LB policy config: [";
  EXPECT_EQ(parse(R"("errorUtilizationPenalty":-1)").status().message(),
            head + "field:errorUtilizationPenalty error:must be non-negative]");
  EXPECT_EQ(settings("").oob_reporting_period, GXDS_TIME_NEVER);
  EXPECT_EQ(settings(R"("oobReportingPeriod":"1s")").oob_reporting_period, GXDS_TIME_NEVER);
  const std::string oob = R"("enableOobLoadReport":true)";
  EXPECT_EQ(settings(oob).oob_reporting_period, 10 * GXDS_SECOND);
  EXPECT_EQ(settings(oob + R"(,"oobReportingPeriod":"0.2s")").oob_reporting_period,
            200 * GXDS_MILLISECOND);
  EXPECT_EQ(settings(oob + R"(,"oobReportingPeriod":"315576000000s")").oob_reporting_period,
            GXDS_TIME_NEVER - 1)
      << "still out of band";
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
