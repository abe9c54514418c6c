#include "lb_policies/cluster_impl/drop_picker.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "lrs/load_report.h"
#include "test/lb_policies/cluster_impl/snapshot_builder.h"
#include "test/lb_policies/orca/orca_bytes.h"

namespace {

using snapshot::MakeEndpoints;
using snapshot::Text;

struct Scenario {
  gxds_bootstrap_server server = {};
  snapshot::LoadStore store{gxds_load_store_create(nullptr, nullptr)};
  gxds_call_counter* counter = gxds_call_counter_get(gxds_str_z("c"), gxds_str_z(""));
  gxds_drop_load* drops = nullptr;
  gxds_locality_slot* slot =
      gxds_locality_slot_create(gxds_str_z("r"), gxds_str_z("z"), gxds_str_z(""));
  gxds_drop_picker* picker = nullptr;

  explicit Scenario(bool lrs = true) {
    server.uri = gxds_str_z("lrs:1");
    if (!lrs) return;
    drops = gxds_load_store_drops(store.get(), &server, gxds_str_z("c"), gxds_str_z(""));
    gxds_locality_slot_set(slot, store.get(), &server, gxds_str_z("c"), gxds_str_z(""));
  }
  ~Scenario() {
    gxds_drop_picker_unref(picker);
    gxds_locality_slot_unref(slot);
    gxds_drop_load_unref(drops);
    gxds_call_counter_unref(counter);
    gxds_load_store_close(store.get());
  }
  void Make(const std::vector<std::pair<std::string, uint32_t>>& categories, uint32_t max = 1024,
            const gxds_cluster* metrics_of = nullptr) {
    auto endpoints = MakeEndpoints({}, categories);
    gxds_drop_picker_unref(picker);
    picker = gxds_drop_picker_create(endpoints.get(), counter, max, drops, metrics_of, 42);
  }
  // Returns "" if the pick is not dropped, "breaker", or the drop category.
  std::string Pick() {
    gxds_str category;
    switch (gxds_drop_picker_pick(picker, &category)) {
      case GXDS_DROP_NONE:
        return "";
      case GXDS_DROP_CATEGORY:
        return Text(category);
      case GXDS_DROP_CIRCUIT_BREAKER:
        return "breaker";
    }
    return "?";
  }
  // The metrics of the next load report, "cpu 2/3 named 1/4": requests and sum.
  std::string ReportedMetrics() {
    gxds_load_filter all = {true, nullptr, 0};
    gxds_load_report* r = gxds_load_report_build(store.get(), &server, all, 0);
    std::string out;
    const gxds_locality_report& l = r->clusters[0].localities[0];
    for (size_t i = 0; i < l.metric_count; i++) {
      static const char* const kNames[] = {"cpu", "mem", "app"};
      const gxds_metric_report& m = l.metrics[i];
      out += (out.empty() ? "" : " ") +
             (m.metric == GXDS_METRIC_NAMED ? Text(m.name) : std::string(kNames[m.metric])) + " " +
             std::to_string(m.count) + "/" + std::to_string(static_cast<int>(m.sum));
    }
    gxds_load_report_sent(r);
    return out;
  }
  // Makes a call that ends with that load report.
  void CallWith(const std::string& report) {
    gxds_cluster_call call;
    ASSERT_TRUE(gxds_cluster_call_init(&call, picker, slot));
    gxds_cluster_call_started(&call);
    gxds_cluster_call_reported(&call, gxds_str_of(report.data(), report.size()));
    gxds_cluster_call_end(&call, false);
  }
  // The next load report, as "issued=ok+failed now dropped a:1".
  std::string LoadReport() {
    gxds_load_filter all = {true, nullptr, 0};
    gxds_load_report* r = gxds_load_report_build(store.get(), &server, all, 0);
    std::string out;
    for (size_t i = 0; i < r->cluster_count; i++) {
      const auto& c = r->clusters[i];
      for (size_t k = 0; k < c.locality_count; k++) {
        out += std::to_string(c.localities[k].issued) + "=" +
               std::to_string(c.localities[k].succeeded) + "+" +
               std::to_string(c.localities[k].failed) + " " +
               std::to_string(c.localities[k].in_progress) + " now";
      }
      out += " dropped " + std::to_string(c.total_dropped);
      for (size_t k = 0; k < c.drop_count; k++) {
        out += " " + Text(c.drops[k].category) + ":" + std::to_string(c.drops[k].count);
      }
    }
    gxds_load_report_sent(r);
    return out;
  }
};

TEST(DropPicker, WithoutCategoriesNothingIsDropped) {
  Scenario s;
  s.Make({});
  for (int i = 0; i < 100; i++) EXPECT_EQ(s.Pick(), "");
  EXPECT_EQ(s.LoadReport(), "0=0+0 0 now dropped 0");
}

TEST(DropPicker, CategoryOfAMillionDropsEverything) {
  Scenario s;
  s.Make({{"none", 0}, {"all", 1000000}, {"later", 1000000}});
  for (int i = 0; i < 100; i++) EXPECT_EQ(s.Pick(), "all") << "in the order of the resource";
  EXPECT_EQ(s.LoadReport(), "0=0+0 0 now dropped 100 all:100");
}

TEST(DropPicker, EachCategoryDrawsForItself) {  // A27.39
  Scenario s;
  s.Make({{"a", 250000}, {"b", 500000}});
  std::map<std::string, int> seen;
  constexpr int kPicks = 100000;
  for (int i = 0; i < kPicks; i++) seen[s.Pick()]++;
  EXPECT_NEAR(seen["a"], kPicks * 0.25, kPicks * 0.01);
  EXPECT_NEAR(seen["b"], kPicks * 0.75 * 0.5, kPicks * 0.01) << "of what a left";
  EXPECT_EQ(seen["a"] + seen["b"] + seen[""], kPicks);
}

TEST(DropPicker, CircuitBreakerDropsAtTheLimitAndCountsWithoutCategory) {  // A32.7
  Scenario s;
  s.Make({}, 2);
  gxds_cluster_call a, b, c;
  EXPECT_EQ(s.Pick(), "");
  ASSERT_TRUE(gxds_cluster_call_init(&a, s.picker, s.slot));
  ASSERT_TRUE(gxds_cluster_call_init(&b, s.picker, s.slot));
  EXPECT_EQ(s.Pick(), "breaker");
  EXPECT_EQ(s.LoadReport(), "0=0+0 0 now dropped 1");
  gxds_cluster_call_end(&a, true);
  EXPECT_EQ(s.Pick(), "") << "a place is free again";
  ASSERT_TRUE(gxds_cluster_call_init(&c, s.picker, s.slot));
  gxds_cluster_call_end(&b, true);
  gxds_cluster_call_end(&c, true);
}

TEST(ReportedMetrics, AreThoseOfTheCluster) {  // A64.6, A85.2, A85.3, A85.4
  const std::string report = orca_test::Cpu(1) + orca_test::Memory(2) + orca_test::Application(3) +
                             orca_test::Named("a", 4) + orca_test::Named("b", 5);
  const gxds_str b = gxds_str_z("b");
  auto told = [&](const gxds_lrs_metrics& wanted) {
    Scenario s;
    snapshot::ClusterOptions options;
    options.lrs_metrics = &wanted;
    auto cluster = snapshot::MakeCluster("c", options);
    s.Make({}, 1024, cluster.get());
    s.CallWith(report);
    s.CallWith(report);
    return s.ReportedMetrics();
  };
  EXPECT_EQ(told({true, false, false, false, nullptr, 0}), "cpu 2/2");
  EXPECT_EQ(told({false, true, true, false, nullptr, 0}), "mem 2/4 app 2/6");
  EXPECT_EQ(told({false, false, false, true, nullptr, 0}), "a 2/8 b 2/10");
  EXPECT_EQ(told({false, false, true, false, &b, 1}), "app 2/6 b 2/10");
}

TEST(ReportedMetrics, AreNoneWhereTheClusterHasNone) {  // A85.1
  Scenario s;
  s.Make({});
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
  EXPECT_FALSE(gxds_cluster_call_wants_report(&call)) << "it is not even looked for";
  gxds_cluster_call_end(&call, true);
  s.CallWith(orca_test::Cpu(1) + orca_test::Named("a", 4));
  EXPECT_EQ(s.ReportedMetrics(), "");
}

TEST(ReportedMetrics, WithoutAnLrsServerNothingIsLookedFor) {
  Scenario s(/*lrs=*/false);
  const gxds_lrs_metrics wanted = {true, false, false, false, nullptr, 0};
  snapshot::ClusterOptions options;
  options.lrs_metrics = &wanted;
  auto cluster = snapshot::MakeCluster("c", options);
  s.Make({}, 1024, cluster.get());
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
  EXPECT_FALSE(gxds_cluster_call_wants_report(&call));
  gxds_cluster_call_end(&call, true);
}

TEST(ReportedMetrics, ACallOutlivesItsCluster) {
  Scenario s;
  const gxds_lrs_metrics wanted = {true, false, false, false, nullptr, 0};
  snapshot::ClusterOptions options;
  options.lrs_metrics = &wanted;
  auto cluster = snapshot::MakeCluster("c", options);
  s.Make({}, 1024, cluster.get());
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
  gxds_cluster_call_started(&call);
  s.Make({});
  cluster.reset();
  const std::string report = orca_test::Cpu(7);
  gxds_cluster_call_reported(&call, gxds_str_of(report.data(), report.size()));
  gxds_cluster_call_end(&call, true);
  gxds_cluster_call_reported(&call, gxds_str_of(report.data(), report.size()));
  EXPECT_EQ(s.ReportedMetrics(), "cpu 1/7") << "failed or not; after the end no more";
}

TEST(ReportedMetrics, WhatIsNoReportCountsForNothing) {
  Scenario s;
  const gxds_lrs_metrics wanted = {true, false, false, true, nullptr, 0};
  snapshot::ClusterOptions options;
  options.lrs_metrics = &wanted;
  auto cluster = snapshot::MakeCluster("c", options);
  s.Make({}, 1024, cluster.get());
  s.CallWith("nonsense");
  EXPECT_EQ(s.ReportedMetrics(), "");
  s.CallWith("");
  EXPECT_EQ(s.ReportedMetrics(), "cpu 1/0") << "a report in which nothing is set";
}

TEST(DropPicker, LastPlaceIsGivenOnceThoughTwoSawIt) {  // A32.8: across channels
  Scenario s;
  s.Make({}, 1);
  EXPECT_EQ(s.Pick(), "");
  EXPECT_EQ(s.Pick(), "");
  gxds_cluster_call a, b;
  ASSERT_TRUE(gxds_cluster_call_init(&a, s.picker, s.slot));
  EXPECT_FALSE(gxds_cluster_call_init(&b, s.picker, s.slot));
  EXPECT_EQ(s.LoadReport(), "0=0+0 0 now dropped 1");
  gxds_cluster_call_end(&b, true);
  gxds_cluster_call_end(&a, true);
}

TEST(DropPicker, LimitOfZeroDropsEverything) {
  Scenario s;
  s.Make({}, 0);
  EXPECT_EQ(s.Pick(), "breaker");
}

TEST(DropPicker, LoweredLimitCountsWhatIsInFlight) {  // A32.10's difference to Envoy
  Scenario s;
  s.Make({}, 10);
  std::vector<gxds_cluster_call> calls(5);
  for (auto& c : calls) ASSERT_TRUE(gxds_cluster_call_init(&c, s.picker, s.slot));
  s.Make({}, 4);
  EXPECT_EQ(s.Pick(), "breaker");
  gxds_cluster_call_end(&calls[0], true);
  EXPECT_EQ(s.Pick(), "breaker") << "4 are in flight, the limit is 4";
  gxds_cluster_call_end(&calls[1], true);
  EXPECT_EQ(s.Pick(), "");
  for (size_t i = 2; i < 5; i++) gxds_cluster_call_end(&calls[i], true);
}

TEST(DropPicker, WithoutLrsDropsAreNotCountedButHappen) {  // A27.27
  Scenario s(false);
  s.Make({{"all", 1000000}}, 0);
  EXPECT_EQ(s.Pick(), "all");
  s.Make({}, 0);
  EXPECT_EQ(s.Pick(), "breaker");
  EXPECT_EQ(s.LoadReport(), "");
}

TEST(ClusterCall, CountsFromStartToFinish) {  // A32.4
  Scenario s;
  s.Make({});
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
  EXPECT_EQ(s.LoadReport(), "0=0+0 0 now dropped 0") << "picked is not started";
  gxds_cluster_call_started(&call);
  EXPECT_EQ(s.LoadReport(), "1=0+0 1 now dropped 0");
  gxds_cluster_call_end(&call, true);
  EXPECT_EQ(s.LoadReport(), "0=0+1 0 now dropped 0");
  gxds_cluster_call_end(&call, true);
  EXPECT_EQ(s.LoadReport(), "0=0+0 0 now dropped 0") << "once";
}

TEST(ClusterCall, NeverStartedIsNotCountedAndGivesBackItsPlace) {  // the pick may be queued again
  Scenario s;
  s.Make({}, 1);
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
  gxds_cluster_call_end(&call, true);
  EXPECT_EQ(gxds_call_counter_load(s.counter), 0u);
  EXPECT_EQ(s.LoadReport(), "0=0+0 0 now dropped 0");
}

TEST(ClusterCall, StartedAndNeverFinishedHasFailed) {
  Scenario s;
  s.Make({}, 1);
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
  gxds_cluster_call_started(&call);
  gxds_cluster_call_end(&call, true);
  EXPECT_EQ(s.LoadReport(), "1=0+1 0 now dropped 0");
}

TEST(ClusterCall, FinishesWhereItStartedThoughTheSlotMoved) {
  Scenario s;
  s.Make({});
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
  gxds_cluster_call_started(&call);
  gxds_locality_slot_set(s.slot, s.store.get(), &s.server, gxds_str_z("other"), gxds_str_z(""));
  gxds_cluster_call_end(&call, false);
  EXPECT_EQ(s.LoadReport(), "1=1+0 0 now dropped 00=0+0 0 now dropped 0");
}

TEST(LocalitySlot, WithoutServerNothingIsCounted) {  // A27.27
  Scenario s(false);
  s.Make({});
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
  gxds_cluster_call_started(&call);
  gxds_cluster_call_end(&call, false);
  EXPECT_EQ(s.LoadReport(), "");
}

TEST(LocalitySlot, HoldsEachCounterOnce) {
  Scenario s;
  gxds_locality_load* first = gxds_locality_slot_load(s.slot);
  gxds_locality_slot_set(s.slot, s.store.get(), nullptr, gxds_str_z("c"), gxds_str_z(""));
  EXPECT_EQ(gxds_locality_slot_load(s.slot), nullptr);
  gxds_locality_slot_set(s.slot, s.store.get(), &s.server, gxds_str_z("c"), gxds_str_z(""));
  EXPECT_EQ(gxds_locality_slot_load(s.slot), first);
}

// Picks and calls on many threads while the slot changes: every call is counted exactly once.
TEST(DropPicker, ThreadsPickWhileTheSlotMoves) {
  Scenario s;
  s.Make({{"some", 100000}});
  constexpr int kThreads = 4, kPicks = 4000;
  std::atomic<uint64_t> dropped{0}, called{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&] {
      for (int i = 0; i < kPicks; i++) {
        if (!s.Pick().empty()) {
          dropped++;
          continue;
        }
        gxds_cluster_call call;
        ASSERT_TRUE(gxds_cluster_call_init(&call, s.picker, s.slot));
        gxds_cluster_call_started(&call);
        gxds_cluster_call_end(&call, false);
        called++;
      }
    });
  }
  for (int i = 0; i < 200; i++) {
    gxds_locality_slot_set(s.slot, s.store.get(), &s.server, gxds_str_z(i % 2 ? "c" : "d"),
                           gxds_str_z(""));
    std::this_thread::yield();
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(dropped + called, uint64_t(kThreads * kPicks));
  gxds_load_filter all = {true, nullptr, 0};
  gxds_load_report* r = gxds_load_report_build(s.store.get(), &s.server, all, 0);
  uint64_t succeeded = 0, told = 0;
  for (size_t i = 0; i < r->cluster_count; i++) {
    told += r->clusters[i].total_dropped;
    for (size_t k = 0; k < r->clusters[i].locality_count; k++) {
      succeeded += r->clusters[i].localities[k].succeeded;
    }
  }
  gxds_load_report_sent(r);
  EXPECT_EQ(succeeded, called);
  EXPECT_EQ(told, dropped);
  EXPECT_EQ(gxds_call_counter_load(s.counter), 0u);
}

}  // namespace
