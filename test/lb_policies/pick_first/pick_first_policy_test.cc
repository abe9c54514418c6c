// All RPCs go to the first address that connects (A61, A62).
#include "lb_policies/pick_first/pick_first_policy.h"

#include <string>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/host/memory_test.h"
#include "test/metrics/read_metrics.h"

namespace memory {
namespace {

class PickFirstPolicyTest : public PolicyTest {
 protected:
  PickFirstPolicyTest() {
    host_.Register(&gxds_pick_first_policy);
    config_ = ParseConfig(R"([{"grpc_xds_pick_first":{}}])");
    host_.Create(gxds_pick_first_policy);
  }
  void Apply(const std::vector<std::string>& addresses, const Args& args = Args()) {
    std::vector<Address> list;
    for (const auto& text : addresses) {
      list.emplace_back();
      list.back().text = text;
    }
    Update(config_, args, Addresses(list), "the note");
  }
  void Refuse(const std::string& address) {
    SetState(address, GRPC_CHANNEL_CONNECTING);
    SetState(address, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable(address + " refused"));
  }
  // The subchannels that were told to connect, in the order they were made.
  std::string Connecting() const {
    std::string out;
    for (const Subchannel* s : host_.subchannels()) {
      if (s->connects > 0) out += (out.empty() ? "" : " ") + s->address;
    }
    return out;
  }

  Config config_;
};

TEST_F(PickFirstPolicyTest, TheFirstThatConnectsIsPicked) {  // A61.2
  Apply({"a:1", "b:1", "c:1"});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Connecting(), "a:1");
  EXPECT_EQ(Pick(), "queue");
  host_.Pass(250 * GXDS_MILLISECOND);
  EXPECT_EQ(Connecting(), "a:1 b:1");
  SetState("b:1", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b:1");
  EXPECT_EQ(WatchedCount(), 1u);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(PickFirstPolicyTest, FamiliesOfAllEndpointsTakeTurns) {  // A61.14
  Apply({"[::1]:1", "[::2]:1", "1.1.1.1:1", "1.1.1.2:1"});
  const char* const kOrder[] = {"[::1]:1", "1.1.1.1:1", "[::2]:1", "1.1.1.2:1"};
  std::string tried;
  for (const char* address : kOrder) {
    tried += (tried.empty() ? "" : " ") + std::string(address);
    EXPECT_EQ(Connecting(), tried);
    host_.Pass(250 * GXDS_MILLISECOND);
  }
}

TEST_F(PickFirstPolicyTest, EndpointsGiveAllTheirAddresses) {  // A61.14
  const gxds_endpoint endpoints[] = {{{{10, 0, 0, 1}, 1, 0}, GXDS_HEALTH_UNKNOWN, 1},
                                     {{{10, 0, 0, 2}, 1, 0}, GXDS_HEALTH_UNKNOWN, 1}};
  const gxds_address more[] = {{{10, 0, 1, 1}, 1, 0}, {{0x20, 1}, 1, 1}};
  const uint32_t ends[] = {2, 2};
  gxds_locality view = {};
  view.weight = 1;
  view.endpoint_count = 2;
  view.list.full = endpoints;
  gxds_locality_rare rare = {};
  rare.more = more;
  rare.more_ends = ends;
  view.rare = &rare;
  const gxds_locality* locality = gxds_locality_copy(&view);
  Update(config_, Args(), Addresses(gxds_locality_addresses(locality)));
  gxds_locality_unref(locality);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(Connecting(), "10.0.0.1:1 [2001::]:1 10.0.1.1:1 10.0.0.2:1");
}

TEST_F(PickFirstPolicyTest, FailsWhenAllDidAndStaysSoUntilOneConnects) {  // A61.3, A62.5
  Apply({"a:1", "b:1"});
  Refuse("a:1");
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  Refuse("b:1");
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(),
            "fail: UNAVAILABLE: failed to connect to all addresses; last error: UNAVAILABLE: b:1 "
            "refused");
  EXPECT_EQ(host_.reresolutions, 1);
  Apply({"a:1", "c:1"});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE) << "also with other addresses";
  SetState("c:1", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "c:1");
}

TEST_F(PickFirstPolicyTest, ALostConnectionIsIdleUntilAnRpcComes) {  // A61.5
  Apply({"a:1", "b:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  SetState("a:1", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.reresolutions, 1);
  EXPECT_EQ(host_.subchannels().size(), 0u);
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Connecting(), "a:1");
}

TEST_F(PickFirstPolicyTest, AnUpdateWhileItIsIdleConnectsNothing) {
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  SetState("a:1", GRPC_CHANNEL_IDLE);
  Apply({"b:1"});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.subchannels().size(), 0u);
  Pick();
  EXPECT_EQ(Connecting(), "b:1");
}

TEST_F(PickFirstPolicyTest, TheSameListChangesNothing) {
  Apply({"a:1", "b:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  const int published = host_.published;
  const size_t made = host_.subchannels_made;
  Apply({"a:1", "b:1"});
  EXPECT_EQ(host_.published, published);
  EXPECT_EQ(host_.subchannels_made, made);
}

TEST_F(PickFirstPolicyTest, WhatIsConnectedServesUntilTheNewListDoes) {  // A61.15
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  Apply({"b:1", "c:1"});
  EXPECT_EQ(Pick(), "a:1");
  EXPECT_EQ(Connecting(), "a:1 b:1");
  Refuse("b:1");
  EXPECT_EQ(Pick(), "a:1");
  SetState("c:1", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "c:1");
  EXPECT_EQ(host_.Watched("a:1"), nullptr);
}

TEST_F(PickFirstPolicyTest, WhatIsConnectedEndsWhenTheWholeNewListFailed) {  // A61.15
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  Apply({"b:1"});
  Refuse("b:1");
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.Watched("a:1"), nullptr);
}

TEST_F(PickFirstPolicyTest, ALostConnectionGivesWayToTheNewList) {  // A61.15
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  Apply({"b:1"});
  SetState("a:1", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Pick(), "queue");
  SetState("b:1", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b:1");
}

TEST_F(PickFirstPolicyTest, AnAddressOfBothListsKeepsItsConnection) {  // A61.15
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  host_.shared["a:1"] = {GRPC_CHANNEL_READY, Status()};
  Apply({"b:1", "a:1"});
  EXPECT_EQ(Connecting(), "") << "it is found connected before anything is tried";
  EXPECT_EQ(Pick(), "a:1");
  EXPECT_EQ(WatchedCount(), 1u);
}

TEST_F(PickFirstPolicyTest, HealthAndEjectionsAreNotLookedAt) {  // A61.16
  Apply({"a:1"});
  EXPECT_EQ(host_.Watched("a:1")->args, Args().Set("grpc.inhibit_health_checking", 1));
  SetState("a:1", GRPC_CHANNEL_READY);
  SetState("a:1", GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("ejected"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "a:1");
}

TEST_F(PickFirstPolicyTest, AnEmptyListFails) {
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  Apply({});
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: empty address list: the note");
  EXPECT_TRUE(host_.Pick()->has_note());
  EXPECT_EQ(accepted_, Unavailable("empty address list: the note"));
  EXPECT_EQ(host_.reresolutions, 1);
  EXPECT_EQ(WatchedCount(), 0u);
}

TEST_F(PickFirstPolicyTest, RpcsWaitForTheListAfterAnEmptyOne) {  // A62.5
  Apply({"a:1"});
  Refuse("a:1");
  Apply({});
  ASSERT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  Apply({"b:1"});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Pick(), "queue") << "the list is not empty any more, and nothing of it has failed";
  Refuse("b:1");
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
}

TEST_F(PickFirstPolicyTest, AResolversErrorChangesNothingThatWorks) {
  Update(config_, Args(), Addresses(Unavailable("no name")));
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: no name");
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  Update(config_, Args(), Addresses(Unavailable("no name")));
  EXPECT_EQ(Pick(), "a:1");
}

TEST_F(PickFirstPolicyTest, OtherArgumentsMakeOtherConnections) {
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_READY);
  Apply({"a:1"}, Args().Set("new", 1));
  EXPECT_EQ(host_.subchannels_made, 2u);
  EXPECT_EQ(Pick(), "a:1");
}

TEST_F(PickFirstPolicyTest, NoSubchannelIsAFailure) {
  host_.refuses_subchannels = true;
  Apply({"a:1", "b:1"});
  EXPECT_EQ(Pick(),
            "fail: UNAVAILABLE: failed to connect to all addresses; last error: UNAVAILABLE: no "
            "subchannel can be made");
}

TEST_F(PickFirstPolicyTest, BackoffIsReset) {
  Apply({"a:1", "b:1"});
  Refuse("a:1");
  host_.ResetBackoff();
  EXPECT_EQ(host_.Watched("a:1")->resets, 1);
}

class PickFirstMetrics : public PickFirstPolicyTest {
 protected:
  PickFirstMetrics() {
    host_.target =
        std::string("xds:///") + testing::UnitTest::GetInstance()->current_test_info()->name();
    host_.Create(gxds_pick_first_policy);
  }
  std::string Count(const std::string& name) const {
    return gxds_test::PolicyMetric("grpc_lb_pick_first_" + name + "_total{grpc_target=\"" +
                                   host_.target + "\"}");
  }
  std::string Counts() const {
    return Count("connection_attempts_succeeded") + " succeeded, " +
           Count("connection_attempts_failed") + " failed, " + Count("disconnections") + " lost";
  }
};

TEST_F(PickFirstMetrics, AttemptsAndLostConnectionsAreCounted) {  // A78.10, A78.11
  EXPECT_EQ(Counts(), "0 succeeded, 0 failed, 0 lost");
  Apply({"a:1", "b:1"});
  Refuse("a:1");
  EXPECT_EQ(Counts(), "0 succeeded, 1 failed, 0 lost");
  SetState("b:1", GRPC_CHANNEL_CONNECTING);
  SetState("b:1", GRPC_CHANNEL_READY);
  EXPECT_EQ(Counts(), "1 succeeded, 1 failed, 0 lost");
  SetState("b:1", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Counts(), "1 succeeded, 1 failed, 1 lost");
}

TEST_F(PickFirstMetrics, AttemptsThatEndWithAnotherConnectionAreNotCounted) {  // A78.11
  Apply({"a:1", "b:1"});
  SetState("a:1", GRPC_CHANNEL_CONNECTING);
  host_.Pass(250 * GXDS_MILLISECOND);
  SetState("b:1", GRPC_CHANNEL_CONNECTING);
  SetState("b:1", GRPC_CHANNEL_READY);
  EXPECT_EQ(Counts(), "1 succeeded, 0 failed, 0 lost");
}

TEST_F(PickFirstMetrics, AConnectionThatWasThereIsNoAttempt) {  // A78.11
  host_.shared["a:1"] = {GRPC_CHANNEL_READY, Status()};
  Apply({"a:1"});
  EXPECT_EQ(Pick(), "a:1");
  EXPECT_EQ(Counts(), "0 succeeded, 0 failed, 0 lost");
}

TEST_F(PickFirstMetrics, AConnectionThatIsGivenUpIsNotLost) {  // A78.10
  Apply({"a:1"});
  SetState("a:1", GRPC_CHANNEL_CONNECTING);
  SetState("a:1", GRPC_CHANNEL_READY);
  Apply({"b:1"});
  SetState("b:1", GRPC_CHANNEL_CONNECTING);
  SetState("b:1", GRPC_CHANNEL_READY);
  host_.End();
  EXPECT_EQ(Counts(), "2 succeeded, 0 failed, 0 lost");
}

}  // namespace
}  // namespace memory
