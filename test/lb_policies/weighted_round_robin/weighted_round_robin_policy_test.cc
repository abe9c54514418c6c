#include "lb_policies/weighted_round_robin/weighted_round_robin_policy.h"

#include <string.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/orca/orca_report.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/orca/orca_bytes.h"
#include "test/lb_policies/support/fake_cluster.h"
#include "test/metrics/read_metrics.h"

namespace memory {
namespace {

using grpc_xds::testing::MakeLocality;

std::string Field(unsigned number, double value) {
  std::string out(1, static_cast<char>(number << 3 | 1));
  char bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  return out + std::string(bytes, sizeof bytes);
}
// 100 queries per second at this utilization, so the weight is 100 divided by it.
std::string Load(double utilization) { return Field(6, 100) + Field(9, utilization); }

class WeightedRoundRobinPolicyTest : public PolicyTest {
 protected:
  WeightedRoundRobinPolicyTest() {
    host_.Register(&gxds_weighted_round_robin_policy);
    host_.Create(gxds_weighted_round_robin_policy);
  }

  Config Configured(const std::string& fields) {
    return ParseConfig("[{\"weighted_round_robin\":{" + fields + "}}]");
  }
  void Apply(const std::vector<uint16_t>& ports, const std::string& fields = "",
             Args args = Args()) {
    const auto locality = MakeLocality({"z", 1, ports});
    Update(Configured(fields), std::move(args), Addresses(gxds_locality_addresses(locality.get())),
           "note");
    host_.Pass(0);
  }
  void SetStateAt(int port, grpc_connectivity_state state) {
    host_.SetState("10.0.0.1:" + std::to_string(port), state);
  }
  // Makes RPCs one after the other. Each backend reports its load in loads_. Returns how many RPCs
  // each got.
  std::map<std::string, int> Calls(int count) {
    std::map<std::string, int> calls;
    for (int i = 0; i < count; i++) {
      const auto call = host_.Pick();
      calls[call->Text()]++;
      const std::string& load = loads_[call->Text()];
      call->Start();
      if (load.empty()) {
        call->Finish();
      } else {
        call->Finish(Status(), {{"endpoint-load-metrics-bin", load}});
      }
    }
    return calls;
  }

  // The watched subchannel to that port.
  Subchannel* At(int port) const { return host_.Watched("10.0.0.1:" + std::to_string(port)); }
  void ConnectionChanges(int port) {
    gxds_load_listener* listener = At(port)->listener;
    listener->ops->connection_changed(listener);
  }
  static void ReportTo(gxds_load_listener* listener, const std::string& bytes) {
    gxds_orca_report report;
    ASSERT_TRUE(gxds_orca_report_decode(View(bytes), &report));
    listener->ops->reported(listener, &report);
  }
  void ReportOutOfBand(int port, const std::string& bytes) { ReportTo(At(port)->listener, bytes); }

  std::map<std::string, std::string> loads_;
};

TEST_F(WeightedRoundRobinPolicyTest, SharesFollowTheLoadOnceTheBlackoutIsOver) {  // A58.1, A58.7
  Apply({80, 81});
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500);
  host_.Pass(9 * GXDS_SECOND);
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500) << "blackout";
  host_.Pass(2 * GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 250, 5);
  loads_ = {{"10.0.0.1:80", Load(0.2)}, {"10.0.0.1:81", Load(0.8)}};
  Calls(100);
  const int published = host_.published;
  host_.Pass(GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 800, 5) << "taken up each second";
  EXPECT_EQ(host_.published, published) << "by the same picker";
}

TEST_F(WeightedRoundRobinPolicyTest, ReportsThatStopAreForgotten) {  // A58.8
  Apply({80, 81}, R"("blackoutPeriod":"0s","weightExpirationPeriod":"5s")");
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  Calls(100);
  host_.Pass(GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 250, 5);
  loads_.clear();
  host_.Pass(7 * GXDS_SECOND);
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500);
}

TEST_F(WeightedRoundRobinPolicyTest, WhatWasEarnedOutlivesTheSubchannel) {  // A58.10
  Apply({80, 81}, R"("blackoutPeriod":"0s")");
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  Calls(100);
  loads_.clear();
  Apply({80, 81}, R"("blackoutPeriod":"0s")", Args().Set("a", 1));
  EXPECT_EQ(host_.subchannels_made, 4u);
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 250, 5);
}

TEST_F(WeightedRoundRobinPolicyTest, NewSettingsAreTakenUp) {  // A58.9, A58.11
  Apply({80, 81});
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.5) + Field(7, 50)}, {"10.0.0.1:81", Load(0.5)}};
  Apply({80, 81}, R"("blackoutPeriod":"0s","errorUtilizationPenalty":3)");
  EXPECT_EQ(host_.subchannels_made, 2u);
  Calls(100);
  host_.Pass(GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 200, 5) << "100 by 2, against 100 by 0.5";
}

TEST_F(WeightedRoundRobinPolicyTest, UtilizationIsOfTheMetricsThatTheSettingsName) {  // A114.5
  Apply({80, 81}, R"("blackoutPeriod":"0s")");
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  const auto named = [](double value) { return orca_test::Named("queue", value); };
  loads_ = {{"10.0.0.1:80", Load(0.5) + named(0.9)}, {"10.0.0.1:81", Load(0.5) + named(0.1)}};
  const auto share = [this](const std::string& fields) {
    Apply({80, 81}, R"("blackoutPeriod":"0s")" + fields);
    Calls(100);
    host_.Pass(GXDS_SECOND);
    return Calls(1000)["10.0.0.1:80"];
  };
  EXPECT_NEAR(share(""), 500, 5);
  const std::string by_queue = R"(,"metricNamesForComputingUtilization":["named_metrics.queue"])";
  EXPECT_NEAR(share(by_queue), 100, 5);
  EXPECT_NEAR(share(""), 500, 5);
  EXPECT_NEAR(share(by_queue), 100, 5) << "as before";
  EXPECT_EQ(host_.subchannels_made, 2u);
}

TEST_F(WeightedRoundRobinPolicyTest, AnRpcThatOutlivesItsPolicyStillReports) {
  Apply({80}, R"("metricNamesForComputingUtilization":["named_metrics.queue"])");
  SetStateAt(80, GRPC_CHANNEL_READY);
  const auto call = host_.Pick();
  call->Start();
  Apply({80}, R"("errorUtilizationPenalty":2)");
  host_.End();
  call->Finish(Status(), {{"endpoint-load-metrics-bin", Load(0.5)}});
}

TEST_F(WeightedRoundRobinPolicyTest, ReportsOutOfBandCountInPlaceOfThoseWithResponses) {  // A58.13
  Apply({80, 81}, R"("enableOobLoadReport":true)");
  for (int port : {80, 81}) {
    ASSERT_NE(At(port)->listener, nullptr);
    EXPECT_EQ(At(port)->report_interval, 10 * GXDS_SECOND);
    SetStateAt(port, GRPC_CHANNEL_READY);
  }
  loads_ = {{"10.0.0.1:80", Load(0.1)}, {"10.0.0.1:81", Load(0.9)}};
  ReportOutOfBand(80, Load(0.9));
  ReportOutOfBand(81, Load(0.3));
  Calls(100);
  host_.Pass(9 * GXDS_SECOND);
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500) << "blackout";  // A58.7
  host_.Pass(2 * GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 250, 5);
  ReportOutOfBand(80, Load(0.3));
  host_.Pass(GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 500, 5) << "the last one";
  ReportOutOfBand(81, Load(0.1));
  host_.Pass(GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 250, 5);
  host_.Pass(181 * GXDS_SECOND);
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500) << "expired";  // A58.8
}

TEST_F(WeightedRoundRobinPolicyTest, AReportBeforeThePolicyKnowsTheConnectionCounts) {  // A58.7
  Apply({80, 81}, R"("enableOobLoadReport":true)");
  for (int port : {80, 81}) {
    SetStateAt(port, GRPC_CHANNEL_CONNECTING);
    ConnectionChanges(port);
    ReportOutOfBand(port, Load(port == 80 ? 0.9 : 0.3));
    SetStateAt(port, GRPC_CHANNEL_READY);
  }
  host_.Pass(9 * GXDS_SECOND);
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500) << "blackout";
  host_.Pass(2 * GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 250, 5);
  // The connection breaks and is made again.
  SetStateAt(80, GRPC_CHANNEL_IDLE);
  ConnectionChanges(80);
  SetStateAt(80, GRPC_CHANNEL_CONNECTING);
  ConnectionChanges(80);
  SetStateAt(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500) << "at once: the weight is of another connection";
  ReportOutOfBand(80, Load(0.9));
  host_.Pass(9 * GXDS_SECOND);
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500) << "blackout";
  host_.Pass(2 * GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 250, 5);
}

TEST_F(WeightedRoundRobinPolicyTest, TheWayOfReportsFollowsTheSettings) {  // A58.13
  Apply({80, 81}, R"("blackoutPeriod":"0s")");
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  EXPECT_EQ(At(80)->listener, nullptr) << "not asked for";
  Apply({80, 81}, R"("blackoutPeriod":"0s","enableOobLoadReport":true)");
  ASSERT_NE(At(80)->listener, nullptr);
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  Calls(100);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(Calls(1000)["10.0.0.1:80"], 500) << "those with answers are not looked at";
  Apply({80, 81, 82},
        R"("blackoutPeriod":"0s","enableOobLoadReport":true,"oobReportingPeriod":"0.5s",)"
        R"("errorUtilizationPenalty":3)");
  for (int port : {80, 81, 82})
    EXPECT_EQ(At(port)->report_interval, 500 * GXDS_MILLISECOND) << port;
  ReportOutOfBand(80, Load(0.5) + Field(7, 50));
  ReportOutOfBand(81, Load(0.5));
  host_.Pass(GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 200, 5) << "100 by 2, against 100 by 0.5";
  Apply({80, 81}, R"("blackoutPeriod":"0s")");
  for (int port : {80, 81}) EXPECT_EQ(At(port)->report_interval, GXDS_TIME_NEVER) << port;
  Calls(100);
  host_.Pass(GXDS_SECOND);
  EXPECT_NEAR(Calls(1000)["10.0.0.1:80"], 250, 5) << "by answers";
  EXPECT_EQ(host_.subchannels_made, 3u);
}

TEST_F(WeightedRoundRobinPolicyTest, AReportThatComesAfterThePolicyEndedIsHarmless) {
  Apply({80}, R"("enableOobLoadReport":true)");
  gxds_load_listener* listener = gxds_load_listener_ref(At(80)->listener);
  host_.End();
  ReportTo(listener, Load(0.5));
  gxds_load_listener_unref(listener);
}

TEST_F(WeightedRoundRobinPolicyTest, WithoutReportsItIsRoundRobin) {  // A58.2, A58.14
  Apply({80, 80, 81, 82}, R"("blackoutPeriod":"0s")");
  EXPECT_EQ(host_.subchannels_made, 3u) << "each address once";
  EXPECT_EQ(Pick(), "queue");
  for (int port : {80, 81, 82}) SetStateAt(port, GRPC_CHANNEL_READY);
  for (const auto& [address, calls] : Calls(300)) EXPECT_EQ(calls, 100) << address;
}

TEST_F(WeightedRoundRobinPolicyTest, HasNoTimerWithoutAnEndpointThatIsReady) {
  Apply({80});
  EXPECT_EQ(host_.timer_count(), 0u);
  SetStateAt(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.timer_count(), 1u);
  SetStateAt(80, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(WeightedRoundRobinPolicyTest, ConfigIsChecked) {  // A58.11
  auto settings = [this](const std::string& fields) {
    return Configured(fields).as<gxds_weighted_round_robin_config>();
  };
  EXPECT_EQ(settings("").blackout_period, 10 * GXDS_SECOND);
  EXPECT_EQ(settings("").weight_expiration_period, 180 * GXDS_SECOND);
  EXPECT_EQ(settings("").weight_update_period, GXDS_SECOND);
  const auto penalty = [this](const std::string& fields) {
    const Config config = Configured(fields);
    return config.as<gxds_weighted_round_robin_config>().rating->error_penalty;
  };
  EXPECT_EQ(penalty(""), 1);
  EXPECT_EQ(settings(R"("weightUpdatePeriod":"0.001s")").weight_update_period,
            100 * GXDS_MILLISECOND);
  EXPECT_EQ(penalty(R"("errorUtilizationPenalty":0.5)"), 0.5);
  const std::string head = "errors validating weighted_round_robin LB policy config: [";
  EXPECT_EQ(ParseError(R"([{"weighted_round_robin":{"errorUtilizationPenalty":-1}}])").message,
            head + "field:errorUtilizationPenalty error:must be non-negative]");
  const auto names = [this](const std::string& list) {
    return ParseError(R"([{"weighted_round_robin":{"metricNamesForComputingUtilization":)" + list +
                      "}}]")
        .message;
  };
  EXPECT_EQ(names("3"), head + "field:metricNamesForComputingUtilization error:is not an array]");
  EXPECT_EQ(names(R"(["a",3])"),
            head + "field:metricNamesForComputingUtilization[1] error:is not a string]");
  std::string many = R"("cpu_utilization")";
  for (int i = 0; i < 64; i++) many += R"(,"cpu_utilization")";
  EXPECT_EQ(names("[" + many + "]"),
            head + "field:metricNamesForComputingUtilization error:more than 64 names]");
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

// The increases of the policy's metrics.
class WeightedRoundRobinMetrics : public WeightedRoundRobinPolicyTest {
 protected:
  WeightedRoundRobinMetrics() {
    host_.target =
        std::string("xds:///") + testing::UnitTest::GetInstance()->current_test_info()->name();
    host_.Create(gxds_weighted_round_robin_policy);
  }
  std::string Count(const std::string& name, const std::string& more = "") const {
    return gxds_test::PolicyMetric("grpc_lb_wrr_" + name + "{grpc_target=\"" + host_.target +
                                   "\",grpc_lb_backend_service=\"\",grpc_lb_locality=\"\"" + more +
                                   "}");
  }
  std::string Counts() const {
    return Count("rr_fallback_total") + " fallbacks, " +
           Count("endpoint_weight_not_yet_usable_total") + " not yet, " +
           Count("endpoint_weight_stale_total") + " stale";
  }
};

TEST_F(WeightedRoundRobinMetrics, EachUpdateCountsItsEndpoints) {  // A78.6, A78.7
  EXPECT_EQ(Counts(), "0 fallbacks, 0 not yet, 0 stale");
  Apply({80, 81}, R"("blackoutPeriod":"1.5s","weightExpirationPeriod":"4s")");
  SetStateAt(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(Counts(), "1 fallbacks, 1 not yet, 0 stale") << "one endpoint";
  SetStateAt(81, GRPC_CHANNEL_READY);
  EXPECT_EQ(Counts(), "2 fallbacks, 3 not yet, 0 stale") << "a new picker is an update";
  loads_ = {{"10.0.0.1:80", Load(0.9)}, {"10.0.0.1:81", Load(0.3)}};
  Calls(100);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(Counts(), "3 fallbacks, 5 not yet, 0 stale") << "blackout";
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(Counts(), "3 fallbacks, 5 not yet, 0 stale") << "by weight";
  host_.Pass(2 * GXDS_SECOND);
  EXPECT_EQ(Counts(), "4 fallbacks, 5 not yet, 2 stale") << "four seconds without a report";
}

TEST_F(WeightedRoundRobinMetrics, WeightsAreRecordedAtEachUpdate) {  // A78.8
  Apply({80, 81}, R"("blackoutPeriod":"0s")");
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  loads_ = {{"10.0.0.1:80", Load(0.5)}, {"10.0.0.1:81", Load(0.25)}};
  Calls(100);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(Count("endpoint_weights_bucket", ",le=\"0\""), "3") << "before there was any";
  EXPECT_EQ(Count("endpoint_weights_bucket", ",le=\"100\""), "3");
  EXPECT_EQ(Count("endpoint_weights_bucket", ",le=\"250\""), "4");
  EXPECT_EQ(Count("endpoint_weights_sum"), "600.000000");
  EXPECT_EQ(Count("endpoint_weights_count"), "5");
}

TEST_F(WeightedRoundRobinMetrics, CountsOutliveThePolicy) {
  Apply({80});
  SetStateAt(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(Count("rr_fallback_total"), "1");
  host_.End();
  EXPECT_EQ(Count("rr_fallback_total"), "1");
  host_.Create(gxds_weighted_round_robin_policy);
  Apply({80});
  SetStateAt(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(Count("rr_fallback_total"), "2");
}

}  // namespace
}  // namespace memory
