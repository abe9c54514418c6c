#include "lb_policies/cds/cds.h"

#include <gtest/gtest.h>

#include "test/lb_policies/cluster_impl/snapshot_builder.h"

namespace {

using snapshot::Aggregate;
using snapshot::Config;
using snapshot::Entry;
using snapshot::Error;
using snapshot::Leaf;
using snapshot::MakeCluster;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;
using snapshot::Text;

struct Scenario {
  gxds_mailbox* mailbox = gxds_mailbox_create({[](void*, gxds_mailbox*) {}, nullptr, nullptr});
  gxds_cds* c = gxds_cds_create();
  bool dynamic = false;
  std::string cluster = "c";

  ~Scenario() {
    gxds_cds_destroy(c);
    gxds_mailbox_unref(mailbox);
  }
  void End() {
    gxds_cds_destroy(c);
    c = nullptr;
  }
  const gxds_cds_step* Step(const Config& config) {
    return gxds_cds_on_update(c, config.get(), mailbox, gxds_str_of(cluster.data(), cluster.size()),
                              dynamic);
  }
  // Returns "nothing", "fail: words", "leaf 0 1" or "aggregate a b", perhaps followed by "(same)",
  // "(policy)", "(outliers)" and "(sessions)".
  std::string Update(const Config& config) {
    const gxds_cds_step* s = Step(config);
    std::string out;
    switch (s->kind) {
      case GXDS_CDS_NOTHING:
        return "nothing";
      case GXDS_CDS_FAIL:
        return std::string("fail: ") + gxds_code_name(s->error.code) + " " + Text(s->error.message);
      case GXDS_CDS_LEAF:
        out = "leaf";
        for (size_t i = 0; i < s->numbers->count; i++) {
          out += " " + std::to_string(s->numbers->numbers[i]);
        }
        break;
      case GXDS_CDS_AGGREGATE:
        out = "aggregate";
        for (size_t i = 0; i < s->entry->leaf_cluster_count; i++) {
          out += " " + Text(s->entry->leaf_clusters[i]);
        }
        break;
    }
    if (s->same_children) out += " (same)";
    if (s->policy_changed) out += " (policy)";
    if (s->outlier_detection) out += " (outliers)";
    if (s->kind == GXDS_CDS_LEAF && s->has_sessions) out += " (sessions)";
    return out;
  }
  std::string Update(const Entry& e) { return Update(MakeConfig({e.get()}, {"c"})); }
  // "+c -c"
  std::string Mail() {
    std::string out;
    for (gxds_mail* m = gxds_mailbox_take(mailbox); m;) {
      out += (out.empty() ? "" : " ") + std::string(m->kind == GXDS_MAIL_SUBSCRIBE ? "+" : "-") +
             Text(m->cluster);
      gxds_mail* next = gxds_mail_next(m);
      gxds_mail_destroy(m);
      m = next;
    }
    return out;
  }
};

TEST(Cds, LeafHasAChildForEachPriority) {  // A74.34
  Scenario s;
  EXPECT_EQ(s.Update(Leaf("c", {}, MakeEndpoints({{"a"}, {"b"}}))), "leaf 0 1 (policy)");
}

TEST(Cds, LeafWithoutEndpointsHasAChildAllTheSame) {  // the child applies drops and has the note
  // A37.21, A37.22
  Scenario s;
  EXPECT_EQ(s.Update(Leaf(MakeCluster("c"), snapshot::Endpoints(), "no EDS")), "leaf 0 (policy)");
}

TEST(Cds, SameEntryIsNothing) {
  Scenario s;
  Entry e = Leaf("c");
  s.Update(e);
  for (int i = 0; i < 10; i++) EXPECT_EQ(s.Update(e), "nothing");
}

TEST(Cds, TheSameEntryIsAnotherTreeWhenTheListenerGetsSessions) {  // A55.13
  Scenario s;
  Entry c = Leaf("c"), leaf = Leaf("leaf"), aggregate = Aggregate("c", {"leaf"});
  const auto update = [&](const std::vector<const gxds_cluster_entry*>& entries, bool sessions) {
    Config config = MakeConfig(entries, {"c"});
    const_cast<gxds_listener*>(config->listener)->has_sessions = sessions;
    return s.Update(config);
  };
  EXPECT_EQ(update({c.get()}, false), "leaf 0 (policy)");
  EXPECT_EQ(update({c.get()}, true), "leaf 0 (sessions)");
  EXPECT_EQ(update({c.get()}, true), "nothing");
  EXPECT_EQ(update({c.get()}, false), "leaf 0");
  EXPECT_EQ(update({aggregate.get(), leaf.get()}, false), "aggregate leaf");
  EXPECT_EQ(update({aggregate.get(), leaf.get()}, true), "aggregate leaf (same)")
      << "its leaves hear of it";
  EXPECT_EQ(update({aggregate.get(), leaf.get()}, true), "nothing");
}

TEST(Cds, ChangedEndpointsKeepTheChildren) {
  Scenario s;
  auto cluster = MakeCluster("c");
  s.Update(Leaf(cluster, MakeEndpoints({{"a"}})));
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a", "b"}}))), "leaf 0 (same)");
}

TEST(Cds, MovedLocalitiesReorderTheChildren) {  // A74.38
  Scenario s;
  auto cluster = MakeCluster("c");
  s.Update(Leaf(cluster, MakeEndpoints({{"a"}, {"b"}})));
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"b"}, {"a"}}))), "leaf 1 0");
}

TEST(Cds, PolicyIsParsedWhenItsTextChanges) {  // A37.14
  Scenario s;
  auto endpoints = MakeEndpoints({{"a"}});
  s.Update(Leaf("c", {}, endpoints));
  snapshot::ClusterOptions limit;
  limit.max_requests = 5;
  EXPECT_EQ(s.Update(Leaf("c", limit, endpoints)), "leaf 0 (same)");
  snapshot::ClusterOptions other;
  other.lb_policy = R"([{"pick_first":{}}])";
  EXPECT_EQ(s.Update(Leaf("c", other, endpoints)), "leaf 0 (policy)");
}

TEST(Cds, EdsIgnoresReresolutionAndDnsDoesNot) {  // A37.15
  Scenario s;
  Config eds = MakeConfig({Leaf("c").get()}, {"c"});
  EXPECT_TRUE(s.Step(eds)->ignore_reresolution);
  snapshot::ClusterOptions dns;
  dns.kind = GXDS_CLUSTER_LOGICAL_DNS;
  Config logical = MakeConfig({Leaf("c", dns).get()}, {"c"});
  const gxds_cds_step* step = s.Step(logical);
  EXPECT_FALSE(step->ignore_reresolution);
  EXPECT_FALSE(step->same_children);
}

TEST(Cds, ErrorFailsWithItsTextAsUnavailable) {  // A31.10
  Scenario s;
  s.Update(Leaf("c"));
  gxds_status status = gxds_status_make(GXDS_NOT_FOUND, "CDS resource \"c\" does not exist");
  Entry error(gxds_cluster_entry_error(gxds_str_z("c"), &status));
  gxds_status_fini(&status);
  EXPECT_EQ(s.Update(error), "fail: UNAVAILABLE CDS resource \"c\" does not exist");
  EXPECT_EQ(s.Update(error), "nothing") << "said already";
}

TEST(Cds, GoodEntryAfterAnErrorStartsAnew) {
  Scenario s;
  auto cluster = MakeCluster("c");
  s.Update(Leaf(cluster, MakeEndpoints({{"a"}, {"b"}})));
  s.Update(Error("c", "bad"));
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"b"}}))), "leaf 2 (policy)");
}

TEST(Cds, DnsClusterHasThePolicyThatItsResourceNames) {  // A61.17
  Scenario s;
  snapshot::ClusterOptions options;
  options.kind = GXDS_CLUSTER_LOGICAL_DNS;
  options.lb_policy = R"([{"ring_hash_experimental":{}}])";
  Config config = MakeConfig({Leaf("c", options).get()}, {"c"});
  EXPECT_EQ(Text(s.Step(config)->policy_json), options.lb_policy);
}

snapshot::ClusterOptions Outliers(int threshold, uint32_t enforcement = 100) {
  snapshot::ClusterOptions options;
  options.failure_threshold = threshold;
  options.enforcement = enforcement;
  return options;
}

TEST(Cds, OutlierDetectionIsPutInWhenItIsConfigured) {  // A50.21, A75
  Scenario s;
  EXPECT_EQ(s.Update(Leaf("c")), "leaf 0 (policy)");
  EXPECT_EQ(s.Update(Leaf("c", Outliers(50))), "leaf 0 (same) (outliers)");
  EXPECT_EQ(s.Update(Leaf("c", Outliers(50))), "leaf 0 (same) (outliers)");
  EXPECT_EQ(s.Update(Leaf("c", Outliers(60))), "leaf 0 (same) (outliers)");
  EXPECT_EQ(s.Update(Leaf("c")), "leaf 0 (same)");
}

TEST(Cds, OutlierDetectionThatEjectsNothingIsLeftOut) {  // A50
  Scenario s;
  EXPECT_EQ(s.Update(Leaf("c", Outliers(50, 0))), "leaf 0 (policy)");
  EXPECT_EQ(s.Update(Leaf("c", Outliers(50, 1))), "leaf 0 (same) (outliers)");
}

TEST(Cds, OutlierDetectionEjectsBySuccessRateToo) {  // A50
  Scenario s;
  auto cluster = MakeCluster("c", Outliers(50, 0));
  auto* outliers =
      const_cast<gxds_outlier_detection*>(gxds_cluster_outlier_detection(cluster.get()));
  outliers->success_rate.enforcement_percentage = 1;
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a"}}))), "leaf 0 (policy) (outliers)");
}

TEST(Cds, OutlierDetectionIsInADnsClusterToo) {  // A37, A50
  Scenario s;
  snapshot::ClusterOptions dns = Outliers(50);
  dns.kind = GXDS_CLUSTER_LOGICAL_DNS;
  EXPECT_EQ(s.Update(Leaf("c", dns)), "leaf 0 (policy) (outliers)");
}

TEST(Cds, AggregateHasItsLeavesInOrder) {  // A75.1, A75.7
  Scenario s;
  EXPECT_EQ(s.Update(Aggregate("c", {"y", "x"})), "aggregate y x");
}

TEST(Cds, AggregateWithoutLeavesFails) {  // A74.27
  Scenario s;
  EXPECT_EQ(s.Update(Aggregate("c", {})),
            "fail: UNAVAILABLE aggregate cluster \"c\" has no leaf clusters (node ID:n)");
  EXPECT_EQ(s.Update(Aggregate("c", {"x"})), "aggregate x");
}

TEST(Cds, ChangedLeafOfAnAggregateIsPassedOn) {
  Scenario s;
  Entry c = Aggregate("c", {"x", "y"}), x = Leaf("x"), y = Leaf("y"), other = Leaf("y");
  Config first = MakeConfig({c.get(), x.get(), y.get()}, {"c"});
  EXPECT_EQ(s.Update(first), "aggregate x y");
  EXPECT_EQ(s.Update(MakeConfig({c.get(), x.get(), y.get()}, {"c"})), "nothing");
  EXPECT_EQ(s.Update(MakeConfig({c.get(), x.get(), other.get()}, {"c"})), "aggregate x y (same)");
  EXPECT_EQ(s.Update(MakeConfig({c.get(), x.get()}, {"c"})), "aggregate x y (same)") << "y went";
  EXPECT_EQ(s.Update(MakeConfig({c.get(), x.get()}, {"c"})), "nothing");
}

TEST(Cds, ChangedLeafListIsANewConfig) {
  Scenario s;
  s.Update(Aggregate("c", {"x", "y"}));
  EXPECT_EQ(s.Update(Aggregate("c", {"y", "x"})), "aggregate y x");
  EXPECT_EQ(s.Update(Aggregate("c", {"y", "x"})), "aggregate y x (same)");
}

TEST(Cds, LeafThatBecomesAnAggregateAndBack) {
  Scenario s;
  auto endpoints = MakeEndpoints({{"a"}});
  s.Update(Leaf("c", {}, endpoints));
  EXPECT_EQ(s.Update(Aggregate("c", {"x"})), "aggregate x");
  EXPECT_EQ(s.Update(Leaf("c", {}, endpoints)), "leaf 1 (policy)");
}

TEST(Cds, SnapshotWithoutTheClusterIsIgnored) {  // A74.37
  Scenario s;
  s.Update(Leaf("c"));
  EXPECT_EQ(s.Update(MakeConfig({}, {})), "nothing");
  EXPECT_EQ(s.Update(Config()), "nothing") << "no snapshot at all";
}

TEST(Cds, ClusterThatWasNeverThereFails) {
  Scenario s;
  EXPECT_EQ(s.Update(MakeConfig({}, {})),
            "fail: UNAVAILABLE cluster \"c\" is not in the xDS configuration");
  EXPECT_EQ(s.Update(Leaf("c")), "leaf 0 (policy)");
  EXPECT_EQ(s.Update(Leaf("c")), "leaf 0 (same)");
}

TEST(Cds, DynamicClusterIsSubscribedToOnceAndUntilTheEnd) {  // A74.36
  Scenario s;
  s.dynamic = true;
  EXPECT_EQ(s.Update(MakeConfig({}, {})), "nothing") << "it comes later";
  EXPECT_EQ(s.Mail(), "+c");
  EXPECT_EQ(s.Update(Leaf("c")), "leaf 0 (policy)");
  EXPECT_EQ(s.Mail(), "");
  s.End();
  EXPECT_EQ(s.Mail(), "-c");
}

TEST(Cds, StaticClusterIsNotSubscribedTo) {  // A74.34
  Scenario s;
  s.Update(Leaf("c"));
  s.End();
  EXPECT_EQ(s.Mail(), "");
}

TEST(Cds, OtherClusterInTheConfigIsAnotherSubscription) {
  Scenario s;
  s.dynamic = true;
  Entry c = Leaf("c", {}, MakeEndpoints({{"a"}, {"b"}})), d = Leaf("d", {}, MakeEndpoints({{"b"}}));
  Config config = MakeConfig({c.get(), d.get()}, {});
  EXPECT_EQ(s.Update(config), "leaf 0 1 (policy)");
  s.cluster = "d";
  EXPECT_EQ(s.Update(config), "leaf 2 (policy)") << "numbers are of one cluster";
  EXPECT_EQ(s.Mail(), "+c -c +d");
}

TEST(Cds, ForgottenStepIsTakenAgain) {
  Scenario s;
  Entry e = Leaf("c");
  s.Update(e);
  gxds_cds_forget(s.c);
  EXPECT_EQ(s.Update(e), "leaf 1 (policy)") << "no child that is kept turns into another";
}

}  // namespace
