#include "lb_policies/cluster_impl/cluster_impl_policy.h"

#include "lb_policies/priority/priority_policy.h"
#include "test/lb_policies/cluster_impl/tree_test.h"
#include "test/lb_policies/support/configs.h"

namespace grpc_xds {
namespace testing {
namespace {

using snapshot::Entry;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;

// cluster_impl "c" over priority over one flat picking leaf.
class ClusterImplPolicyTest : public TreeTest {
 protected:
  ClusterImplPolicyTest() {
    std::vector<PriorityChild> children;
    children.push_back({"p0", grpc_core::MakeRefCounted<LeafConfig>("picking_leaf"), true, 0});
    config_ = ClusterImpl("c", Priority("c", children));
  }
  void Start(const Entry& entry) {
    Create(gxds_cluster_impl_policy.name);
    Apply(entry);
  }
  void Apply(const Entry& entry) {
    Update(config_, Args(MakeConfig({entry.get()}, {"c"}, store_.get())));
  }
  static Entry Leaf(const snapshot::ClusterOptions& options,
                    const snapshot::Endpoints& endpoints = MakeEndpoints({{"a"}})) {
    return snapshot::Leaf("c", options, endpoints);
  }
  std::string Pick() {
    std::unique_ptr<Tracker> tracker;
    return PickWith(&tracker);
  }

  Config config_;
};

TEST_F(ClusterImplPolicyTest, LoadIsCountedFromStartToFinish) {
  Start(Leaf(Picking(&lrs_)));
  std::unique_ptr<Tracker> ok, bad, unused;
  EXPECT_EQ(PickWith(&ok), "127.0.0.1:97") << "the host's own subchannel, not our wrapper";
  PickWith(&bad);
  PickWith(&unused);
  EXPECT_EQ(Told(), "c[a 0=0+0 0 now]");
  ok->Start();
  bad->Start();
  EXPECT_EQ(Told(), "c[a 2=0+0 2 now]");
  Finish(std::move(ok));
  Finish(std::move(bad), absl::UnavailableError("gone"));
  unused.reset();
  EXPECT_EQ(Told(), "c[a 0=1+1 0 now]");
  EXPECT_EQ(PickingLeaf().started, 2) << "the child's trackers are served too";
  EXPECT_EQ(PickingLeaf().finished, 2);
}

TEST_F(ClusterImplPolicyTest, LoadIsCountedByLocality) {
  Start(Leaf(Picking(&lrs_), MakeEndpoints({{"a", "b"}})));
  EXPECT_EQ(Told(), "c[a 0=0+0 0 now][b 0=0+0 0 now]");
}

TEST_F(ClusterImplPolicyTest, LrsThatComesLaterCountsOnTheSubchannelsThereAre) {
  auto endpoints = MakeEndpoints({{"a"}});
  Start(Leaf(Picking(), endpoints));
  EXPECT_EQ(Told(), "");
  size_t subchannels = subchannels_.size();
  Apply(Leaf(Picking(&lrs_), endpoints));
  std::unique_ptr<Tracker> tracker;
  PickWith(&tracker);
  tracker->Start();
  Finish(std::move(tracker));
  EXPECT_EQ(Told(), "c[a 1=1+0 0 now]");
  EXPECT_EQ(subchannels_.size(), subchannels);
}

TEST_F(ClusterImplPolicyTest, DroppedByCategory) {
  Start(Leaf(Picking(&lrs_), MakeEndpoints({{"a"}}, {{"lb", 1000000}})));
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "drop: UNAVAILABLE: EDS-configured drop: lb (cluster c)");
  EXPECT_EQ(Told(), "c[a 0=0+0 0 now] dropped 1 lb:1");
}

TEST_F(ClusterImplPolicyTest, DropAllIsReadyWithoutAnyBackend) {
  Start(Leaf(Picking(&lrs_), MakeEndpoints({}, {{"lb", 1000000}})));
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "drop: UNAVAILABLE: EDS-configured drop: lb (cluster c)");
  Apply(Leaf(Picking(&lrs_), MakeEndpoints({})));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE) << "the child's";
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: no address (cluster c)");
}

TEST_F(ClusterImplPolicyTest, CircuitBreakerLimitsWhatIsInFlight) {  // A32.4, A32.5, A32.6
  snapshot::ClusterOptions options = Picking(&lrs_);
  options.max_requests = 1;
  Start(Leaf(options));
  std::unique_ptr<Tracker> tracker;
  EXPECT_EQ(PickWith(&tracker), "127.0.0.1:97");
  tracker->Start();
  EXPECT_EQ(Pick(), "drop: UNAVAILABLE: circuit breaker drop (cluster c)");
  tracker->Finish({absl::OkStatus(), nullptr, nullptr});
  EXPECT_EQ(Pick(), "127.0.0.1:97") << "finished, though the host still has the tracker";
  EXPECT_EQ(Told(), "c[a 1=1+0 0 now] dropped 1");
}

TEST_F(ClusterImplPolicyTest, UnchangedUpdatesTouchNothing) {
  Entry entry = Leaf(Picking(&lrs_));
  Start(entry);
  int published = published_;
  for (int i = 0; i < 10; i++) Apply(entry);
  EXPECT_EQ(PickingLeaf().updates, 1);
  EXPECT_EQ(published_, published);
}

TEST_F(ClusterImplPolicyTest, OnlyTheClustersNameIsAddedToASubchannel) {
  Start(Leaf(Picking(&lrs_)));
  ASSERT_EQ(subchannels_.size(), 1u);
  EXPECT_EQ(subchannels_[0].args, args_.Set("grpc.internal.xds_cluster_name", "c"));
}

TEST_F(ClusterImplPolicyTest, UpdateWithoutSnapshotKeepsTheOneBefore) {
  Start(Leaf(Picking(&lrs_)));
  Update(config_, args_);
  EXPECT_EQ(Pick(), "127.0.0.1:97");
}

TEST_F(ClusterImplPolicyTest, ClusterThatIsNotInTheSnapshotFails) {
  Create(gxds_cluster_impl_policy.name);
  Update(config_, Args(MakeConfig({}, {})));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: cluster \"c\" is no leaf of the xDS configuration");
}

TEST_F(ClusterImplPolicyTest, PickersOutliveThePolicy) {
  Start(Leaf(Picking(&lrs_)));
  std::unique_ptr<Tracker> tracker;
  PickWith(&tracker);
  tracker->Start();
  In([&] { policy_.reset(); });
  EXPECT_EQ(Pick(), "127.0.0.1:97");
  Finish(std::move(tracker));
  EXPECT_EQ(Told(), "c[a 1=1+0 0 now]");
}

TEST_F(ClusterImplPolicyTest, ConfigFromJson) {  // A37.24, A74.41
  auto config = ParseConfig(
      R"([{"xds_cluster_impl_experimental":{"clusterName":"c","childPolicy":[{"test_leaf":{}}]}}])");
  ASSERT_TRUE(config.ok()) << config.status();
  const Config in_c = *config;
  const auto& parsed = in_c.as<gxds_cluster_impl_config>();
  EXPECT_EQ(ToAbsl(parsed.cluster), "c");
  EXPECT_EQ(ToAbsl(parsed.child->policy), "test_leaf");
  EXPECT_EQ(
      ParseConfig(R"([{"xds_cluster_impl_experimental":{"clusterName":3}}])").status().message(),
      "errors validating xds_cluster_impl LB policy config: [field:childPolicy error:field "
      "not present; field:clusterName error:is not a string]");
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
