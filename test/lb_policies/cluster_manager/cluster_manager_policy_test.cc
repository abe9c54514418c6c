#include "lb_policies/cluster_manager/cluster_manager_policy.h"

#include "lb_policies/cluster_manager/cluster_manager.h"
#include "test/lb_policies/cluster_impl/tree_test.h"

namespace memory {
namespace {

using snapshot::Entry;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;

class ClusterManagerPolicyTest : public TreeTest {
 protected:
  ClusterManagerPolicyTest() {
    config_ = Config(gxds_cluster_manager_config_create());
    flat_.lb_policy = R"([{"test_leaf":{}}])";
  }
  Entry Flat(const std::string& name) const {
    return snapshot::Leaf(name, flat_, MakeEndpoints({{name}}));
  }
  void Apply(const std::vector<const Entry*>& entries, const std::vector<std::string>& roots) {
    if (!host_.has_policy()) host_.Create(gxds_cluster_manager_policy);
    std::vector<const gxds_cluster_entry*> list;
    for (const Entry* e : entries) list.push_back(e->get());
    last_ = MakeConfig(list, roots, store_.get(), last_.get());
    Take(config_, last_);
  }

  snapshot::ClusterOptions flat_;
  snapshot::Config last_;
  Config config_;
};

TEST_F(ClusterManagerPolicyTest, ChildForEachRootInOnePublication) {  // A31.5, A31.11
  Entry a = Flat("a"), b = Flat("b");
  host_.script.on_update = [](Leaf* leaf) { leaf->Report(GRPC_CHANNEL_READY); };
  Apply({&a, &b}, {"a", "b"});
  EXPECT_EQ(host_.script.created, 2);
  EXPECT_EQ(host_.published, 1);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
}

TEST_F(ClusterManagerPolicyTest, ChildrenAreMadeABatchPerTurnWithTheLatestUpdate) {
  host_.script.on_update = [](Leaf* leaf) { leaf->Report(GRPC_CHANNEL_READY); };
  std::vector<Entry> entries;
  std::vector<const Entry*> list;
  std::vector<std::string> roots;
  for (int i = 0; i < GXDS_CLUSTER_MANAGER_BATCH + 2; ++i) {
    roots.push_back("c" + std::to_string(1000 + i));
    entries.push_back(Flat(roots.back()));
  }
  for (const Entry& entry : entries) list.push_back(&entry);
  Apply(list, roots);
  EXPECT_EQ(host_.script.created, GXDS_CLUSTER_MANAGER_BATCH);
  Entry changed = snapshot::Leaf(roots.back(), flat_, MakeEndpoints({{"late"}}));
  Apply({&changed}, roots);
  EXPECT_EQ(host_.script.created, GXDS_CLUSTER_MANAGER_BATCH);
  host_.Pass(0);
  EXPECT_EQ(host_.script.created, GXDS_CLUSTER_MANAGER_BATCH + 2);
  ASSERT_NE(InZone("late"), nullptr);
  EXPECT_EQ(InZone("late")->updates, 1);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(ClusterManagerPolicyTest, MayEndBeforeItsTurn) {
  host_.script.on_update = [](Leaf* leaf) { leaf->Report(GRPC_CHANNEL_READY); };
  std::vector<Entry> entries;
  std::vector<const Entry*> list;
  std::vector<std::string> roots;
  for (int i = 0; i < GXDS_CLUSTER_MANAGER_BATCH + 1; ++i) {
    roots.push_back("c" + std::to_string(1000 + i));
    entries.push_back(Flat(roots.back()));
  }
  for (const Entry& entry : entries) list.push_back(&entry);
  Apply(list, roots);
  EXPECT_EQ(host_.timer_count(), 1u);
  host_.End();
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(ClusterManagerPolicyTest, UnchangedUpdatesTouchNobody) {
  Entry a = Flat("a"), b = Flat("b");
  Apply({&a, &b}, {"a", "b"});
  int updated = host_.script.updated, published = host_.published;
  size_t subchannels = host_.subchannels_made;
  for (int i = 0; i < 10; i++) Apply({}, {"a", "b"});
  EXPECT_EQ(host_.script.updated, updated);
  EXPECT_EQ(host_.published, published);
  EXPECT_EQ(host_.subchannels_made, subchannels);
}

TEST_F(ClusterManagerPolicyTest, ChangedClusterUpdatesItsChildAlone) {
  Entry a = Flat("a"), b = Flat("b");
  Apply({&a, &b}, {"a", "b"});
  Entry changed = snapshot::Leaf("b", flat_, MakeEndpoints({{"b", "x"}}));
  Apply({&changed}, {"a", "b"});
  EXPECT_EQ(InZone("a")->updates, 1);
  EXPECT_EQ(InZone("b")->updates, 2);
}

TEST_F(ClusterManagerPolicyTest, RootThatGoesEndsItsChild) {  // A31.9
  Entry a = Flat("a"), b = Flat("b");
  Apply({&a, &b}, {"a", "b"});
  Report("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  Apply({}, {"b"});
  EXPECT_EQ(InZone("a"), nullptr);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
}

// Otherwise an RPC that waits for ready would wait forever.
TEST_F(ClusterManagerPolicyTest, RpcWithoutAKnownClusterIsDropped) {  // A31.12
  Entry a = Flat("a");
  Apply({&a}, {"a"});
  Request unknown;
  unknown.cluster = "b";
  unknown.route.cluster_id = 'b';
  EXPECT_EQ(Pick(unknown), "drop: INTERNAL: xds cluster manager picker: unknown cluster \"b\"");
  EXPECT_EQ(Pick(),
            "drop: UNAVAILABLE: the RPC has no route, because it began while the channel had no "
            "xDS configuration that could be used");
}

TEST_F(ClusterManagerPolicyTest, AllFailedIsTransientFailureWithTheHostsStatus) {
  Entry a = snapshot::Error("a", "bad");
  Apply({&a}, {"a"});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status, Unavailable("TRANSIENT_FAILURE from XdsClusterManagerLb"));
}

TEST_F(ClusterManagerPolicyTest, SubchannelsGetNothingOfOurs) {
  Entry a = Flat("a");
  Apply({&a}, {"a"});
  ASSERT_EQ(host_.subchannels_made, 1u);
  EXPECT_EQ(
      host_.subchannels()[0]->args,
      args_.Set("grpc.internal.xds_cluster_name", "a").Set("grpc.inhibit_health_checking", 1));
}

TEST_F(ClusterManagerPolicyTest, PluginsChildrenComeFromJson) {  // A31.6
  config_ = ParseConfig(
      R"([{"xds_cluster_manager_experimental":{"children":{"p":{"childPolicy":[{"test_leaf":{}}]}}}}])");
  ASSERT_NE(config_.get(), nullptr);
  Entry a = Flat("a");
  Apply({&a}, {"a"});
  EXPECT_EQ(host_.script.created, 2);
  int updated = host_.script.updated;
  Apply({}, {"a"});
  EXPECT_EQ(host_.script.updated, updated + 1) << "what a plugin's child looks at is not known";
}

TEST_F(ClusterManagerPolicyTest, ConfigFromJson) {  // A31.6
  EXPECT_NE(ParseConfig(R"([{"xds_cluster_manager_experimental":{}}])").get(), nullptr);
  EXPECT_EQ(
      ParseError(R"([{"xds_cluster_manager_experimental":{"children":{"p":{},"q":3}}}])").message,
      "errors validating xds_cluster_manager LB policy config: "
      "[field:children[\"p\"].childPolicy error:field not present; field:children[\"q\"] error:is "
      "not an object]");
}

}  // namespace
}  // namespace memory
