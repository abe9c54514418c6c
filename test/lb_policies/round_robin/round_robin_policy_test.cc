#include "lb_policies/round_robin/round_robin_policy.h"

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "lb_policies/pace/pace.h"
#include "lb_policies/round_robin/round_robin.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::MakeLocality;

class RoundRobinPolicyTest : public PolicyTest {
 protected:
  RoundRobinPolicyTest() { host_.Create(gxds_round_robin_policy); }

  void Apply(const std::vector<uint16_t>& ports, Args args = Args(), std::string note = "") {
    auto locality = MakeLocality({"z", 1, ports});
    Update(Config(gxds_round_robin_config_create(locality.get(), false)), std::move(args),
           Addresses(), std::move(note));
  }
  void ReportPort(int port, grpc_connectivity_state state, const Status& status = Status()) {
    host_.SetState("10.0.0.1:" + std::to_string(port), state, status);
  }
  // More endpoints than may connect at a time.
  static std::vector<uint16_t> Many() {
    std::vector<uint16_t> ports(GXDS_PACE_WINDOW + 20);
    std::iota(ports.begin(), ports.end(), uint16_t{1000});
    return ports;
  }
};

TEST_F(RoundRobinPolicyTest, EndpointsArePickedInTurn) {
  Apply({80, 81, 82});
  EXPECT_EQ(Pick(), "queue");
  for (int port : {80, 81, 82}) ReportPort(port, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  const std::vector<std::string> order = {"10.0.0.1:80", "10.0.0.1:81", "10.0.0.1:82"};
  const std::string first = Pick();
  size_t at = 0;
  while (order[at] != first) ASSERT_LT(++at, order.size());
  for (int i = 0; i < 10; i++) EXPECT_EQ(Pick(), order[++at % order.size()]);
}

TEST_F(RoundRobinPolicyTest, UpdateMakesSubchannelsForTheNewEndpointsOnly) {
  Apply({80, 81, 82});
  for (int port : {80, 81, 82}) ReportPort(port, GRPC_CHANNEL_READY);
  Apply({80, 90, 82});
  EXPECT_EQ(host_.subchannels_made, 4u);
  EXPECT_EQ(WatchedCount(), 3u);
  EXPECT_EQ(Picks(10), (std::map<std::string, int>{{"10.0.0.1:80", 5}, {"10.0.0.1:82", 5}}));
  ReportPort(90, GRPC_CHANNEL_READY);
  EXPECT_EQ(Picks(9).size(), 3u);
}

TEST_F(RoundRobinPolicyTest, AnotherHostnameMakesAnotherSubchannelOfThatEndpointAlone) {  // A81.4
  auto apply = [this](const char* of_81) {
    auto plain = MakeLocality({"z", 1, {80, 81, 82}});
    gxds_locality view = *plain;
    const gxds_str names[] = {gxds_str_z("a.example"), gxds_str_z(of_81), gxds_str_z("")};
    gxds_locality_rare rare = {};
    rare.hostnames = names;
    view.rare = &rare;
    const grpc_xds::testing::CRef<gxds_locality> named(gxds_locality_copy(&view));
    Update(Config(gxds_round_robin_config_create(named.get(), false)), Args(), Addresses());
  };
  Apply({80, 81, 82});
  for (int port : {80, 81, 82}) ReportPort(port, GRPC_CHANNEL_READY);
  ASSERT_EQ(host_.subchannels_made, 3u);
  apply("one.example");
  EXPECT_EQ(host_.subchannels_made, 5u) << "two have a hostname now";
  EXPECT_EQ(Picks(9), (std::map<std::string, int>{{"10.0.0.1:82", 9}})) << "it kept its own";
  for (int port : {80, 81}) ReportPort(port, GRPC_CHANNEL_READY);
  apply("two.example");
  EXPECT_EQ(host_.subchannels_made, 6u);
  apply("two.example");
  EXPECT_EQ(host_.subchannels_made, 6u);
}

TEST_F(RoundRobinPolicyTest, AnotherProxyMakesAnotherSubchannelOfThatEndpointAlone) {  // A86.7
  auto apply = [this](const char* of_81, const Args& args) {
    auto plain = MakeLocality({"z", 1, {80, 81}});
    gxds_locality view = *plain;
    const gxds_str proxies[] = {gxds_str_z("10.1.0.1:1"), gxds_str_z(of_81)};
    gxds_locality_rare rare = {};
    rare.proxies = proxies;
    view.rare = &rare;
    const grpc_xds::testing::CRef<gxds_locality> reached(gxds_locality_copy(&view));
    Update(Config(gxds_round_robin_config_create(reached.get(), false)), args, Addresses());
  };
  const Args wanted = Args().Set(GXDS_HTTP_CONNECT_ARG, 1);
  apply("", wanted);
  EXPECT_EQ(host_.subchannels_made, 2u);
  apply("10.1.0.2:2", wanted);
  EXPECT_EQ(host_.subchannels_made, 3u);
  apply("10.1.0.2:2", wanted);
  EXPECT_EQ(host_.subchannels_made, 3u);
  apply("", wanted);
  EXPECT_EQ(host_.subchannels_made, 4u);
  apply("", Args());
  EXPECT_EQ(host_.subchannels_made, 6u);
  apply("10.1.0.2:2", Args());
  EXPECT_EQ(host_.subchannels_made, 6u) << "nobody wants proxies";
}

TEST_F(RoundRobinPolicyTest, OtherArgsMakeOtherSubchannels) {
  Apply({80});
  ReportPort(80, GRPC_CHANNEL_READY);
  Apply({80}, Args().Set("theirs", 7));
  ASSERT_EQ(host_.subchannels_made, 2u);
  EXPECT_EQ(host_.subchannels()[1]->args, Args().Set("theirs", 7));
  EXPECT_EQ(WatchedCount(), 2u);
  ReportPort(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(WatchedCount(), 1u);
}

TEST_F(RoundRobinPolicyTest, OneEndpointReadyServesWhileTheOthersWaitForTheirStart) {
  const std::vector<uint16_t> ports = Many();
  Apply(ports);
  host_.Pass(0);
  EXPECT_EQ(host_.subchannels_made, size_t{GXDS_PACE_WINDOW});
  ReportPort(ports[0], GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "10.0.0.1:" + std::to_string(ports[0]));
  host_.Pass(0);
  EXPECT_EQ(host_.subchannels_made, size_t{GXDS_PACE_WINDOW + 1});
  for (size_t i = 1; host_.subchannels_made < ports.size(); ++i) {
    ReportPort(ports[i], GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
    host_.Pass(0);
  }
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(RoundRobinPolicyTest, EndpointsThatDoNotConnectDoNotKeepTheOthersOut) {
  const std::vector<uint16_t> ports = Many();
  Apply(ports);
  host_.Pass(0);
  EXPECT_EQ(host_.subchannels_made, size_t{GXDS_PACE_WINDOW});
  host_.Pass(GXDS_PACE_PATIENCE);
  host_.Pass(0);
  EXPECT_EQ(host_.subchannels_made, ports.size());
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(RoundRobinPolicyTest, EndpointsThatDoNotConnectDoNotKeepLaterOnesOut) {
  const std::vector<uint16_t> ports = Many();
  Apply({ports.begin(), ports.begin() + GXDS_PACE_WINDOW});
  host_.Pass(0);
  EXPECT_EQ(host_.subchannels_made, size_t{GXDS_PACE_WINDOW});
  Apply(ports);
  host_.Pass(0);
  EXPECT_EQ(host_.subchannels_made, size_t{GXDS_PACE_WINDOW});
  host_.Pass(GXDS_PACE_PATIENCE);
  EXPECT_EQ(host_.subchannels_made, ports.size());
}

TEST_F(RoundRobinPolicyTest, EndpointsThatGoLeaveTheirPlaces) {
  std::vector<uint16_t> ports = Many();
  Apply(ports);
  host_.Pass(0);
  ports.erase(ports.begin(), ports.begin() + GXDS_PACE_WINDOW);
  Apply(ports);
  host_.Pass(0);
  EXPECT_EQ(WatchedCount(), ports.size());
}

TEST_F(RoundRobinPolicyTest, EndpointThatCanHaveNoSubchannelLeavesItsPlace) {
  host_.refuses_subchannels = true;
  const std::vector<uint16_t> ports = Many();
  Apply(ports);
  host_.Pass(0);
  EXPECT_EQ(host_.subchannels_made, 0u);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(RoundRobinPolicyTest, MayEndWhileEndpointsWait) {
  Apply(Many());
  EXPECT_EQ(host_.timer_count(), 1u);
  host_.End();
  EXPECT_EQ(host_.timer_count(), 0u);
  EXPECT_EQ(WatchedCount(), 0u);
}

TEST_F(RoundRobinPolicyTest, FailureHasTheStatusOfTheLastConnection) {
  Apply({80, 81});
  ReportPort(80, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  ReportPort(81, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("no route"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status, Unavailable("connections to all backends failing; last error: "
                                      "UNAVAILABLE: no route"));
  EXPECT_EQ(Pick(), "fail: " + host_.status.ToString());
}

TEST_F(RoundRobinPolicyTest, ConnectionThatBreaksRequestsReresolutionButNotOneFoundBroken) {
  host_.shared["10.0.0.1:80"] = {GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused")};
  Apply({80});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.reresolutions, 0);
  ReportPort(80, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("again"));
  EXPECT_EQ(host_.reresolutions, 1);
}

TEST_F(RoundRobinPolicyTest, LocalityWithoutEndpointsFailsWithTheNote) {
  Apply({}, Args(), "gone");
  EXPECT_EQ(accepted_, Unavailable("empty address list: gone"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status, accepted_);
  EXPECT_TRUE(host_.Pick()->has_note());
}

TEST_F(RoundRobinPolicyTest, CannotBeConfigured) {
  host_.Register(&gxds_round_robin_policy);
  const Status why = ParseError(R"([{"grpc_xds_round_robin":{}}])");
  EXPECT_NE(why.message.find("Use round_robin."), std::string::npos) << why;
}

class WeightedEndpointsTest : public RoundRobinPolicyTest {
 protected:
  void Apply(const std::vector<uint16_t>& ports, const std::vector<uint32_t>& weights,
             bool by_weight = true, Args args = Args()) {
    auto locality = MakeLocality({"z", 1, ports, weights});
    Update(Config(gxds_round_robin_config_create(locality.get(), by_weight)), std::move(args),
           Addresses());
  }
  void Ready(const std::vector<int>& ports) {
    for (int port : ports) ReportPort(port, GRPC_CHANNEL_READY);
  }
  static std::string At(int port) { return "10.0.0.1:" + std::to_string(port); }
};

TEST_F(WeightedEndpointsTest, AnEndpointsShareIsItsWeightOverTheSum) {  // E3.1
  Apply({80, 81, 82}, {70, 29});
  Ready({80, 81, 82});
  auto picks = Picks(10000);
  EXPECT_NEAR(picks[At(80)], 7000, 5);
  EXPECT_NEAR(picks[At(81)], 2900, 5);
  EXPECT_NEAR(picks[At(82)], 100, 5) << "without a weight it is 1";
}

TEST_F(WeightedEndpointsTest, SharesAreOfThoseThatAreReady) {  // E3.1
  Apply({80, 81, 82}, {1000, 3, 1});
  Ready({81, 82});
  EXPECT_NEAR(Picks(4000)[At(81)], 3000, 5);
  ReportPort(81, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Picks(100)[At(82)], 100);
}

TEST_F(WeightedEndpointsTest, WeightsFarApartGetTheirSharesToo) {  // E3.1
  std::vector<uint16_t> ports(1000);
  std::iota(ports.begin(), ports.end(), uint16_t{1000});
  Apply(ports, {999000});
  for (int port : ports) ReportPort(port, GRPC_CHANNEL_READY);
  auto picks = Picks(100000);
  EXPECT_NEAR(picks[At(1000)], 99900, 10);
}

TEST_F(WeightedEndpointsTest, EqualWeightsArePickedInTurn) {  // E3.2
  Apply({80, 81, 82}, {7, 7, 7});
  Ready({80, 81, 82});
  const std::vector<std::string> order = {At(80), At(81), At(82)};
  const std::string first = Pick();
  size_t at = 0;
  while (order[at] != first) ASSERT_LT(++at, order.size());
  for (int i = 0; i < 10; i++) EXPECT_EQ(Pick(), order[++at % order.size()]);
}

TEST_F(WeightedEndpointsTest, AnotherWeightChangesSharesAndNoSubchannel) {  // E3.3
  Apply({80, 81, 82}, {1, 1, 1});
  Ready({80, 81, 82});
  int published = host_.published;
  Apply({80, 81, 82}, {1, 2, 1});
  EXPECT_EQ(host_.published, ++published);
  EXPECT_NEAR(Picks(4000)[At(81)], 2000, 5);
  Apply({80, 81, 82}, {1, 2, 1});
  EXPECT_EQ(host_.published, published) << "nothing changed";
  Apply({82, 80, 81}, {5, 1, 2});
  EXPECT_NEAR(Picks(8000)[At(82)], 5000, 5) << "in another order";
  EXPECT_EQ(host_.subchannels_made, 3u);
}

TEST_F(WeightedEndpointsTest, AWeightOfOneThatIsNotReadyMakesNoPicker) {  // E3.3
  Apply({80, 81}, {1, 1});
  Ready({80});
  const int published = host_.published;
  Apply({80, 81}, {1, 3});
  EXPECT_EQ(host_.published, published);
  Ready({81});
  EXPECT_NEAR(Picks(4000)[At(81)], 3000, 5);
}

TEST_F(WeightedEndpointsTest, OneThatLeavesKeepsItsWeightUntilAnotherIsReady) {
  Apply({80, 81}, {1, 3});
  Ready({80, 81});
  Apply({82}, {9});
  EXPECT_NEAR(Picks(4000)[At(81)], 3000, 5);
  Ready({82});
  EXPECT_EQ(Picks(100)[At(82)], 100);
}

TEST_F(WeightedEndpointsTest, OtherArgsKeepWeights) {
  Apply({80, 81}, {1, 3});
  Ready({80, 81});
  Apply({80, 81}, {1, 3}, true, Args().Set("a", 1));
  Ready({80, 81});
  EXPECT_NEAR(Picks(4000)[At(81)], 3000, 5);
}

TEST_F(WeightedEndpointsTest, WithoutTheConfigWeightsAreIgnored) {  // E3.5
  Apply({80, 81}, {1, 3}, false);
  Ready({80, 81});
  EXPECT_EQ(Picks(4000)[At(81)], 2000);
  const int published = host_.published;
  Apply({80, 81}, {1, 9}, false);
  EXPECT_EQ(host_.published, published);
  Apply({80, 81}, {1, 9}, true);
  EXPECT_NEAR(Picks(4000)[At(81)], 3600, 5);
  Apply({80, 81}, {1, 9}, false);
  EXPECT_EQ(Picks(4000)[At(81)], 2000);
  EXPECT_EQ(host_.subchannels_made, 2u);
}

}  // namespace
}  // namespace memory
