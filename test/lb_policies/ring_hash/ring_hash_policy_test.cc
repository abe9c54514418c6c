#include "lb_policies/ring_hash/ring_hash_policy.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::CRef;
using grpc_xds::testing::LocalitySpec;
using grpc_xds::testing::MakeLocality;

class RingHashPolicyTest : public PolicyTest {
 protected:
  RingHashPolicyTest() { host_.Register(&gxds_ring_hash_policy); }

  void Start(const std::vector<uint16_t>& ports,
             const std::string& fields = R"("requestHashHeader":"user")") {
    host_.Create(gxds_ring_hash_policy);
    config_ = ParseConfig("[{\"ring_hash_experimental\":{" + fields + "}}]");
    Apply(ports);
  }
  void Apply(const std::vector<uint16_t>& ports, Args args = Args(), const char* zone = "z") {
    const auto locality = MakeLocality({zone, 1, ports});
    Update(config_, std::move(args), Addresses(gxds_locality_addresses(locality.get())), "note");
  }
  int Connects(const std::string& address) {
    int connects = 0;
    for (const Subchannel* s : host_.subchannels()) {
      if (s->address == address) connects += s->connects;
    }
    return connects;
  }
  std::string PickFor(const std::string& user) { return Pick({{{"user", user}}, "", {}}); }

  Config config_;
};

TEST_F(RingHashPolicyTest, PickConnectsItsEndpoint) {  // A76.4, A76.5, A42
  Start({1, 2, 3});
  EXPECT_EQ(accepted_, Status());
  EXPECT_EQ(host_.state, GRPC_CHANNEL_IDLE);
  ASSERT_EQ(host_.subchannels_made, 3u);
  EXPECT_EQ(PickFor("someone"), "queue");
  std::string chosen;
  for (const Subchannel* s : host_.subchannels()) {
    if (s->connects == 1) chosen += s->address;
  }
  ASSERT_EQ(chosen.substr(0, 9), "10.0.0.1:") << "one of them";
  ASSERT_EQ(chosen.size(), 10u);
  SetState(chosen, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  SetState(chosen, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(PickFor("someone"), chosen);
  EXPECT_EQ(PickFor(""), chosen) << "no value: what is READY";
}

TEST_F(RingHashPolicyTest, HashOfTheRouteDecides) {  // A76.2
  Start({1, 2, 3}, "");
  for (Subchannel* s : host_.subchannels()) host_.SetState(s, GRPC_CHANNEL_READY);
  auto pick = [this](uint64_t hash) {
    return Pick({{}, "c", {1, true, false, hash, nullptr, nullptr}});
  };
  std::set<std::string> picked;
  for (uint64_t i = 0; i < 64; ++i) {
    const uint64_t hash = i << 58;
    picked.insert(pick(hash));
    EXPECT_EQ(pick(hash), pick(hash));
  }
  EXPECT_EQ(picked.size(), 3u);
}

TEST_F(RingHashPolicyTest, FailedEndpointsRequestsGoToTheNextOfTheRingAndComeBack) {  // A42.30
  Start({1, 2, 3});
  for (Subchannel* s : host_.subchannels()) host_.SetState(s, GRPC_CHANNEL_READY);
  std::map<std::string, std::string> before;
  for (int i = 0; i < 50; ++i) before[std::to_string(i)] = PickFor(std::to_string(i));
  const std::string failed = before["0"];
  SetState(failed, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("gone"));
  for (const auto& [user, endpoint] : before) {
    const std::string now = PickFor(user);
    EXPECT_EQ(now.substr(0, 9), "10.0.0.1:") << user;
    EXPECT_EQ(now == endpoint, endpoint != failed) << user << ": only those that must, move";
  }
  SetState(failed, GRPC_CHANNEL_READY);
  for (const auto& [user, endpoint] : before) EXPECT_EQ(PickFor(user), endpoint) << user;
}

TEST_F(RingHashPolicyTest, RpcsWithoutTheHeaderConnectOneEndpoint) {  // A76.5, A76.7
  Start({1, 2, 3});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Pick(), "queue");
  int connects = 0;
  for (const Subchannel* s : host_.subchannels()) connects += s->connects;
  EXPECT_EQ(connects, 1);
}

TEST_F(RingHashPolicyTest, RequestsAreSpreadByWeight) {  // A42.15
  Start({});
  Update(config_, Args(), std::vector<Address>{{"a", 1}, {"b", 3}}, "note");
  for (Subchannel* s : host_.subchannels()) host_.SetState(s, GRPC_CHANNEL_READY);
  std::map<std::string, int> picks;
  for (int i = 0; i < 4000; ++i) picks[PickFor("user" + std::to_string(i))]++;
  EXPECT_NEAR(picks["b"], 3000, 200);
  EXPECT_EQ(picks["a"] + picks["b"], 4000);
}

TEST_F(RingHashPolicyTest, LocalitiesHaveTheirSharesHoweverManyEndpointsTheyHave) {  // A113.4
  Start({});
  const auto a = MakeLocality({"a", 1, {1, 2, 3}});
  const auto b = MakeLocality({"b", 3, {4}});
  const gxds_locality* localities[] = {a.get(), b.get()};
  const gxds_priority priority = {localities, 2};
  Update(config_, Args(), Addresses(gxds_priority_addresses(&priority)), "note");
  for (Subchannel* s : host_.subchannels()) host_.SetState(s, GRPC_CHANNEL_READY);
  std::map<std::string, int> picks;
  for (int i = 0; i < 4000; ++i) picks[PickFor("user" + std::to_string(i))]++;
  EXPECT_NEAR(picks["10.0.0.1:4"], 3000, 200) << "not half of them";
  EXPECT_NEAR(picks["10.0.0.1:1"], 333, 100);
}

TEST_F(RingHashPolicyTest, WithoutAHashAnRpcFails) {  // A76.2
  Start({1}, "");
  EXPECT_EQ(PickFor("someone").substr(0, 23), "fail: INTERNAL: ring_ha");
}

TEST_F(RingHashPolicyTest, FailureHasTheStatusOfTheEndpoint) {  // A61
  Start({1});
  SetState("10.0.0.1:1", GRPC_CHANNEL_CONNECTING);
  SetState("10.0.0.1:1", GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status,
            Unavailable("no reachable subchannels; last error: UNAVAILABLE: refused"));
  EXPECT_EQ(PickFor("someone"),
            "fail: UNAVAILABLE: ring hash cannot find a connected subchannel; first failure: "
            "UNAVAILABLE: refused");
  EXPECT_EQ(host_.reresolutions, 1);
  SetState("10.0.0.1:1", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Connects("10.0.0.1:1"), 1) << "without a pick";
}

TEST_F(RingHashPolicyTest, UpdateKeepsConnections) {  // A61
  Start({1, 2});
  SetState("10.0.0.1:1", GRPC_CHANNEL_READY);
  Apply({1, 3});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.subchannels_made, 3u) << "one new";
  EXPECT_EQ(host_.subchannels().size(), 2u) << "nobody holds what is gone";
  Apply({1}, Args(), "other");
  EXPECT_EQ(host_.subchannels_made, 4u) << "its load is another locality's";
  Apply({1}, Args().Set("a", 1), "other");
  EXPECT_EQ(host_.subchannels_made, 5u) << "connections to other args";
}

TEST_F(RingHashPolicyTest, HashKeyDecidesThePlace) {  // A76.9
  Start({1, 2});
  for (const char* address : {"10.0.0.1:1", "10.0.0.1:2"}) SetState(address, GRPC_CHANNEL_READY);
  auto place = [&](const char* first, const char* second) {
    auto plain = MakeLocality({"z", 1, {1, 2}});
    gxds_locality view = *plain;
    const gxds_str keys[] = {gxds_str_z(first), gxds_str_z(second)};
    gxds_locality_rare rare = {};
    rare.hash_keys = keys;
    view.rare = &rare;
    const CRef<gxds_locality> keyed(gxds_locality_copy(&view));
    Update(config_, Args(), Addresses(gxds_locality_addresses(keyed.get())), "note");
    return PickFor("someone");
  };
  const std::string before = place("x", "y");
  EXPECT_NE(place("y", "x"), before);
  EXPECT_EQ(place("x", "y"), before);
  EXPECT_EQ(host_.subchannels_made, 2u) << "both keep theirs";
}

TEST_F(RingHashPolicyTest, EmptyListFailsAndBadListIsIgnored) {
  Start({});
  EXPECT_EQ(accepted_, Unavailable("empty address list: note"));
  EXPECT_EQ(host_.status, accepted_);
  EXPECT_EQ(PickFor("x"), "fail: UNAVAILABLE: empty address list: note");
  EXPECT_TRUE(host_.Pick()->has_note());
  Update(config_, Args(), Unavailable("no DNS"));
  EXPECT_EQ(host_.status, Unavailable("no DNS"));
  Apply({1});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_IDLE);
  Update(config_, Args(), Unavailable("no DNS"));
  EXPECT_EQ(accepted_, Unavailable("no DNS"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_IDLE);
}

TEST_F(RingHashPolicyTest, ExitIdleConnects) {
  Start({1, 2});
  host_.ExitIdle();
  EXPECT_EQ(Connects("10.0.0.1:1"), 1);
  EXPECT_EQ(Connects("10.0.0.1:2"), 0);
}

TEST_F(RingHashPolicyTest, ConfigIsChecked) {  // A42.18, A76.1
  auto check = [this](const std::string& fields) {
    Status why;
    host_.ParseConfig("[{\"ring_hash_experimental\":{" + fields + "}}]", &why);
    return why.message;
  };
  const std::string head = "errors validating ring_hash LB policy config: [";
  EXPECT_EQ(check(""), "");
  EXPECT_EQ(check(R"("minRingSize":1,"maxRingSize":8388608,"requestHashHeader":"user")"), "");
  EXPECT_EQ(check(R"("minRingSize":0)"),
            head + "field:minRingSize error:must be in the range [1, 8388608]]");
  EXPECT_EQ(check(R"("maxRingSize":8388609)"),
            head + "field:maxRingSize error:must be in the range [1, 8388608]]");
  EXPECT_EQ(check(R"("minRingSize":9,"maxRingSize":8)"),
            head + "field: error:max_ring_size cannot be smaller than min_ring_size]");
  EXPECT_EQ(check(R"("requestHashHeader":"user-bin")"),
            head + "field:requestHashHeader error:must not be a binary header (\"-bin\")]");
  EXPECT_EQ(check(R"("requestHashHeader":"a b")"),
            head + "field:requestHashHeader error:is not a valid header name]");
}

}  // namespace
}  // namespace memory
