#include "lb_policies/cds/cds_policy.h"

#include <grpc/grpc_security.h>

#include "src/core/lib/security/credentials/credentials.h"
#include "src/core/lib/security/credentials/fake/fake_credentials.h"
#include "test/lb_policies/cluster_impl/tree_test.h"
#include "test/lb_policies/support/configs.h"

namespace grpc_xds {
namespace testing {
namespace {

using snapshot::Entry;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;

class CdsPolicyTest : public TreeTest {
 protected:
  void Start(const std::vector<const Entry*>& entries, bool is_dynamic = false) {
    config_ = Cds("c", is_dynamic);
    Create(gxds_cds_policy.name);
    Apply(entries);
  }
  void Apply(const std::vector<const Entry*>& entries) {
    std::vector<const gxds_cluster_entry*> list;
    for (const Entry* e : entries) list.push_back(e->get());
    Update(config_, Args(MakeConfig(list, {"c"}, store_.get())));
  }
  // A cluster with weighted localities over test leaves.
  static snapshot::ClusterOptions Weighted() {
    snapshot::ClusterOptions options;
    options.lb_policy = R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"test_leaf":{}}]}}])";
    return options;
  }
  std::string Mail() {
    std::string out;
    for (gxds_mail* m = gxds_mailbox_take(mailbox_); m;) {
      out += (m->kind == GXDS_MAIL_SUBSCRIBE ? "+" : "-") + snapshot::Text(m->cluster);
      gxds_mail* next = m->next;
      gxds_mail_destroy(m);
      m = next;
    }
    return out;
  }

  Config config_;
};

TEST_F(CdsPolicyTest, LeafClusterFailsOverBetweenItsPriorities) {  // A56.1
  Entry e = snapshot::Leaf("c", Weighted(), MakeEndpoints({{"a"}, {"b"}}));
  Start({&e});
  EXPECT_EQ(accepted_, absl::OkStatus());
  EXPECT_EQ(Leaf::created, 1);
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  ASSERT_EQ(Leaf::created, 2);
  Report("b", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b (cluster c)");
}

TEST_F(CdsPolicyTest, DropsAreAboveThePriorities) {  // A75.2
  Entry e = snapshot::Leaf("c", Weighted(), MakeEndpoints({{"a"}, {"b"}}, {{"lb", 1000000}}));
  Start({&e});
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(Leaf::created, 1);
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Leaf::created, 2) << "below the priorities, READY of the drops would hide the failure";
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
}

TEST_F(CdsPolicyTest, LocalityThatMovesKeepsItsLeaf) {  // A74.38, A56
  auto cluster = snapshot::MakeCluster("c", Weighted());
  Entry before = snapshot::Leaf(cluster, MakeEndpoints({{"a"}, {"b"}}));
  Start({&before});
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_READY);
  Entry after = snapshot::Leaf(cluster, MakeEndpoints({{"b"}, {"a"}}));
  Apply({&after});
  EXPECT_EQ(Leaf::created, 2) << "no leaf is made anew";
  EXPECT_EQ(Pick(), "b (cluster c)");
}

TEST_F(CdsPolicyTest, UnchangedUpdatesTouchNoLeafAndPublishNothing) {
  Entry e = snapshot::Leaf("c", Weighted());
  Start({&e});
  Report("a", GRPC_CHANNEL_READY);
  int updated = Leaf::updated, published = published_;
  size_t subchannels = subchannels_.size();
  for (int i = 0; i < 10; i++) Apply({&e});
  EXPECT_EQ(Leaf::updated, updated);
  EXPECT_EQ(published_, published);
  EXPECT_EQ(subchannels_.size(), subchannels);
}

TEST_F(CdsPolicyTest, SubchannelsGetNothingOfOurs) {
  Entry e = snapshot::Leaf("c", Weighted());
  Start({&e});
  ASSERT_EQ(subchannels_.size(), 1u);
  EXPECT_EQ(
      subchannels_[0].args,
      args_.Set("grpc.internal.xds_cluster_name", "c").Set("grpc.inhibit_health_checking", 1));
}

TEST_F(CdsPolicyTest, OldSnapshotsAreLetGo) {
  Entry c = snapshot::Aggregate("c", {"x", "y"}), only_y = snapshot::Aggregate("c", {"y"});
  Entry x = snapshot::Leaf("x", Weighted(), MakeEndpoints({{"a"}}));
  Entry y = snapshot::Leaf("y", Weighted(), MakeEndpoints({{"b"}}));
  config_ = Cds("c", false);
  Create(gxds_cds_policy.name);
  snapshot::Config first = MakeConfig({c.get(), x.get(), y.get()}, {"c"}, store_.get());
  Update(config_, Args(first));
  Apply({&only_y, &y});
  ASSERT_NE(Leaf::InZone("a"), nullptr) << "x is kept for a time (A56)";
  EXPECT_EQ(first->refs.count, 1) << "only the test's";
}

TEST_F(CdsPolicyTest, ErrorEndsTheChildAndTheNextGoodEntryRecovers) {  // A31.10
  Entry good = snapshot::Leaf("c", Weighted()), bad = snapshot::Error("c", "no such cluster");
  Start({&good});
  Report("a", GRPC_CHANNEL_READY);
  Apply({&bad});
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: no such cluster");
  EXPECT_TRUE(Leaf::leaves().empty());
  Apply({&good});
  Report("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "a (cluster c)");
}

TEST_F(CdsPolicyTest, AggregateFailsOverBetweenItsLeafClusters) {  // A37.13, A75.1, A75.4, A75.5
  Entry c = snapshot::Aggregate("c", {"x", "y"});
  Entry x = snapshot::Leaf("x", Weighted(), MakeEndpoints({{"a"}}));
  Entry y = snapshot::Leaf("y", Weighted(), MakeEndpoints({{"b"}}));
  Start({&c, &x, &y});
  EXPECT_EQ(Leaf::created, 1);
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b (cluster y)");
  Entry other = snapshot::Leaf("y", Weighted(), MakeEndpoints({{"d"}}));
  Apply({&c, &x, &other});
  EXPECT_NE(Leaf::InZone("d"), nullptr) << "a leaf cluster changed, the aggregate did not";
}

TEST_F(CdsPolicyTest, AggregateWhoseFirstLeafFailsGoesOn) {
  Entry c = snapshot::Aggregate("c", {"x", "y"}), x = snapshot::Error("x", "missing");
  Entry y = snapshot::Leaf("y", Weighted(), MakeEndpoints({{"b"}}));
  Start({&c, &x, &y});
  Report("b", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b (cluster y)");
}

TEST_F(CdsPolicyTest, LeafThatBecomesAnAggregateIsKeptUntilThatIsReady) {  // A37.20
  Entry leaf = snapshot::Leaf("c", Weighted(), MakeEndpoints({{"a"}}));
  Start({&leaf});
  Report("a", GRPC_CHANNEL_READY);
  Entry c = snapshot::Aggregate("c", {"x"});
  Entry x = snapshot::Leaf("x", Weighted(), MakeEndpoints({{"b"}}));
  Apply({&c, &x});
  EXPECT_EQ(Pick(), "a (cluster c)");
  Report("b", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b (cluster x)");
  EXPECT_EQ(Leaf::InZone("a"), nullptr);
}

TEST_F(CdsPolicyTest, NoEndpointsFailsWithTheNote) {
  Entry e = snapshot::Leaf(snapshot::MakeCluster("c", Weighted()), snapshot::Endpoints(),
                           "EDS resource c does not exist");
  Start({&e});
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_NE(Pick().find("EDS resource c does not exist"), std::string::npos) << Pick();
}

TEST_F(CdsPolicyTest, PolicyThatTheHostRefusesFailsUntilItIsAnother) {
  snapshot::ClusterOptions options;
  options.lb_policy = R"([{"picking_leaf":{"refuse":true}}])";
  Entry e = snapshot::Leaf("c", options), good = snapshot::Leaf("c", Weighted());
  Start({&e});
  EXPECT_FALSE(accepted_.ok());
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: c: refused");
  Apply({&good});
  Report("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "a (cluster c)");
}

// Over leaves that count and pick.
snapshot::ClusterOptions Outliers() {
  snapshot::ClusterOptions options;
  options.lb_policy =
      R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"picking_leaf":{}}]}}])";
  options.failure_threshold = 50;
  return options;
}

TEST_F(CdsPolicyTest, OutlierDetectionIsBetweenTheChannelAndOurPicks) {  // A50, A75.3
  Entry e = snapshot::Leaf("c", Outliers(), MakeEndpoints({{"a"}, {"b"}}));
  Start({&e});
  EXPECT_EQ(accepted_, absl::OkStatus());
  std::unique_ptr<Tracker> tracker;
  EXPECT_EQ(PickWith(&tracker), "127.0.0.1:97") << "the host's own subchannel, no wrapper of it";
  tracker->Start();
  EXPECT_EQ(PickingLeaf().started, 1);
  Finish(std::move(tracker));
  EXPECT_EQ(PickingLeaf().finished, 1);
}

TEST_F(CdsPolicyTest, OutlierDetectionLeavesNothingInArgsAndLists) {
  snapshot::ClusterOptions options = Weighted();
  options.failure_threshold = 50;
  Entry e = snapshot::Leaf("c", options, MakeEndpoints({{"a"}, {"b"}}));
  Start({&e});
  ASSERT_EQ(subchannels_.size(), 1u) << "of the first priority alone";
  EXPECT_EQ(
      subchannels_[0].args,
      args_.Set("grpc.internal.xds_cluster_name", "c").Set("grpc.inhibit_health_checking", 1));
  EXPECT_EQ(Leaf::InZone("a")->addresses().size(), 1u);
}

TEST_F(CdsPolicyTest, ChangedOutlierDetectionTouchesNoLeaf) {
  snapshot::ClusterOptions options = Weighted();
  options.failure_threshold = 50;
  auto endpoints = MakeEndpoints({{"a"}});
  Entry e = snapshot::Leaf("c", options, endpoints);
  Start({&e});
  Report("a", GRPC_CHANNEL_READY);
  int updated = Leaf::updated;
  options.failure_threshold = 60;
  Entry changed = snapshot::Leaf("c", options, endpoints);
  Apply({&changed});
  EXPECT_EQ(Leaf::created, 1);
  EXPECT_EQ(Leaf::updated, updated);
  EXPECT_EQ(Pick(), "a (cluster c)");
}

TEST_F(CdsPolicyTest, OutlierDetectionComesAndGoesWithoutAGap) {
  auto endpoints = MakeEndpoints({{"a"}});
  snapshot::ClusterOptions plain = Outliers();
  plain.failure_threshold = -1;
  Entry with = snapshot::Leaf("c", Outliers(), endpoints);
  Entry without = snapshot::Leaf("c", plain, endpoints);
  Start({&without});
  for (const Entry* e : {&with, &without, &with}) {
    Apply({e});
    EXPECT_EQ(state_, GRPC_CHANNEL_READY);
    std::unique_ptr<Tracker> tracker;
    EXPECT_EQ(PickWith(&tracker), "127.0.0.1:97");
  }
}

// Args of a channel with these credentials.
ChannelArgs With(const ChannelArgs& args, grpc_channel_credentials* credentials) {
  return args.SetObject(credentials->Ref());
}

TEST_F(CdsPolicyTest, XdsCredentialsAreKnownAlsoInsideOthers) {  // A29
  snapshot::ClusterOptions options = Weighted();
  options.tls = true;
  Entry e = snapshot::Leaf("c", options);
  grpc_channel_credentials* insecure = grpc_insecure_credentials_create();
  grpc_channel_credentials* xds = grpc_xds_credentials_create(insecure);
  grpc_call_credentials* calls = grpc_md_only_test_credentials_create("k", "v");
  grpc_channel_credentials* composite =
      grpc_composite_channel_credentials_create(xds, calls, nullptr);
  const ChannelArgs plain = args_;
  for (auto* credentials : {xds, composite, insecure}) {
    args_ = With(plain, credentials);
    Start({&e});
    EXPECT_EQ(state_ == GRPC_CHANNEL_TRANSIENT_FAILURE, credentials != insecure);
    EXPECT_EQ(Leaf::InZone("a") == nullptr, credentials != insecure);
    In([&] { policy_.reset(); });
  }
  args_ = plain;
  grpc_call_credentials_release(calls);
  for (auto* credentials : {xds, composite, insecure})
    grpc_channel_credentials_release(credentials);
}

TEST_F(CdsPolicyTest, DynamicClusterIsSubscribedToUntilThePolicyEnds) {  // A74.36
  Start({}, /*is_dynamic=*/true);
  EXPECT_EQ(Mail(), "+c");
  EXPECT_EQ(published_, 0) << "the cluster comes with a later snapshot";
  Entry e = snapshot::Leaf("c", Weighted());
  Apply({&e});
  EXPECT_EQ(Leaf::created, 1);
  In([&] { policy_.reset(); });
  EXPECT_EQ(Mail(), "-c");
}

TEST_F(CdsPolicyTest, ReresolutionIsForDnsOnly) {  // A37.15, A37.19
  Entry eds = snapshot::Leaf("c", Weighted());
  Start({&eds});
  In([&] { Leaf::InZone("a")->RequestReresolution(); });
  EXPECT_EQ(reresolutions_, 0);
}

TEST_F(CdsPolicyTest, ConfigFromJson) {  // A74.35
  auto config = ParseConfig(R"([{"cds_experimental":{"cluster":"c","isDynamic":true}}])");
  ASSERT_TRUE(config.ok()) << config.status();
  const Config parsed = *config;
  EXPECT_EQ(ToAbsl(parsed.as<gxds_cds_config>().cluster), "c");
  EXPECT_TRUE(parsed.as<gxds_cds_config>().is_dynamic);
  EXPECT_EQ(ParseConfig(R"([{"cds_experimental":{"isDynamic":3}}])").status().message(),
            "errors validating cds LB policy config: [field:cluster error:field not present; "
            "field:isDynamic error:is not a boolean]");
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
