#include "lb_policies/cluster_manager/cluster_manager_policy.h"

#include "lb_policies/cluster_manager/cluster_manager.h"
#include "test/lb_policies/cluster_impl/tree_test.h"
#include "test/lb_policies/support/configs.h"

namespace grpc_xds {
namespace testing {
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
    if (policy_ == nullptr) Create(gxds_cluster_manager_policy.name);
    std::vector<const gxds_cluster_entry*> list;
    for (const Entry* e : entries) list.push_back(e->get());
    last_ = MakeConfig(list, roots, store_.get(), last_.get());
    Update(config_, Args(last_));
  }

  snapshot::ClusterOptions flat_;
  snapshot::Config last_;
  Config config_;
};

TEST_F(ClusterManagerPolicyTest, ChildForEachRootInOnePublication) {  // A31.5, A31.11
  Entry a = Flat("a"), b = Flat("b");
  Leaf::on_update = [](Leaf* leaf) { leaf->Report(GRPC_CHANNEL_READY); };
  Apply({&a, &b}, {"a", "b"});
  EXPECT_EQ(Leaf::created, 2);
  EXPECT_EQ(published_, 1);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
}

TEST_F(ClusterManagerPolicyTest, ChildrenAreMadeABatchPerTurnWithTheLatestUpdate) {
  Leaf::on_update = [](Leaf* leaf) { leaf->Report(GRPC_CHANNEL_READY); };
  std::vector<Entry> entries;
  std::vector<const Entry*> list;
  std::vector<std::string> roots;
  for (int i = 0; i < GXDS_CLUSTER_MANAGER_BATCH + 2; ++i) {
    roots.push_back("c" + std::to_string(1000 + i));
    entries.push_back(Flat(roots.back()));
  }
  for (const Entry& entry : entries) list.push_back(&entry);
  Apply(list, roots);
  EXPECT_EQ(Leaf::created, GXDS_CLUSTER_MANAGER_BATCH);
  Entry changed = snapshot::Leaf(roots.back(), flat_, MakeEndpoints({{"late"}}));
  Apply({&changed}, roots);
  EXPECT_EQ(Leaf::created, GXDS_CLUSTER_MANAGER_BATCH);
  Pass(0);
  EXPECT_EQ(Leaf::created, GXDS_CLUSTER_MANAGER_BATCH + 2);
  ASSERT_NE(Leaf::InZone("late"), nullptr);
  EXPECT_EQ(Leaf::InZone("late")->updates, 1);
  EXPECT_EQ(timer_count(), 0u);
}

TEST_F(ClusterManagerPolicyTest, MayEndBeforeItsTurn) {
  Leaf::on_update = [](Leaf* leaf) { leaf->Report(GRPC_CHANNEL_READY); };
  std::vector<Entry> entries;
  std::vector<const Entry*> list;
  std::vector<std::string> roots;
  for (int i = 0; i < GXDS_CLUSTER_MANAGER_BATCH + 1; ++i) {
    roots.push_back("c" + std::to_string(1000 + i));
    entries.push_back(Flat(roots.back()));
  }
  for (const Entry& entry : entries) list.push_back(&entry);
  Apply(list, roots);
  EXPECT_EQ(timer_count(), 1u);
  In([this] { policy_.reset(); });
  EXPECT_EQ(timer_count(), 0u);
}

TEST_F(ClusterManagerPolicyTest, UnchangedUpdatesTouchNobody) {
  Entry a = Flat("a"), b = Flat("b");
  Apply({&a, &b}, {"a", "b"});
  int updated = Leaf::updated, published = published_;
  size_t subchannels = subchannels_.size();
  for (int i = 0; i < 10; i++) Apply({}, {"a", "b"});
  EXPECT_EQ(Leaf::updated, updated);
  EXPECT_EQ(published_, published);
  EXPECT_EQ(subchannels_.size(), subchannels);
}

TEST_F(ClusterManagerPolicyTest, ChangedClusterUpdatesItsChildAlone) {
  Entry a = Flat("a"), b = Flat("b");
  Apply({&a, &b}, {"a", "b"});
  Entry changed = snapshot::Leaf("b", flat_, MakeEndpoints({{"b", "x"}}));
  Apply({&changed}, {"a", "b"});
  EXPECT_EQ(Leaf::InZone("a")->updates, 1);
  EXPECT_EQ(Leaf::InZone("b")->updates, 2);
}

TEST_F(ClusterManagerPolicyTest, RootThatGoesEndsItsChild) {  // A31.9
  Entry a = Flat("a"), b = Flat("b");
  Apply({&a, &b}, {"a", "b"});
  Report("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  Apply({}, {"b"});
  EXPECT_EQ(Leaf::InZone("a"), nullptr);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
}

TEST_F(ClusterManagerPolicyTest, AllFailedIsTransientFailureInTheHostsWords) {
  Entry a = snapshot::Error("a", "bad");
  Apply({&a}, {"a"});
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(status_, absl::UnavailableError("TRANSIENT_FAILURE from XdsClusterManagerLb"));
}

TEST_F(ClusterManagerPolicyTest, SubchannelsGetNothingOfOurs) {
  Entry a = Flat("a");
  Apply({&a}, {"a"});
  ASSERT_EQ(subchannels_.size(), 1u);
  EXPECT_EQ(
      subchannels_[0].args,
      args_.Set("grpc.internal.xds_cluster_name", "a").Set("grpc.inhibit_health_checking", 1));
}

TEST_F(ClusterManagerPolicyTest, PluginsChildrenComeFromJson) {  // A31.6
  auto config = ParseConfig(
      R"([{"xds_cluster_manager_experimental":{"children":{"p":{"childPolicy":[{"test_leaf":{}}]}}}}])");
  ASSERT_TRUE(config.ok()) << config.status();
  config_ = *config;
  Entry a = Flat("a");
  Apply({&a}, {"a"});
  EXPECT_EQ(Leaf::created, 2);
  int updated = Leaf::updated;
  Apply({}, {"a"});
  EXPECT_EQ(Leaf::updated, updated + 1) << "what a plugin's child looks at is not known";
}

TEST_F(ClusterManagerPolicyTest, ConfigFromJson) {  // A31.6
  EXPECT_TRUE(ParseConfig(R"([{"xds_cluster_manager_experimental":{}}])").ok());
  EXPECT_EQ(
      ParseConfig(R"([{"xds_cluster_manager_experimental":{"children":{"p":{},"q":3}}}])")
          .status()
          .message(),
      "errors validating xds_cluster_manager LB policy config: "
      "[field:children[\"p\"].childPolicy error:field not present; field:children[\"q\"] error:is "
      "not an object]");
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
