#include "lb_policies/cluster_impl/cluster_impl_policy.h"

#include "test/lb_policies/cluster_impl/tree_test.h"

namespace memory {
namespace {

using snapshot::Entry;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;

// cluster_impl "c" over priority over one flat picking leaf.
class ClusterImplPolicyTest : public TreeTest {
 protected:
  ClusterImplPolicyTest() {
    const PriorityChild child = {"p0", Config::OfHost("picking_leaf"), true, 0};
    config_ = ClusterImpl("c", Priority("c", {child}));
  }
  void Start(const Entry& entry) {
    host_.Create(gxds_cluster_impl_policy);
    Apply(entry);
  }
  void Apply(const Entry& entry) { Take(config_, MakeConfig({entry.get()}, {"c"}, store_.get())); }
  static Entry Leaf(const snapshot::ClusterOptions& options,
                    const snapshot::Endpoints& endpoints = MakeEndpoints({{"a"}})) {
    return snapshot::Leaf("c", options, endpoints);
  }

  Config config_;
};

TEST_F(ClusterImplPolicyTest, LoadIsCountedFromStartToFinish) {
  Start(Leaf(Picking(&lrs_)));
  auto ok = host_.Pick(), bad = host_.Pick(), unused = host_.Pick();
  EXPECT_EQ(ok->Text(), "127.0.0.1:97");
  EXPECT_EQ(LoadReport(), "c[a 0=0+0 0 now]");
  ok->Start();
  bad->Start();
  EXPECT_EQ(LoadReport(), "c[a 2=0+0 2 now]");
  ok->Finish();
  bad->Finish(Unavailable("gone"));
  unused->Drop();
  EXPECT_EQ(LoadReport(), "c[a 0=1+1 0 now]");
  EXPECT_EQ(host_.script.started, 2) << "the child's trackers are served too";
  EXPECT_EQ(host_.script.finished, 2);
}

TEST_F(ClusterImplPolicyTest, LoadIsCountedByLocality) {
  Start(Leaf(Picking(&lrs_), MakeEndpoints({{"a", "b"}})));
  EXPECT_EQ(LoadReport(), "c[a 0=0+0 0 now][b 0=0+0 0 now]");
}

TEST_F(ClusterImplPolicyTest, LrsThatComesLaterCountsOnTheSubchannelsThereAre) {
  auto endpoints = MakeEndpoints({{"a"}});
  Start(Leaf(Picking(), endpoints));
  EXPECT_EQ(LoadReport(), "");
  size_t subchannels = host_.subchannels_made;
  Apply(Leaf(Picking(&lrs_), endpoints));
  auto call = host_.Pick();
  call->Start();
  call->Finish();
  EXPECT_EQ(LoadReport(), "c[a 1=1+0 0 now]");
  EXPECT_EQ(host_.subchannels_made, subchannels);
}

TEST_F(ClusterImplPolicyTest, DroppedByCategory) {
  Start(Leaf(Picking(&lrs_), MakeEndpoints({{"a"}}, {{"lb", 1000000}})));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "drop: UNAVAILABLE: EDS-configured drop: lb (cluster c)");
  EXPECT_EQ(LoadReport(), "c[a 0=0+0 0 now] dropped 1 lb:1");
}

TEST_F(ClusterImplPolicyTest, DropAllIsReadyWithoutAnyBackend) {
  Start(Leaf(Picking(&lrs_), MakeEndpoints({}, {{"lb", 1000000}})));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "drop: UNAVAILABLE: EDS-configured drop: lb (cluster c)");
  Apply(Leaf(Picking(&lrs_), MakeEndpoints({})));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE) << "the child's";
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: no address (cluster c)");
}

TEST_F(ClusterImplPolicyTest, AFailedPickHasTheNoteOnce) {  // A88.22
  Start(snapshot::Leaf(snapshot::MakeCluster("c"), MakeEndpoints({}), "EDS resource c: gone", "n"));
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: no address (cluster c): EDS resource c: gone (node ID:n)");
  config_ = ClusterImpl("c", Priority("c", {}));
  Apply(snapshot::Leaf(snapshot::MakeCluster("c"), MakeEndpoints({}), "EDS resource c: lost", "n"));
  EXPECT_EQ(Pick(),
            "fail: UNAVAILABLE: priority policy has empty priority list: cluster c: EDS resource "
            "c: lost (node ID:n)")
      << "the priority policy added it";
}

TEST_F(ClusterImplPolicyTest, CircuitBreakerLimitsWhatIsInFlight) {  // A32.4, A32.5, A32.6
  snapshot::ClusterOptions options = Picking(&lrs_);
  options.max_requests = 1;
  Start(Leaf(options));
  auto call = host_.Pick();
  call->Start();
  EXPECT_EQ(Pick(), "drop: UNAVAILABLE: circuit breaker drop (cluster c)");
  call->Finish();
  EXPECT_EQ(Pick(), "127.0.0.1:97") << "finished, though the host still has the tracker";
  EXPECT_EQ(LoadReport(), "c[a 1=1+0 0 now] dropped 1");
}

// One locality with one endpoint, which has that hostname. A call renames the endpoints of earlier
// ones.
snapshot::Endpoints MakeNamed(const char* hostname) {
  static gxds_str name;
  static gxds_locality_rare rare;
  name = gxds_str_z(hostname);
  rare.hostnames = &name;
  snapshot::Endpoints endpoints = MakeEndpoints({{"a"}});
  const_cast<gxds_locality*>(endpoints.get()->priorities[0].localities[0])->rare = &rare;
  return endpoints;
}

// An RPC that the ConfigSelector routed to "c".
Request Routed(bool auto_host_rewrite) {
  Request request;
  request.cluster = "c";
  request.route.auto_host_rewrite = auto_host_rewrite;
  return request;
}

TEST_F(ClusterImplPolicyTest, AnRpcGetsTheHostnameOfItsEndpointIfItsRouteWantsThat) {  // A81.9
  Start(Leaf(Picking(), MakeNamed("a.example:80")));
  auto wanted = host_.Pick(Routed(true)), other = host_.Pick(Routed(false));
  auto of_no_route = host_.Pick();
  EXPECT_EQ(wanted->authority(), "a.example:80");
  EXPECT_EQ(other->authority(), "");
  EXPECT_EQ(of_no_route->authority(), "");
  host_.End();
  EXPECT_EQ(wanted->authority(), "a.example:80") << "until the attempt starts";
  wanted->Start();
}

TEST_F(ClusterImplPolicyTest, SubchannelsKnowWhetherTheClusterWantsProxies) {  // A86.1
  const auto endpoints = MakeEndpoints({{"a"}});
  Start(Leaf(Picking(), endpoints));
  auto arg = [this] { return host_.subchannels().back()->args.GetInt(GXDS_HTTP_CONNECT_ARG); };
  EXPECT_EQ(arg(), nullptr);
  auto options = Picking();
  options.http_connect = true;
  Apply(Leaf(options, endpoints));
  ASSERT_NE(arg(), nullptr);
  EXPECT_EQ(*arg(), 1);
  Apply(Leaf(Picking(), endpoints));
  EXPECT_EQ(arg(), nullptr);
}

TEST_F(ClusterImplPolicyTest, AnEndpointWithoutAHostnameChangesNoAuthority) {  // A81.9
  Start(Leaf(Picking()));
  EXPECT_EQ(host_.Pick(Routed(true))->authority(), "");
}

// The server name in the handshake with the only endpoint; null: none.
class SniTest : public ClusterImplPolicyTest {
 protected:
  SniTest() {
    args_ = args_.Set("xds_credentials", 1);
    options_.tls = true;
  }
  const std::string* ServerName(const char* hostname) {
    Start(Leaf(options_, *hostname == 0 ? MakeEndpoints({{"a"}}) : MakeNamed(hostname)));
    return host_.subchannels()[0]->args.GetString("server_name");
  }

  snapshot::ClusterOptions options_ = Picking();
};

TEST_F(SniTest, ASubchannelGetsTheClusters) {  // A101.2
  options_.sni = "sni.example";
  const std::string* name = ServerName("a.example");
  ASSERT_NE(name, nullptr);
  EXPECT_EQ(*name, "sni.example");
}

TEST_F(SniTest, ASubchannelGetsTheHostnameOfItsEndpoint) {  // A101.1
  options_.sni = "sni.example";
  options_.auto_host_sni = true;
  const std::string* name = ServerName("a.example:80");
  ASSERT_NE(name, nullptr);
  EXPECT_EQ(*name, "a.example");
}

TEST_F(SniTest, ASubchannelOfAClusterWithoutSniGetsNone) {  // A101.3
  EXPECT_EQ(ServerName("a.example"), nullptr);
}

TEST_F(SniTest, ASubchannelOfOtherCredentialsGetsNone) {  // A101
  args_ = Args();
  options_.sni = "sni.example";
  EXPECT_EQ(ServerName("a.example"), nullptr);
}

TEST_F(ClusterImplPolicyTest, UnchangedUpdatesTouchNothing) {
  Entry entry = Leaf(Picking(&lrs_));
  Start(entry);
  int published = host_.published;
  for (int i = 0; i < 10; i++) Apply(entry);
  EXPECT_EQ(host_.script.updated, 1);
  EXPECT_EQ(host_.published, published);
}

TEST_F(ClusterImplPolicyTest, OnlyTheClustersNameIsAddedToASubchannel) {
  Start(Leaf(Picking(&lrs_)));
  ASSERT_EQ(host_.subchannels_made, 1u);
  EXPECT_EQ(host_.subchannels()[0]->args, args_.Set("grpc.internal.xds_cluster_name", "c"));
}

TEST_F(ClusterImplPolicyTest, UpdateWithoutSnapshotKeepsTheOneBefore) {
  Start(Leaf(Picking(&lrs_)));
  Update(config_, args_);
  EXPECT_EQ(Pick(), "127.0.0.1:97");
}

TEST_F(ClusterImplPolicyTest, ClusterThatIsNotInTheSnapshotFails) {
  host_.Create(gxds_cluster_impl_policy);
  Take(config_, MakeConfig({}, {}));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: cluster \"c\" is no leaf of the xDS configuration");
}

TEST_F(ClusterImplPolicyTest, PickersOutliveThePolicy) {
  Start(Leaf(Picking(&lrs_)));
  auto call = host_.Pick();
  call->Start();
  host_.End();
  EXPECT_EQ(Pick(), "127.0.0.1:97");
  call->Finish();
  EXPECT_EQ(LoadReport(), "c[a 1=1+0 0 now]");
}

TEST_F(ClusterImplPolicyTest, ConfigFromJson) {  // A37.24, A74.41
  const Config config = ParseConfig(
      R"([{"xds_cluster_impl_experimental":{"clusterName":"c","childPolicy":[{"test_leaf":{}}]}}])");
  ASSERT_NE(config.get(), nullptr);
  const auto& parsed = config.as<gxds_cluster_child_config>();
  EXPECT_EQ(Text(parsed.cluster), "c");
  EXPECT_EQ(Text(parsed.child->policy), "test_leaf");
  EXPECT_EQ(ParseError(R"([{"xds_cluster_impl_experimental":{"clusterName":3}}])").message,
            "errors validating xds_cluster_impl LB policy config: [field:childPolicy error:field "
            "not present; field:clusterName error:is not a string]");
}

}  // namespace
}  // namespace memory
