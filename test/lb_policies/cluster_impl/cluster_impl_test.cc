#include "lb_policies/cluster_impl/cluster_impl.h"

#include <gtest/gtest.h>

#include "lrs/load_report.h"
#include "test/lb_policies/cluster_impl/snapshot_builder.h"

namespace {

using snapshot::Entry;
using snapshot::Leaf;
using snapshot::MakeCluster;
using snapshot::MakeEndpoints;

struct Scenario {
  gxds_bootstrap_server server = {};
  snapshot::LoadStore store{gxds_load_store_create(nullptr, nullptr)};
  gxds_cluster_impl* c = gxds_cluster_impl_create(7);
  int config_a = 0, config_b = 0;  // two identities of a child's config
  bool xds_credentials = false;

  Scenario() { server.uri = gxds_str_z("lrs:1"); }
  ~Scenario() {
    gxds_cluster_impl_destroy(c);
    gxds_load_store_close(store.get());
  }
  // Returns "", "publish", "child", "publish child" or "fail", followed by "tls none", "tls update"
  // or "tls renew".
  std::string Update(const Entry& e, const void* config = nullptr) {
    auto todo = gxds_cluster_impl_on_update(c, e.get(), store.get(), config ? config : &config_a,
                                            xds_credentials);
    std::string out = todo.fail ? "fail" : "";
    if (todo.publish) out += "publish";
    if (todo.update_child) out += out.empty() ? "child" : " child";
    static const char* const kChanges[] = {"", " tls none", " tls update", " tls renew"};
    EXPECT_EQ(todo.tls != nullptr,
              xds_credentials && !todo.fail && e && gxds_cluster_tls(e->cluster));
    return out + kChanges[todo.tls_change];
  }
  bool Child(grpc_connectivity_state state) { return gxds_cluster_impl_on_child_state(c, state); }
  bool Drops() {
    gxds_str category;
    return gxds_drop_picker_pick(gxds_cluster_impl_picker(c), &category) != GXDS_DROP_NONE;
  }
  std::string Explained(const char* message) {
    gxds_text text = {};
    gxds_text_add_z(&text, message);
    gxds_cluster_entry_explain(gxds_cluster_impl_entry(c), &text);
    std::string out(text.data, text.size);
    gxds_text_fini(&text);
    return out;
  }
  // The zones in the next load report, each with a space after it.
  std::string ReportedZones() {
    const gxds_load_filter all = {true, nullptr, 0};
    gxds_load_report* report = gxds_load_report_build(store.get(), &server, all, 0);
    std::string out;
    for (size_t i = 0; i < report->cluster_count; i++) {
      const gxds_cluster_report& cluster = report->clusters[i];
      for (size_t k = 0; k < cluster.locality_count; k++) {
        out += std::string(cluster.localities[k].zone.data, cluster.localities[k].zone.size) + " ";
      }
    }
    gxds_load_report_sent(report);
    return out;
  }
  gxds_locality_slot* Slot(const char* zone) {
    return gxds_cluster_impl_slot(c, gxds_str_z("r"), gxds_str_z(zone), gxds_str_z(""));
  }
};

TEST(ClusterImpl, OtherMetricsToReportAreAnotherPicker) {  // A85
  const gxds_lrs_metrics cpu = {true, false, false, false, nullptr, 0};
  const gxds_lrs_metrics same = cpu;
  Scenario s;
  auto update = [&](const gxds_lrs_metrics* metrics) {
    snapshot::ClusterOptions options;
    options.lrs = &s.server;
    options.lrs_metrics = metrics;
    return s.Update(Leaf("c", options));
  };
  update(nullptr);
  s.Child(GRPC_CHANNEL_READY);
  EXPECT_EQ(update(&cpu), "publish child");
  EXPECT_EQ(update(&same), "child");
  EXPECT_EQ(update(nullptr), "publish child");
}

TEST(ClusterImpl, FirstUpdateGoesToTheChildAndPublishesNothing) {
  Scenario s;
  EXPECT_EQ(s.Update(Leaf("c")), "child");
  EXPECT_EQ(gxds_cluster_impl_state(s.c), GRPC_CHANNEL_CONNECTING);
}

TEST(ClusterImpl, ChildsStateIsReported) {
  Scenario s;
  s.Update(Leaf("c"));
  EXPECT_TRUE(s.Child(GRPC_CHANNEL_TRANSIENT_FAILURE));
  EXPECT_EQ(gxds_cluster_impl_state(s.c), GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_TRUE(gxds_cluster_impl_state_is_childs(s.c));
}

TEST(ClusterImpl, AnotherNoteIsAnotherPickerWhichExplainsFailures) {  // A88.22
  Scenario s;
  auto cluster = snapshot::MakeCluster("c");
  auto endpoints = snapshot::MakeEndpoints({{"a"}});
  s.Update(Leaf(cluster, endpoints, "", "n"));
  s.Child(GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(s.Update(Leaf(cluster, endpoints, "EDS resource c: gone", "n")), "publish child");
  EXPECT_EQ(s.Explained("refused"), "refused (cluster c): EDS resource c: gone (node ID:n)");
  EXPECT_EQ(s.Explained("no address: EDS resource c: gone (node ID:n)"),
            "no address: EDS resource c: gone (node ID:n) (cluster c)")
      << "the policy added the note of its update";
  EXPECT_EQ(s.Update(Leaf(cluster, endpoints, "", "n")), "publish child");
  EXPECT_EQ(s.Explained("refused"), "refused (cluster c) (node ID:n)");
}

TEST(ClusterImpl, UnchangedUpdatesTouchNothing) {
  Scenario s;
  Entry e = Leaf("c");
  s.Update(e);
  s.Child(GRPC_CHANNEL_READY);
  for (int i = 0; i < 10; i++) EXPECT_EQ(s.Update(e), "");
}

TEST(ClusterImpl, OtherChildConfigGoesToTheChild) {
  Scenario s;
  Entry e = Leaf("c");
  s.Update(e);
  EXPECT_EQ(s.Update(e, &s.config_b), "child");
  EXPECT_EQ(s.Update(e, &s.config_b), "");
}

struct SecuredScenario : Scenario {
  SecuredScenario() {
    xds_credentials = true;
    tls.tls = true;
    mutual.tls = mutual.identity = true;
  }
  snapshot::ClusterOptions plain, tls, mutual;
};

TEST(ClusterImpl, TlsComesAndGoesWithNewConnections) {  // A29.7, A74.43
  SecuredScenario s;
  EXPECT_EQ(s.Update(Leaf("c", s.plain)), "child");
  EXPECT_EQ(s.Update(Leaf("c", s.tls)), "child tls renew");
  EXPECT_EQ(s.Update(Leaf("c", s.tls)), "child tls update");
  EXPECT_EQ(s.Update(Leaf("c", s.mutual)), "child tls renew");
  EXPECT_EQ(s.Update(Leaf("c", s.tls)), "child tls renew");
  EXPECT_EQ(s.Update(Leaf("c", s.plain)), "child tls none");
  EXPECT_EQ(s.Update(Leaf("c", s.plain)), "child");
}

TEST(ClusterImpl, SystemRootCertsComeAndGoWithNewConnections) {  // A82.5
  SecuredScenario s;
  snapshot::ClusterOptions roots = s.tls;
  roots.system_roots = true;
  EXPECT_EQ(s.Update(Leaf("c", s.tls)), "child tls renew");
  EXPECT_EQ(s.Update(Leaf("c", roots)), "child tls renew");
  EXPECT_EQ(s.Update(Leaf("c", roots)), "child tls update");
  EXPECT_EQ(s.Update(Leaf("c", s.tls)), "child tls renew");
}

TEST(ClusterImpl, AnotherSniComesWithNewConnections) {  // A101.9
  SecuredScenario s;
  snapshot::ClusterOptions options = s.tls;
  EXPECT_EQ(s.Update(Leaf("c", options)), "child tls renew");
  options.sni = "a";
  EXPECT_EQ(s.Update(Leaf("c", options)), "child tls renew");
  EXPECT_EQ(s.Update(Leaf("c", options)), "child tls update");
  options.sni = "b";
  EXPECT_EQ(s.Update(Leaf("c", options)), "child tls renew");
  options.auto_host_sni = true;
  EXPECT_EQ(s.Update(Leaf("c", options)), "child tls renew");
  options.auto_sni_san_validation = true;
  EXPECT_EQ(s.Update(Leaf("c", options)), "child tls renew");
  EXPECT_EQ(s.Update(Leaf("c", options)), "child tls update");
}

TEST(ClusterImpl, TlsOfTheSameClusterIsKept) {  // A29
  SecuredScenario s;
  auto cluster = MakeCluster("c", s.tls);
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a"}}))), "child tls renew");
  Entry e = Leaf(cluster, MakeEndpoints({{"b"}}));
  EXPECT_EQ(s.Update(e), "child");
  EXPECT_EQ(s.Update(e), "");
}

TEST(ClusterImpl, TlsIsNothingToOtherCredentials) {  // A29.5
  SecuredScenario s;
  s.xds_credentials = false;
  EXPECT_EQ(s.Update(Leaf("c", s.tls)), "child");
  EXPECT_EQ(s.Update(Leaf("c", s.mutual)), "child");
}

TEST(ClusterImpl, TlsThatWasNotCarriedOutIsTriedAnew) {  // A29
  SecuredScenario s;
  Entry e = Leaf("c", s.tls);
  EXPECT_EQ(s.Update(e), "child tls renew");
  gxds_cluster_impl_forget_tls(s.c);
  EXPECT_EQ(s.Update(e), "child tls renew");
  EXPECT_EQ(s.Update(e), "");
}

// A priority policy above must not take the cluster for READY before it has a connection.
TEST(ClusterImpl, StateOfTheChildIsForgottenWithItsTls) {  // A29
  SecuredScenario s;
  s.Update(Leaf("c", s.tls));
  s.Child(GRPC_CHANNEL_READY);
  gxds_cluster_impl_forget_tls(s.c);
  snapshot::ClusterOptions options = s.tls;
  options.max_requests = 5;
  EXPECT_EQ(s.Update(Leaf("c", options)), "child tls renew");
  EXPECT_EQ(gxds_cluster_impl_state(s.c), GRPC_CHANNEL_CONNECTING);
}

// The cluster was failed instead, and the child's states are not published while every RPC is
// dropped.
TEST(ClusterImpl, DropAllIsPublishedOnceTlsCanBeApplied) {  // A29
  SecuredScenario s;
  auto all = MakeEndpoints({}, {{"all", 1000000}});
  Entry e = Leaf(MakeCluster("c", s.tls), all);
  EXPECT_EQ(s.Update(e), "publish child tls renew");
  gxds_cluster_impl_forget_tls(s.c);
  EXPECT_EQ(s.Update(e), "publish child tls renew");
  EXPECT_EQ(s.Update(e), "");
  gxds_cluster_impl_forget_tls(s.c);
  EXPECT_EQ(s.Update(Leaf(MakeCluster("c", s.mutual), all)), "publish child tls renew");
  EXPECT_EQ(s.Update(Leaf(MakeCluster("c", s.mutual), all)), "child tls update");
}

TEST(ClusterImpl, OtherEndpointsMakeNoNewPicker) {
  Scenario s;
  auto cluster = MakeCluster("c");
  s.Update(Leaf(cluster, MakeEndpoints({{"a"}}, {{"lb", 5}})));
  s.Child(GRPC_CHANNEL_READY);
  gxds_drop_picker* before = gxds_cluster_impl_picker(s.c);
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"b"}}, {{"lb", 5}}))), "child");
  EXPECT_EQ(gxds_cluster_impl_picker(s.c), before);
}

TEST(ClusterImpl, ChangedDropsOrLimitMakeANewPicker) {  // A37.23, A74.41
  Scenario s;
  auto cluster = MakeCluster("c");
  s.Update(Leaf(cluster, MakeEndpoints({{"a"}}, {{"lb", 5}})));
  s.Child(GRPC_CHANNEL_READY);
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a"}}, {{"lb", 6}}))), "publish child");
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a"}}, {{"xy", 6}}))), "publish child");
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a"}}))), "publish child");
  snapshot::ClusterOptions options;
  options.max_requests = 5;
  EXPECT_EQ(s.Update(Leaf("c", options)), "publish child");
}

TEST(ClusterImpl, NewPickerWaitsForTheChildsFirst) {
  Scenario s;
  auto cluster = MakeCluster("c");
  s.Update(Leaf(cluster, MakeEndpoints({{"a"}})));
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a"}}, {{"lb", 6}}))), "child");
}

TEST(ClusterImpl, DropAllIsReadyInAnyStateOfTheChild) {
  Scenario s;
  EXPECT_EQ(s.Update(Leaf("c", {}, MakeEndpoints({}, {{"all", 1000000}}))), "publish child");
  EXPECT_EQ(gxds_cluster_impl_state(s.c), GRPC_CHANNEL_READY);
  EXPECT_TRUE(s.Drops());
  EXPECT_FALSE(s.Child(GRPC_CHANNEL_TRANSIENT_FAILURE)) << "nothing that a pick would see";
  EXPECT_EQ(gxds_cluster_impl_state(s.c), GRPC_CHANNEL_READY);
  EXPECT_FALSE(gxds_cluster_impl_state_is_childs(s.c));
}

TEST(ClusterImpl, EndOfDropAllPublishesTheChildsState) {
  Scenario s;
  auto cluster = MakeCluster("c");
  s.Update(Leaf(cluster, MakeEndpoints({}, {{"all", 1000000}})));
  s.Child(GRPC_CHANNEL_IDLE);
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a"}}))), "publish child");
  EXPECT_EQ(gxds_cluster_impl_state(s.c), GRPC_CHANNEL_IDLE);
  EXPECT_FALSE(s.Drops());
}

TEST(ClusterImpl, EndOfDropAllBeforeTheChildReportedIsConnecting) {
  Scenario s;
  auto cluster = MakeCluster("c");
  s.Update(Leaf(cluster, MakeEndpoints({}, {{"all", 1000000}})));
  EXPECT_EQ(s.Update(Leaf(cluster, MakeEndpoints({{"a"}}))), "publish child");
  EXPECT_EQ(gxds_cluster_impl_state(s.c), GRPC_CHANNEL_CONNECTING);
}

TEST(ClusterImpl, ClusterThatIsMissingOrNoLeafChangesNothing) {
  Scenario s;
  Entry e = Leaf("c");
  s.Update(e);
  s.Child(GRPC_CHANNEL_READY);
  EXPECT_EQ(s.Update(Entry()), "");
  EXPECT_EQ(s.Update(snapshot::Error("c", "gone")), "");
  EXPECT_EQ(s.Update(snapshot::Aggregate("c", {"d"})), "");
  EXPECT_EQ(gxds_cluster_impl_state(s.c), GRPC_CHANNEL_READY);
}

TEST(ClusterImpl, ClusterThatWasNeverThereFails) {
  Scenario s;
  EXPECT_EQ(s.Update(Entry()), "fail");
  EXPECT_EQ(s.Update(Leaf("c")), "child");
}

TEST(ClusterImpl, SlotOfALocalityIsShared) {  // A42.17
  Scenario s;
  s.Update(Leaf("c"));
  gxds_locality_slot* a = s.Slot("a");
  gxds_locality_slot* b = s.Slot("b");
  gxds_locality_slot* again = s.Slot("a");
  EXPECT_EQ(a, again);
  EXPECT_NE(a, b);
  EXPECT_EQ(gxds_locality_slot_load(a), nullptr) << "no LRS server";
  for (auto* slot : {a, b, again}) gxds_locality_slot_end_use(slot);
}

TEST(ClusterImpl, LoadIsCountedOnceAnLrsServerComes) {  // subchannels stay as they are
  Scenario s;
  auto endpoints = MakeEndpoints({{"a"}});
  snapshot::ClusterOptions with;
  with.lrs = &s.server;
  s.Update(Leaf("c", {}, endpoints));
  s.Child(GRPC_CHANNEL_READY);
  gxds_locality_slot* slot = s.Slot("a");
  EXPECT_EQ(s.Update(Leaf("c", with, endpoints)), "publish child");
  gxds_locality_load* load =
      gxds_load_store_locality(s.store.get(), &s.server, gxds_str_z("c"), gxds_str_z(""),
                               gxds_str_z("r"), gxds_str_z("a"), gxds_str_z(""));
  EXPECT_EQ(gxds_locality_slot_load(slot), load);
  s.Update(Leaf("c", {}, endpoints));
  EXPECT_EQ(gxds_locality_slot_load(slot), nullptr);
  gxds_locality_load_unref(load);
  gxds_locality_slot_end_use(slot);
}

TEST(ClusterImpl, LocalityIsReportedAsLongAsItHasSubchannels) {
  Scenario s;
  snapshot::ClusterOptions options;
  options.lrs = &s.server;
  s.Update(Leaf("c", options, MakeEndpoints({{"a"}, {"b"}})));
  gxds_locality_slot* a = s.Slot("a");
  gxds_locality_slot* b = s.Slot("b");
  gxds_locality_slot* again = s.Slot("b");
  s.Update(Leaf("c", options, MakeEndpoints({{"a"}})));
  gxds_locality_slot_end_use(b);
  EXPECT_EQ(s.ReportedZones(), "a b ");
  gxds_locality_slot_end_use(again);
  EXPECT_EQ(s.ReportedZones(), "a ");
  b = s.Slot("b");
  EXPECT_EQ(s.ReportedZones(), "a b ");
  gxds_locality_slot_end_use(a);
  gxds_locality_slot_end_use(b);
}

TEST(ClusterImpl, EqualLrsServerOfANewBootstrapIsNoChange) {
  Scenario s;
  auto endpoints = MakeEndpoints({{"a"}});
  gxds_bootstrap_server same = s.server;
  snapshot::ClusterOptions a, b;
  a.lrs = &s.server;
  b.lrs = &same;
  s.Update(Leaf("c", a, endpoints));
  s.Child(GRPC_CHANNEL_READY);
  EXPECT_EQ(s.Update(Leaf("c", b, endpoints)), "child");
}

TEST(ClusterImpl, OtherEdsServiceCountsByItself) {  // A32.11: a counter per {cluster, EDS service}
  Scenario s;
  snapshot::ClusterOptions one, two;
  one.eds_service = "one";
  one.max_requests = two.max_requests = 1;
  two.eds_service = "two";
  s.Update(Leaf("c", one));
  s.Child(GRPC_CHANNEL_READY);
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, gxds_cluster_impl_picker(s.c), nullptr));
  EXPECT_TRUE(s.Drops());
  EXPECT_EQ(s.Update(Leaf("c", two)), "publish child");
  EXPECT_FALSE(s.Drops());
  gxds_cluster_call_end(&call, true);
}

TEST(ClusterImpl, PoliciesOfTwoChannelsShareTheLimit) {  // A32.8, A37.26
  Scenario a, b;
  snapshot::ClusterOptions options;
  options.max_requests = 1;
  a.Update(Leaf("c", options));
  b.Update(Leaf("c", options));
  gxds_cluster_call call;
  ASSERT_TRUE(gxds_cluster_call_init(&call, gxds_cluster_impl_picker(a.c), nullptr));
  EXPECT_TRUE(b.Drops());
  gxds_cluster_call_end(&call, true);
  EXPECT_FALSE(b.Drops());
}

}  // namespace
