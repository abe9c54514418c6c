// Aggregate clusters (A37, A74, A75).
#include "test/xds_resolver/dependency_fixture.h"

namespace made_up {
namespace {

class DependencyAggregate : public Dependencies {
 protected:
  static std::string Link(int i) { return "link" + std::to_string(i); }
  // link1 → link2 → … → link<count>, the last of which is a leaf.
  void SendChain(int count) {
    for (int i = 1; i < count; i++) {
      if (Watched("CDS", Link(i))) Send(Aggregate(Link(i), {Link(i + 1)}));
    }
    if (Watched("CDS", Link(count))) Leaf(Link(count));
  }
  bool IsTooDeep(const std::string &name) {
    return Entry(name)->kind == GXDS_ENTRY_ERROR &&
           Str(gxds_cluster_entry_why(Entry(name))).find("exceeds max depth (16) or has a loop") !=
               std::string::npos;
  }
};

TEST_F(DependencyAggregate, HasTheNameOfItsWatchHoweverItSpellsItsOwn) {  // A47
  const char *asked = "xdstp://a/g?x=1&y=2";
  Route({asked});
  const gxds_cluster *g = Aggregate("xdstp://a/g?y=2&x=1", {"a"});
  NotifyResource("CDS", asked, &g->base);
  Settle();
  Leaf("a");
  EXPECT_EQ(Leaves(asked), Strings{"a"});
}

TEST_F(DependencyAggregate, ItsLeavesAreInTheOrderOfPriority) {  // A37.6, A74.8, A74.15, A75.7
  Route({"agg"});
  TakeLog();
  Send(Aggregate("agg", {"b", "c"}));
  EXPECT_EQ(TakeLog(), (Strings{"+CDS b", "+CDS c"}));
  Leaf("b");
  Send(Aggregate("c", {"d", "e"}));
  Leaf("e");
  EXPECT_EQ(config_, nullptr);
  Leaf("d");
  EXPECT_EQ(Leaves("agg"), (Strings{"b", "d", "e"}));
  EXPECT_EQ(Leaves("c"), (Strings{"d", "e"}));
  EXPECT_EQ(Clusters(), (Strings{"agg", "b", "c", "d", "e"}));
  EXPECT_EQ(Roots(), (Strings{"agg"}));
}

TEST_F(DependencyAggregate, ALeafThatAppearsTwiceBelowOneCountsAtItsFirstPlace) {  // A37.7
  Route({"agg"});
  Send(Aggregate("agg", {"inner1", "x", "inner2", "y"}));
  Send(Aggregate("inner1", {"y", "z"}));
  Send(Aggregate("inner2", {"x", "w", "y"}));
  for (const char *name : {"w", "x", "y", "z"}) Leaf(name);
  EXPECT_EQ(Leaves("agg"), (Strings{"y", "z", "x", "w"}));
  EXPECT_EQ(Leaves("inner2"), (Strings{"x", "w", "y"}));
}

// A cluster that is reached on several paths is in every list, in any order of arrival.
TEST_F(DependencyAggregate, ALeafIsInEveryListThatNamesItInEveryOrderOfArrival) {  // A37.8
  Strings names = {"agg1", "agg2", "leaf", "other"};
  Strings order = names;
  std::sort(order.begin(), order.end());
  do {
    Strings routes = {"leaf", "agg1", "agg2"};
    do {
      Route(routes);
      for (const auto &name : order) {
        if (name == "agg1") Notify(Aggregate("agg1", {"leaf", "other"}));
        if (name == "agg2") Notify(Aggregate("agg2", {"other", "agg1", "leaf"}));
        if (name == "leaf" || (name == "other" && Watched("CDS", "other"))) {
          Notify(EdsCluster(name));
        }
        Settle();
      }
      if (!config_) {
        for (const char *name : {"other", "leaf"}) {
          if (!Watched("EDS", name)) Send(EdsCluster(name));
          Send(NewEndpoints(name));
        }
      }
      ASSERT_TRUE(config_ != nullptr);
      EXPECT_EQ(Leaves("agg1"), (Strings{"leaf", "other"}));
      EXPECT_EQ(Leaves("agg2"), (Strings{"other", "leaf"}));
      EXPECT_EQ(Entry("leaf")->kind, GXDS_ENTRY_ENDPOINTS);
      SendError("LDS", "listener");
    } while (std::next_permutation(routes.begin(), routes.end()));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(DependencyAggregate, ClustersInErrorAreSkipped) {  // A74.26
  Route({"agg"});
  Send(Aggregate("agg", {"missing", "a", "bad"}));
  Leaf("a");
  SendError("CDS", "missing", "does not exist");
  SendError("CDS", "bad", "invalid");
  EXPECT_EQ(Leaves("agg"), (Strings{"a"}));
  EXPECT_EQ(Clusters(), (Strings{"a", "agg", "bad", "missing"}));
  EXPECT_EQ(Entry("missing")->kind, GXDS_ENTRY_ERROR);
  Leaf("missing");  // it exists now
  EXPECT_EQ(Leaves("agg"), (Strings{"missing", "a"}));
  SendError("CDS", "a");
  EXPECT_EQ(Leaves("agg"), (Strings{"missing"}));
}

TEST_F(DependencyAggregate, WhereAllAreMissingTheListIsEmpty) {  // A74.27
  Route({"agg"});
  Send(Aggregate("agg", {"x", "y"}));
  SendError("CDS", "x");
  SendError("CDS", "y");
  EXPECT_EQ(Leaves("agg"), Strings{});
}

TEST_F(DependencyAggregate, WithoutLeavesItReportsAmbientErrorsOfTheRoot) {  // A88.19
  Route({"agg"});
  Send(Aggregate("agg", {"x"}));
  SendError("CDS", "x");
  SendAmbient("LDS", "listener", "no server");
  EXPECT_EQ(Note("agg"), "LDS resource listener: no server; CDS resource x: gone");
  SendAmbient("LDS", "listener", nullptr);
  EXPECT_EQ(Note("agg"), "CDS resource x: gone");
}

TEST_F(DependencyAggregate, WithoutLeavesItReportsTheLatestErrorsOfItsMembers) {
  Route({"agg"});
  Send(Aggregate("agg", {"x"}));
  SendError("CDS", "x", "one");
  EXPECT_EQ(Note("agg"), "CDS resource x: one");
  SendError("CDS", "x", "two");
  EXPECT_EQ(Note("agg"), "CDS resource x: two");
}

TEST_F(DependencyAggregate, LeavesWithoutEndpointsStayOnTheList) {
  Route({"agg"});
  Send(Aggregate("agg", {"x"}));
  Send(EdsCluster("x"));
  SendError("EDS", "x");
  EXPECT_EQ(Leaves("agg"), (Strings{"x"}));
}

TEST_F(DependencyAggregate, SixteenClustersDeepIsFine) {  // A37.9
  Route({Link(1)});
  SendChain(16);
  EXPECT_EQ(Leaves(Link(1)), (Strings{Link(16)}));
}

TEST_F(DependencyAggregate, SeventeenClustersDeepIsAnError) {  // A37.9
  Route({Link(1)});
  SendChain(17);
  EXPECT_TRUE(IsTooDeep(Link(1)));
  EXPECT_EQ(Clusters(), (Strings{Link(1)}));
  EXPECT_FALSE(Watched("CDS", Link(17)));
}

TEST_F(DependencyAggregate, DepthIsThatOfEachTree) {
  Route({Link(1), Link(2)});
  SendChain(17);
  EXPECT_TRUE(IsTooDeep(Link(1)));
  EXPECT_EQ(Leaves(Link(2)), (Strings{Link(17)}));
}

TEST_F(DependencyAggregate, AnEndlessChainIsNotFollowed) {
  Route({Link(1)});
  SendChain(100);
  EXPECT_TRUE(IsTooDeep(Link(1)));
  EXPECT_LE(gxds_dependency_manager_watch_count(m_), 17u);
}

TEST_F(DependencyAggregate, ATooDeepTreeThatIsCutIsUsed) {
  Route({Link(1)});
  SendChain(17);
  Send(Aggregate(Link(3), {"leaf"}));
  Leaf("leaf");
  EXPECT_EQ(Leaves(Link(1)), (Strings{"leaf"}));
  EXPECT_FALSE(Watched("CDS", Link(4)));
}

TEST_F(DependencyAggregate, ALoopIsAnErrorOfAllThatLeadIntoIt) {
  Route({"above", "p", "beside"});
  Send(Aggregate("above", {"beside", "p"}));
  Send(Aggregate("p", {"q"}));
  Leaf("beside");
  Send(Aggregate("q", {"leaf", "p"}));
  for (const char *name : {"above", "p"}) EXPECT_TRUE(IsTooDeep(name));
  EXPECT_EQ(Entry("beside")->kind, GXDS_ENTRY_ENDPOINTS);
  Leaf("leaf");
  Send(Aggregate("q", {"leaf"}));
  EXPECT_EQ(Leaves("above"), (Strings{"beside", "leaf"}));
}

TEST_F(DependencyAggregate, AClusterThatNamesItselfIsALoop) {
  Route({"self"});
  Send(Aggregate("self", {"self"}));
  EXPECT_TRUE(IsTooDeep("self"));
  Leaf("self");
  EXPECT_EQ(Entry("self")->kind, GXDS_ENTRY_ENDPOINTS);
}

TEST_F(DependencyAggregate, AWideGraphIsNotWalkedAgainAndAgain) {
  Route({"l0"});
  for (int level = 0; level < 14; level++) {
    Strings below;
    for (int i = 0; i < 8; i++) {
      below.push_back(level == 13 ? "leaf"
                                  : "l" + std::to_string(level + 1) + "_" + std::to_string(i));
    }
    if (level == 0) {
      Send(Aggregate("l0", below));
      continue;
    }
    for (int i = 0; i < 8; i++) {
      Notify(Aggregate("l" + std::to_string(level) + "_" + std::to_string(i), below));
    }
    Settle();
  }
  Leaf("leaf");
  EXPECT_EQ(Leaves("l0"), (Strings{"leaf"}));
}

TEST_F(DependencyAggregate, ANewListIsUsedWhenAllOnItAreThere) {
  Route({"agg", "a"});
  Send(Aggregate("agg", {"a"}));
  Leaf("a");
  TakeLog();
  Send(Aggregate("agg", {"b", "a"}));
  EXPECT_EQ(TakeLog(), (Strings{"+CDS b"}));
  EXPECT_EQ(Leaves("agg"), (Strings{"a"}));
  Leaf("b");
  EXPECT_EQ(Leaves("agg"), (Strings{"b", "a"}));
}

TEST_F(DependencyAggregate, WhatANewListLacksIsDroppedAfterPublishing) {
  Route({"agg"});
  Send(Aggregate("agg", {"a", "b"}));
  Leaf("a");
  Leaf("b");
  TakeLog();
  Send(Aggregate("agg", {"b"}));
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-CDS a", "-EDS a"}));
  EXPECT_EQ(Clusters(), (Strings{"agg", "b"}));
}

TEST_F(DependencyAggregate, AListThatIsReplacedBeforeItWasUsedIsForgotten) {
  Route({"agg"});
  Send(Aggregate("agg", {"a"}));
  Leaf("a");
  Send(Aggregate("agg", {"slow"}));
  TakeLog();
  Send(Aggregate("agg", {"a"}));
  EXPECT_EQ(TakeLog(), (Strings{"publish", "-CDS slow"}));
}

TEST_F(DependencyAggregate, ALeafMayBecomeAnAggregateAndBack) {
  Route({"top", "x"});
  Send(Aggregate("top", {"x", "y"}));
  Leaf("x");
  Leaf("y");
  Send(Aggregate("x", {"z"}));
  EXPECT_EQ(Leaves("top"), (Strings{"x", "y"}));
  EXPECT_EQ(Entry("x")->kind, GXDS_ENTRY_ENDPOINTS);
  TakeLog();
  Leaf("z");
  EXPECT_EQ(Leaves("top"), (Strings{"z", "y"}));
  EXPECT_EQ(Leaves("x"), (Strings{"z"}));
  EXPECT_EQ(TakeLog(), (Strings{"+EDS z", "publish", "-EDS x"}));
  Send(EdsCluster("x"));
  EXPECT_EQ(Leaves("top"), (Strings{"z", "y"}));
  Send(NewEndpoints("x"));
  EXPECT_EQ(Leaves("top"), (Strings{"x", "y"}));
  EXPECT_FALSE(Watched("CDS", "z"));
}

// Adopted lists never form a loop, even if each step alone would be allowed.
TEST_F(DependencyAggregate, ALoopOfOldAndNewListsNeverForms) {
  Route({"g", "h", "w", "z"});
  Leaf("z");
  Send(Aggregate("h", {"z"}));
  Send(Aggregate("g", {"h"}));
  Send(Aggregate("w", {"g"}));
  EXPECT_EQ(Leaves("w"), (Strings{"z"}));
  Send(Aggregate("h", {"slow"}));
  Send(Aggregate("z", {"w"}));
  EXPECT_EQ(Entry("z")->kind, GXDS_ENTRY_ENDPOINTS);
  EXPECT_EQ(Leaves("w"), (Strings{"z"}));
  Leaf("slow");
  EXPECT_EQ(Leaves("z"), (Strings{"slow"}));
  EXPECT_EQ(Leaves("h"), (Strings{"slow"}));
}

TEST_F(DependencyAggregate, ASubscribedAggregateBringsItsClusters) {  // A74.33
  Start({"a"});
  Subscribe("agg");
  Send(Aggregate("agg", {"x", "a"}));
  Leaf("x");
  EXPECT_EQ(Clusters(), (Strings{"a", "agg", "x"}));
  Unsubscribe("agg");
  EXPECT_EQ(Clusters(), (Strings{"a"}));
  EXPECT_FALSE(Watched("CDS", "x"));
}

TEST_F(DependencyAggregate, AClusterThatBecomesARouteOfItsOwnIsFollowedFurther) {
  Route({Link(1)});
  SendChain(17);
  EXPECT_TRUE(IsTooDeep(Link(1)));
  Subscribe(Link(16));  // the cluster was known, but not the clusters that it names
  EXPECT_TRUE(Watched("CDS", Link(17)));
  Leaf(Link(17));
  EXPECT_EQ(Leaves(Link(16)), (Strings{Link(17)}));
}

TEST_F(DependencyAggregate, AClusterThatARouteNamesAsWellIsFollowedFurther) {
  Route({Link(1)});
  SendChain(17);
  Route({Link(1), Link(16), "slow"});
  EXPECT_TRUE(Watched("CDS", Link(17)));
  Leaf(Link(17));
  Leaf("slow");
  EXPECT_EQ(Leaves(Link(16)), (Strings{Link(17)}));
  EXPECT_TRUE(IsTooDeep(Link(1)));
}

TEST_F(DependencyAggregate, DnsAndEdsMayFallBackToEachOther) {
  Route({"agg"});
  Send(Aggregate("agg", {"eds", "dns"}));
  Leaf("eds");
  Send(DnsCluster("dns", "example.com", 443));
  SendDns("example.com:443", NewEndpoints("example.com:443"));
  EXPECT_EQ(Leaves("agg"), (Strings{"eds", "dns"}));
}

}  // namespace
}  // namespace made_up
