// Clusters and their endpoints, subscriptions and holds.
#include "test/xds_resolver/dependency_fixture.h"

namespace {
size_t g_allocations = 0;
size_t g_nodes_looked_at = 0;
size_t g_judged = 0;
struct NodeList {  // gxds_node_list
  void **items;
  size_t count;
  size_t capacity;
};
}  // namespace
extern "C" {
NodeList __real_gxds_nodes_judge(void *manager);
NodeList __wrap_gxds_nodes_judge(void *manager) {
  g_judged++;
  return __real_gxds_nodes_judge(manager);
}
bool __real_gxds_node_is_reached(const void *node, int kind);
bool __wrap_gxds_node_is_reached(const void *node, int kind) {
  g_nodes_looked_at++;
  return __real_gxds_node_is_reached(node, kind);
}
void *__real_gxds_calloc(size_t count, size_t size);
void *__wrap_gxds_calloc(size_t count, size_t size) {
  g_allocations++;
  return __real_gxds_calloc(count, size);
}
}

namespace made_up {
namespace {

class DependencyCluster : public Dependencies {};

TEST_F(DependencyCluster, AMissingClusterIsAnErrorOfThatClusterAlone) {  // A74.22
  Route({"a", "b"});
  Leaf("b");
  SendError("CDS", "a", "does not exist");
  EXPECT_EQ(failure_, "");
  ASSERT_EQ(Entry("a")->kind, GXDS_ENTRY_ERROR);
  EXPECT_EQ(Entry("a")->error->code, GXDS_UNAVAILABLE);
  EXPECT_EQ(Str(gxds_cluster_entry_why(Entry("a"))), "CDS resource a: does not exist");
  EXPECT_EQ(Entry("b")->kind, GXDS_ENTRY_ENDPOINTS);
  EXPECT_EQ(Roots(), (Strings{"a", "b"}));
}

TEST_F(DependencyCluster, AnErrorEndsTheUseOfTheClusterAndItsEndpoints) {  // A74.23, A88
  Start({"a"});
  SendError("CDS", "a");
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ERROR);
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-EDS a"}));
}

TEST_F(DependencyCluster, AClusterThatComesBackIsUsedOnceItsEndpointsAreThere) {
  Start({"a"});
  SendError("CDS", "a");
  TakeLog();
  Send(EdsCluster("a"));
  EXPECT_EQ(TakeLog(), (Strings{"+EDS a"}));
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ERROR);
  Send(NewEndpoints("a"));
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ENDPOINTS);
}

TEST_F(DependencyCluster, HasTheNameOfItsWatchHoweverItSpellsItsOwn) {  // A47
  const char *asked = "xdstp://a/c?x=1&y=2";
  Route({asked});
  const gxds_cluster *c = EdsCluster("xdstp://a/c?y=2&x=1", "e");
  NotifyResource("CDS", asked, &c->base);
  Settle();
  Send(NewEndpoints("e"));
  EXPECT_EQ(Entry(asked)->kind, GXDS_ENTRY_ENDPOINTS);
  EXPECT_EQ(Clusters(), Strings{asked});
}

TEST_F(DependencyCluster, MissingEndpointsAreAnEntryWithoutThem) {  // A74.14, A74.24
  Route({"a"});
  Send(EdsCluster("a", "svc"));
  SendError("EDS", "svc", "does not exist");
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ENDPOINTS);
  EXPECT_EQ(Entry("a")->endpoints, nullptr);
  EXPECT_EQ(Note("a"), "EDS resource svc: does not exist");
  Send(NewEndpoints("svc"));
  EXPECT_TRUE(Entry("a")->endpoints != nullptr);
  EXPECT_EQ(Note("a"), "");
}

TEST_F(DependencyCluster, AnErrorOnEndpointsEndsTheirUse) {  // A37.22, A88.1
  Start({"a"});
  SendError("EDS", "a", "refused");
  EXPECT_EQ(Entry("a")->endpoints, nullptr);
  EXPECT_EQ(Note("a"), "EDS resource a: refused");
}

TEST_F(DependencyCluster, AmbientErrorsLeaveTheResourcesInUseAndAreNoted) {
  // A37.11, A74.24, A88.19, A88.20
  Start({"a", "b"});
  const gxds_endpoints *endpoints = Entry("a")->endpoints;
  SendAmbient("EDS", "a", "no server");
  EXPECT_EQ(Entry("a")->endpoints, endpoints);
  EXPECT_EQ(Note("a"), "EDS resource a: no server");
  SendAmbient("CDS", "a", "nor here");
  EXPECT_EQ(Note("a"), "CDS resource a: nor here; EDS resource a: no server");
  EXPECT_EQ(Note("b"), "");
  SendAmbient("EDS", "a", nullptr);
  EXPECT_EQ(Note("a"), "CDS resource a: nor here");
  SendAmbient("CDS", "a", nullptr);
  EXPECT_EQ(Note("a"), "");
}

TEST_F(DependencyCluster, NoKindOfErrorHidesAnother) {
  Start({"a"});
  Send(NewEndpoints("a", {0, 1, 0}));
  NotifyAmbient("LDS", "listener", "one");
  NotifyAmbient("CDS", "a", "two");
  NotifyAmbient("EDS", "a", "three");
  Settle();
  EXPECT_EQ(
      Note("a"),
      "LDS resource listener: one; CDS resource a: two; EDS resource a: three; EDS resource a: "
      "contains empty localities: [{region=\"region\", zone=\"zone0\", sub_zone=\"\"}; "
      "{region=\"region\", zone=\"zone2\", sub_zone=\"\"}]");
}

TEST_F(DependencyCluster, ControlCharactersInNamesAreEscaped) {
  Route({"a\n", "\x1b"});
  Send(EdsCluster("a\n", "a\r"));
  SendError("EDS", "a\r", "refused");
  SendError("CDS", "\x1b", "refused");
  EXPECT_EQ(Note("a\n"), "EDS resource a\\x0d: refused");
  const gxds_str error = gxds_cluster_entry_why(Entry("\x1b"));
  EXPECT_EQ(std::string(error.data, error.size), "CDS resource \\x1b: refused");
}

TEST_F(DependencyCluster, EndpointsWithoutLocalitiesAreNoted) {  // A27.28
  Start({"a"});
  Send(NewEndpoints("a", {}));
  EXPECT_EQ(Note("a"), "EDS resource a: contains no localities");
  Send(NewEndpoints("a", {1}));
  EXPECT_EQ(Note("a"), "");
}

TEST_F(DependencyCluster, AClusterKeepsItsEndpointsUntilThoseOfItsNewServiceAreThere) {  // A74.11
  Start({"a"});
  Send(EdsCluster("a", "svc2"));
  EXPECT_EQ(TakeLog(), (Strings{"+EDS svc2"}));
  Send(NewEndpoints("a", {5}));
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  EXPECT_EQ(Str(Entry("a")->cluster->eds_service_name), "");
  EXPECT_EQ(Entry("a")->endpoints->priorities[0].localities[0]->endpoint_count, 5u);
  Send(NewEndpoints("svc2"));
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-EDS a"}));
  EXPECT_EQ(Str(Entry("a")->cluster->eds_service_name), "svc2");
  EXPECT_EQ(NameOf(Entry("a")->endpoints), "svc2");
}

TEST_F(DependencyCluster, AServiceThatIsReplacedBeforeItCameIsDropped) {
  Start({"a"});
  Send(EdsCluster("a", "svc2"));
  Send(EdsCluster("a", "svc3"));
  EXPECT_EQ(TakeLog(), (Strings{"+EDS svc2", "+EDS svc3", "-EDS svc2"}));
  Send(EdsCluster("a"));
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-EDS svc3"}));
}

TEST_F(DependencyCluster, ASlowServiceHoldsBackNothingButItsCluster) {
  Start({"a", "b"});
  Send(EdsCluster("a", "slow"));
  TakeLog();
  Send(EdsCluster("b"));
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  Route({"a", "b", "c"});
  Leaf("c");
  EXPECT_EQ(Clusters(), (Strings{"a", "b", "c"}));
  EXPECT_EQ(Str(Entry("a")->cluster->eds_service_name), "");
}

TEST_F(DependencyCluster, ClustersMayShareAnEndpointsResource) {  // A74.6
  Route({"a", "b"});
  Send(EdsCluster("a", "svc"));
  Send(EdsCluster("b", "svc"));
  TakeLog();
  Send(NewEndpoints("svc"));
  EXPECT_EQ(Entry("a")->endpoints, Entry("b")->endpoints);
  Send(EdsCluster("a", "svc2"));
  Send(NewEndpoints("svc2"));
  EXPECT_TRUE(Watched("EDS", "svc"));
  EXPECT_EQ(TakeLog(), (Strings{"publish", "+EDS svc2", "publish"}));
}

TEST_F(DependencyCluster, WhatIsNotNeededAnyMoreIsDroppedAfterPublishing) {  // A74.32
  Start({"a", "b"});
  Route({"b"});
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-CDS a", "-EDS a"}));
  EXPECT_EQ(Clusters(), (Strings{"b"}));
}

TEST_F(DependencyCluster, AnUpdateOfOneClusterCostsWhatThatClusterCosts) {
  Strings names;
  for (int i = 0; i < 5000; i++) names.push_back("cluster" + std::to_string(i));
  Route(names);
  for (const auto &name : names) Notify(EdsCluster(name));
  Settle();
  for (const auto &name : names) Notify(NewEndpoints(name));
  Settle();
  ASSERT_EQ(Clusters().size(), names.size());
  for (int i = 0; i < 20; i++) {
    const gxds_config *before = gxds_config_ref(config_);
    const gxds_endpoints *e = NewEndpoints(names[i * 100]);
    g_allocations = 0;
    Notify(e);
    gxds_dependency_manager_settle(m_);
    EXPECT_LE(g_allocations, 25u);
    while (const gxds_dependency_action *a = gxds_dependency_manager_next_action(m_)) Do(a);
    int changes = 0;
    gxds_cluster_map_diff(
        before->clusters, config_->clusters,
        [](void *arg, const gxds_cluster_entry *, const gxds_cluster_entry *) {
          ++*static_cast<int *>(arg);
        },
        &changes);
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(before->roots, config_->roots);
    gxds_config_unref(before);
  }
}

// ---- dynamic subscriptions (A74) ----

TEST_F(DependencyCluster, ASubscriptionLooksAtNoOtherCluster) {
  Strings names;
  for (int i = 0; i < 1000; i++) names.push_back("cluster" + std::to_string(i));
  Route(names);
  for (const auto &name : names) Notify(EdsCluster(name));
  Settle();
  for (const auto &name : names) Notify(NewEndpoints(name));
  Settle();
  g_nodes_looked_at = g_judged = 0;
  auto settle = [this] {
    gxds_dependency_manager_settle(m_);
    while (const gxds_dependency_action *a = gxds_dependency_manager_next_action(m_)) Do(a);
  };
  gxds_dependency_manager_subscribe(m_, S("dynamic"));
  settle();
  Notify(EdsCluster("dynamic"));
  settle();
  Notify(NewEndpoints("dynamic"));
  settle();
  EXPECT_EQ(Entry("dynamic")->kind, GXDS_ENTRY_ENDPOINTS);
  gxds_dependency_manager_unsubscribe(m_, S("dynamic"));
  settle();
  EXPECT_FALSE(Watched("CDS", "dynamic"));
  EXPECT_GT(g_nodes_looked_at, 0u);
  EXPECT_LT(g_nodes_looked_at, 30u);
  EXPECT_EQ(g_judged, 0u);
}

TEST_F(DependencyCluster, ASubscriptionBringsAClusterIntoTheSnapshotButNotAmongTheRoots) {
  // A74.29
  Start({"a"});
  Subscribe("dynamic");
  EXPECT_EQ(TakeLog(), (Strings{"+CDS dynamic"}));
  EXPECT_EQ(Clusters(), (Strings{"a"}));
  Leaf("dynamic");
  EXPECT_EQ(TakeLog(), (Strings{"+EDS dynamic", "publish"}));
  EXPECT_EQ(Clusters(), (Strings{"a", "dynamic"}));
  EXPECT_EQ(Roots(), (Strings{"a"}));
}

TEST_F(DependencyCluster, SubscriptionsAreCounted) {  // A74.30
  Start({"a"});
  Subscribe("dynamic");
  Subscribe("dynamic");
  Leaf("dynamic");
  Unsubscribe("dynamic");
  EXPECT_EQ(Clusters(), (Strings{"a", "dynamic"}));
  TakeLog();
  Unsubscribe("dynamic");
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-CDS dynamic", "-EDS dynamic"}));
  Unsubscribe("dynamic");
  Unsubscribe("never seen");
  EXPECT_EQ(TakeLog(), Strings{});
}

TEST_F(DependencyCluster, ASlowSubscriptionHoldsBackNothing) {
  Start({"a"});
  Subscribe("slow");
  Route({"b"});
  Leaf("b");
  EXPECT_EQ(Clusters(), (Strings{"b"}));
  EXPECT_TRUE(Watched("CDS", "slow"));
}

TEST_F(DependencyCluster, ASubscriptionInErrorIsAnEntry) {  // A74.33
  Start({"a"});
  Subscribe("dynamic");
  SendError("CDS", "dynamic");
  EXPECT_EQ(Entry("dynamic")->kind, GXDS_ENTRY_ERROR);
}

TEST_F(DependencyCluster, ASubscribedClusterMayBecomeARoute) {
  Start({"a"});
  Subscribe("b");
  Leaf("b");
  TakeLog();
  Route({"b"});
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-CDS a", "-EDS a"}));
  Unsubscribe("b");
  EXPECT_EQ(TakeLog(), Strings{});
  EXPECT_EQ(Clusters(), (Strings{"b"}));
}

TEST_F(DependencyCluster, SubscriptionsOutliveAFailure) {
  Start({"a"});
  Subscribe("dynamic");
  Leaf("dynamic");
  SendError("LDS", "listener");
  EXPECT_TRUE(Watched("CDS", "dynamic"));
  EXPECT_FALSE(Watched("CDS", "a"));
  Route({"a"});
  Leaf("a");
  EXPECT_EQ(Clusters(), (Strings{"a", "dynamic"}));
}

// ---- clusters that RPCs hold (A31) ----

TEST_F(DependencyCluster, AHeldClusterStaysAmongTheRootsUntilItIsLetGo) {  // A31.8, A74.31
  Start({"a"});
  Hold("a", true);
  EXPECT_EQ(TakeLog(), Strings{});
  Route({"b"});
  Leaf("b");
  EXPECT_EQ(Clusters(), (Strings{"a", "b"}));
  EXPECT_EQ(Roots(), (Strings{"a", "b"}));
  EXPECT_EQ(ToStrings(route_clusters_), (Strings{"b"}));
  TakeLog();
  Send(NewEndpoints("a"));  // and it still gets updates
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  Hold("a", false);
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-CDS a", "-EDS a"}));
  EXPECT_EQ(Roots(), (Strings{"b"}));
}

TEST_F(DependencyCluster, AHeldClusterThatARouteNamesAgainStays) {
  Start({"a"});
  Hold("a", true);
  Route({"b"});
  Leaf("b");
  Route({"a", "b"});
  TakeLog();
  Hold("a", false);
  EXPECT_EQ(TakeLog(), Strings{});
  EXPECT_EQ(Roots(), (Strings{"a", "b"}));
}

TEST_F(DependencyCluster, AHeldClusterOutlivesAFailure) {
  Start({"a"});
  Hold("a", true);
  SendError("LDS", "listener");
  EXPECT_TRUE(Watched("CDS", "a"));
  Route({"b"});
  Leaf("b");
  EXPECT_EQ(Roots(), (Strings{"a", "b"}));
  Hold("a", false);
  EXPECT_FALSE(Watched("CDS", "a"));
}

TEST_F(DependencyCluster, LettingGoDuringAFailureEndsTheWatches) {
  Start({"a"});
  Hold("a", true);
  SendError("LDS", "listener");
  TakeLog();
  Hold("a", false);
  EXPECT_EQ(TakeLog(), (Strings{"-CDS a", "-EDS a"}));
}

// ---- logical DNS (A37) ----

TEST_F(DependencyCluster, ALogicalDnsClusterIsResolved) {  // A74.7
  Route({"a"});
  TakeLog();
  Send(DnsCluster("a", "example.com", 443));
  EXPECT_EQ(TakeLog(), (Strings{"+DNS example.com:443"}));
  const gxds_endpoints *e = NewEndpoints("example.com:443");
  SendDns("example.com:443", e);
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ENDPOINTS);
  EXPECT_EQ(Entry("a")->endpoints, e);
  EXPECT_EQ(Note("a"), "");
  TakeLog();
  Route({"b"});
  Leaf("b");
  EXPECT_EQ(TakeLog(), (Strings{"+CDS b", "+EDS b", "publish", "-CDS a", "-DNS example.com:443"}));
}

TEST_F(DependencyCluster, AnIpv6AddressGetsBracketsBeforeItsPort) {
  Route({"a", "b"});
  TakeLog();
  Send(DnsCluster("a", "::1", 443));
  Send(DnsCluster("b", "[::2]", 443));
  EXPECT_EQ(TakeLog(), (Strings{"+DNS [::1]:443", "+DNS [::2]:443"}));
}

TEST_F(DependencyCluster, ADnsErrorIsNotedAndLeavesEarlierAddressesInUse) {  // A74.25
  Route({"a"});
  Send(DnsCluster("a", "example.com", 443));
  SendDns("example.com:443", nullptr, "no such host");
  EXPECT_EQ(Entry("a")->endpoints, nullptr);
  EXPECT_EQ(Note("a"), "DNS name example.com:443: no such host");
  const gxds_endpoints *e = NewEndpoints("example.com:443");
  SendDns("example.com:443", e);
  EXPECT_EQ(Note("a"), "");
  SendDns("example.com:443", nullptr, "timed out");
  EXPECT_EQ(Entry("a")->endpoints, e);
  EXPECT_EQ(Note("a"), "DNS name example.com:443: timed out");
}

TEST_F(DependencyCluster, ReresolutionIsForEveryDnsName) {  // A74.12
  Route({"a", "b", "c"});
  Leaf("a");
  Send(DnsCluster("b", "b.example", 1));
  Send(DnsCluster("c", "c.example", 2));
  TakeLog();
  gxds_dependency_manager_reresolve(m_);
  Settle();
  EXPECT_EQ(TakeLog(), (Strings{"again b.example:1", "again c.example:2"}));
}

TEST_F(DependencyCluster, ADnsNameAndAnEdsNameAreDifferentThings) {  // A37.4
  Route({"a", "b"});
  Send(DnsCluster("a", "same", 1));
  Send(EdsCluster("b", "same:1"));
  SendDns("same:1", NewEndpoints("same:1"));
  EXPECT_EQ(config_, nullptr);
  Send(NewEndpoints("same:1"));
  EXPECT_NE(Entry("a")->endpoints, Entry("b")->endpoints);
}

TEST_F(DependencyCluster, AClusterMayChangeItsKind) {
  Start({"a"});
  Send(DnsCluster("a", "example.com", 443));
  EXPECT_EQ(Entry("a")->cluster->kind, GXDS_CLUSTER_EDS);
  SendDns("example.com:443", NewEndpoints("example.com:443"));
  EXPECT_EQ(Entry("a")->cluster->kind, GXDS_CLUSTER_LOGICAL_DNS);
  EXPECT_FALSE(Watched("EDS", "a"));
}

TEST_F(DependencyCluster, AClusterInErrorThatOnlyRpcsHoldIsADeletedOne) {  // A31.20
  Start({"a", "b"});
  Hold("a", true);
  SendError("CDS", "a");
  EXPECT_FALSE(Entry("a")->deleted) << "a route names it: it may come back";
  Route({"b"});
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ERROR);
  EXPECT_TRUE(Entry("a")->deleted);
  Route({"a", "b"});
  EXPECT_FALSE(Entry("a")->deleted);
  Route({"b"});
  EXPECT_TRUE(Entry("a")->deleted);
  Leaf("a");
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ENDPOINTS) << "it is there again";
  SendError("CDS", "a");
  EXPECT_TRUE(Entry("a")->deleted);
}

TEST_F(DependencyCluster, WhetherAClusterInErrorIsADeletedOneFollowsWhoWantsIt) {  // A31.20
  Start({"b"});
  Subscribe("a");
  SendError("CDS", "a");
  Hold("a", true);
  EXPECT_FALSE(Entry("a")->deleted);
  Unsubscribe("a");
  EXPECT_TRUE(Entry("a")->deleted);
  Subscribe("a");
  EXPECT_FALSE(Entry("a")->deleted);
}

}  // namespace
}  // namespace made_up
