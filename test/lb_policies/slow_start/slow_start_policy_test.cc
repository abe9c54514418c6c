// round_robin with slow start.
#include "lb_policies/slow_start/slow_start_policy.h"

#include <map>
#include <string>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::MakeLocality;

const char kMinute[] = R"("window":"60s")";

class SlowStartPolicyTest : public PolicyTest {
 protected:
  SlowStartPolicyTest() {
    host_.Register(&gxds_slow_start_policy);
    host_.Create(gxds_slow_start_policy);
  }

  void Apply(const std::vector<uint16_t>& ports, const std::string& fields = kMinute,
             Args args = Args()) {
    const auto locality = MakeLocality({"z", 1, ports});
    Update(ParseConfig(R"([{"grpc_xds_slow_start":{"slowStart":{)" + fields + "}}}]"),
           std::move(args), Addresses(gxds_locality_addresses(locality.get())), "note");
    host_.Pass(0);
  }
  void SetStateAt(int port, grpc_connectivity_state state, const Status& status = Status()) {
    host_.SetState("10.0.0.1:" + std::to_string(port), state, status);
  }
  void Ready(const std::vector<int>& ports) {
    for (int port : ports) SetStateAt(port, GRPC_CHANNEL_READY);
  }
  // The endpoint's RPCs out of 11,000.
  int Share(int port) { return Picks(11000)["10.0.0.1:" + std::to_string(port)]; }
};

TEST_F(SlowStartPolicyTest, AnEndpointThatComesGetsItsShareLittleByLittle) {  // E1.1, E1.2, E1.4
  Apply({80});
  Ready({80});
  Apply({80, 81});
  host_.Pass(50 * GXDS_SECOND);
  Ready({81});
  EXPECT_NEAR(Share(81), 1000, 5) << "a tenth of the other's, however long it took to connect";
  const int published = host_.published;
  host_.Pass(30 * GXDS_SECOND);
  EXPECT_NEAR(Share(81), 11000 / 3, 100) << "half";
  host_.Pass(31 * GXDS_SECOND);
  EXPECT_EQ(Share(81), 5500);
  EXPECT_EQ(host_.published, published) << "by the same picker";
  EXPECT_EQ(host_.timer_count(), 0u) << "nothing is left to do";
}

TEST_F(SlowStartPolicyTest, WhenAllAreNewNoneIsSpared) {  // E1.5
  Apply({80, 81});
  Ready({80});
  host_.Pass(10 * GXDS_SECOND);
  Ready({81});
  EXPECT_EQ(Share(81), 5500);
  EXPECT_EQ(host_.timer_count(), 0u);
  Apply({});
  Apply({82, 83});
  Ready({82});
  host_.Pass(GXDS_SECOND);
  Ready({83});
  EXPECT_EQ(Share(83), 5500) << "after an empty list, too";
}

TEST_F(SlowStartPolicyTest, WhatConnectsAnewIsNotNew) {  // E1.4
  Apply({80});
  Ready({80});
  Apply({80, 81});
  Ready({81});
  host_.Pass(61 * GXDS_SECOND);
  SetStateAt(81, GRPC_CHANNEL_IDLE);
  Ready({81});
  EXPECT_EQ(Share(81), 5500) << "another connection";
  Apply({80, 81}, kMinute, Args().Set("a", 1));
  Ready({80, 81});
  EXPECT_EQ(Share(81), 5500) << "another subchannel";
  SetStateAt(81, GRPC_CHANNEL_IDLE);
  host_.Pass(5 * GXDS_SECOND);
  Apply({80}, kMinute, Args().Set("a", 1));
  Apply({80, 81}, kMinute, Args().Set("a", 1));
  Ready({81});
  EXPECT_NEAR(Share(81), 1000, 5) << "but what went and came back is";
}

TEST_F(SlowStartPolicyTest, OneThatLeavesIsPickedUntilAnotherIsReady) {
  Apply({80});
  Ready({80});
  Apply({80, 81});
  Ready({81});
  Apply({82});
  EXPECT_NEAR(Share(81), 1000, 5) << "as before";
  host_.Pass(31 * GXDS_SECOND);
  EXPECT_NEAR(Share(81), 11000 / 3, 150);
  Ready({82});
  EXPECT_EQ(Share(82), 11000);
}

TEST_F(SlowStartPolicyTest, AnotherConfigCountsFromNowOn) {  // E1.6
  Apply({80});
  Ready({80});
  Apply({80, 81});
  Ready({81});
  host_.Pass(15 * GXDS_SECOND);
  EXPECT_NEAR(Share(81), 2200, 50) << "a quarter";
  Apply({80, 81}, R"("window":"30s")");
  EXPECT_NEAR(Share(81), 11000 / 3, 50) << "half";
  Apply({80, 81}, R"("window":"10s")");
  EXPECT_EQ(Share(81), 5500);
  EXPECT_EQ(host_.subchannels_made, 2u);
}

TEST_F(SlowStartPolicyTest, AListThatCannotBeHadChangesNothing) {
  Apply({80});
  Ready({80});
  Apply({80, 81});
  Ready({81});
  Update(ParseConfig(R"([{"grpc_xds_slow_start":{"slowStart":{"window":"1s"}}}])"), Args(),
         Unavailable("no DNS"));
  host_.Pass(0);
  EXPECT_NEAR(Share(81), 1000, 5);
}

TEST_F(SlowStartPolicyTest, ConfigIsChecked) {  // E1.7
  auto error = [this](const std::string& fields) {
    return ParseError(R"([{"grpc_xds_slow_start":{"slowStart":{)" + fields + "}}}]").message;
  };
  const std::string head = "errors validating grpc_xds_slow_start LB policy config: [field:";
  EXPECT_EQ(error(R"("aggression":0)"),
            head + "slowStart.aggression error:must be greater than 0]");
  EXPECT_EQ(error(R"("minWeightPercent":101)"),
            head + "slowStart.minWeightPercent error:must be in the range [0, 100]]");
  EXPECT_EQ(error(R"("minWeightPercent":-1)"),
            head + "slowStart.minWeightPercent error:must be in the range [0, 100]]");
  EXPECT_NE(error(R"("window":5)"), "");
  EXPECT_NE(ParseError(R"([{"grpc_xds_slow_start":{"slowStart":3}}])").message, "");
}

class EndpointWeightsPolicyTest : public PolicyTest {
 protected:
  EndpointWeightsPolicyTest() {
    host_.Register(&gxds_endpoint_weights_policy);
    host_.Create(gxds_endpoint_weights_policy);
  }

  // fields: those of the config.
  void Apply(const std::vector<uint16_t>& ports, const std::vector<uint32_t>& weights,
             const std::string& fields = "") {
    const auto locality = MakeLocality({"z", 1, ports, weights});
    Update(ParseConfig(R"([{"grpc_xds_endpoint_weights":{)" + fields + "}}]"), Args(),
           Addresses(gxds_locality_addresses(locality.get())), "note");
    host_.Pass(0);
  }
  void Ready(const std::vector<int>& ports) {
    for (int port : ports) {
      host_.SetState("10.0.0.1:" + std::to_string(port), GRPC_CHANNEL_READY);
    }
  }
  // The endpoint's RPCs out of 12,000.
  int Share(int port) { return Picks(12000)["10.0.0.1:" + std::to_string(port)]; }

  const std::string slow_ = R"("slowStart":{"window":"60s"})";
};

TEST_F(EndpointWeightsPolicyTest, AnEndpointsShareIsItsWeightOverTheSum) {  // E3.1, E3.3
  Apply({80, 81, 82}, {8, 3});
  Ready({80, 81, 82});
  EXPECT_NEAR(Share(80), 8000, 5);
  EXPECT_NEAR(Share(82), 1000, 5);
  Apply({80, 81, 82}, {8, 3, 13});
  EXPECT_NEAR(Share(82), 6500, 5);
  EXPECT_EQ(host_.subchannels_made, 3u);
  EXPECT_EQ(host_.timer_count(), 0u);
  Apply({80, 81, 82}, {2, 2, 2});
  EXPECT_EQ(Share(82), 4000);
}

TEST_F(EndpointWeightsPolicyTest, SlowStartMultipliesTheWeight) {  // E3.4
  Apply({80}, {3}, slow_);
  Ready({80});
  Apply({80, 81}, {3, 30}, slow_);
  Ready({81});
  EXPECT_NEAR(Share(81), 6000, 5) << "a tenth of 30 beside 3";
  host_.Pass(30 * GXDS_SECOND);
  EXPECT_NEAR(Share(81), 10000, 20) << "half of it";
  host_.Pass(31 * GXDS_SECOND);
  EXPECT_NEAR(Share(81), 12000 * 30 / 33, 5) << "all of it";
  EXPECT_EQ(host_.timer_count(), 0u) << "nothing is left to do";
  EXPECT_EQ(host_.subchannels_made, 2u);
}

TEST_F(EndpointWeightsPolicyTest, AWeightMayChangeWhileItsEndpointIsNew) {  // E3.3, E3.4
  Apply({80}, {1}, slow_);
  Ready({80});
  Apply({80, 81}, {1, 10}, slow_);
  Ready({81});
  EXPECT_EQ(Share(81), 6000);
  Apply({80, 81}, {1, 50}, slow_);
  EXPECT_NEAR(Share(81), 10000, 5);
  host_.Pass(61 * GXDS_SECOND);
  Apply({80, 81}, {1, 1}, slow_);
  EXPECT_EQ(Share(81), 6000);
  EXPECT_EQ(host_.subchannels_made, 2u);
}

TEST_F(EndpointWeightsPolicyTest, SlowStartMayComeAndGo) {  // E3.4
  Apply({80}, {1}, slow_);
  Ready({80});
  Apply({80, 81}, {1, 3}, slow_);
  Ready({81});
  host_.SetState("10.0.0.1:80", GRPC_CHANNEL_IDLE);
  host_.SetState("10.0.0.1:81", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.timer_count(), 0u) << "without a picker";
  Ready({80, 81});
  Apply({80, 81}, {1, 3});
  EXPECT_NEAR(Share(81), 9000, 5);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(EndpointWeightsPolicyTest, ConfigIsChecked) {
  EXPECT_EQ(
      ParseError(R"([{"grpc_xds_endpoint_weights":{"slowStart":{"aggression":0}}}])").message,
      "errors validating grpc_xds_endpoint_weights LB policy config: [field:slowStart.aggression "
      "error:must be greater than 0]");
}

}  // namespace
}  // namespace memory
