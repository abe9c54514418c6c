#include "lb_policies/weighted_locality/weighted_locality_policy.h"

#include <algorithm>
#include <map>
#include <string>

#include "lb_policies/weighted_locality/weighted_locality.h"
#include "test/lb_policies/support/configs.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {
namespace {

class WeightedLocalityPolicyTest : public PolicyTest {
 protected:
  WeightedLocalityPolicyTest() : cluster_("foo") { Create(gxds_weighted_locality_policy.name); }

  void Apply(std::string note = "", ChannelArgs args = ChannelArgs()) {
    auto snapshot = cluster_.Snapshot();
    const gxds_cluster_entry* entry = gxds_config_cluster(snapshot.get(), gxds_str_z("foo"));
    gxds_lb_config* child = config_.as<gxds_weighted_locality_config>().child;
    Update(WeightedLocality(Config(gxds_lb_config_ref(child)), entry), args, ServerAddressList(),
           std::move(note));
  }
  void UseLeaf(const char* json) {
    auto config = ParseConfig(json);
    ASSERT_TRUE(config.ok()) << config.status();
    config_ = *config;
  }
  std::map<std::string, int> Picks(int count) {
    std::map<std::string, int> picks;
    for (int i = 0; i < count; i++) picks[Pick()]++;
    return picks;
  }

  FakeCluster cluster_;
  Config config_ = WeightedLocality(grpc_core::MakeRefCounted<LeafConfig>());
};

TEST_F(WeightedLocalityPolicyTest, LeafGetsItsLocalityAlone) {
  cluster_.Set({{{"a", 1, {80, 81}}, {"b", 1, {82}}}});
  Apply();
  EXPECT_TRUE(accepted_.ok());
  ASSERT_EQ(Leaf::created, 2);
  EXPECT_EQ(Leaf::InZone("a")->addresses(),
            (std::vector<std::string>{"10.0.0.1:80", "10.0.0.1:81"}));
  EXPECT_EQ(Leaf::InZone("b")->addresses(), (std::vector<std::string>{"10.0.0.1:82"}));
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(published_, 1);
}

TEST_F(WeightedLocalityPolicyTest, UnchangedSnapshotsCostNothing) {
  UseLeaf(R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"test_leaf":{}}]}}])");
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  Report("a", GRPC_CHANNEL_READY);
  int published = published_;
  for (int i = 0; i < 10; i++) Apply();
  EXPECT_EQ(Leaf::updated, 2);
  EXPECT_EQ(subchannels_.size(), 2u);
  EXPECT_EQ(published_, published);
}

TEST_F(WeightedLocalityPolicyTest, ChangedLocalityUpdatesOnlyItsLeaf) {
  cluster_.Set({{{"a"}, {"b"}, {"c"}}});
  Apply();
  cluster_.Set({{{"a"}, {"b", 1, {90}}, {"c"}}});
  Apply();
  EXPECT_EQ(Leaf::InZone("a")->updates, 1);
  EXPECT_EQ(Leaf::InZone("b")->updates, 2);
  EXPECT_EQ(Leaf::InZone("c")->updates, 1);
  EXPECT_EQ(subchannels_.size(), 4u);
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
  EXPECT_EQ(Leaf::updated, 2);
  EXPECT_NEAR(Picks(4000)["b"], 3000, 5);
}

TEST_F(WeightedLocalityPolicyTest, RoundRobinLeavesWorkAndKeepTheirSubchannels) {
  UseLeaf(R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"round_robin":{}}]}}])");
  cluster_.Set({{{"a", 25, {80}}, {"b", 75, {81, 82}}}});
  Apply();
  ASSERT_EQ(subchannels_.size(), 3u);
  In([&] {
    for (auto& s : subchannels_) {
      s.subchannel->watcher->OnConnectivityStateChange(GRPC_CHANNEL_IDLE, absl::OkStatus());
      s.subchannel->watcher->OnConnectivityStateChange(GRPC_CHANNEL_READY, absl::OkStatus());
    }
  });
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  auto picks = Picks(4000);
  EXPECT_NEAR(picks["10.0.0.1:80"], 1000, 5);
  EXPECT_NEAR(picks["10.0.0.1:81"], 1500, 5);
  EXPECT_NEAR(picks["10.0.0.1:82"], 1500, 5);
  for (int i = 0; i < 10; i++) Apply();
  EXPECT_EQ(subchannels_.size(), 3u);
}

TEST_F(WeightedLocalityPolicyTest, FailureCarriesTheLastFailuresStatus) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("a is down"));
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  Report("b", GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("b is down"));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(status_, absl::UnavailableError("b is down"));
  auto picks = Picks(100);
  EXPECT_NEAR(picks["a"], 50, 4);
  EXPECT_NEAR(picks["b"], 50, 4);
}

TEST_F(WeightedLocalityPolicyTest, IdleLeafIsToldToConnect) {
  cluster_.Set({{{"a"}}});
  Apply();
  Report("a", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Leaf::InZone("a")->exit_idle_count, 1);
}

TEST_F(WeightedLocalityPolicyTest, ResetOfBackoffReachesTheLeaves) {
  cluster_.Set({{{"a"}}});
  Apply();
  In([this] { policy_->ResetBackoffLocked(); });
  EXPECT_EQ(Leaf::InZone("a")->reset_backoff_count, 1);
}

TEST_F(WeightedLocalityPolicyTest, ManyStatesInOneUpdateMakeOnePicker) {
  Leaf::on_update = [](Leaf* leaf) { leaf->Report(GRPC_CHANNEL_READY); };
  cluster_.Set({{{"a"}, {"b"}, {"c"}}});
  Apply();
  EXPECT_EQ(published_, 1);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
}

TEST_F(WeightedLocalityPolicyTest, RemovedLocalityIsKeptForAWhile) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  cluster_.Set({{{"a"}}});
  Apply();
  EXPECT_EQ(timer_count(), 1u);
  Pass(GXDS_WEIGHTED_LOCALITY_RETENTION - GXDS_SECOND);
  EXPECT_EQ(Leaf::leaves().size(), 2u);
  Pass(GXDS_SECOND);
  EXPECT_EQ(Leaf::leaves().size(), 1u);
  EXPECT_EQ(timer_count(), 0u);
}

TEST_F(WeightedLocalityPolicyTest, LocalityThatComesBackKeepsItsSubchannels) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  cluster_.Set({{{"a"}}});
  Apply();
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  EXPECT_EQ(subchannels_.size(), 2u);
  EXPECT_EQ(timer_count(), 0u);
}

TEST_F(WeightedLocalityPolicyTest, ShutdownCancelsTheTimer) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  cluster_.Set({{{"a"}}});
  Apply();
  EXPECT_EQ(timer_count(), 1u);  // TearDown() ends the policy and looks again
}

TEST_F(WeightedLocalityPolicyTest, ChangedLeafConfigUpdatesAllLeaves) {
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  config_ = WeightedLocality(grpc_core::MakeRefCounted<LeafConfig>());
  Apply();
  EXPECT_EQ(Leaf::updated, 4);
  EXPECT_EQ(Leaf::created, 2);
}

TEST_F(WeightedLocalityPolicyTest, LeafPolicyOfAnotherNameIsBuiltAnew) {
  cluster_.Set({{{"a"}}});
  Apply();
  Report("a", GRPC_CHANNEL_READY);
  config_ = WeightedLocality(grpc_core::MakeRefCounted<LeafConfig>("other_leaf"));
  Apply();
  ASSERT_EQ(Leaf::leaves().size(), 2u) << "the old one stays until the new one is ready";
  In([] { Leaf::leaves()[1]->Report(GRPC_CHANNEL_READY); });
  ASSERT_EQ(Leaf::leaves().size(), 1u);
  EXPECT_EQ(Leaf::leaves()[0]->name(), "other_leaf");
}

TEST_F(WeightedLocalityPolicyTest, OtherChannelArgsReachTheLeaves) {
  cluster_.Set({{{"a"}}});
  Apply("", ChannelArgs().Set("theirs", 1));
  Apply("", ChannelArgs().Set("theirs", 2));
  EXPECT_EQ(Leaf::InZone("a")->updates, 2);
  EXPECT_EQ(Leaf::InZone("a")->last.args, ChannelArgs().Set("theirs", 2));
}

TEST_F(WeightedLocalityPolicyTest, NoteReachesLeavesWithoutEndpoints) {  // A27.33
  cluster_.Set({{{"a", 1, {}}, {"b"}}});
  Apply("note one");
  Apply("note two");
  EXPECT_EQ(Leaf::InZone("b")->updates, 1);
  EXPECT_EQ(Leaf::InZone("")->updates, 2);
  EXPECT_EQ(Leaf::InZone("")->last.resolution_note, "note two");
}

TEST_F(WeightedLocalityPolicyTest, NoLocalitiesIsFailureWithTheNote) {
  cluster_.SetNoEndpoints();
  Apply("EDS resource foo: does not exist");
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(),
            "fail: UNAVAILABLE: no localities in xds_wrr_locality policy: cluster foo: EDS "
            "resource foo: does not exist");
}

TEST_F(WeightedLocalityPolicyTest, WithoutLocalitiesInItsConfigItSaysSo) {
  Update(config_, ChannelArgs());
  EXPECT_EQ(accepted_.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(status_.message(),
            "xds_wrr_locality_experimental policy works only below the priority policy of an xDS "
            "cluster: its config holds no localities");
}

TEST_F(WeightedLocalityPolicyTest, ErrorsOfLeavesAreAllReported) {
  Leaf::update_status = absl::UnavailableError("no");
  cluster_.Set({{{"a"}, {"b"}}});
  Apply();
  EXPECT_EQ(accepted_,
            absl::UnavailableError(
                "errors from children: [child {region=\"r\", zone=\"a\", sub_zone=\"\"}: "
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
  for (const auto& c : cases) EXPECT_EQ(ParseConfig(c.json).status().message(), c.error);
}

TEST_F(WeightedLocalityPolicyTest, ConfigHoldsTheLocalitiesOfItsPriorityAlone) {
  cluster_.Set({{{"a"}}, {{"b"}}});
  auto snapshot = cluster_.Snapshot();
  CRef<gxds_cluster_entry> entry(
      gxds_cluster_entry_ref(gxds_config_cluster(snapshot.get(), gxds_str_z("foo"))));
  const Config made = WeightedLocality(grpc_core::MakeRefCounted<LeafConfig>(), entry.get(), 1);
  const auto& config = made.as<gxds_weighted_locality_config>();
  snapshot.reset();
  EXPECT_EQ(entry->refs.count, 1) << "only the test's";
  entry.reset();
  EXPECT_TRUE(config.has_localities);
  EXPECT_EQ(ToAbsl(config.cluster), "foo");
  ASSERT_EQ(config.localities.locality_count, 1u);
  EXPECT_EQ(ToAbsl(config.localities.localities[0]->zone), "b");
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
  auto config = ParseConfig(
      R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"nope":{}},{"other_leaf":{}}]}}])");
  ASSERT_TRUE(config.ok()) << config.status();
  const Config parsed = *config;
  EXPECT_EQ(parsed.name(), gxds_weighted_locality_policy.name);
  EXPECT_EQ(ToAbsl(parsed.as<gxds_weighted_locality_config>().child->policy), "other_leaf");
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
