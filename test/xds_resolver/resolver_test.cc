#include "xds_resolver/resolver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "test/xds_resolver/fake_dns.h"
#include "test/xds_resolver/fake_transport.h"
#include "test/xds_resolver/made_up_routes.h"

namespace made_up {
namespace {

using Strings = std::vector<std::string>;

class Resolver : public ::testing::Test {
 protected:
  void SetUp() override {
    g_alive = 0;
    fake_.backoffs_reset = 0;
    unsetenv("GRPC_XDS_BOOTSTRAP");
    setenv("GRPC_XDS_BOOTSTRAP_CONFIG", kBootstrap, 1);
    options_.target = Z("xds:///service");
    options_.uri_path = Z("service");
    options_.data_plane_authority = Z("service");
    options_.host = FakeHost();
    options_.schedule = [](void *arg) { static_cast<Resolver *>(arg)->scheduled_++; };
    options_.gone = [](void *arg) { static_cast<Resolver *>(arg)->gone_++; };
    options_.arg = this;
  }

  void TearDown() override {
    if (resolver_) Close();
    EXPECT_EQ(fake_.clients, 0);
    EXPECT_EQ(fake_.prepared, 0);
    EXPECT_EQ(fake_.reactor_uses, 0);
    EXPECT_TRUE(fake_.posts.empty());
    EXPECT_EQ(g_alive, 0);
    unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  }

  // The message of the failure; empty: it started.
  std::string TryToStart() {
    gxds_status status = gxds_resolver_start(&options_, &resolver_);
    std::string message = Str(status.message);
    EXPECT_TRUE(status.code == GXDS_OK || status.code == GXDS_UNAVAILABLE);
    gxds_status_fini(&status);
    return message;
  }
  void Start() {
    ASSERT_EQ(TryToStart(), "");
    fake_.RunReactor();
  }
  void Close() {
    gxds_resolver_close(resolver_);
    resolver_ = nullptr;
    fake_.RunReactor();
  }

  void Routes(const Strings &clusters) {
    fake_.Notify("LDS", listener_, &InlineListener(RoutesTo(clusters))->base);
    fake_.Drained();
  }
  void Leaf(const std::string &name) {
    fake_.Notify("CDS", name, &EdsCluster(name)->base);
    fake_.Drained();
    last_endpoints_ = NewEndpoints(name);
    fake_.Notify("EDS", name, &last_endpoints_->base);
    fake_.Drained();
  }
  gxds_resolver_update *Take() { return gxds_resolver_take(resolver_); }
  std::string TakeFailure() {
    gxds_resolver_update *u = Take();
    if (!u) return "no update";
    std::string message = Str(u->failure.message);
    EXPECT_EQ(u->config, nullptr);
    EXPECT_EQ(u->clusters, nullptr);
    gxds_resolver_update_destroy(u);
    return message;
  }
  // The resolution note of a cluster without endpoints, in the next update.
  std::string TakeNote(const std::string &cluster) {
    gxds_resolver_update *u = Take();
    if (!u || !u->config) return "no config";
    const gxds_cluster_entry *e = gxds_config_cluster(u->config, S(cluster));
    EXPECT_EQ(e->endpoints, nullptr);
    std::string note = Words(e->resolution_note);
    gxds_resolver_update_destroy(u);
    return note;
  }
  static Strings RootsOf(const gxds_resolver_update *u) {
    Strings out;
    for (size_t i = 0; i < u->config->roots->count; i++) {
      out.push_back(Str(u->config->roots->names[i]));
    }
    return out;
  }
  // The roots of the next update.
  Strings TakeRoots() {
    gxds_resolver_update *u = Take();
    if (!u || !u->config) {
      gxds_resolver_update_destroy(u);
      return {"no config"};
    }
    Strings out = RootsOf(u);
    gxds_resolver_update_destroy(u);
    fake_.RunReactor();
    return out;
  }

  FakeTransport &fake_ = FakeTransport::Get();
  gxds_resolver_options options_ = {};
  gxds_resolver *resolver_ = nullptr;
  std::string listener_ = "service";
  const gxds_endpoints *last_endpoints_ = nullptr;
  int scheduled_ = 0;
  int gone_ = 0;
};

TEST_F(Resolver, BringsASnapshotToItsOwner) {
  Start();
  EXPECT_EQ(fake_.target, "xds:///service");
  EXPECT_FALSE(fake_.is_private);
  Routes({"a"});
  EXPECT_EQ(scheduled_, 0);
  EXPECT_EQ(Take(), nullptr);
  Leaf("a");
  EXPECT_EQ(scheduled_, 1);
  gxds_resolver_update *u = Take();
  ASSERT_TRUE(u != nullptr);
  EXPECT_EQ(RootsOf(u), (Strings{"a"}));
  EXPECT_TRUE(gxds_config_cluster(u->config, Z("a")) != nullptr);
  EXPECT_TRUE(u->config->load_store != nullptr);
  EXPECT_TRUE(gxds_names_equal(gxds_cluster_set_names(u->clusters), u->config->roots));
  gxds_resolver_update_destroy(u);
  EXPECT_EQ(Take(), nullptr);
}

TEST_F(Resolver, TheLatestUpdateWinsAndIsScheduledOnce) {
  Start();
  Routes({"a"});
  Leaf("a");
  Leaf("a");
  Leaf("a");
  EXPECT_EQ(scheduled_, 1);
  gxds_resolver_update *u = Take();
  EXPECT_EQ(gxds_config_cluster(u->config, Z("a"))->endpoints, last_endpoints_);
  gxds_resolver_update_destroy(u);
  Leaf("a");
  EXPECT_EQ(scheduled_, 2);
}

TEST_F(Resolver, TheClustersAreTheSamePointerWhileTheRoutesNameTheSame) {
  Start();
  Routes({"a"});
  Leaf("a");
  gxds_resolver_update *one = Take();
  Routes({"a"});
  gxds_resolver_update *two = Take();
  EXPECT_EQ(one->clusters, two->clusters);
  EXPECT_NE(one->config, two->config);
  gxds_resolver_update_destroy(one);
  gxds_resolver_update_destroy(two);
}

TEST_F(Resolver, AFailureIsAnUpdate) {  // A74.18
  Start();
  fake_.NotifyError("LDS", "service", "gone");
  fake_.Drained();
  EXPECT_EQ(scheduled_, 1);
  EXPECT_EQ(TakeFailure(), "LDS resource service: gone");
}

TEST_F(Resolver, SendsANackForWhatItRefuses) {
  Start();
  fake_.Notify("LDS", "service", &SocketListener()->base);
  fake_.Drained();
  EXPECT_EQ(TakeFailure(),
            "LDS resource service: not an API listener (xDS server xds.example) (node "
            "ID:node1)");
}

TEST_F(Resolver, AnAbsentBootstrapSaysWhatWasLookedFor) {
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  std::string message = TryToStart();
  EXPECT_NE(message.find("Failed to create XdsClient"), std::string::npos) << message;
  EXPECT_NE(message.find("GRPC_XDS_BOOTSTRAP"), std::string::npos);
  EXPECT_NE(message.find("GRPC_XDS_BOOTSTRAP_CONFIG"), std::string::npos);
  EXPECT_EQ(resolver_, nullptr);
  EXPECT_EQ(gone_, 0);
}

TEST_F(Resolver, TheBootstrapIsReadForTheFirstChannelOfATarget) {  // A71
  Start();
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  // Another channel of the same target uses the bootstrap in use; a channel of another target does
  // not.
  gxds_resolver *first = std::exchange(resolver_, nullptr);
  options_.uri_path = Z("second"); /* a listener of its own, because the fake needs that */
  EXPECT_EQ(TryToStart(), "");
  gxds_resolver *second = std::exchange(resolver_, nullptr);
  options_.target = Z("xds:///other");
  EXPECT_NE(TryToStart(), "");
  options_.target = Z("xds:///service");
  // The first may end before the second has begun.
  gxds_resolver_close(first);
  fake_.RunReactor();
  resolver_ = second;
  Close();
  EXPECT_NE(TryToStart(), "");
}

TEST_F(Resolver, TheBootstrapIsReadAgainOnceTheLastChannelOfATargetIsClosed) {  // A71
  Start();
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  gxds_resolver_close(std::exchange(resolver_, nullptr));
  EXPECT_NE(TryToStart(), "") << "the closed channel still waits for the reactor";
  fake_.RunReactor();
}

TEST_F(Resolver, AnUnreadableBootstrapSaysWhere) {
  setenv("GRPC_XDS_BOOTSTRAP", "/no/such/file.json", 1);
  std::string message = TryToStart();
  EXPECT_NE(message.find("/no/such/file.json"), std::string::npos) << message;
  unsetenv("GRPC_XDS_BOOTSTRAP");
}

TEST_F(Resolver, AWrongBootstrapSaysWhereAndWhat) {
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", "{}", 1);
  std::string message = TryToStart();
  EXPECT_NE(message.find("GRPC_XDS_BOOTSTRAP_CONFIG"), std::string::npos) << message;
  EXPECT_NE(message.find("xds_servers"), std::string::npos) << message;
}

TEST_F(Resolver, ABootstrapOfTheChannelGivesItAClientOfItsOwn) {
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  grpc_channel_args args = {};
  options_.bootstrap_json = kBootstrap;
  options_.args = &args;
  options_.resource_timeout = 500 * GXDS_MILLISECOND;
  Start();
  EXPECT_TRUE(fake_.is_private);
  EXPECT_EQ(fake_.target, "");
  EXPECT_EQ(fake_.args, &args);
  EXPECT_EQ(fake_.resource_timeout, 500 * GXDS_MILLISECOND);
}

TEST_F(Resolver, TheAuthorityOfTheUriNamesTheListener) {  // A47.1
  options_.uri_authority = Z("auth");
  Start();
  EXPECT_EQ(fake_.watches.count({"LDS", "xdstp://auth/envoy.config.listener.v3.Listener/service"}),
            1u);
}

TEST_F(Resolver, AnUnknownAuthorityFails) {  // A47.2
  options_.uri_authority = Z("nobody");
  Start();
  EXPECT_NE(TakeFailure().find("authority not found for nobody"), std::string::npos);
  gxds_resolver_reresolve(resolver_);
  gxds_mailbox_cluster_subscribe(gxds_resolver_mailbox(resolver_), Z("x"));
  fake_.RunReactor();
  EXPECT_TRUE(fake_.watches.empty());
}

TEST_F(Resolver, AnRpcKeepsItsClusterInTheSnapshotUntilItIsCommitted) {  // A31.7, A31.9, A74.31
  Start();
  Routes({"a"});
  Leaf("a");
  gxds_resolver_update *first = Take();
  gxds_cluster_ref *rpc = gxds_cluster_set_hold(first->clusters, 0);
  Routes({"b"});
  Leaf("b");
  EXPECT_EQ(TakeRoots(), (Strings{"a", "b"}));
  gxds_resolver_update_destroy(first);  // the old ConfigSelector is gone
  fake_.RunReactor();
  EXPECT_EQ(Take(), nullptr);
  EXPECT_EQ(fake_.watches.count({"CDS", "a"}), 1u);
  gxds_cluster_ref_release(rpc);
  EXPECT_EQ(fake_.watches.count({"CDS", "a"}), 1u) << "only a message was posted";
  fake_.RunReactor();
  EXPECT_EQ(TakeRoots(), (Strings{"b"}));
  EXPECT_EQ(fake_.watches.count({"CDS", "a"}), 0u);
}

TEST_F(Resolver, TheConfigSelectorInUseKeepsItsClusters) {  // A31.8: removal takes two steps
  Start();
  Routes({"a"});
  Leaf("a");
  gxds_resolver_update *first = Take();
  Routes({"b"});
  Leaf("b");
  gxds_resolver_update *second = Take();
  EXPECT_EQ(RootsOf(second), (Strings{"a", "b"}));
  gxds_resolver_update_destroy(first);
  fake_.RunReactor();
  EXPECT_EQ(TakeRoots(), (Strings{"b"}));
  gxds_resolver_update_destroy(second);
}

TEST_F(Resolver, AnUpdateThatNobodyTookHoldsNothing) {
  Start();
  Routes({"a"});
  Leaf("a");
  Routes({"b"});
  Leaf("b");  // replaces the update in the slot, and with it the last hold on a
  fake_.RunReactor();
  EXPECT_EQ(scheduled_, 1);
  EXPECT_EQ(TakeRoots(), (Strings{"b"}));
}

TEST_F(Resolver, AClusterThatRoutesNameAgainIsHeldAgain) {
  Start();
  Routes({"a"});
  Leaf("a");
  gxds_resolver_update *first = Take();
  Routes({"b"});
  Leaf("b");
  gxds_resolver_update *second = Take();
  gxds_resolver_update_destroy(first);
  Routes({"a"});  // before the mail about the unused a is read
  fake_.RunReactor();
  gxds_resolver_update_destroy(second);
  fake_.RunReactor();
  EXPECT_EQ(TakeRoots(), (Strings{"a"}));
  EXPECT_EQ(fake_.watches.count({"CDS", "a"}), 1u);
  EXPECT_EQ(fake_.watches.count({"CDS", "b"}), 0u);
}

TEST_F(Resolver, AFailureLetsGoOfTheClustersOnceTheChannelDoes) {
  Start();
  Routes({"a"});
  Leaf("a");
  gxds_resolver_update *first = Take();
  fake_.NotifyError("LDS", "service", "gone");
  fake_.Drained();
  EXPECT_EQ(TakeFailure(), "LDS resource service: gone");
  EXPECT_EQ(fake_.watches.count({"CDS", "a"}), 1u);
  gxds_resolver_update_destroy(first);
  fake_.RunReactor();
  EXPECT_EQ(fake_.watches.size(), 1u);
}

TEST_F(Resolver, PoliciesSubscribeByMail) {  // A74.29
  Start();
  Routes({"a"});
  Leaf("a");
  gxds_mailbox *mailbox = gxds_mailbox_ref(gxds_resolver_mailbox(resolver_));
  gxds_mailbox_cluster_subscribe(mailbox, Z("dynamic"));
  fake_.RunReactor();
  Leaf("dynamic");
  gxds_resolver_update *u = Take();
  EXPECT_TRUE(gxds_config_cluster(u->config, Z("dynamic")) != nullptr);
  EXPECT_EQ(RootsOf(u), (Strings{"a"}));
  gxds_resolver_update_destroy(u);
  gxds_mailbox_cluster_unsubscribe(mailbox, Z("dynamic"));
  fake_.RunReactor();
  EXPECT_EQ(fake_.watches.count({"CDS", "dynamic"}), 0u);
  gxds_mailbox_unref(mailbox);
}

TEST_F(Resolver, AHostWithoutDnsIsAnErrorOfThatCluster) {
  Start();
  Routes({"a"});
  fake_.Notify("CDS", "a", &DnsCluster("a", "example.com", 443)->base);
  fake_.Drained();
  EXPECT_EQ(
      TakeNote("a"),
      "DNS name example.com:443: DNS resolution is not available (xDS server xds.example) (node "
      "ID:node1)");
  gxds_resolver_reresolve(resolver_);
  fake_.RunReactor();
}

class DnsResolver : public Resolver {
 protected:
  void SetUp() override {
    Resolver::SetUp();
    host_ = *FakeHost();
    FakeDns::Fill(&host_);
    options_.host = &host_;
    options_.channel_args = &host_;
    dns_.TakeLog();
  }
  void TearDown() override {
    Resolver::TearDown();
    EXPECT_TRUE(dns_.active.empty());
  }
  void DnsLeaf(const std::string &name, const char *host, uint16_t port) {
    fake_.Notify("CDS", name, &DnsCluster(name, host, port)->base);
    fake_.Drained();
  }
  // The number of the cluster's addresses in the next update; -1: not known.
  int TakeAddresses(const std::string &cluster) {
    gxds_resolver_update *u = Take();
    int count = -1;
    const gxds_cluster_entry *e = u ? gxds_config_cluster(u->config, S(cluster)) : nullptr;
    if (e && e->endpoints) {
      const gxds_locality *l = e->endpoints->priorities[0].localities[0];
      EXPECT_EQ(l->endpoint_count, 1u);  // A61.17
      uint32_t more;
      gxds_locality_more(l, 0, &more);
      count = static_cast<int>(1 + more);
    }
    gxds_resolver_update_destroy(u);
    return count;
  }

  gxds_host host_ = {};
  FakeDns &dns_ = FakeDns::Get();
};

TEST_F(DnsResolver, ResolvesTheNameOfALogicalDnsCluster) {  // A74.7, A37
  Start();
  Routes({"a"});
  DnsLeaf("a", "example.com", 443);
  EXPECT_EQ(dns_.TakeLog(), (Strings{"+example.com:443"}));
  EXPECT_EQ(dns_.Find("example.com:443")->args, &host_);
  EXPECT_EQ(Take(), nullptr) << "whole, or not at all";
  dns_.Answer("example.com:443", {"10.0.0.1", "10.0.0.2"});
  EXPECT_EQ(TakeAddresses("a"), 2);
  dns_.Answer("example.com:443", {"10.0.0.1"});
  EXPECT_EQ(TakeAddresses("a"), 1);
  dns_.Answer("example.com:443", {"10.0.0.1"});
  EXPECT_EQ(Take(), nullptr) << "nothing new";
}

TEST_F(DnsResolver, AFailureKeepsEarlierAddresses) {  // A74.25, A88
  Start();
  Routes({"a"});
  DnsLeaf("a", "example.com", 443);
  dns_.Fail("example.com:443", "no such host");
  EXPECT_EQ(TakeNote("a"),
            "DNS name example.com:443: no such host (xDS server xds.example) (node ID:node1)");
  dns_.Answer("example.com:443", {"10.0.0.1"});
  EXPECT_EQ(TakeAddresses("a"), 1);
  dns_.Fail("example.com:443", "timed out");
  gxds_resolver_update *u = Take();
  ASSERT_TRUE(u != nullptr && u->config != nullptr);
  EXPECT_TRUE(gxds_config_cluster(u->config, Z("a"))->endpoints != nullptr);
  gxds_resolver_update_destroy(u);
}

TEST_F(DnsResolver, ReresolutionReachesEveryDnsName) {  // A74.12
  Start();
  Routes({"a", "b", "c"});
  DnsLeaf("a", "a.example", 1);
  DnsLeaf("b", "b.example", 2);
  Leaf("c");
  dns_.TakeLog();
  gxds_resolver_reresolve(resolver_);
  EXPECT_EQ(dns_.TakeLog(), Strings{}) << "only a message was posted";
  fake_.RunReactor();
  EXPECT_EQ(dns_.TakeLog(), (Strings{"again a.example:1", "again b.example:2"}));
}

TEST_F(DnsResolver, AClusterThatGoesTakesItsNameAlong) {
  Start();
  Routes({"a"});
  DnsLeaf("a", "a.example", 1);
  dns_.Answer("a.example:1", {"10.0.0.1"});
  gxds_resolver_update *first = Take();
  Routes({"b"});
  Leaf("b");
  dns_.TakeLog();
  gxds_resolver_update_destroy(first);
  fake_.RunReactor();
  EXPECT_EQ(TakeRoots(), (Strings{"b"}));
  EXPECT_EQ(dns_.TakeLog(), (Strings{"-a.example:1"}));
}

TEST_F(DnsResolver, ResetsTheBackoffOfWhatFailed) {
  Start();
  Routes({"a"});
  DnsLeaf("a", "a.example", 1);
  dns_.Fail("a.example:1", "no such host");
  dns_.TakeLog();
  gxds_resolver_reset_backoff(resolver_);
  fake_.RunReactor();
  EXPECT_EQ(dns_.TakeLog(), (Strings{"-a.example:1", "+a.example:1"}));
}

TEST_F(DnsResolver, TheEndStopsEveryName) {
  Start();
  Routes({"a", "b"});
  DnsLeaf("a", "a.example", 1);
  DnsLeaf("b", "b.example", 2);
  dns_.TakeLog();
  gxds_resolver_close(resolver_);
  resolver_ = nullptr;
  dns_.Answer("a.example:1", {"10.0.0.1"});  // before the message is read
  fake_.RunReactor();
  EXPECT_EQ(dns_.TakeLog(), (Strings{"-a.example:1", "-b.example:2"}));
  EXPECT_EQ(gone_, 1);
}

TEST_F(Resolver, ResetsTheBackoffOfItsClient) {
  Start();
  gxds_resolver_reset_backoff(resolver_);
  fake_.RunReactor();
  EXPECT_EQ(fake_.backoffs_reset, 1);
}

TEST_F(Resolver, IsInertOnceClosed) {
  Start();
  Routes({"a"});
  Leaf("a");  // an update that is never taken
  gxds_mailbox *mailbox = gxds_mailbox_ref(gxds_resolver_mailbox(resolver_));
  gxds_mailbox_cluster_subscribe(mailbox, Z("dynamic"));
  gxds_resolver_close(resolver_);
  resolver_ = nullptr;
  EXPECT_EQ(gone_, 0);
  fake_.RunReactor();
  EXPECT_EQ(gone_, 1);
  EXPECT_EQ(scheduled_, 1);
  EXPECT_EQ(fake_.clients, 0);
  gxds_mailbox_cluster_subscribe(mailbox, Z("later"));
  EXPECT_TRUE(fake_.posts.empty());
  EXPECT_EQ(fake_.reactor_uses, 1) << "whoever may post keeps the reactor";
  gxds_mailbox_unref(mailbox);
}

TEST_F(Resolver, MayBeClosedBeforeItBegan) {
  ASSERT_EQ(TryToStart(), "");
  Close();
  EXPECT_EQ(gone_, 1);
}

// The child of a fork does not run what was posted to its parent's reactor.
TEST_F(Resolver, MayBeClosedInAChildOfAForkBeforeWhichItDidNotBegin) {
  ASSERT_EQ(TryToStart(), "");
  fake_.posts.clear();
  gxds_resolver_reset_backoff(resolver_);
  gxds_resolver_reresolve(resolver_);
  Close();
  EXPECT_EQ(fake_.backoffs_reset, 0);
  EXPECT_EQ(gone_, 1);
}

TEST_F(Resolver, HoldsOfRpcsOutliveIt) {
  Start();
  Routes({"a"});
  Leaf("a");
  gxds_resolver_update *u = Take();
  gxds_cluster_ref *rpc = gxds_cluster_set_hold(u->clusters, 0);
  Close();
  gxds_resolver_update_destroy(u);
  gxds_cluster_ref_release(rpc);
  EXPECT_TRUE(fake_.posts.empty());
}

}  // namespace
}  // namespace made_up
