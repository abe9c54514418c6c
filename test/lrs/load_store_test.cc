#include "lrs/load_store.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "test/lrs/lrs_fakes.h"

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
  std::vector<std::string> first_uses;
  Store store{gxds_load_store_create(
      [](void *arg, const gxds_bootstrap_server *server) {
        static_cast<Scenario *>(arg)->first_uses.push_back(Text(server->uri));
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
  void Begin() { gxds_load_report_begin(store.get(), &server, now); }
};

TEST(LoadStore, FirstCounterOfEachServerIsTold) {
  Scenario s;
  Load a = Locality(s.store.get(), s.server, "c");
  Load b = Locality(s.store.get(), s.server, "d");
  Drops c = DropsOf(s.store.get(), Server("lrs:2"), "c");
  EXPECT_EQ(s.first_uses, (std::vector<std::string>{"lrs:1", "lrs:2"}));
}

TEST(LoadStore, NothingIsToldAfterClose) {
  Scenario s;
  gxds_load_store_close(s.store.get());
  Load a = Locality(s.store.get(), s.server, "c");
  EXPECT_TRUE(s.first_uses.empty());
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

TEST(LoadStore, RpcInFlightOutlivesTheStoreAndIsTheLastToUseIt) {  // else the leak checker speaks
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load *raw = l.get();
  gxds_locality_load_started(raw);
  l.reset();
  s.store.reset();
  gxds_locality_load_finished(raw, false);
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

// Every count of many threads is reported exactly once, while counters come and go, and what is in
// progress is never negative.
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

// As the data path has it: an RPC starts while somebody holds the counters, and ends whenever it
// does, also while they are given up, taken up again and the store is closed.
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
