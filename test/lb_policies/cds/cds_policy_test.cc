#include "lb_policies/cds/cds_policy.h"

#include "test/lb_policies/cluster_impl/tree_test.h"

namespace memory {
namespace {

using snapshot::Entry;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;

class CdsPolicyTest : public TreeTest {
 protected:
  void Start(const std::vector<const Entry*>& entries, bool is_dynamic = false) {
    config_ = Cds("c", is_dynamic);
    host_.Create(gxds_cds_policy);
    Apply(entries);
  }
  void Apply(const std::vector<const Entry*>& entries) {
    std::vector<const gxds_cluster_entry*> list;
    for (const Entry* e : entries) list.push_back(e->get());
    Take(config_, MakeConfig(list, {"c"}, store_.get()));
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
      gxds_mail* next = gxds_mail_next(m);
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
  EXPECT_EQ(accepted_, Status());
  EXPECT_EQ(host_.script.created, 1);
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  ASSERT_EQ(host_.script.created, 2);
  Report("b", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b (cluster c)");
}

TEST_F(CdsPolicyTest, DropsAreAboveThePriorities) {  // A75.2
  Entry e = snapshot::Leaf("c", Weighted(), MakeEndpoints({{"a"}, {"b"}}, {{"lb", 1000000}}));
  Start({&e});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.script.created, 1);
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.script.created, 2)
      << "below the priorities, READY of the drops would hide the failure";
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
}

TEST_F(CdsPolicyTest, LocalityThatMovesKeepsItsLeaf) {  // A74.38, A56
  auto cluster = snapshot::MakeCluster("c", Weighted());
  Entry before = snapshot::Leaf(cluster, MakeEndpoints({{"a"}, {"b"}}));
  Start({&before});
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_READY);
  Entry after = snapshot::Leaf(cluster, MakeEndpoints({{"b"}, {"a"}}));
  Apply({&after});
  EXPECT_EQ(host_.script.created, 2) << "no leaf is made anew";
  EXPECT_EQ(Pick(), "b (cluster c)");
}

TEST_F(CdsPolicyTest, UnchangedUpdatesTouchNoLeafAndPublishNothing) {
  Entry e = snapshot::Leaf("c", Weighted());
  Start({&e});
  Report("a", GRPC_CHANNEL_READY);
  int updated = host_.script.updated, published = host_.published;
  size_t subchannels = host_.subchannels_made;
  for (int i = 0; i < 10; i++) Apply({&e});
  EXPECT_EQ(host_.script.updated, updated);
  EXPECT_EQ(host_.published, published);
  EXPECT_EQ(host_.subchannels_made, subchannels);
}

TEST_F(CdsPolicyTest, SubchannelsGetNothingOfOurs) {
  Entry e = snapshot::Leaf("c", Weighted());
  Start({&e});
  ASSERT_EQ(host_.subchannels_made, 1u);
  EXPECT_EQ(
      host_.subchannels()[0]->args,
      args_.Set("grpc.internal.xds_cluster_name", "c").Set("grpc.inhibit_health_checking", 1));
}

TEST_F(CdsPolicyTest, OldSnapshotsAreLetGo) {
  Entry c = snapshot::Aggregate("c", {"x", "y"}), only_y = snapshot::Aggregate("c", {"y"});
  Entry x = snapshot::Leaf("x", Weighted(), MakeEndpoints({{"a"}}));
  Entry y = snapshot::Leaf("y", Weighted(), MakeEndpoints({{"b"}}));
  config_ = Cds("c", false);
  host_.Create(gxds_cds_policy);
  snapshot::Config first = MakeConfig({c.get(), x.get(), y.get()}, {"c"}, store_.get());
  Take(config_, first);
  Apply({&only_y, &y});
  ASSERT_NE(InZone("a"), nullptr) << "x is kept for a time (A56)";
  EXPECT_EQ(first->refs.count, 1) << "only the test's";
}

TEST_F(CdsPolicyTest, ErrorEndsTheChildAndTheNextGoodEntryRecovers) {  // A31.10
  Entry good = snapshot::Leaf("c", Weighted()), bad = snapshot::Error("c", "no such cluster");
  Start({&good});
  Report("a", GRPC_CHANNEL_READY);
  Apply({&bad});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: no such cluster");
  EXPECT_TRUE(leaves().empty());
  Apply({&good});
  Report("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "a (cluster c)");
}

TEST_F(CdsPolicyTest, AggregateFailsOverBetweenItsLeafClusters) {  // A37.13, A75.1, A75.4, A75.5
  Entry c = snapshot::Aggregate("c", {"x", "y"});
  Entry x = snapshot::Leaf("x", Weighted(), MakeEndpoints({{"a"}}));
  Entry y = snapshot::Leaf("y", Weighted(), MakeEndpoints({{"b"}}));
  Start({&c, &x, &y});
  EXPECT_EQ(host_.script.created, 1);
  Report("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report("b", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b (cluster y)");
  Entry other = snapshot::Leaf("y", Weighted(), MakeEndpoints({{"d"}}));
  Apply({&c, &x, &other});
  EXPECT_NE(InZone("d"), nullptr) << "a leaf cluster changed, the aggregate did not";
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
  EXPECT_EQ(InZone("a"), nullptr);
}

TEST_F(CdsPolicyTest, NoEndpointsFailsWithTheNote) {
  Entry e = snapshot::Leaf(snapshot::MakeCluster("c", Weighted()), snapshot::Endpoints(),
                           "EDS resource c does not exist");
  Start({&e});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
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

// A cluster with outlier detection over picking leaves.
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
  EXPECT_EQ(accepted_, Status());
  auto call = host_.Pick();
  EXPECT_EQ(call->Text(), "127.0.0.1:97");
  call->Start();
  EXPECT_EQ(host_.script.started, 1);
  call->Finish();
  EXPECT_EQ(host_.script.finished, 1);
}

TEST_F(CdsPolicyTest, OutlierDetectionLeavesNothingInArgsAndLists) {
  snapshot::ClusterOptions options = Weighted();
  options.failure_threshold = 50;
  Entry e = snapshot::Leaf("c", options, MakeEndpoints({{"a"}, {"b"}}));
  Start({&e});
  ASSERT_EQ(host_.subchannels_made, 1u) << "of the first priority alone";
  EXPECT_EQ(
      host_.subchannels()[0]->args,
      args_.Set("grpc.internal.xds_cluster_name", "c").Set("grpc.inhibit_health_checking", 1));
  EXPECT_EQ(InZone("a")->addresses.size(), 1u);
}

TEST_F(CdsPolicyTest, ChangedOutlierDetectionTouchesNoLeaf) {
  snapshot::ClusterOptions options = Weighted();
  options.failure_threshold = 50;
  auto endpoints = MakeEndpoints({{"a"}});
  Entry e = snapshot::Leaf("c", options, endpoints);
  Start({&e});
  Report("a", GRPC_CHANNEL_READY);
  int updated = host_.script.updated;
  options.failure_threshold = 60;
  Entry changed = snapshot::Leaf("c", options, endpoints);
  Apply({&changed});
  EXPECT_EQ(host_.script.created, 1);
  EXPECT_EQ(host_.script.updated, updated);
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
    EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
    EXPECT_EQ(Pick(), "127.0.0.1:97");
  }
  EXPECT_EQ(host_.subchannels_made, 2u) << "only the first time makes the tree anew";
}

TEST_F(CdsPolicyTest, OutlierDetectionThatComesAgainEjectsEndpointsThatWereThere) {
  auto endpoints = MakeEndpoints({{"a"}});
  snapshot::ClusterOptions plain;
  plain.lb_policy = R"([{"round_robin":{}}])";
  snapshot::ClusterOptions options = plain;
  options.failure_threshold = 50;
  Entry with = snapshot::Leaf("c", options, endpoints);
  Entry without = snapshot::Leaf("c", plain, endpoints);
  Start({&with});
  SetState("127.0.0.1:97", GRPC_CHANNEL_READY);
  Apply({&without});
  EXPECT_EQ(Pick(), "127.0.0.1:97");
  Apply({&with});
  for (int i = 0; i < 10; i++) {
    auto call = host_.Pick();
    call->Start();
    call->Finish(Status(GXDS_INTERNAL, "failed"));
  }
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  Apply({&without});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY) << "the ejection ends";
  EXPECT_EQ(Pick(), "127.0.0.1:97");
  EXPECT_EQ(host_.subchannels_made, 1u);
}

TEST_F(CdsPolicyTest, OutlierDetectionOfAClustersOwnPolicyMayEjectNothing) {
  snapshot::ClusterOptions options;
  options.lrs = &lrs_;
  options.lb_policy =
      R"([{"outlier_detection_experimental":{"childPolicy":[{"round_robin":{}}]}}])";
  Entry e = snapshot::Leaf("c", options, MakeEndpoints({{"a"}}));
  Start({&e});
  SetState("127.0.0.1:97", GRPC_CHANNEL_READY);
  auto call = host_.Pick();
  EXPECT_EQ(call->Text(), "127.0.0.1:97");
  call->Start();
  call->Finish(Status());
  call.reset();
  EXPECT_EQ(LoadReport(), "c[a 1=1+0 0 now]") << "cluster_impl finds its own subchannel";
}

TEST_F(CdsPolicyTest, TlsOfAClusterIsForXdsCredentialsOnly) {  // A29
  snapshot::ClusterOptions options = Weighted();
  options.tls = true;
  Entry e = snapshot::Leaf("c", options);
  Start({&e});
  EXPECT_TRUE(host_.securities.empty());
  args_ = args_.Set("xds_credentials", 1);
  Start({&e});
  ASSERT_EQ(host_.securities.size(), 1u);
  EXPECT_EQ(host_.securities[0]->updates.size(), 1u);
  EXPECT_NE(InZone("a"), nullptr);
  EXPECT_EQ(host_.subchannels()[0]->args, args_.Set("grpc.internal.xds_cluster_name", "c")
                                              .Set("grpc.inhibit_health_checking", 1)
                                              .Set("security", "c"));
}

TEST_F(CdsPolicyTest, WithoutTheTlsOfItsClusterNothingIsConnected) {  // A29
  snapshot::ClusterOptions options = Weighted();
  options.tls = true;
  Entry e = snapshot::Leaf("c", options);
  args_ = args_.Set("xds_credentials", 1);
  host_.security_status = Unavailable("no such provider");
  Start({&e});
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.subchannels_made, 0u);
}

TEST_F(CdsPolicyTest, DynamicClusterIsSubscribedToUntilThePolicyEnds) {  // A74.36
  Start({}, /*is_dynamic=*/true);
  EXPECT_EQ(Mail(), "+c");
  EXPECT_EQ(host_.published, 0) << "the cluster comes with a later snapshot";
  Entry e = snapshot::Leaf("c", Weighted());
  Apply({&e});
  EXPECT_EQ(host_.script.created, 1);
  host_.End();
  EXPECT_EQ(Mail(), "-c");
}

TEST_F(CdsPolicyTest, ReresolutionIsForDnsOnly) {  // A37.15, A37.19
  Entry eds = snapshot::Leaf("c", Weighted());
  Start({&eds});
  InZone("a")->Reresolve();
  EXPECT_EQ(host_.reresolutions, 0);
}

TEST_F(CdsPolicyTest, ConfigFromJson) {  // A74.35
  const Config parsed = ParseConfig(R"([{"cds_experimental":{"cluster":"c","isDynamic":true}}])");
  ASSERT_NE(parsed.get(), nullptr);
  EXPECT_EQ(Text(parsed.as<gxds_cds_config>().cluster), "c");
  EXPECT_TRUE(parsed.as<gxds_cds_config>().is_dynamic);
  EXPECT_EQ(ParseError(R"([{"cds_experimental":{"isDynamic":3}}])").message,
            "errors validating cds LB policy config: [field:cluster error:field not present; "
            "field:isDynamic error:is not a boolean]");
}

}  // namespace
}  // namespace memory
