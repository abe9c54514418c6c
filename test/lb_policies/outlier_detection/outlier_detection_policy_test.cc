#include "lb_policies/outlier_detection/outlier_detection_policy.h"

#include <string>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/pick_first/pick_first_policy.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"
#include "test/metrics/read_metrics.h"

namespace memory {
namespace {

using grpc_xds::testing::MakeLocality;

class OutlierDetectionPolicyTest : public PolicyTest {
 protected:
  OutlierDetectionPolicyTest() {
    host_.Register(&gxds_outlier_detection_policy);
    host_.Register(&gxds_pick_first_policy);
  }

  void Start(const std::string& child, const std::vector<uint16_t>& ports) {
    child_ = child;
    host_.Create(gxds_outlier_detection_policy);
    Apply(ports);
  }
  // Ejects for 3 s, at intervals of 1 s, the addresses with more than half of their RPCs failed.
  void Apply(const std::vector<uint16_t>& ports, bool ejects = true) {
    const std::string ejection =
        R"("failurePercentageEjection":{"threshold":50,"enforcementPercentage":100,)"
        R"("minimumHosts":1,"requestVolume":2},)";
    const Config config = ParseConfig(
        R"([{"outlier_detection_experimental":{"interval":"1s","baseEjectionTime":"3s",)"
        R"("maxEjectionPercent":50,)" +
        (ejects ? ejection : "") + R"("childPolicy":[{")" + child_ + R"(":{}}]}}])");
    const auto locality = MakeLocality({"z", 1, ports});
    Update(config, Args(), Addresses(gxds_locality_addresses(locality.get())));
  }
  // Makes an RPC and returns its address. It fails if it went to `failing`.
  std::string Call(const std::string& failing) {
    const auto call = host_.Pick();
    counted_ = call->is_tracked();
    call->Start();
    call->Finish(call->Text() == failing ? Status(GXDS_INTERNAL, "failed") : Status());
    return call->Text();
  }
  // Makes enough calls that the failing address is ejected at the end of the interval.
  void Eject(const std::string& failing) {
    for (int i = 0; i < 20; ++i) Call(failing);
    host_.Pass(GXDS_SECOND);
  }

  std::string child_;
  bool counted_ = false;
};

constexpr char kA[] = "10.0.0.1:1";
constexpr char kB[] = "10.0.0.1:2";

TEST_F(OutlierDetectionPolicyTest, EjectedBackendIsLeftAloneUntilItsTimeIsOver) {  // A50.1
  Start("round_robin", {1, 2});
  EXPECT_EQ(accepted_, Status());
  for (const char* a : {kA, kB}) SetState(a, GRPC_CHANNEL_READY);
  ASSERT_EQ(host_.state, GRPC_CHANNEL_READY);
  Eject(kA);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Call(""), kB);
  host_.Pass(4 * GXDS_SECOND);
  EXPECT_NE(Call(""), Call("")) << "both again";
}

TEST_F(OutlierDetectionPolicyTest, EjectedBackendsStatesAreKeptForLater) {  // A50.2
  Start("round_robin", {1, 2});
  for (const char* a : {kA, kB}) SetState(a, GRPC_CHANNEL_READY);
  Eject(kA);
  SetState(kA, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Call(""), kB);
  EXPECT_EQ(Call(""), kB);
  host_.Pass(4 * GXDS_SECOND);
  EXPECT_EQ(Call(""), kB) << "it is IDLE in truth";
  SetState(kA, GRPC_CHANNEL_CONNECTING);
  SetState(kA, GRPC_CHANNEL_READY);
  EXPECT_NE(Call(""), Call(""));
}

TEST_F(OutlierDetectionPolicyTest, UpdateDoesNotFreeTheEjected) {  // A50.3
  Start("round_robin", {1, 2});
  for (const char* a : {kA, kB}) SetState(a, GRPC_CHANNEL_READY);
  Eject(kA);
  Apply({1, 2});  // round_robin makes all its subchannels anew
  for (const char* a : {kA, kB}) SetState(a, GRPC_CHANNEL_READY);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Call(""), kB);
}

TEST_F(OutlierDetectionPolicyTest, WithoutEjectionNothingIsCounted) {  // A50.5
  Start("round_robin", {1, 2});
  for (const char* a : {kA, kB}) SetState(a, GRPC_CHANNEL_READY);
  Call("");
  EXPECT_TRUE(counted_);
  Eject(kA);
  Apply({1, 2}, /*ejects=*/false);
  Call("");
  EXPECT_FALSE(counted_);
  EXPECT_EQ(host_.timer_count(), 0u);
  for (const char* a : {kA, kB}) SetState(a, GRPC_CHANNEL_READY);
  EXPECT_NE(Call(""), Call("")) << "what was ejected is free";
}

TEST_F(OutlierDetectionPolicyTest, PickFirstIsNotEjectedAndIsNotifiedOfItsConnection) {  // A61.16
  Start("grpc_xds_pick_first", {1, 2});
  SetState(kA, GRPC_CHANNEL_READY);
  Eject(kA);
  EXPECT_EQ(Call(""), kA) << "it stays where it is connected";
  SetState(kA, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_IDLE) << "that connection is lost, ejected or not";
  EXPECT_EQ(Call(""), "queue");
  host_.ExitIdle();
  SetState(kA, GRPC_CHANNEL_READY);
  EXPECT_EQ(Call(""), kA) << "a new subchannel of the address is not ejected either";
}

TEST_F(OutlierDetectionPolicyTest, PickersAndCallsOutliveThePolicy) {
  Start("round_robin", {1});
  SetState(kA, GRPC_CHANNEL_READY);
  const auto call = host_.Pick();
  call->Start();
  host_.End();
  EXPECT_EQ(Call(""), kA);
  call->Finish();
}

TEST_F(OutlierDetectionPolicyTest, EjectionsAreCountedByTarget) {  // A91.1, A91.4
  host_.target = "xds:///ejections";
  const std::string labels =
      "grpc_target=\"xds:///ejections\",grpc_lb_backend_service=\"\","
      "grpc_lb_outlier_detection_detection_method=\"failure_percentage\"";
  const std::string enforced = "grpc_lb_outlier_detection_ejections_enforced_total{" + labels + "}";
  Start("round_robin", {1, 2});
  for (const char* a : {kA, kB}) SetState(a, GRPC_CHANNEL_READY);
  EXPECT_EQ(gxds_test::PolicyMetric(enforced), "0");
  Eject(kA);
  EXPECT_EQ(gxds_test::PolicyMetric(enforced), "1");
  host_.Pass(4 * GXDS_SECOND);
  EXPECT_NE(Call(""), Call("")) << "both again";
  EXPECT_EQ(gxds_test::PolicyMetric(enforced), "1");
  host_.End();
  EXPECT_EQ(gxds_test::PolicyMetric(enforced), "1");
  EXPECT_EQ(gxds_test::PolicyMetric(
                "grpc_lb_outlier_detection_ejections_unenforced_total{" + labels +
                ",grpc_lb_outlier_detection_unenforced_reason=\"max_ejection_overflow\"}"),
            "0");
}

TEST_F(OutlierDetectionPolicyTest, ConfigFromJson) {  // A50.24
  const Config parsed = ParseConfig(
      R"([{"outlier_detection_experimental":{"interval":"1s","baseEjectionTime":"2s",)"
      R"("maxEjectionTime":"3s","maxEjectionPercent":4,"successRateEjection":{"stdevFactor":5,)"
      R"("enforcementPercentage":6,"minimumHosts":7,"requestVolume":8},"childPolicy":)"
      R"([{"test_leaf":{}}]}}])");
  ASSERT_NE(parsed.get(), nullptr);
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
  EXPECT_EQ(
      ParseError(R"([{"outlier_detection_experimental":{"maxEjectionPercent":101}}])").message,
      "errors validating outlier_detection LB policy config: [field:childPolicy error:field "
      "not present; field:max_ejection_percent error:value must be <= 100]");
}

}  // namespace
}  // namespace memory
