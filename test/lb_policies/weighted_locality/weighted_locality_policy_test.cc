#include "lb_policies/weighted_locality/weighted_locality_policy.h"

#include <algorithm>
#include <map>
#include <string>

#include "lb_policies/slow_start/slow_start_policy.h"
#include "lb_policies/weighted_locality/weighted_locality.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/configs.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::CRef;
using grpc_xds::testing::FakeCluster;

class WeightedLocalityPolicyTest : public PolicyTest {
 protected:
  WeightedLocalityPolicyTest() : cluster_("foo") {
    host_.Register(&gxds_weighted_locality_policy);
    host_.Create(gxds_weighted_locality_policy);
  }

  void Apply(std::string note = "", Args args = Args()) {
    auto snapshot = cluster_.Snapshot();
    const gxds_cluster_entry* entry = gxds_config_cluster(snapshot.get(), gxds_str_z("foo"));
    gxds_lb_config* child = config_.as<gxds_weighted_locality_config>().child;
    Update(WeightedLocality(Config(gxds_lb_config_ref(child)), entry), std::move(args), Addresses(),
           std::move(note));
  }

  FakeCluster cluster_;
  Config config_ = WeightedLocality(Config::OfHost("test_leaf"));
};

TEST_F(WeightedLocalityPolicyTest, LeafGetsItsLocalityAlone) {
  cluster_.Set({{{"a", 1, {80, 81}}, {"b", 1, {82}}}});
  Apply();
  EXPECT_TRUE(accepted_.ok());
  ASSERT_EQ(host_.script.created, 2);
  EXPECT_EQ(InZone("a")->addresses, (std::vector<std::string>{"10.0.0.1:80", "10.0.0.1:81"}));
  EXPECT_EQ(InZone("b")->addresses, (std::vector<std::string>{"10.0.0.1:82"}));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(host_.published, 1);
}

TEST_F(WeightedLocalityPolicyTest, UnchangedSnapshotsCostNothing) {
  config_ =
      ParseConfig(R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"test_leaf":{}}]}}])");
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  Report("a", GRPC_CHANNEL_READY);
  int published = host_.published;
  for (int i = 0; i < 10; i++) Apply();
  EXPECT_EQ(host_.script.updated, 2);
  EXPECT_EQ(host_.subchannels_made, 2u);
  EXPECT_EQ(host_.published, published);
}

TEST_F(WeightedLocalityPolicyTest, ChangedLocalityUpdatesOnlyItsLeaf) {
  cluster_.Set({{{"a"}, {"b"}, {"c"}}});
  Apply();
  cluster_.Set({{{"a"}, {"b", 1, {90}}, {"c"}}});
  Apply();
  EXPECT_EQ(InZone("a")->updates, 1);
  EXPECT_EQ(InZone("b")->updates, 2);
  EXPECT_EQ(InZone("c")->updates, 1);
  EXPECT_EQ(host_.subchannels_made, 4u);
}

TEST_F(WeightedLocalityPolicyTest, PicksFollowTheWeights) {  // A27.42, A28.1
  cluster_.Set({{{"a", 10}, {"b", 30}, {"c", 60}}});
  Apply();
  for (const char* zone : {"a", "b", "c"}) Report(zone, GRPC_CHANNEL_READY);
  auto picks = Picks(10000);
  EXPECT_NEAR(picks["a"], 1000, 5);
  EXPECT_NEAR(picks["b"], 3000, 5);
  EXPECT_NEAR(picks["c"], 6000, 5);
}

TEST_F(WeightedLocalityPolicyTest, OrderGoesOnWhenThePickerIsReplaced) {
  cluster_.Set({{{"a", 1}, {"b", 9}}});
  Apply();
  for (const char* zone : {"a", "b"}) Report(zone, GRPC_CHANNEL_READY);
  std::map<std::string, int> picks;
  for (int i = 0; i < 1000; i++) {
    picks[Pick()]++;
    Report("a", GRPC_CHANNEL_READY);  // a new picker for each pick
  }
  EXPECT_NEAR(picks["a"], 100, 4);
}

TEST_F(WeightedLocalityPolicyTest, ChangedWeightTouchesNoLeaf) {
  cluster_.Set({{{"a", 1}, {"b", 1}}});
  Apply();
  for (const char* zone : {"a", "b"}) Report(zone, GRPC_CHANNEL_READY);
  cluster_.Set({{{"a", 1}, {"b", 3}}});
  Apply();
  EXPECT_EQ(host_.script.updated, 2);
  EXPECT_NEAR(Picks(4000)["b"], 3000, 5);
}

TEST_F(WeightedLocalityPolicyTest, RoundRobinLeavesWorkAndKeepTheirSubchannels) {
  config_ =
      ParseConfig(R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"round_robin":{}}]}}])");
  cluster_.Set({{{"a", 25, {80}}, {"b", 75, {81, 82}}}});
  Apply();
  ASSERT_EQ(host_.subchannels_made, 3u);
  for (Subchannel* s : host_.subchannels()) host_.SetState(s, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  auto picks = Picks(4000);
  EXPECT_NEAR(picks["10.0.0.1:80"], 1000, 5);
  EXPECT_NEAR(picks["10.0.0.1:81"], 1500, 5);
  EXPECT_NEAR(picks["10.0.0.1:82"], 1500, 5);
  for (int i = 0; i < 10; i++) Apply();
  EXPECT_EQ(host_.subchannels_made, 3u);
}

TEST_F(WeightedLocalityPolicyTest, WeightsOfEndpointsShareWhatTheirLocalityGets) {  // E3.1
  host_.Register(&gxds_endpoint_weights_policy);
  auto set = [this](uint32_t weight) {
    cluster_.Set({{{"a", 25, {80}, {1000}}, {"b", 75, {81, 82}, {2, weight}}}});
    Apply();
  };
  config_ = ParseConfig(
      R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"grpc_xds_endpoint_weights":{}}]}}])");
  set(1);
  for (Subchannel* s : host_.subchannels()) host_.SetState(s, GRPC_CHANNEL_READY);
  auto picks = Picks(4000);
  EXPECT_NEAR(picks["10.0.0.1:80"], 1000, 5);
  EXPECT_NEAR(picks["10.0.0.1:81"], 2000, 5);
  EXPECT_NEAR(picks["10.0.0.1:82"], 1000, 5);
  set(4);
  picks = Picks(4000);
  EXPECT_NEAR(picks["10.0.0.1:80"], 1000, 5) << "its weight is none beside another locality's";
  EXPECT_NEAR(picks["10.0.0.1:82"], 2000, 5);
  EXPECT_EQ(host_.subchannels_made, 3u);
}

TEST_F(WeightedLocalityPolicyTest, WeightsOfEndpointsStartSlowlyToo) {  // E3.4
  host_.Register(&gxds_endpoint_weights_policy);
  config_ = ParseConfig(
      R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"grpc_xds_endpoint_weights":{)"
      R"("slowStart":{"window":"60s"}}}]}}])");
  cluster_.Set({{{"a", 1, {80}, {1}}}});
  Apply();
  host_.Pass(0);
  SetState("10.0.0.1:80", GRPC_CHANNEL_READY);
  cluster_.Set({{{"a", 1, {80, 81}, {1, 10}}}});
  Apply();
  host_.Pass(0);
  SetState("10.0.0.1:81", GRPC_CHANNEL_READY);
  EXPECT_EQ(Picks(4000)["10.0.0.1:81"], 2000);
  host_.Pass(61 * GXDS_SECOND);
  EXPECT_NEAR(Picks(1100)["10.0.0.1:81"], 1000, 5);
}

TEST_F(WeightedLocalityPolicyTest, FailureCarriesTheLastFailuresStatus) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("a is down"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  Report("b", GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("b is down"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status, Unavailable("b is down"));
  auto picks = Picks(100);
  EXPECT_NEAR(picks["a"], 50, 4);
  EXPECT_NEAR(picks["b"], 50, 4);
}

TEST_F(WeightedLocalityPolicyTest, IdleLeafExitsIdle) {
  cluster_.Set({{{"a"}}});
  Apply();
  Report("a", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(InZone("a")->exit_idle_count, 1);
}

TEST_F(WeightedLocalityPolicyTest, ResetOfBackoffReachesTheLeaves) {
  cluster_.Set({{{"a"}}});
  Apply();
  host_.ResetBackoff();
  EXPECT_EQ(InZone("a")->reset_backoff_count, 1);
}

TEST_F(WeightedLocalityPolicyTest, ManyStatesInOneUpdateMakeOnePicker) {
  host_.script.on_update = [](Leaf* leaf) { leaf->Report(GRPC_CHANNEL_READY); };
  cluster_.Set({{{"a"}, {"b"}, {"c"}}});
  Apply();
  EXPECT_EQ(host_.published, 1);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
}

TEST_F(WeightedLocalityPolicyTest, RemovedLocalityIsKeptForAWhile) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  cluster_.Set({{{"a"}}});
  Apply();
  EXPECT_EQ(host_.timer_count(), 1u);
  host_.Pass(GXDS_WEIGHTED_LOCALITY_RETENTION - GXDS_SECOND);
  EXPECT_EQ(leaves().size(), 2u);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(leaves().size(), 1u);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(WeightedLocalityPolicyTest, LocalityThatComesBackKeepsItsSubchannels) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  cluster_.Set({{{"a"}}});
  Apply();
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  EXPECT_EQ(host_.subchannels_made, 2u);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(WeightedLocalityPolicyTest, ShutdownCancelsTheTimer) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  cluster_.Set({{{"a"}}});
  Apply();
  EXPECT_EQ(host_.timer_count(), 1u);  // TearDown() ends the policy and checks again
}

TEST_F(WeightedLocalityPolicyTest, ChangedLeafConfigUpdatesAllLeaves) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  config_ = WeightedLocality(Config::OfHost("test_leaf"));
  Apply();
  EXPECT_EQ(host_.script.updated, 4);
  EXPECT_EQ(host_.script.created, 2);
}

TEST_F(WeightedLocalityPolicyTest, LeafPolicyOfAnotherNameIsBuiltAnew) {
  cluster_.Set({{{"a"}}});
  Apply();
  Report("a", GRPC_CHANNEL_READY);
  config_ = WeightedLocality(Config::OfHost("other_leaf"));
  Apply();
  ASSERT_EQ(leaves().size(), 2u) << "the old one stays until the new one is ready";
  leaves()[1]->Report(GRPC_CHANNEL_READY);
  ASSERT_EQ(leaves().size(), 1u);
  EXPECT_EQ(leaves()[0]->name(), "other_leaf");
}

TEST_F(WeightedLocalityPolicyTest, OtherArgsReachTheLeaves) {
  cluster_.Set({{{"a"}}});
  Apply("", Args().Set("theirs", 1));
  Apply("", Args().Set("theirs", 2));
  EXPECT_EQ(InZone("a")->updates, 2);
  EXPECT_EQ(InZone("a")->args, Args().Set("theirs", 2));
}

TEST_F(WeightedLocalityPolicyTest, NoteReachesLeavesWithoutEndpoints) {  // A27.33
  cluster_.Set({{{"a", 1, {}}, {"b"}}});
  Apply("note one");
  Apply("note two");
  EXPECT_EQ(InZone("b")->updates, 1);
  EXPECT_EQ(InZone("")->updates, 2);
  EXPECT_EQ(InZone("")->note, "note two");
}

TEST_F(WeightedLocalityPolicyTest, NoLocalitiesIsFailureWithTheNote) {
  cluster_.SetNoEndpoints();
  Apply("EDS resource foo: does not exist");
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(),
            "fail: UNAVAILABLE: no localities in xds_wrr_locality policy: cluster foo: EDS "
            "resource foo: does not exist");
  EXPECT_TRUE(host_.Pick()->has_note());
}

TEST_F(WeightedLocalityPolicyTest, WithoutLocalitiesInItsConfigItReportsSo) {
  Update(config_, Args());
  EXPECT_EQ(accepted_.code, GXDS_UNAVAILABLE);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status.message,
            "xds_wrr_locality_experimental policy works only below the priority policy of an xDS "
            "cluster: its config holds no localities");
}

TEST_F(WeightedLocalityPolicyTest, ErrorsOfLeavesAreAllReported) {
  host_.script.update_status = Unavailable("no");
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  EXPECT_EQ(
      accepted_,
      Unavailable("errors from children: [child {region=\"r\", zone=\"a\", sub_zone=\"\"}: "
                  "UNAVAILABLE: no; child {region=\"r\", zone=\"b\", sub_zone=\"\"}: UNAVAILABLE: "
                  "no]"));
}

TEST_F(WeightedLocalityPolicyTest, JsonErrorsAreTheHosts) {
  struct {
    const char *json, *error;
  } cases[] = {
      {R"([{"xds_wrr_locality_experimental":{}}])",
       "errors validating xds_wrr_locality LB policy config: [field:childPolicy error:field not "
       "present]"},
      {R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"unknown":{}}]}}])",
       "errors validating xds_wrr_locality LB policy config: [field:childPolicy error:No known "
       "policies in list: unknown]"},
      {R"([{"xds_wrr_locality_experimental":{"childPolicy":7}}])",
       "errors validating xds_wrr_locality LB policy config: [field:childPolicy error:type should "
       "be array]"},
  };
  for (const auto& c : cases) EXPECT_EQ(ParseError(c.json).message, c.error);
}

TEST_F(WeightedLocalityPolicyTest, ConfigHoldsTheLocalitiesOfItsPriorityAlone) {
  cluster_.Set({{{"a"}}, {{"b"}}});
  auto snapshot = cluster_.Snapshot();
  CRef<gxds_cluster_entry> entry(
      gxds_cluster_entry_ref(gxds_config_cluster(snapshot.get(), gxds_str_z("foo"))));
  const Config made = WeightedLocality(Config::OfHost("test_leaf"), entry.get(), 1);
  const auto& config = made.as<gxds_weighted_locality_config>();
  snapshot.reset();
  EXPECT_EQ(entry->refs.count, 1) << "only the test's";
  entry.reset();
  EXPECT_TRUE(config.has_localities);
  EXPECT_EQ(Text(config.cluster), "foo");
  ASSERT_EQ(config.localities.locality_count, 1u);
  EXPECT_EQ(Text(config.localities.localities[0]->zone), "b");
}

TEST_F(WeightedLocalityPolicyTest, ClusterWithoutEndpointsHasNoPriority) {
  cluster_.Set({{{"a"}}, {{"b"}}});
  auto snapshot = cluster_.Snapshot();
  const gxds_cluster_entry* entry = gxds_config_cluster(snapshot.get(), gxds_str_z("foo"));
  EXPECT_EQ(gxds_cluster_entry_priority(entry, 2), nullptr);
  cluster_.SetNoEndpoints();
  auto empty = cluster_.Snapshot();
  const gxds_cluster_entry* none = gxds_config_cluster(empty.get(), gxds_str_z("foo"));
  EXPECT_EQ(gxds_cluster_entry_priority(none, 0), nullptr);
}

TEST_F(WeightedLocalityPolicyTest, JsonConfigHoldsItsChild) {
  const Config parsed = ParseConfig(
      R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"nope":{}},{"other_leaf":{}}]}}])");
  ASSERT_NE(parsed.get(), nullptr);
  EXPECT_EQ(parsed.name(), gxds_weighted_locality_policy.name);
  EXPECT_EQ(Text(parsed.as<gxds_weighted_locality_config>().child->policy), "other_leaf");
}

}  // namespace
}  // namespace memory
