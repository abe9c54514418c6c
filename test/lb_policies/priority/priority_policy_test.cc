#include "lb_policies/priority/priority_policy.h"

#include <grpc/impl/codegen/grpc_types.h>

#include <string>
#include <utility>
#include <vector>

#include "lb_policies/priority/priority.h"
#include "lb_policies/weighted_locality/weighted_locality_policy.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/configs.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::CRef;
using grpc_xds::testing::FakeCluster;
using grpc_xds::testing::LocalitySpec;

Config Flat(const char* name = "test_leaf") { return Config::OfHost(name); }
Config Weighted(const Config& leaf = Flat()) { return WeightedLocality(leaf); }

class PriorityPolicyTest : public PolicyTest {
 protected:
  PriorityPolicyTest() : cluster_("foo") { host_.Register(&gxds_priority_policy); }

  // Children p0, p1, … of this cluster, all with that config.
  void UseChildren(size_t count, Config child) {
    child_ = child;
    std::vector<PriorityChild> children;
    for (size_t i = 0; i < count; i++) {
      children.push_back({"p" + std::to_string(i), child, false, i});
    }
    config_ = Priority("foo", std::move(children));
  }
  void Start(size_t count, Config child, Args args = Args()) {
    UseChildren(count, std::move(child));
    host_.Create(gxds_priority_policy, args);
    Apply(args);
  }
  // An update with a new snapshot.
  void Apply(Args args = Args()) {
    auto snapshot = cluster_.Snapshot();
    UpdateTo(config_, args, snapshot.get());
  }

  // An update whose only child has this name and locality.
  void Use(const std::string& name, const LocalitySpec& locality) {
    cluster_.Set({{locality}});
    config_ = Priority("foo", std::vector<PriorityChild>{{name, child_, false, 0}});
    Apply();
  }

  FakeCluster cluster_;
  Config config_;
  Config child_;  // of UseChildren()
};

TEST_F(PriorityPolicyTest, EachChildTakesItsPriorityOfTheSnapshot) {  // A74.39
  cluster_.Set({{{"a", 1, {80}}, {"b", 1, {81}}}, {{"c", 1, {82}}}});
  Start(2, Weighted());
  EXPECT_EQ(host_.script.created, 2) << "the second priority waits for its turn";
  EXPECT_EQ(InZone("b")->addresses, (std::vector<std::string>{"10.0.0.1:81"}));
  EXPECT_EQ(Pick(), "queue");
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_TRANSIENT_FAILURE);
  ASSERT_EQ(host_.script.created, 3);
  EXPECT_EQ(InZone("c")->addresses, (std::vector<std::string>{"10.0.0.1:82"}));
  Report("c", GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "c");
  Report("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "a");
}

TEST_F(PriorityPolicyTest, TenUnchangedSnapshotsUpdateNoLeafAndMakeNoSubchannel) {
  for (const auto& child : {Weighted(), Flat()}) {
    host_.script.updated = 0;
    host_.subchannels_made = 0;
    cluster_.Set({{{"a"}, {"b"}}, {{"c"}}});
    Start(2, child);
    Report("a", GRPC_CHANNEL_READY);
    int updated = host_.script.updated;
    int published = host_.published;
    EXPECT_EQ(host_.subchannels_made, 2u);
    for (int i = 0; i < 10; i++) Apply();
    EXPECT_EQ(host_.script.updated, updated);
    EXPECT_EQ(host_.subchannels_made, 2u);
    EXPECT_EQ(host_.published, published);
  }
}

TEST_F(PriorityPolicyTest, ChangedLocalityUpdatesOnlyItsLeaf) {
  cluster_.Set({{{"a"}, {"b"}}, {{"c"}}});
  Start(2, Weighted());
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_TRANSIENT_FAILURE);
  cluster_.Set({{{"a"}, {"b", 1, {90}}}, {{"c"}}});
  Apply();
  EXPECT_EQ(InZone("a")->updates, 1);
  EXPECT_EQ(InZone("b")->updates, 2);
  EXPECT_EQ(InZone("c")->updates, 1);
}

TEST_F(PriorityPolicyTest, ChangeInOnePriorityTouchesNoOther) {
  cluster_.Set({{{"a"}}, {{"b"}}});
  Start(2, Flat());
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  cluster_.Set({{{"a"}}, {{"b", 1, {90}}}});
  Apply();
  EXPECT_EQ(InZone("a")->updates, 1);
  EXPECT_EQ(InZone("b")->updates, 2);
}

TEST_F(PriorityPolicyTest, EqualEndpointsInAllNewObjectsMakeNoSubchannel) {
  cluster_.Set({{{"a"}, {"b"}}});
  Start(1, Weighted());
  cluster_.MakeAllNew();
  Apply();
  EXPECT_EQ(host_.script.updated, 2);
  EXPECT_EQ(host_.subchannels_made, 2u);
}

TEST_F(PriorityPolicyTest, NothingIsAddedToTheArgsOfASubchannel) {
  Args theirs = Args().Set("theirs", 7);
  for (const auto& child : {Weighted(), Flat()}) {
    cluster_.Set({{{"a"}, {"b"}}});
    Start(1, child, theirs);
    ASSERT_EQ(host_.subchannels().size(), 2u);
    for (const Subchannel* s : host_.subchannels()) EXPECT_EQ(s->args, theirs);
    for (Leaf* leaf : leaves()) EXPECT_EQ(leaf->args, theirs);
  }
}

TEST_F(PriorityPolicyTest, FlatPolicyGetsOneListWithLocalitiesAndWeights) {
  cluster_.Set({{{"a", 1, {80, 81}}, {"b", 1, {82}}}});
  Start(1, Flat());
  ASSERT_EQ(host_.script.created, 1);
  Leaf* leaf = leaves()[0];
  EXPECT_EQ(leaf->addresses,
            (std::vector<std::string>{"10.0.0.1:80", "10.0.0.1:81", "10.0.0.1:82"}));
  EXPECT_EQ(leaf->zones[2], "b");
}

TEST_F(PriorityPolicyTest, OtherChannelArgsReachTheChildren) {
  cluster_.Set({{{"a"}}});
  Start(1, Weighted(), Args().Set("theirs", 1));
  Apply(Args().Set("theirs", 2));
  EXPECT_EQ(InZone("a")->updates, 2);
  EXPECT_EQ(InZone("a")->args, Args().Set("theirs", 2));
}

TEST_F(PriorityPolicyTest, ChildOfAnotherNameIsBuiltAnew) {
  cluster_.Set({{{"a"}}});
  Start(1, Weighted());
  Report("a", GRPC_CHANNEL_READY);
  UseChildren(1, Flat("other_leaf"));
  Apply();
  ASSERT_EQ(leaves().size(), 2u) << "the old one serves until the new one is ready";
  EXPECT_EQ(Pick(), "a");
  leaves()[1]->Report(GRPC_CHANNEL_READY);
  ASSERT_EQ(leaves().size(), 1u);
  EXPECT_EQ(leaves()[0]->name(), "other_leaf");
}

TEST_F(PriorityPolicyTest, ChildKeepsItsPolicyWhenItsPriorityChanges) {  // A56.4
  cluster_.Set({{{"a"}}, {{"b"}}});
  auto child = Weighted();
  Start(2, child);
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_READY);
  cluster_.Set({{{"b"}}});
  config_ = Priority("foo", std::vector<PriorityChild>{{"p1", child, false, 0}});
  Apply();
  EXPECT_EQ(host_.script.created, 2);
  EXPECT_EQ(host_.script.updated, 2);
  EXPECT_EQ(Pick(), "b");
}

// Children that are not in the config

TEST_F(PriorityPolicyTest, ChildThatLeavesAndReturnsHasItsSubchannels) {  // A56.12, A56.13
  cluster_.Set({{{"a"}}});
  Start(1, Weighted());
  Report("a", GRPC_CHANNEL_READY);
  Use("p1", {"b"});
  EXPECT_EQ(Pick(), "queue") << "one that is kept has no picks";
  EXPECT_EQ(InZone("a")->updates, 1);
  Use("p0", {"a"});
  EXPECT_EQ(host_.script.created, 2);
  EXPECT_EQ(host_.subchannels_made, 2u);
  EXPECT_EQ(Pick(), "a");
}

TEST_F(PriorityPolicyTest, ChildThatReturnsIsGivenWhatChangedMeanwhile) {  // A56.13
  cluster_.Set({{{"a", 1, {80}}}});
  Start(1, Weighted());
  Use("p1", {"b"});
  Use("p0", {"a", 1, {81}});
  EXPECT_EQ(InZone("a")->addresses, (std::vector<std::string>{"10.0.0.1:81"}));
}

TEST_F(PriorityPolicyTest, ChildThatDoesNotReturnIsEndedAfterItsRetention) {  // A56.12
  cluster_.Set({{{"a"}}});
  Start(1, Weighted());
  Use("p1", {"b"});
  Report("b", GRPC_CHANNEL_READY);
  host_.Pass(GXDS_PRIORITY_RETENTION - GXDS_SECOND);
  EXPECT_NE(InZone("a"), nullptr);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(InZone("a"), nullptr);
  EXPECT_EQ(host_.timer_count(), 0u);
  EXPECT_EQ(Pick(), "b");
}

TEST_F(PriorityPolicyTest, ChildrenThatAreTooManyAreEndedAtOnce) {
  cluster_.Set({{{"a"}}});
  Start(1, Weighted());
  for (unsigned i = 0; i < 3 * GXDS_PRIORITY_RETAINED_MAX; i++) {
    Use("c" + std::to_string(i), {"z" + std::to_string(i)});
    ASSERT_LE(leaves().size(), 1 + GXDS_PRIORITY_RETAINED_MAX);
  }
  EXPECT_EQ(leaves().size(), 1 + GXDS_PRIORITY_RETAINED_MAX);
}

TEST_F(PriorityPolicyTest, ChildThatIsKeptRequestsNoReresolution) {
  cluster_.Set({{{"a"}}});
  Start(1, Flat());
  Use("p1", {"b"});
  InZone("a")->Reresolve();
  EXPECT_EQ(host_.reresolutions, 0);
  Use("p0", {"a"});
  InZone("a")->Reresolve();
  EXPECT_EQ(host_.reresolutions, 1);
}

TEST_F(PriorityPolicyTest, ChildThatIsKeptHoldsNoResource) {
  for (const auto& child : {Weighted(), Flat()}) {
    cluster_.Set({{{"a"}}});
    UseChildren(1, child);
    host_.Create(gxds_priority_policy);
    auto before = cluster_.Snapshot();
    const gxds_cluster_entry* entry = gxds_config_cluster(before.get(), gxds_str_z("foo"));
    CRef<gxds_cluster_entry> held(gxds_cluster_entry_ref(entry));
    UpdateTo(config_, Args(), before.get());
    before.reset();
    Use("p1", {"b"});
    ASSERT_NE(InZone("a"), nullptr);
    EXPECT_EQ(held->refs.count, 1) << "only the test's";
  }
}

TEST_F(PriorityPolicyTest, ChildOfAnAggregateThatIsKeptHoldsNoSnapshot) {
  auto use = [this](const char* name) {
    config_ = Priority("", std::vector<PriorityChild>{{name, Weighted(), false, std::nullopt}});
  };
  use("foo");
  host_.Create(gxds_priority_policy);
  auto before = cluster_.Snapshot();
  UpdateTo(config_, Args(), before.get());
  use("bar");
  Apply();
  EXPECT_EQ(before->refs.count, 1) << "only the test's";
}

// Timers

TEST_F(PriorityPolicyTest, FailoverTimerTriesTheNextPriority) {  // A56.15
  cluster_.Set({{{"a"}}, {{"b"}}});
  Start(2, Weighted());
  host_.Pass(GXDS_PRIORITY_FAILOVER_DEFAULT - GXDS_MILLISECOND);
  EXPECT_EQ(host_.script.created, 1);
  host_.Pass(GXDS_MILLISECOND);
  EXPECT_EQ(host_.script.created, 2);
}

TEST_F(PriorityPolicyTest, FailoverTimeoutIsAChannelArgument) {
  cluster_.Set({{{"a"}}, {{"b"}}});
  Start(2, Weighted(), Args().Set(GRPC_ARG_PRIORITY_FAILOVER_TIMEOUT_MS, 500));
  host_.Pass(499 * GXDS_MILLISECOND);
  EXPECT_EQ(host_.script.created, 1);
  host_.Pass(GXDS_MILLISECOND);
  EXPECT_EQ(host_.script.created, 2);
}

TEST_F(PriorityPolicyTest, NegativeFailoverTimeoutIsZero) {
  cluster_.Set({{{"a"}}, {{"b"}}});
  Start(2, Weighted(), Args().Set(GRPC_ARG_PRIORITY_FAILOVER_TIMEOUT_MS, -1));
  host_.Pass(0);
  EXPECT_EQ(host_.script.created, 2);
}

TEST_F(PriorityPolicyTest, LowerPriorityIsEndedAfterItsRetention) {  // A56.10
  cluster_.Set({{{"a"}}, {{"b"}}});
  Start(2, Weighted());
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_READY);
  Report("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.timer_count(), 1u);
  host_.Pass(GXDS_PRIORITY_RETENTION - GXDS_SECOND);
  EXPECT_NE(InZone("b"), nullptr);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(InZone("b"), nullptr);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(PriorityPolicyTest, ShutdownCancelsTheTimer) {
  cluster_.Set({{{"a"}}});
  Start(1, Weighted());
  EXPECT_EQ(host_.timer_count(), 1u);  // TearDown() ends the policy and checks again
}

// Statuses and notes

TEST_F(PriorityPolicyTest, ClusterWithoutPrioritiesFailsWithTheNote) {
  cluster_.SetNoEndpoints();
  cluster_.SetNote("EDS resource foo: does not exist");
  Start(0, Config());
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status, Unavailable("priority policy has empty priority list: cluster foo: "
                                      "EDS resource foo: does not exist"));
  EXPECT_EQ(Pick(), "fail: " + host_.status.ToString());
  EXPECT_TRUE(host_.Pick()->has_note());
}

TEST_F(PriorityPolicyTest, NoteReachesChildrenWithoutEndpoints) {
  cluster_.Set({{{"a", 1, {}}}});
  cluster_.SetNote("one");
  Start(1, Flat());
  EXPECT_EQ(leaves()[0]->note, "one");
  cluster_.SetNote("two");
  Apply();
  EXPECT_EQ(leaves()[0]->note, "two");
}

TEST_F(PriorityPolicyTest, NoteReachesChildrenThatHaveALocalityWithoutEndpoints) {
  cluster_.Set({{{"a", 1, {}}, {"b"}}});
  cluster_.SetNote("one");
  Start(1, Flat());
  cluster_.SetNote("two");
  Apply();
  EXPECT_EQ(leaves()[0]->note, "two");
}

TEST_F(PriorityPolicyTest, NoteAloneTouchesNoChildWithEndpoints) {
  cluster_.Set({{{"a"}}});
  Start(1, Flat());
  cluster_.SetNote("the control plane is away");
  Apply();
  EXPECT_EQ(host_.script.updated, 1);
}

TEST_F(PriorityPolicyTest, StatusOfTheChildInUseIsReported) {
  cluster_.Set({{{"a"}}});
  Start(1, Flat());
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("no backend answers"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status, Unavailable("no backend answers"));
}

TEST_F(PriorityPolicyTest, ErrorsOfChildrenAreAllReported) {
  host_.script.update_status = Unavailable("no");
  cluster_.Set({{{"a"}}});
  Start(1, Flat());
  EXPECT_EQ(accepted_, Unavailable("errors from children: [child p0: UNAVAILABLE: no]"));
}

TEST_F(PriorityPolicyTest, SnapshotThatIsMissingLeavesWhatIsKnown) {
  cluster_.Set({{{"a"}}});
  Start(1, Weighted());
  Report("a", GRPC_CHANNEL_READY);
  Update(config_, Args());
  EXPECT_EQ(host_.script.updated, 1);
  EXPECT_EQ(Pick(), "a");
}

// Requests from above and below

TEST_F(PriorityPolicyTest, ReresolutionIsPassedOnUnlessIgnored) {  // A37.27, A56.3
  cluster_.Set({{{"a"}}});
  Start(1, Flat());
  leaves()[0]->Reresolve();
  EXPECT_EQ(host_.reresolutions, 1);
  config_ = Priority("foo", std::vector<PriorityChild>{{"p0", Flat(), true, 0}});
  Apply();
  leaves()[0]->Reresolve();
  EXPECT_EQ(host_.reresolutions, 1);
}

TEST_F(PriorityPolicyTest, ExitIdleGoesToTheChildInUse) {
  cluster_.Set({{{"a"}}, {{"b"}}});
  Start(2, Flat());
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_IDLE);
  host_.ExitIdle();
  EXPECT_EQ(InZone("a")->exit_idle_count, 0);
  EXPECT_EQ(InZone("b")->exit_idle_count, 1);
}

TEST_F(PriorityPolicyTest, ResetOfBackoffReachesAllChildren) {
  cluster_.Set({{{"a"}}, {{"b"}}});
  Start(2, Flat());
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  host_.ResetBackoff();
  EXPECT_EQ(InZone("a")->reset_backoff_count, 1);
  EXPECT_EQ(InZone("b")->reset_backoff_count, 1);
}

TEST_F(PriorityPolicyTest, StateReportedDuringCreationMakesOnePicker) {
  host_.script.on_update = [](Leaf* leaf) {
    leaf->Report(leaf->zone == "c" ? GRPC_CHANNEL_READY : GRPC_CHANNEL_TRANSIENT_FAILURE);
  };
  cluster_.Set({{{"a"}}, {{"b"}}, {{"c"}}});
  Start(3, Weighted());
  EXPECT_EQ(host_.published, 1);
  EXPECT_EQ(Pick(), "c");
}

// Children that take no slice

TEST_F(PriorityPolicyTest, ChildrenOfAnAggregateGetTheSnapshot) {  // A74.28
  config_ = Priority("", std::vector<PriorityChild>{{"foo", Flat(), false, std::nullopt}});
  host_.Create(gxds_priority_policy);
  cluster_.Set({{{"a"}}});
  auto snapshot = cluster_.Snapshot();
  Update(config_, Args(), Addresses(), "note", snapshot.get());
  ASSERT_EQ(host_.script.created, 1);
  EXPECT_EQ(leaves()[0]->snapshot, snapshot.get());
  EXPECT_EQ(leaves()[0]->note, "note");
  auto next = cluster_.Snapshot();
  UpdateTo(config_, Args(), next.get());
  EXPECT_EQ(leaves()[0]->snapshot, next.get())
      << "the child finds out by itself whether it changed";
}

TEST_F(PriorityPolicyTest, JsonConfigWorksWithHierarchicalAddresses) {  // A56.2, A56.6
  const Config config = ParseConfig(R"([{"priority_experimental": {
      "children": {
        "x": {"config": [{"test_leaf": {}}]},
        "y": {"config": [{"test_leaf": {}}], "ignore_reresolution_requests": true},
        "unused": {"config": [{"test_leaf": {}}]}
      },
      "priorities": ["y", "x"]}}])");
  ASSERT_NE(config.get(), nullptr);
  host_.Create(gxds_priority_policy);
  Update(config, Args(),
         std::vector<Address>{{"10.0.0.1:80", 1, "", {"x"}}, {"10.0.0.1:81", 1, "", {"y"}}});
  ASSERT_EQ(host_.script.created, 1);
  EXPECT_EQ(leaves()[0]->addresses, (std::vector<std::string>{"10.0.0.1:81"}));
  leaves()[0]->Reresolve();
  leaves()[0]->Report(GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.reresolutions, 0);
  ASSERT_EQ(host_.script.created, 2);
  EXPECT_EQ(leaves()[1]->addresses, (std::vector<std::string>{"10.0.0.1:80"}));
  Update(config, Args(), Unavailable("no addresses"));
  EXPECT_EQ(leaves()[1]->addresses_status, Unavailable("no addresses"));
}

TEST_F(PriorityPolicyTest, JsonErrorsAreTheHosts) {  // A56.2
  struct {
    const char *json, *error;
  } cases[] = {
      {R"([{"priority_experimental": {}}])",
       "[field:children error:field not present; field:priorities error:field not present]"},
      {R"([{"priority_experimental": {"children": {"a": {}}, "priorities": ["a"]}}])",
       "[field:children[\"a\"].config error:field not present]"},
      {R"([{"priority_experimental": {"children": {"a": {"config": [{"no": {}}]}},
                                      "priorities": ["a"]}}])",
       "[field:children[\"a\"].config error:No known policies in list: no]"},
      {R"([{"priority_experimental": {"children": {}, "priorities": ["b", "a", "b"]}}])",
       "[field: error:unknown priorit(ies): [a, b]]"},
      {R"([{"priority_experimental": {"children": [], "priorities": {}}}])",
       "[field:children error:is not an object; field:priorities error:is not an array]"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ParseError(c.json),
              Status(GXDS_INVALID_ARGUMENT,
                     std::string("errors validating priority LB policy config: ") + c.error));
  }
}

}  // namespace
}  // namespace memory
