// Listener and route configuration: what is watched, when it is used, and when it fails.
#include "test/xds_resolver/dependency_fixture.h"

namespace made_up {
namespace {

class DependencyRoot : public Dependencies {};

TEST_F(DependencyRoot, WatchesTheListenerFirst) {  // A27.11, A74.1
  EXPECT_EQ(TakeLog(), (Strings{"+LDS listener"}));
}

TEST_F(DependencyRoot, PublishesOnlyWhenEverythingIsThere) {  // A74.2, A74.5, A74.6, A74.9
  TakeLog();
  Send(RdsListener("routes"));
  EXPECT_EQ(TakeLog(), (Strings{"+RDS routes"}));
  Send(RoutesTo({"a", "b"}));
  EXPECT_EQ(TakeLog(), (Strings{"+CDS a", "+CDS b"}));
  Send(EdsCluster("b", "b-eds"));
  EXPECT_EQ(TakeLog(), (Strings{"+EDS b-eds"}));
  Send(NewEndpoints("b-eds"));
  Send(EdsCluster("a"));
  EXPECT_EQ(TakeLog(), (Strings{"+EDS a"}));
  Send(NewEndpoints("a"));
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  EXPECT_EQ(Clusters(), (Strings{"a", "b"}));
  EXPECT_EQ(Roots(), (Strings{"a", "b"}));
  EXPECT_EQ(ToStrings(route_clusters_), (Strings{"a", "b"}));
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ENDPOINTS);
  EXPECT_TRUE(Entry("b")->endpoints != nullptr);
  EXPECT_EQ(config_->virtual_host, &config_->route_config->virtual_hosts[0]);
  EXPECT_EQ(Str(config_->listener->rds_name), "routes");
}

TEST_F(DependencyRoot, AnInlineRouteConfigurationIsNotWatched) {  // A74.3
  TakeLog();
  Route({"a"});
  EXPECT_EQ(TakeLog(), (Strings{"+CDS a"}));
  Leaf("a");
  EXPECT_EQ(config_->route_config, config_->listener->route_config);
}

TEST_F(DependencyRoot, RoutesToNoClusterAreAConfigurationToo) {
  Route({});
  EXPECT_EQ(Clusters(), Strings{});
  ASSERT_TRUE(config_ != nullptr);
  EXPECT_TRUE(config_->virtual_host != nullptr);
}

TEST_F(DependencyRoot, TheVirtualHostIsThatOfTheDataPlaneAuthority) {  // A74.4, A74.13
  VirtualHost other{{"other"}, {{GXDS_PATH_PREFIX, "", {{"x", 1}}}}};
  VirtualHost ours{{"authority"}, {{GXDS_PATH_PREFIX, "", {{"a", 1}}}}};
  Send(InlineListener(NewRouteConfig("rc", {other, ours})));
  Leaf("a");
  EXPECT_EQ(config_->virtual_host, &config_->route_config->virtual_hosts[1]);
  EXPECT_FALSE(Watched("CDS", "x"));
}

TEST_F(DependencyRoot, NoMatchingVirtualHostFails) {  // A27.21, A74.13, A74.21
  Start({"a"});
  Send(InlineListener(RoutesTo({"a"}, "rc", "other")));
  EXPECT_EQ(failure_,
            "LDS resource listener: no virtual host for authority (xDS server xds.example) (node "
            "ID:node1)");
  EXPECT_EQ(TakeLog(), (Strings{"fail", "-CDS a", "-EDS a"}));
}

TEST_F(DependencyRoot, NoMatchingVirtualHostInRdsNamesTheRouteConfiguration) {  // A74.21
  Send(RdsListener("routes"));
  Send(RoutesTo({"a"}, "routes", "other"));
  EXPECT_NE(failure_.find("RDS resource routes: no virtual host for authority"), std::string::npos);
  EXPECT_TRUE(Watched("RDS", "routes"));
  Send(RoutesTo({"a"}, "routes", "authority"));
  Leaf("a");
  EXPECT_EQ(failure_, "");
  EXPECT_EQ(Clusters(), (Strings{"a"}));
}

TEST_F(DependencyRoot, ControlCharactersInNamesAreEscaped) {
  Send(RdsListener("ro\nutes"));
  Send(RoutesTo({"a"}, "ro\nutes", "other"));
  EXPECT_NE(failure_.find("RDS resource ro\\x0autes: no virtual host"), std::string::npos)
      << failure_;
}

TEST_F(DependencyRoot, ASocketListenerFails) {  // A27.17, A74.20
  Send(SocketListener());
  EXPECT_NE(failure_.find("LDS resource listener: not an API listener"), std::string::npos);
}

TEST_F(DependencyRoot, ASocketListenerEndsTheUseOfWhatWasPublished) {  // A74.20
  Send(RdsListener("routes"));
  Send(RoutesTo({"a"}));
  Leaf("a");
  TakeLog();
  Send(SocketListener());
  EXPECT_EQ(TakeLog(), (Strings{"fail", "-CDS a", "-RDS routes", "-EDS a"}));
}

TEST_F(DependencyRoot, AMissingListenerFails) {  // A74.16, A54.3
  SendError("LDS", "listener", "does not exist (node ID:node1)");
  EXPECT_EQ(failure_, "LDS resource listener: does not exist (node ID:node1)");
  EXPECT_EQ(gxds_dependency_manager_watch_count(m_), 1u);
}

TEST_F(DependencyRoot, AnErrorOnTheListenerEndsTheUseOfWhatWasPublished) {  // A88
  Start({"a"});
  SendError("LDS", "listener");
  EXPECT_EQ(TakeLog(), (Strings{"fail", "-CDS a", "-EDS a"}));
}

TEST_F(DependencyRoot, AMissingRouteConfigurationFails) {  // A74.17, A54.3
  Send(RdsListener("routes"));
  SendError("RDS", "routes", "gone");
  EXPECT_EQ(failure_, "RDS resource routes: gone");
  EXPECT_TRUE(Watched("RDS", "routes"));
}

TEST_F(DependencyRoot, TheSameFailureIsReportedOnce) {
  SendError("LDS", "listener", "gone");
  TakeLog();
  SendError("LDS", "listener", "gone");
  EXPECT_EQ(TakeLog(), Strings{});
  SendError("LDS", "listener", "gone for good");
  EXPECT_EQ(TakeLog(), (Strings{"fail"}));
}

TEST_F(DependencyRoot, WhatComesAfterAFailureIsPublishedEvenIfItIsAsBefore) {
  Send(RdsListener("routes"));
  const gxds_route_config *rc = RoutesTo({"a"});
  gxds_resource_ref(&rc->base);
  Send(rc);
  Leaf("a");
  SendError("RDS", "routes");
  TakeLog();
  Send(rc);
  EXPECT_EQ(TakeLog(), (Strings{"+CDS a"}));
  Leaf("a");
  EXPECT_EQ(TakeLog(), (Strings{"+EDS a", "publish"}));
}

TEST_F(DependencyRoot, AmbientErrorsDontFailTheChannel) {  // A74.19, A88
  Send(RdsListener("routes"));
  Send(RoutesTo({"a"}));
  Leaf("a");
  SendAmbient("LDS", "listener", "no server");
  SendAmbient("RDS", "routes", "no server either");
  EXPECT_EQ(failure_, "");
  EXPECT_EQ(Clusters(), (Strings{"a"}));
}

TEST_F(DependencyRoot, AmbientErrorsOfTheRootAreInTheNoteOfEveryCluster) {  // A88.19
  Send(RdsListener("routes"));
  Send(RoutesTo({"a", "b"}));
  Leaf("a");
  Leaf("b");
  SendAmbient("LDS", "listener", "no server");
  SendAmbient("RDS", "routes", "nor here");
  for (const char *name : {"a", "b"}) {
    EXPECT_EQ(Note(name), "LDS resource listener: no server; RDS resource routes: nor here");
  }
  SendAmbient("LDS", "listener", nullptr);
  EXPECT_EQ(Note("a"), "RDS resource routes: nor here");
  Send(RoutesTo({"a", "b"}));  // a resource ends the error as well
  EXPECT_EQ(Note("b"), "");
}

TEST_F(DependencyRoot, ARouteConfigurationIsWatchedUntilTheNextOneIsPublished) {
  Send(RdsListener("routes1"));
  Send(RoutesTo({"a"}, "routes1"));
  Leaf("a");
  TakeLog();
  Send(RdsListener("routes2"));
  EXPECT_EQ(TakeLog(), (Strings{"+RDS routes2"}));
  Send(RoutesTo({"b"}, "routes2"));
  Send(EdsCluster("b"));
  EXPECT_EQ(TakeLog(), (Strings{"+CDS b", "+EDS b"}));
  EXPECT_TRUE(Watched("RDS", "routes1"));
  Send(NewEndpoints("b"));
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-CDS a", "-RDS routes1", "-EDS a"}));
}

TEST_F(DependencyRoot, AListenerMayGoBackToItsFormerRouteConfiguration) {
  Send(RdsListener("routes1"));
  Send(RoutesTo({"a"}, "routes1"));
  Leaf("a");
  TakeLog();
  Send(RdsListener("routes2"));
  Send(RdsListener("routes3"));
  EXPECT_EQ(TakeLog(), (Strings{"+RDS routes2", "-RDS routes2", "+RDS routes3"}));
  Send(RdsListener("routes1"));
  EXPECT_EQ(TakeLog(), (Strings{"-RDS routes3", "publish"}));  // the listener changed
  EXPECT_TRUE(Watched("RDS", "routes1"));
}

TEST_F(DependencyRoot, GoingInlineDropsTheRouteConfigurationOnceItIsPublished) {
  Send(RdsListener("routes"));
  Send(RoutesTo({"a"}));
  Leaf("a");
  TakeLog();
  Route({"b"});
  EXPECT_EQ(TakeLog(), (Strings{"+CDS b"}));
  Leaf("b");
  EXPECT_EQ(TakeLog(), (Strings{"+EDS b", "publish", "-CDS a", "-RDS routes", "-EDS a"}));
}

TEST_F(DependencyRoot, ACandidateWaitsForItsClustersWhileThePublishedRootGoesOn) {  // A74.10
  Start({"a"});
  Route({"a", "new"});
  EXPECT_EQ(TakeLog(), (Strings{"+CDS new"}));
  Send(NewEndpoints("a", {7}));
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  EXPECT_EQ(Clusters(), (Strings{"a"}));
  EXPECT_EQ(Entry("a")->endpoints->priorities[0].localities[0]->endpoint_count, 7u);
  Send(EdsCluster("a"));  // a change of a cluster of the published root does so as well
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  Leaf("new");
  EXPECT_EQ(TakeLog(), (Strings{"+EDS new", "publish"}));
  EXPECT_EQ(Clusters(), (Strings{"a", "new"}));
}

TEST_F(DependencyRoot, ANewerCandidateReplacesTheOneThatWaits) {
  Start({"a"});
  Route({"b"});
  Send(EdsCluster("b"));
  TakeLog();
  Route({"c"});
  EXPECT_EQ(TakeLog(), (Strings{"+CDS c", "-CDS b", "-EDS b"}));
  Leaf("c");
  EXPECT_EQ(Clusters(), (Strings{"c"}));
}

TEST_F(DependencyRoot, ACandidateThatFailsTakesThePublishedRootAlong) {
  Start({"a"});
  Route({"b"});
  SendError("LDS", "listener");
  EXPECT_EQ(failure_, "LDS resource listener: gone");
  EXPECT_EQ(gxds_dependency_manager_watch_count(m_), 1u);
}

TEST_F(DependencyRoot, ACandidateIsDroppedWhenItsRouteConfigurationIsNoLongerTheOne) {
  Send(RdsListener("routes1"));
  Send(RoutesTo({"a"}, "routes1"));
  Leaf("a");
  Send(RoutesTo({"b"}, "routes1"));
  EXPECT_TRUE(Watched("CDS", "b"));
  Send(RdsListener("routes2"));
  EXPECT_FALSE(Watched("CDS", "b"));
  Send(RoutesTo({"a"}, "routes2"));
  EXPECT_EQ(Str(config_->route_config->name), "routes2");
}

TEST_F(DependencyRoot, ASlowRouteConfigurationLeavesTheOldOneInUse) {
  Send(RdsListener("routes1"));
  Send(RoutesTo({"a"}, "routes1"));
  Leaf("a");
  Send(RdsListener("routes2"));
  TakeLog();
  Send(NewEndpoints("a"));
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  Send(RoutesTo({"x"}, "routes1"));  // it is about to be replaced
  EXPECT_EQ(TakeLog(), Strings{});
  SendError("RDS", "routes1");
  EXPECT_EQ(failure_, "");
}

TEST_F(DependencyRoot, OnlyWhatChangedIsAnotherPointer) {
  Start({"a", "b"});
  const gxds_config *before = gxds_config_ref(config_);
  Send(NewEndpoints("a"));
  EXPECT_EQ(config_->listener, before->listener);
  EXPECT_EQ(config_->virtual_host, before->virtual_host);
  EXPECT_EQ(config_->roots, before->roots);
  EXPECT_EQ(Entry("b"), gxds_config_cluster(before, Z("b")));
  EXPECT_EQ(Entry("a")->cluster, gxds_config_cluster(before, Z("a"))->cluster);
  EXPECT_NE(Entry("a"), gxds_config_cluster(before, Z("a")));
  gxds_config_unref(before);
}

TEST_F(DependencyRoot, NothingChangedMeansNothingPublished) {
  Start({"a"});
  Settle();
  SendAmbient("LDS", "listener", nullptr);
  const gxds_endpoints *e = NewEndpoints("a");
  gxds_resource_ref(&e->base);
  Send(e);
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  Send(e);
  Hold("a", true);
  Hold("a", false);
  EXPECT_EQ(TakeLog(), Strings{});
}

TEST_F(DependencyRoot, ManyEventsOfOneMessageArePublishedOnce) {
  Start({"a", "b"});
  Notify(NewEndpoints("a"));
  Notify(NewEndpoints("b"));
  Notify(EdsCluster("a"));
  Settle();
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
}

TEST_F(DependencyRoot, LateReportsAreDroppedByTheirToken) {
  Start({"a"});
  uint64_t old = Token("CDS", "a");
  Route({"b"});
  Leaf("b");
  TakeLog();
  const gxds_cluster *c = EdsCluster("a");
  gxds_status ok = gxds_status_ok();
  gxds_dependency_manager_on_resource(m_, old, &c->base, nullptr);
  gxds_dependency_manager_on_ambient_error(m_, old, nullptr);
  gxds_dependency_manager_on_dns(m_, old, nullptr, &ok);
  Unref(c);
  Settle();
  EXPECT_EQ(TakeLog(), Strings{});
}

// ---- cluster specifier plugins ----

class DependencyPlugins : public Dependencies {
 protected:
  void Publish(std::vector<made_up::Route> routes) {
    Send(InlineListener(NewRouteConfig("rc", {{{"*"}, std::move(routes)}})));
  }
  // "NAME JSON" of each plugin.
  Strings Plugins() {
    Strings out;
    for (size_t i = 0; config_->plugins && i < config_->plugins->count; i++) {
      const gxds_plugin &p = config_->plugins->items[i];
      out.push_back(Str(p.name) + " " + Str(p.lb_json));
    }
    return out;
  }
  const std::string one_ = "cluster_specifier_plugin:one@s";
};

TEST_F(DependencyPlugins, AreInTheSnapshotAndAmongTheTargetsAndNoClusters) {
  Publish({PluginRoute("/2", "two", "[2]"),
           PluginRoute("/1", "one", "[1]"),
           PluginRoute("/1/again", "one", "[1]"),
           {GXDS_PATH_PREFIX, "", {{"a", 1}}}});
  EXPECT_FALSE(Watched("CDS", one_));
  Leaf("a");
  EXPECT_EQ(Plugins(), (Strings{one_ + " [1]", "cluster_specifier_plugin:two@s [2]"}));
  EXPECT_EQ(Roots(), (Strings{"a"}));
  EXPECT_EQ(ToStrings(route_clusters_), (Strings{"a", one_, "cluster_specifier_plugin:two@s"}));
}

TEST_F(DependencyPlugins, StayAsLongAsRpcsHoldThem) {  // A31.8
  Publish({PluginRoute("", "one", "[1]")});
  EXPECT_EQ(Plugins(), (Strings{one_ + " [1]"}));
  TakeLog();
  Hold(one_, true);
  EXPECT_EQ(TakeLog(), Strings{});
  Publish({PluginRoute("", "two", "[2]")});
  EXPECT_EQ(Plugins(), (Strings{one_ + " [1]", "cluster_specifier_plugin:two@s [2]"}));
  EXPECT_EQ(ToStrings(route_clusters_), (Strings{"cluster_specifier_plugin:two@s"}));
  TakeLog();
  Hold(one_, false);
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  EXPECT_EQ(Plugins(), (Strings{"cluster_specifier_plugin:two@s [2]"}));
}

// The RPC waits for ready.
TEST_F(DependencyPlugins, AHeldOneIsInTheFirstSnapshotAfterAFailureToo) {  // A31.8
  Publish({PluginRoute("", "one", "[1]")});
  Hold(one_, true);
  SendError("LDS", "listener");
  Publish({PluginRoute("", "two", "[2]")});
  EXPECT_EQ(Plugins(), (Strings{one_ + " [1]", "cluster_specifier_plugin:two@s [2]"}));
  Hold(one_, false);
  EXPECT_EQ(Plugins(), (Strings{"cluster_specifier_plugin:two@s [2]"}));
}

TEST_F(DependencyPlugins, AHeldOneThatComesBackHasItsNewConfig) {
  Publish({PluginRoute("", "one", "[1]")});
  Hold(one_, true);
  Publish({PluginRoute("", "two", "[2]")});
  Publish({PluginRoute("", "one", "[3]")});
  EXPECT_EQ(Plugins(), (Strings{one_ + " [3]"}));
}

TEST_F(DependencyPlugins, AHeldOneStaysBesideTheOneWithAnotherServer) {
  Publish({PluginRoute("", "one", "[1]")});
  Hold(one_, true);
  Publish({PluginRoute("", "one", "[2]", "t")});
  EXPECT_EQ(Plugins(), (Strings{one_ + " [1]", "cluster_specifier_plugin:one@t [2]"}));
  EXPECT_EQ(ToStrings(route_clusters_), (Strings{"cluster_specifier_plugin:one@t"}));
  Hold(one_, false);
  EXPECT_EQ(Plugins(), (Strings{"cluster_specifier_plugin:one@t [2]"}));
}

TEST_F(DependencyPlugins, AreSharedWhileTheyAreEqual) {
  Publish({PluginRoute("", "one", "[1]"), {GXDS_PATH_PREFIX, "/a", {{"a", 1}}}});
  Leaf("a");
  const gxds_plugins *before = gxds_plugins_ref(config_->plugins);
  Send(NewEndpoints("a"));
  EXPECT_EQ(config_->plugins, before);
  Publish({PluginRoute("/", "one", "[1]")});
  EXPECT_EQ(config_->plugins, before);
  gxds_plugins_unref(before);
}

}  // namespace
}  // namespace made_up
