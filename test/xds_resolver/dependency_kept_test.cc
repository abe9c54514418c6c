// The clusters of an aggregate that waits (A74).
#include "test/xds_resolver/dependency_fixture.h"

namespace made_up {
namespace {

// While an aggregate waits for part of an update, the clusters that it uses stay as they were.
// Otherwise the other parts of the update would make RPCs fail.
class KeptMembers : public Dependencies {
 protected:
  // agg = {a}. One update then changes it to {b} or more, and a loses its endpoints.
  void Begin() {
    Route({"agg"});
    Send(Aggregate("agg", {"a"}));
    Leaf("a");
    TakeLog();
  }
  // top = {mid = {a}}. One update then makes top = {a = {b}}, and mid waits for endpoints.
  void BeginWithMid() {
    Send(Aggregate("top", {"mid"}));
    Send(Aggregate("mid", {"a"}));
    Leaf("a");
    Leaf("b");
    Notify(EdsCluster("mid"));
    Notify(Aggregate("a", {"b"}));
    Notify(Aggregate("top", {"a"}));
    Settle();
  }
  void LoseEndpoints(const std::string &name) { Notify(NewEndpoints(name, {})); }
  size_t Priorities(const std::string &name) {
    const gxds_cluster_entry *e = Entry(name);
    EXPECT_EQ(e->kind, GXDS_ENTRY_ENDPOINTS);
    return e->endpoints ? e->endpoints->priority_count : 0;
  }
};

TEST_F(KeptMembers, LoseTheirEndpointsOnlyWhenTheNewMemberHasItsOwn) {  // A74.10
  Begin();
  Notify(Aggregate("agg", {"b", "a"}));
  LoseEndpoints("a");
  Settle();
  EXPECT_EQ(TakeLog(), (Strings{"+CDS b"}));
  Send(EdsCluster("b"));
  LoseEndpoints("a");  // a second notification, later than the aggregate's
  Settle();
  EXPECT_EQ(TakeLog(), (Strings{"+EDS b"}));
  EXPECT_GT(Priorities("a"), 0u);
  Send(NewEndpoints("b"));
  EXPECT_EQ(TakeLog(), (Strings{"publish"}));
  EXPECT_EQ(Leaves("agg"), (Strings{"b", "a"}));
  EXPECT_EQ(Priorities("a"), 0u);
}

TEST_F(KeptMembers, FollowAtOnceWhenTheNewMemberIsAnError) {  // A74.10
  Begin();
  Notify(Aggregate("agg", {"b", "a"}));
  LoseEndpoints("a");
  Settle();
  EXPECT_GT(Priorities("a"), 0u);
  SendError("CDS", "b", "does not exist");
  EXPECT_EQ(Leaves("agg"), (Strings{"a"}));
  EXPECT_EQ(Priorities("a"), 0u);
}

TEST_F(KeptMembers, FollowAtOnceWhenTheNewMembersEndpointsAreAnError) {  // A74.10
  Begin();
  Notify(Aggregate("agg", {"b", "a"}));
  LoseEndpoints("a");
  Settle();
  Send(EdsCluster("b"));
  EXPECT_GT(Priorities("a"), 0u);
  SendError("EDS", "b", "does not exist");
  EXPECT_EQ(Leaves("agg"), (Strings{"b", "a"}));
  EXPECT_EQ(Priorities("a"), 0u);
}

TEST_F(KeptMembers, AreUsedThoughTheirClusterIsDeleted) {  // A74.10
  Begin();
  Notify(Aggregate("agg", {"b"}));
  NotifyError("CDS", "a", "deleted");
  NotifyError("EDS", "a", "deleted");
  Settle();
  EXPECT_EQ(TakeLog(), (Strings{"+CDS b"}));
  EXPECT_EQ(Leaves("agg"), (Strings{"a"}));
  EXPECT_GT(Priorities("a"), 0u);
  Leaf("b");
  EXPECT_EQ(Leaves("agg"), (Strings{"b"}));
  EXPECT_EQ(Clusters(), (Strings{"agg", "b"}));
  EXPECT_FALSE(Watched("CDS", "a") || Watched("EDS", "a"));
}

TEST_F(KeptMembers, AreErrorsOnceTheWaitIsOverWhereTheyWereDeletedInIt) {  // A74.26
  Begin();
  Notify(Aggregate("agg", {"a", "b"}));
  NotifyError("CDS", "a", "deleted");
  Settle();
  EXPECT_EQ(Leaves("agg"), (Strings{"a"}));
  Leaf("b");
  EXPECT_EQ(Leaves("agg"), (Strings{"b"}));
  EXPECT_EQ(Entry("a")->kind, GXDS_ENTRY_ERROR);
}

TEST_F(KeptMembers, AreFreeWhenTheNewListIsTakenBack) {
  Begin();
  Notify(Aggregate("agg", {"b", "a"}));
  LoseEndpoints("a");
  Settle();
  Send(Aggregate("agg", {"a"}));
  EXPECT_EQ(Priorities("a"), 0u);
}

TEST_F(KeptMembers, AreFreeWhenTheAggregateIsDeleted) {
  Route({"agg", "a"});
  Send(Aggregate("agg", {"a"}));
  Leaf("a");
  Notify(Aggregate("agg", {"b", "a"}));
  LoseEndpoints("a");
  Settle();
  SendError("CDS", "agg");
  EXPECT_EQ(Priorities("a"), 0u);
}

TEST_F(KeptMembers, AreNotKeptForWhatOnlyAnOldListShows) {
  Route({"top", "b"});
  BeginWithMid();
  EXPECT_EQ(Leaves("top"), (Strings{"b"}));
  EXPECT_FALSE(Watched("CDS", "mid"));
}

TEST_F(KeptMembers, AreFreeWhenWhatAwaitsIsNoRootAnyMore) {
  Route({"top", "b", "mid"});
  BeginWithMid();
  EXPECT_EQ(Leaves("top"), (Strings{"a"}));
  Route({"top", "b"});
  EXPECT_EQ(Leaves("top"), (Strings{"b"}));
  EXPECT_FALSE(Watched("CDS", "mid"));
}

TEST_F(KeptMembers, AreFreeInTheSnapshotOfTheRootsThatEndTheWait) {
  Route({"top", "b", "mid"});
  BeginWithMid();
  TakeLog();
  Route({"top", "b"});
  Strings log = TakeLog();
  EXPECT_EQ(std::count(log.begin(), log.end(), "publish"), 1);
  EXPECT_EQ(Leaves("top"), (Strings{"b"}));
}

// No other event would cause them to be checked.
TEST_F(KeptMembers, AreFreeWhenNobodyWantsTheAggregateAnyMore) {
  Route({"a"});
  Leaf("a");
  Subscribe("agg");
  Send(Aggregate("agg", {"a"}));
  Notify(Aggregate("agg", {"slow", "a"}));
  LoseEndpoints("a");
  Settle();
  EXPECT_GT(Priorities("a"), 0u);
  Unsubscribe("agg");
  EXPECT_EQ(Priorities("a"), 0u);
}

// A cluster has one entry. What one route waits for must not make RPCs of another route fail.
TEST_F(KeptMembers, AreKeptForTheirOwnRouteToo) {
  Route({"agg", "a", "apart"});
  Send(Aggregate("agg", {"a"}));
  Leaf("a");
  Leaf("apart");
  Notify(Aggregate("agg", {"b", "a"}));
  LoseEndpoints("a");
  LoseEndpoints("apart");
  Settle();
  EXPECT_GT(Priorities("a"), 0u);
  EXPECT_EQ(Priorities("apart"), 0u) << "no aggregate shows it";
}

TEST_F(KeptMembers, OfAnAggregateBelowOneThatWaitsAreKept) {
  Route({"top"});
  Send(Aggregate("top", {"inner"}));
  Send(Aggregate("inner", {"a"}));
  Leaf("a");
  Notify(Aggregate("top", {"b"}));
  Notify(Aggregate("inner", {"c"}));
  LoseEndpoints("a");
  Settle();
  Leaf("c");  // inner could change, but top could not
  EXPECT_EQ(Leaves("top"), (Strings{"a"}));
  EXPECT_EQ(Leaves("inner"), (Strings{"a"}));
  EXPECT_GT(Priorities("a"), 0u);
  Leaf("b");
  EXPECT_EQ(Leaves("top"), (Strings{"b"}));
  EXPECT_EQ(Clusters(), (Strings{"b", "top"}));
}

TEST_F(KeptMembers, OfAnAggregateAboveOneThatWaitsAreKept) {
  Route({"top"});
  Send(Aggregate("top", {"a", "inner"}));
  Leaf("a");
  Send(Aggregate("inner", {"c"}));
  Leaf("c");
  LoseEndpoints("a");
  LoseEndpoints("c");
  Notify(Aggregate("inner", {"b"}));
  Settle();
  EXPECT_GT(Priorities("a"), 0u);
  EXPECT_GT(Priorities("c"), 0u);
  Leaf("b");
  EXPECT_EQ(Leaves("top"), (Strings{"a", "b"}));
  EXPECT_EQ(Priorities("a"), 0u);
}

// Each of the two uses a cluster that the other's new list needs. Once the slow resource has
// arrived, neither waits for anything outside.
TEST_F(KeptMembers, OfTwoAggregatesDoNotWaitForEachOther) {
  Route({"v", "w"});
  Send(Aggregate("v", {"x"}));
  Send(Aggregate("w", {"y"}));
  for (const char *inner : {"x", "y"}) {
    Send(Aggregate(inner, {std::string(inner) + "1"}));
    Leaf(std::string(inner) + "1");
  }
  Notify(Aggregate("v", {"y", "slow"}));
  Notify(Aggregate("w", {"x"}));
  Notify(Aggregate("x", {"x2"}));
  Notify(Aggregate("y", {"y2"}));
  Settle();
  Leaf("x2");
  Leaf("y2");
  EXPECT_EQ(Leaves("v"), (Strings{"x1"}));
  EXPECT_EQ(Leaves("w"), (Strings{"y1"}));
  Leaf("slow");
  EXPECT_EQ(Leaves("v"), (Strings{"y2", "slow"}));
  EXPECT_EQ(Leaves("w"), (Strings{"x2"}));
}

TEST_F(KeptMembers, OfAnAggregateThatBecomesALeafAreKeptUntilItHasEndpoints) {
  Begin();
  Notify(EdsCluster("agg"));
  LoseEndpoints("a");
  Settle();
  EXPECT_EQ(Leaves("agg"), (Strings{"a"}));
  EXPECT_GT(Priorities("a"), 0u);
  Send(NewEndpoints("agg"));
  EXPECT_EQ(Clusters(), (Strings{"agg"}));
}

TEST_F(KeptMembers, ThatWereInErrorAreUsedAsSoonAsTheyAreThere) {
  Route({"agg"});
  Send(Aggregate("agg", {"a", "bad"}));
  Leaf("a");
  SendError("CDS", "bad");
  Send(Aggregate("agg", {"slow", "bad"}));
  Leaf("bad");
  EXPECT_EQ(Leaves("agg"), (Strings{"a", "bad"}));
}

TEST_F(KeptMembers, ThatWereInErrorAreKeptOnceTheyAreThere) {
  Route({"agg"});
  Send(Aggregate("agg", {"inner"}));
  Send(Aggregate("inner", {"a", "bad"}));
  Leaf("a");
  SendError("CDS", "bad");
  Send(Aggregate("agg", {"slow", "inner"}));
  Send(EdsCluster("bad"));
  Notify(Aggregate("agg", {"slow", "bad", "inner"}));
  Notify(NewEndpoints("bad"));
  Settle();
  EXPECT_EQ(Leaves("agg"), (Strings{"a", "bad"}));
  LoseEndpoints("bad");
  Settle();
  EXPECT_GT(Priorities("bad"), 0u);
}

TEST_F(KeptMembers, KeepTheirEndpointsUnderAnotherServiceNameToo) {
  Begin();
  Notify(Aggregate("agg", {"slow", "a"}));
  Notify(EdsCluster("a", "other"));
  Settle();
  EXPECT_EQ(TakeLog(), (Strings{"+EDS other", "+CDS slow"}));
  Notify(NewEndpoints("other", {}));
  Settle();
  EXPECT_EQ(TakeLog(), Strings{});
  EXPECT_GT(Priorities("a"), 0u);
  Leaf("slow");
  EXPECT_EQ(Priorities("a"), 0u);
  EXPECT_FALSE(Watched("EDS", "a"));
}

}  // namespace
}  // namespace made_up
