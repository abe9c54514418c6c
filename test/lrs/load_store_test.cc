#include "lrs/load_store.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "lrs/lingering.h"
#include "test/lrs/lrs_fakes.h"
#include "test/support/forks_during.h"

namespace lrs_test {
namespace {

// "c/svc [z: 3 issued 2 ok 1 failed 0 now] drops{a:1} +2 in 5s", clusters joined by "; ".
std::string Render(const gxds_load_report *r) {
  std::string out;
  for (size_t i = 0; i < r->cluster_count; i++) {
    const gxds_cluster_report &c = r->clusters[i];
    if (i > 0) out += "; ";
    out += Text(c.cluster) + "/" + Text(c.eds_service);
    for (size_t k = 0; k < c.locality_count; k++) {
      const gxds_locality_report &l = c.localities[k];
      out += " [" + Text(l.zone) + " " + std::to_string(l.issued) + "=" +
             std::to_string(l.succeeded) + "+" + std::to_string(l.failed) + ", " +
             std::to_string(l.in_progress) + " now]";
    }
    for (size_t k = 0; k < c.drop_count; k++) {
      out += " " + Text(c.drops[k].category) + ":" + std::to_string(c.drops[k].count);
    }
    out += " dropped " + std::to_string(c.total_dropped);
    out += " in " + std::to_string(c.interval / GXDS_SECOND) + "s";
  }
  return out;
}

struct Scenario {
  std::vector<std::string> changes;
  Store store{gxds_load_store_create(
      [](void *arg, const gxds_bootstrap_server *server) {
        static_cast<Scenario *>(arg)->changes.push_back(Text(server->uri));
      },
      this)};
  gxds_bootstrap_server server = Server("lrs:1");
  gxds_time now = 100 * GXDS_SECOND;

  gxds_load_report *Build(std::vector<gxds_str> names = {}, bool all = true) {
    gxds_load_filter filter = {all, names.data(), names.size()};
    now += 5 * GXDS_SECOND;
    return gxds_load_report_build(store.get(), &server, filter, now);
  }
  std::string Sent(std::vector<gxds_str> names = {}, bool all = true) {
    gxds_load_report *r = Build(names, all);
    std::string text = Render(r);
    gxds_load_report_sent(r);
    return text;
  }
  std::string Lost() {
    gxds_load_report *r = Build();
    std::string text = Render(r);
    gxds_load_report_lost(r);
    return text;
  }
  gxds_load_use Use() { return gxds_load_store_use(store.get(), &server); }
  void Begin() { gxds_load_report_begin(store.get(), &server, now); }
};

TEST(LoadStore, FirstCounterOfEachServerIsReported) {
  Scenario s;
  Load a = Locality(s.store.get(), s.server, "c");
  Load b = Locality(s.store.get(), s.server, "d");
  Drops c = DropsOf(s.store.get(), Server("lrs:2"), "c");
  EXPECT_EQ(s.changes, (std::vector<std::string>{"lrs:1", "lrs:2"}));
}

TEST(LoadStore, ChangesOfTheUseOfAServerAreReported) {
  Scenario s;
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
  Load a = Locality(s.store.get(), s.server, "c");
  Drops b = DropsOf(s.store.get(), s.server, "d");
  EXPECT_EQ(s.Use(), GXDS_LOAD_COUNTED);
  Call(a);
  a.reset();
  EXPECT_EQ(s.changes.size(), 1u);
  b.reset();
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
  EXPECT_EQ(s.changes.size(), 2u);
  s.Sent();
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
  EXPECT_EQ(s.changes, (std::vector<std::string>{"lrs:1", "lrs:1", "lrs:1"}));
  a = Locality(s.store.get(), s.server, "c");
  EXPECT_EQ(s.Use(), GXDS_LOAD_COUNTED);
  EXPECT_EQ(s.changes.size(), 4u);
}

TEST(LoadStore, UseLastsUntilTheLastRpcInFlightEnds) {
  Scenario s;
  Load a = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *raw = a.get();
  gxds_locality_load_started(raw);
  a.reset();
  s.Sent();
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
  gxds_locality_load_finished(raw, false);
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
  s.Sent();
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
}

// Otherwise there would be a counter for every cluster name that ever existed.
TEST(LoadStore, CountersForAServerThatTakesNoneGoWithTheirHolders) {
  Scenario s;
  Load before = Locality(s.store.get(), s.server, "before");
  Call(before);
  before.reset();
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
  gxds_load_store_set_taken(s.store.get(), &s.server, false);
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
  for (int i = 0; i < 100; i++) {
    std::string name = "c" + std::to_string(i);
    Load l = Locality(s.store.get(), s.server, name.c_str());
    Drops d = DropsOf(s.store.get(), s.server, name.c_str());
    Call(l);
    gxds_drop_load_add_uncategorized(d.get());
    l.reset();
    d.reset();
    EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
  }
  gxds_load_store_set_taken(s.store.get(), &s.server, true);
  Load after = Locality(s.store.get(), s.server, "after");
  Call(after);
  after.reset();
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
}

TEST(LoadStore, WhatIsLeftForAServerThatNeverWantsItIsLimited) {
  Scenario s;
  Load held = Locality(s.store.get(), s.server, "held");
  Call(held);
  for (int i = 0; i < GXDS_LOAD_LEFT_MAX + 5; i++) {
    Call(Locality(s.store.get(), s.server, ("c" + std::to_string(i)).c_str()));
  }
  gxds_load_report *r = s.Build();
  EXPECT_EQ(r->cluster_count, size_t{GXDS_LOAD_LEFT_MAX} + 1);
  std::set<std::string> names;
  for (size_t i = 0; i < r->cluster_count; i++) names.insert(Text(r->clusters[i].cluster));
  EXPECT_EQ(names.count("held"), 1u);
  EXPECT_EQ(names.count("c4"), 0u) << "the oldest went";
  gxds_load_report_sent(r);
}

TEST(LoadStore, WhatIsLeftCanBeDropped) {
  Scenario s;
  Load held = Locality(s.store.get(), s.server, "held");
  Load left = Locality(s.store.get(), s.server, "left");
  Call(held);
  Call(left);
  left.reset();
  gxds_load_store_drop_left(s.store.get(), &s.server);
  std::string report = s.Sent();
  EXPECT_NE(report.find("held"), std::string::npos);
  EXPECT_EQ(report.find("left"), std::string::npos);
}

TEST(LoadStore, NothingIsReportedAfterClose) {
  Scenario s;
  gxds_load_store_close(s.store.get());
  Load a = Locality(s.store.get(), s.server, "c");
  EXPECT_TRUE(s.changes.empty());
}

TEST(LoadStore, SameKeyIsTheSameCounter) {
  Scenario s;
  Load a = Locality(s.store.get(), s.server, "c");
  Load b = Locality(s.store.get(), s.server, "c");
  EXPECT_EQ(a, b);
  EXPECT_NE(a, Locality(s.store.get(), s.server, "c", "other zone"));
  EXPECT_NE(a, Locality(s.store.get(), s.server, "c", "z", "service"));
  EXPECT_NE(a, Locality(s.store.get(), Server("lrs:2"), "c"));
}

TEST(LoadStore, CountsIssuedSucceededFailedAndInProgress) {
  Scenario s;
  s.Begin();
  Load l = Locality(s.store.get(), s.server, "c", "z", "svc");
  Call(l);
  Call(l);
  Call(l, true);
  gxds_locality_load_started(l.get());
  EXPECT_EQ(s.Sent(), "c/svc [z 4=2+1, 1 now] dropped 0 in 5s");
  gxds_locality_load_finished(l.get(), false);
  EXPECT_EQ(s.Sent(), "c/svc [z 0=1+0, 0 now] dropped 0 in 5s");
}

TEST(LoadStore, ReportsDropsByCategoryAndInTotal) {  // A32.7
  Scenario s;
  Drops d = DropsOf(s.store.get(), s.server, "c");
  size_t lb = gxds_drop_load_category(d.get(), gxds_str_z("lb"));
  size_t throttle = gxds_drop_load_category(d.get(), gxds_str_z("throttle"));
  EXPECT_EQ(lb, gxds_drop_load_category(d.get(), gxds_str_z("lb")));
  gxds_drop_load_add(d.get(), lb);
  gxds_drop_load_add(d.get(), throttle);
  gxds_drop_load_add(d.get(), throttle);
  gxds_drop_load_add_uncategorized(d.get());
  s.Begin();
  EXPECT_EQ(s.Sent(), "c/ lb:1 throttle:2 dropped 4 in 5s");
  gxds_drop_load_add(d.get(), lb);
  EXPECT_EQ(s.Sent(), "c/ lb:1 dropped 1 in 5s") << "categories without drops are left out";
}

TEST(LoadStore, ManyDropCategoriesKeepTheirNumbers) {
  Scenario s;
  Drops d = DropsOf(s.store.get(), s.server, "c");
  for (int i = 0; i < 2000; i++) {
    std::string name = "category" + std::to_string(i);
    gxds_drop_load_add(d.get(), gxds_drop_load_category(d.get(), gxds_str_z(name.c_str())));
  }
  gxds_load_report *r = s.Build();
  ASSERT_EQ(r->cluster_count, 1u);
  const gxds_cluster_report &c = r->clusters[0];
  EXPECT_EQ(c.drop_count, 1015u);
  EXPECT_EQ(Text(c.drops[1014].category), "category1014");
  EXPECT_EQ(c.total_dropped, 2000u) << "names beyond the limit count without category";
  EXPECT_EQ(c.uncategorized, 985u);
  gxds_load_report_lost(r);
}

TEST(LoadStore, LostReportIsInTheNextWithItsTime) {
  Scenario s;
  s.Begin();
  Load l = Locality(s.store.get(), s.server, "c");
  Drops d = DropsOf(s.store.get(), s.server, "c");
  Call(l);
  gxds_drop_load_add_uncategorized(d.get());
  EXPECT_EQ(s.Lost(), "c/ [z 1=1+0, 0 now] dropped 1 in 5s");
  Call(l, true);
  EXPECT_EQ(s.Sent(), "c/ [z 2=1+1, 0 now] dropped 1 in 10s");
  EXPECT_EQ(s.Sent(), "c/ [z 0=0+0, 0 now] dropped 0 in 5s");
}

TEST(LoadStore, CountsDuringAReportOnItsWayAreInTheNext) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Call(l);
  gxds_load_report *r = s.Build();
  Call(l, true);
  gxds_load_report_sent(r);
  EXPECT_EQ(s.Sent(), "c/ [z 1=0+1, 0 now] dropped 0 in 5s");
}

TEST(LoadStore, ReleasedCounterIsReportedOnceThenGone) {
  Scenario s;
  s.Begin();
  Load l = Locality(s.store.get(), s.server, "c");
  Drops d = DropsOf(s.store.get(), s.server, "c");
  Call(l);
  l.reset();
  gxds_drop_load_add_uncategorized(d.get());
  d.reset();
  EXPECT_EQ(s.Lost(), "c/ [z 1=1+0, 0 now] dropped 1 in 5s");
  EXPECT_EQ(s.Sent(), "c/ [z 1=1+0, 0 now] dropped 1 in 10s");
  EXPECT_EQ(s.Sent(), "");
}

TEST(LoadStore, ReleasedCounterWithoutCountsGoesAtOnce) {
  Scenario s;
  Locality(s.store.get(), s.server, "c").reset();
  DropsOf(s.store.get(), s.server, "c").reset();
  EXPECT_EQ(s.Sent(), "");
}

TEST(LoadStore, CounterReleasedWhileItsReportIsOnItsWayStaysUntilThen) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Call(l);
  gxds_load_report *r = s.Build();
  l.reset();
  EXPECT_EQ(Text(r->clusters[0].localities[0].zone), "z");
  gxds_load_report_sent(r);
  EXPECT_EQ(s.Sent(), "");
}

TEST(LoadStore, CounterTakenUpAgainKeepsItsCounts) {
  Scenario s;
  s.Begin();
  Load l = Locality(s.store.get(), s.server, "c");
  Call(l);
  l.reset();
  l = Locality(s.store.get(), s.server, "c");
  Call(l);
  EXPECT_EQ(s.Sent(), "c/ [z 2=2+0, 0 now] dropped 0 in 5s");
}

TEST(LoadStore, UnwantedClusterIsNotReportedNorLater) {
  Scenario s;
  s.Begin();
  Load a = Locality(s.store.get(), s.server, "a");
  Load b = Locality(s.store.get(), s.server, "b");
  Call(a);
  Call(b);
  EXPECT_EQ(s.Sent({gxds_str_z("a"), gxds_str_z("x")}, false),
            "a/ [z 1=1+0, 0 now] dropped 0 in 5s");
  Call(b);
  EXPECT_EQ(s.Sent(), "a/ [z 0=0+0, 0 now] dropped 0 in 5s; b/ [z 1=1+0, 0 now] dropped 0 in 5s");
}

TEST(LoadStore, ReportIsOfOneServer) {
  Scenario s;
  Load a = Locality(s.store.get(), s.server, "a");
  Load b = Locality(s.store.get(), Server("lrs:2"), "b");
  s.Begin();
  EXPECT_EQ(s.Sent(), "a/ [z 0=0+0, 0 now] dropped 0 in 5s");
}

TEST(LoadStore, ZeroMeansNothingCountedAndNothingInProgress) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "a");
  gxds_load_report *r = s.Build();
  EXPECT_TRUE(r->is_zero);
  gxds_load_report_sent(r);
  gxds_locality_load_started(l.get());
  s.Sent();
  r = s.Build();
  EXPECT_FALSE(r->is_zero) << "one RPC is in progress";
  gxds_load_report_sent(r);
  gxds_locality_load_finished(l.get(), false);
}

TEST(LoadStore, CountersOutliveTheirStore) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Drops d = DropsOf(s.store.get(), s.server, "c");
  s.store.reset();
  Call(l);
  gxds_drop_load_add(d.get(), gxds_drop_load_category(d.get(), gxds_str_z("x")));
}

TEST(LoadStore, RpcsInFlightKeepTheirCountersWithoutHoldingThem) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *raw = l.get();
  gxds_locality_load_started(raw);
  gxds_locality_load_started(raw);
  l.reset();
  EXPECT_EQ(s.Sent(), "c/ [z 2=0+0, 2 now] dropped 0 in 0s");
  gxds_locality_load_finished(raw, false);
  EXPECT_EQ(s.Sent(), "c/ [z 0=1+0, 1 now] dropped 0 in 5s");
  gxds_locality_load_finished(raw, true);
  EXPECT_EQ(s.Sent(), "c/ [z 0=0+1, 0 now] dropped 0 in 5s");
  EXPECT_EQ(s.Sent(), "") << "told, and nobody needs it";
}

TEST(LoadStore, CountersOfRpcsInFlightAreTakenUpAgain) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *raw = l.get();
  gxds_locality_load_started(raw);
  l.reset();
  l = Locality(s.store.get(), s.server, "c");
  EXPECT_EQ(l.get(), raw);
  gxds_locality_load_finished(raw, false);
  EXPECT_EQ(s.Sent(), "c/ [z 1=1+0, 0 now] dropped 0 in 0s");
  gxds_locality_load_started(raw);
  l.reset();
  gxds_locality_load_finished(raw, false);
  EXPECT_EQ(s.Sent(), "c/ [z 1=1+0, 0 now] dropped 0 in 5s");
  EXPECT_EQ(s.Sent(), "");
}

TEST(LoadStore, RpcInFlightOutlivesTheStoreAndIsTheLastToUseIt) {  // the leak checker checks this
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *raw = l.get();
  gxds_locality_load_started(raw);
  l.reset();
  s.store.reset();
  gxds_locality_load_finished(raw, false);
}

// A71: subchannels keep these counters in memory after their cluster is counted for another server.
TEST(LoadStore, RetiredCounterIsNoUseOfItsServerOnceAllIsReported) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *retired = l.release();
  gxds_locality_load_started(retired);
  EXPECT_EQ(s.Use(), GXDS_LOAD_COUNTED);
  gxds_locality_load_retire(retired);
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
  EXPECT_EQ(s.Sent(), "c/ [z 1=0+0, 1 now] dropped 0 in 0s");
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT) << "it is still in progress";
  gxds_locality_load_finished(retired, false);
  EXPECT_EQ(s.Sent(), "c/ [z 0=1+0, 0 now] dropped 0 in 5s");
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
  EXPECT_EQ(s.Sent(), "");
  gxds_locality_load_unref_retired(retired);
}

TEST(LoadStore, RetiredCounterThatIsHeldAgainGoesOn) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *retired = l.release();
  gxds_locality_load_retire(retired);
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE) << "there was nothing to tell";
  gxds_locality_load_started(retired);  // a pick made before the change
  l = Locality(s.store.get(), s.server, "c");
  EXPECT_EQ(l.get(), retired);
  gxds_locality_load_unref_retired(retired);
  EXPECT_EQ(s.Use(), GXDS_LOAD_COUNTED);
  gxds_locality_load_finished(l.get(), false);
  EXPECT_EQ(s.Sent(), "c/ [z 1=1+0, 0 now] dropped 0 in 0s");
}

// A cluster that got its former EDS service back. Its reports are not of the time between.
TEST(LoadStore, ClusterThatIsHeldAgainIsReportedForTheLastIntervalAlone) {
  Scenario s;
  s.Begin();
  Load other = Locality(s.store.get(), s.server, "other");
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *retired = l.release();
  gxds_locality_load_retire(retired);
  for (int i = 0; i < 3; i++) EXPECT_EQ(s.Sent().find("c/"), std::string::npos) << "it rests";
  l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load_unref_retired(retired);
  Call(l);
  EXPECT_EQ(s.Sent(),
            "other/ [z 0=0+0, 0 now] dropped 0 in 5s; c/ [z 1=1+0, 0 now] dropped 0 in 5s");
}

TEST(LoadStore, RetiredCounterOfAServerThatTakesNothingIsNoUse) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Call(l);
  gxds_locality_load *retired = l.release();
  gxds_locality_load_retire(retired);
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
  gxds_load_store_drop_left(s.store.get(), &s.server);
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
  gxds_locality_load_unref_retired(retired);
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
}

TEST(LoadStore, RpcInFlightOutlivesARetiredCounterToo) {  // the leak checker checks this
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *retired = l.release();
  gxds_locality_load_started(retired);
  gxds_locality_load_retire(retired);
  gxds_locality_load_unref_retired(retired);
  gxds_locality_load_finished(retired, false);
  EXPECT_EQ(s.Sent(), "c/ [z 1=1+0, 0 now] dropped 0 in 0s");
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
}

// Like the end of a channel with many clusters, each with a stream.
TEST(LoadStore, EndOfAnRpcLooksAtFewOfManyThatLinger) {
  constexpr uint64_t kMany = 4000;
  Scenario s;
  std::vector<Load> loads;
  std::vector<gxds_locality_load *> raw;
  for (uint64_t i = 0; i < kMany; i++) {
    loads.push_back(Locality(s.store.get(), s.server, ("c" + std::to_string(i)).c_str()));
    raw.push_back(loads.back().get());
    gxds_locality_load_started(raw.back());
  }
  uint64_t before = gxds_lingering_looked_at();
  loads.clear();
  uint64_t given_up = gxds_lingering_looked_at();
  EXPECT_GE(given_up - before, kMany) << "each lingers";
  EXPECT_LT(given_up - before, 32 * kMany);
  for (gxds_locality_load *l : raw) gxds_locality_load_finished(l, false);
  EXPECT_LT(gxds_lingering_looked_at() - given_up, 32 * kMany);
}

// This takes all locks of lingering counters.
TEST(LoadStore, LooksForLingeringCountersInTheChildOfAForkDuringOtherSearches) {
  EXPECT_TRUE(gxds_test::AllChildrenEnd([] { (void)gxds_lingering_looked_at(); }));
}

TEST(LoadStore, ManyClustersAreFoundAgain) {
  Scenario s;
  std::vector<Load> loads;
  for (int i = 0; i < 1000; i++) {
    loads.push_back(Locality(s.store.get(), s.server, ("c" + std::to_string(i)).c_str()));
  }
  for (int i = 0; i < 1000; i++) {
    EXPECT_EQ(loads[size_t(i)],
              Locality(s.store.get(), s.server, ("c" + std::to_string(i)).c_str()));
  }
  for (int i = 0; i < 1000; i += 2) loads[size_t(i)].reset();
  gxds_load_report *r = s.Build();
  ASSERT_EQ(r->cluster_count, 500u);
  EXPECT_EQ(Text(r->clusters[0].cluster), "c1") << "by age";
  EXPECT_EQ(Text(r->clusters[499].cluster), "c999");
  gxds_load_report_lost(r);
}

// "zone: cpu 2/1.5 queue 1/3" of each locality that has metrics, joined by "; ".
std::string Metrics(const gxds_load_report *r) {
  static const char *const kNames[] = {"cpu", "mem", "app"};
  std::string out;
  for (size_t i = 0; i < r->cluster_count; i++) {
    for (size_t k = 0; k < r->clusters[i].locality_count; k++) {
      const gxds_locality_report &l = r->clusters[i].localities[k];
      if (l.metric_count == 0) continue;
      out += (out.empty() ? "" : "; ") + Text(l.zone) + ":";
      for (size_t j = 0; j < l.metric_count; j++) {
        const gxds_metric_report &m = l.metrics[j];
        out += " " + (m.metric == GXDS_METRIC_NAMED ? Text(m.name) : kNames[m.metric]) + " " +
               std::to_string(m.count) + "/" + std::to_string(static_cast<int>(m.sum * 10));
      }
    }
  }
  return out;
}
std::string MetricsSent(Scenario *s) {
  gxds_load_report *r = s->Build();
  std::string out = Metrics(r);
  gxds_load_report_sent(r);
  return out;
}
void Reported(const Load &l, gxds_load_metric metric, double value, const char *name = "") {
  gxds_locality_load_reported(l.get(), metric, gxds_str_z(name), value);
}

TEST(LoadStoreMetrics, AreAddedUpByLocalityAndName) {  // A64.2, A64.3
  Scenario s;
  Load z = Locality(s.store.get(), s.server, "c", "z");
  Load y = Locality(s.store.get(), s.server, "c", "y");
  EXPECT_EQ(MetricsSent(&s), "");
  Reported(z, GXDS_METRIC_NAMED, 1, "key1");
  Reported(z, GXDS_METRIC_NAMED, 2, "key2");
  Reported(z, GXDS_METRIC_NAMED, 3, "key2");
  Reported(z, GXDS_METRIC_NAMED, 4, "key3");
  Reported(z, GXDS_METRIC_CPU_UTILIZATION, 0.5);
  Reported(z, GXDS_METRIC_CPU_UTILIZATION, 0);
  Reported(y, GXDS_METRIC_MEM_UTILIZATION, 0.1);
  Reported(y, GXDS_METRIC_APPLICATION_UTILIZATION, -0.2);
  EXPECT_EQ(MetricsSent(&s), "z: cpu 2/5 key1 1/10 key2 2/50 key3 1/40; y: mem 1/1 app 1/-2");
}

TEST(LoadStoreMetrics, AreThoseSinceTheLastReport) {  // A64.4
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Reported(l, GXDS_METRIC_NAMED, 1, "a");
  Reported(l, GXDS_METRIC_NAMED, 2, "b");
  EXPECT_EQ(MetricsSent(&s), "z: a 1/10 b 1/20");
  Reported(l, GXDS_METRIC_NAMED, 4, "b");
  EXPECT_EQ(MetricsSent(&s), "z: b 1/40");
  EXPECT_EQ(MetricsSent(&s), "");
}

TEST(LoadStoreMetrics, TakeWhatIsInAReport) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Reported(l, GXDS_METRIC_NAMED, 10, "a");
  gxds_load_report *r = s.Build();
  EXPECT_LE(malloc_usable_size(r->clusters[0].localities[0].metrics),
            2 * sizeof(gxds_metric_report));
  gxds_load_report_sent(r);
  r = s.Build();
  EXPECT_EQ(r->clusters[0].localities[0].metrics, nullptr);
  gxds_load_report_sent(r);
}

TEST(LoadStoreMetrics, OfALostReportAreInTheNext) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Reported(l, GXDS_METRIC_NAMED, 1, "a");
  EXPECT_NE(s.Lost(), "");
  Reported(l, GXDS_METRIC_NAMED, 2, "a");
  gxds_load_report *r = s.Build();
  Reported(l, GXDS_METRIC_NAMED, 8, "a");
  EXPECT_EQ(Metrics(r), "z: a 2/30");
  gxds_load_report_sent(r);
  EXPECT_EQ(MetricsSent(&s), "z: a 1/80") << "what came while that one was on its way";
}

TEST(LoadStoreMetrics, OfAReleasedCounterAreReportedOnce) {
  Scenario s;
  Reported(Locality(s.store.get(), s.server, "c"), GXDS_METRIC_NAMED, 1, "a");
  gxds_load_report *r = s.Build();
  EXPECT_FALSE(r->is_zero);
  EXPECT_EQ(Metrics(r), "z: a 1/10");
  gxds_load_report_sent(r);
  EXPECT_EQ(s.Sent(), "") << "the counter is gone";
}

TEST(LoadStoreMetrics, OfAnUnwantedClusterAreNotReportedLater) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Reported(l, GXDS_METRIC_NAMED, 1, "a");
  EXPECT_EQ(s.Sent({}, /*all=*/false), "");
  EXPECT_EQ(MetricsSent(&s), "");
}

TEST(LoadStoreMetrics, AnAbsurdValueSpoilsOneReportAlone) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Reported(l, GXDS_METRIC_NAMED, std::numeric_limits<double>::infinity(), "a");
  gxds_load_report *r = s.Build();
  EXPECT_EQ(r->clusters[0].localities[0].metrics[0].sum, std::numeric_limits<double>::infinity());
  gxds_load_report_sent(r);
  Reported(l, GXDS_METRIC_NAMED, 1, "a");
  EXPECT_EQ(MetricsSent(&s), "z: a 1/10");
}

// The limits of lrs/metric_counters.h.
TEST(LoadStoreMetrics, NamesBeyondTheLimitAreNotCounted) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Reported(l, GXDS_METRIC_NAMED, 1, std::string(257, 'x').c_str());
  for (int i = 0; i < 300; i++) Reported(l, GXDS_METRIC_NAMED, 1, std::to_string(i).c_str());
  Reported(l, GXDS_METRIC_NAMED, 1, "0");
  gxds_load_report *r = s.Build();
  const gxds_locality_report &z = r->clusters[0].localities[0];
  EXPECT_EQ(z.metric_count, 256u);
  EXPECT_EQ(Text(z.metrics[0].name), "0");
  EXPECT_EQ(z.metrics[0].count, 2u) << "known names go on being counted";
  gxds_load_report_sent(r);
}

TEST(LoadStoreMetrics, ThreadsCountEachValueOnce) {
  Scenario s;
  constexpr int kThreads = 4;
  constexpr int kCalls = 5000;
  Load l = Locality(s.store.get(), s.server, "c");
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; i++) {
        Reported(l, GXDS_METRIC_NAMED, 2, std::to_string(i % 100).c_str());
        Reported(l, GXDS_METRIC_CPU_UTILIZATION, t);
      }
      running--;
    });
  }
  uint64_t named = 0, cpus = 0;
  double named_sum = 0, cpu_sum = 0;
  for (bool last = false; !last;) {
    last = running == 0;
    gxds_load_report *r = s.Build();
    const gxds_locality_report &z = r->clusters[0].localities[0];
    for (size_t i = 0; i < z.metric_count; i++) {
      bool is_named = z.metrics[i].metric == GXDS_METRIC_NAMED;
      (is_named ? named : cpus) += z.metrics[i].count;
      (is_named ? named_sum : cpu_sum) += z.metrics[i].sum;
    }
    gxds_load_report_sent(r);
  }
  for (std::thread &t : threads) t.join();
  EXPECT_EQ(named, uint64_t(kThreads * kCalls));
  EXPECT_EQ(named_sum, 2.0 * kThreads * kCalls);
  EXPECT_EQ(cpus, uint64_t(kThreads * kCalls));
  EXPECT_EQ(cpu_sum, 6.0 * kCalls);
}

// Every count of many threads is reported exactly once while counters are created and released, and
// the number of RPCs in progress is never negative.
TEST(LoadStore, ThreadsCountWhileReportsAreReadAndLost) {
  Scenario s;
  constexpr int kThreads = 4;
  constexpr int kCalls = 5000;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; i++) {
        Load l = Locality(s.store.get(), s.server, i % 64 < 32 ? "a" : "b");
        Call(l, (i + t) % 5 == 0);
        if (i % 100 == 0) {
          Drops d = DropsOf(s.store.get(), s.server, "a");
          gxds_drop_load_add(d.get(), gxds_drop_load_category(d.get(), gxds_str_z("x")));
        }
      }
      running--;
    });
  }
  uint64_t issued = 0, succeeded = 0, failed = 0, dropped = 0;
  bool last = false;
  for (int round = 0; !last; round++) {
    last = running == 0;
    gxds_load_report *r = s.Build();
    for (size_t i = 0; i < r->cluster_count; i++) {
      for (size_t k = 0; k < r->clusters[i].locality_count; k++) {
        EXPECT_LE(r->clusters[i].localities[k].in_progress, uint64_t(kThreads));
      }
    }
    if (!last && round % 2 == 0) {
      gxds_load_report_lost(r);
      continue;
    }
    for (size_t i = 0; i < r->cluster_count; i++) {
      dropped += r->clusters[i].total_dropped;
      for (size_t k = 0; k < r->clusters[i].locality_count; k++) {
        issued += r->clusters[i].localities[k].issued;
        succeeded += r->clusters[i].localities[k].succeeded;
        failed += r->clusters[i].localities[k].failed;
      }
    }
    gxds_load_report_sent(r);
  }
  for (std::thread &t : threads) t.join();
  EXPECT_EQ(issued, uint64_t(kThreads * kCalls));
  EXPECT_EQ(failed, uint64_t(kThreads * kCalls / 5));
  EXPECT_EQ(succeeded + failed, issued);
  EXPECT_EQ(dropped, uint64_t(kThreads * kCalls / 100));
}

// As in the data path: an RPC starts while somebody holds the counters, and may end at any time,
// also while they are released or taken again, or while the store is closed.
TEST(LoadStore, ThreadsEndRpcsWhileTheirCountersAreGivenUp) {
  for (int round = 0; round < 300; round++) {
    Scenario s;
    std::mutex mu;
    Load held;  // under mu
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; i++) {
          gxds_locality_load *raw;
          {
            std::lock_guard<std::mutex> lock(mu);
            if (!held) held = Locality(s.store.get(), s.server, "c");
            raw = held.get();
            gxds_locality_load_started(raw);
          }
          gxds_locality_load_finished(raw, i % 2 == 0);
        }
      });
    }
    for (int i = 0; i < 20; i++) {
      std::lock_guard<std::mutex> lock(mu);
      held.reset();
      if (i == 10 && round % 2 == 0) gxds_load_store_close(s.store.get());
    }
    for (std::thread &t : threads) t.join();
    held.reset();
  }
}

}  // namespace
}  // namespace lrs_test
