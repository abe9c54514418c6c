#include "xds_resolver/xds_resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "test/host/memory_resolver.h"
#include "test/xds_resolver/fake_transport.h"
#include "test/xds_resolver/made_up_routes.h"
#include "xds_resolver/config_change.h"

namespace made_up {
namespace {

using memory::Event;
using memory::Result;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

constexpr char kServiceConfig[] =
    R"({"loadBalancingConfig":[{"xds_cluster_manager_experimental":{}}]})";

class XdsResolver : public ::testing::Test {
 protected:
  void SetUp() override {
    g_alive = 0;
    unsetenv("GRPC_XDS_BOOTSTRAP");
    setenv("GRPC_XDS_BOOTSTRAP_CONFIG", kBootstrap, 1);
  }
  void TearDown() override {
    if (host_) End();
    EXPECT_EQ(fake_.clients, 0);
    EXPECT_EQ(fake_.reactor_uses, 0);
    EXPECT_TRUE(fake_.posts.empty());
    EXPECT_EQ(g_alive, 0);
    unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
    memory::ResolverHost::traces = false;
  }

  void Create() {
    host_ = std::make_unique<memory::ResolverHost>(&gxds_xds_resolver, FakeHost(), target_, args_);
  }
  void Start() {
    Create();
    ASSERT_TRUE(host_->Start());
    fake_.RunReactor();
  }
  void End() {
    host_->ShutDown();
    fake_.RunReactor();
    host_.reset();  // releases the last holds on clusters
    fake_.RunReactor();
  }

  void Routes(const std::vector<std::string> &clusters) {
    fake_.Notify("LDS", "service", &InlineListener(RoutesTo(clusters))->base);
    fake_.Drained();
    host_->Drain();
  }
  void Leaf(const std::string &name) {
    fake_.Notify("CDS", name, &EdsCluster(name)->base);
    fake_.Drained();
    fake_.Notify("EDS", name, &NewEndpoints(name)->base);
    fake_.Drained();
    host_->Drain();
  }
  void ListenerFails(const std::string &why) {
    fake_.NotifyError("LDS", "service", why.c_str());
    fake_.Drained();
    host_->Drain();
  }
  void Good() {
    Routes({"a"});
    Leaf("a");
  }

  FakeTransport &fake_ = FakeTransport::Get();
  memory::Target target_;
  const grpc_channel_args *args_ = nullptr;
  std::unique_ptr<memory::ResolverHost> host_;
};

TEST_F(XdsResolver, ReportsNothingBeforeASnapshotIsWhole) {  // A74.9
  Start();
  Routes({"a"});
  EXPECT_THAT(host_->results, IsEmpty());
  Leaf("a");
  ASSERT_EQ(host_->results.size(), 1u);
  const Result &r = host_->last();
  EXPECT_TRUE(r.failure.ok());
  EXPECT_EQ(r.service_config, kServiceConfig);
  EXPECT_EQ(r.note, "");
  ASSERT_NE(r.snapshot, nullptr);
  EXPECT_NE(gxds_config_cluster(r.snapshot, Z("a")), nullptr);
  EXPECT_NE(r.mailbox, nullptr);
  EXPECT_NE(r.selector, nullptr);
  EXPECT_THAT(host_->events, IsEmpty());
  EXPECT_THAT(host_->log, IsEmpty());
}

TEST_F(XdsResolver, TheSelectorIsTheSameWhileItWouldChooseTheSame) {
  Start();
  Good();
  Leaf("a");
  Routes({"a", "b"});
  Leaf("b");
  ASSERT_EQ(host_->results.size(), 3u);
  EXPECT_EQ(host_->results[0]->selector, host_->results[1]->selector);
  EXPECT_NE(host_->results[0]->snapshot, host_->results[1]->snapshot);
  EXPECT_NE(host_->results[1]->selector, host_->results[2]->selector);
}

TEST_F(XdsResolver, AFailureBeforeThereIsASnapshotIsTheResult) {  // A74.18
  Start();
  ListenerFails("gone");
  ASSERT_EQ(host_->results.size(), 1u);
  EXPECT_EQ(host_->last().failure, memory::Unavailable("LDS resource service: gone"));
  EXPECT_THAT(host_->log, ElementsAre("E grpc_xds: [channel xds:///service] UNAVAILABLE: LDS "
                                      "resource service: gone"));
  EXPECT_THAT(host_->events, IsEmpty()) << "the host tells it";
}

TEST_F(XdsResolver, AFailureAfterOneEndsItsUseAndReportsTheNote) {  // A74.20
  Start();
  Good();
  fake_.Notify("LDS", "service", &SocketListener()->base);
  fake_.Drained();
  host_->Drain();
  const std::string words =
      "LDS resource service: not an API listener (xDS server xds.example) (node ID:node1)";
  ASSERT_EQ(host_->results.size(), 2u);
  const Result &r = host_->last();
  EXPECT_TRUE(r.failure.ok());
  EXPECT_EQ(r.service_config, "{}");
  EXPECT_EQ(r.note, words);
  EXPECT_EQ(r.snapshot, nullptr);
  EXPECT_EQ(r.mailbox, nullptr);
  EXPECT_EQ(r.selector, nullptr);
  EXPECT_THAT(host_->log,
              ElementsAre("E grpc_xds: [channel xds:///service] UNAVAILABLE: " + words));
  EXPECT_THAT(host_->events, ElementsAre(Event(GXDS_RESOLVER_ERROR, "xDS: " + words)));
}

TEST_F(XdsResolver, AFailureLetsGoOfClustersThatNoRpcHolds) {  // A31.9
  Start();
  Good();
  ListenerFails("gone");
  host_->results.clear();  // like a channel that releases its selector
  fake_.RunReactor();
  EXPECT_EQ(fake_.watches.count({"CDS", "a"}), 0u);
}

TEST_F(XdsResolver, ARecoveryIsReportedOnceAndHasANewSelector) {
  Start();
  Good();
  ListenerFails("gone");
  host_->events.clear();
  Routes({"a"});  // its cluster still exists
  ASSERT_EQ(host_->results.size(), 3u);
  EXPECT_NE(host_->last().selector, nullptr);
  EXPECT_NE(host_->last().selector, host_->results[0]->selector);
  EXPECT_EQ(host_->last().service_config, kServiceConfig);
  EXPECT_THAT(host_->events,
              ElementsAre(Event(GXDS_RESOLVER_INFO, "xDS: listener and routes are well again")));
  Leaf("a");
  EXPECT_EQ(host_->events.size(), 1u);
}

TEST_F(XdsResolver, TheFaultsOfClustersAreEventsByTheirWeight) {
  Start();
  Routes({"a"});
  fake_.NotifyError("CDS", "a", "gone");
  fake_.Drained();
  host_->Drain();
  Leaf("a");
  fake_.NotifyAmbientError("CDS", "a", "unreachable");
  fake_.Drained();
  host_->Drain();
  EXPECT_THAT(host_->events,
              ElementsAre(Event(GXDS_RESOLVER_ERROR, "xDS: cluster a: CDS resource a: gone"),
                          Event(GXDS_RESOLVER_INFO, "xDS: cluster a: well again"),
                          Event(GXDS_RESOLVER_WARNING,
                                "xDS: cluster a: CDS resource a: unreachable (xDS server "
                                "xds.example) (node ID:node1)")));
  EXPECT_EQ(host_->results.size(), 3u);
}

TEST_F(XdsResolver, AnEventHasAThousandBytesAtMost) {
  Start();
  Good();
  std::string why = "x";
  for (int i = 0; i < 1000; i++) why += "\u00e4";  // half of it is no character
  ListenerFails(why);
  ASSERT_EQ(host_->events.size(), 1u);
  const std::string &words = host_->events[0].second;
  EXPECT_LE(words.size(), sizeof "xDS: " - 1 + GXDS_FAULTS_BYTES_MAX);
  EXPECT_GT(words.size(), sizeof "xDS: " - 1 + GXDS_FAULTS_BYTES_MAX - 2);
  EXPECT_TRUE(gxds_str_is_utf8(S(words)));
  EXPECT_GT(host_->last().note.size(), words.size()) << "what RPCs are told is whole";
}

TEST_F(XdsResolver, AChannelWithoutATraceGetsTheRest) {
  Start();
  host_->has_trace = false;
  Good();
  ListenerFails("gone");
  Routes({"a"});
  EXPECT_EQ(host_->results.size(), 3u);
  EXPECT_THAT(host_->events, IsEmpty());
}

TEST_F(XdsResolver, ABootstrapThatCannotBeReadIsReportedAtOnce) {
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  Create();
  EXPECT_FALSE(host_->Start());
  ASSERT_EQ(host_->results.size(), 1u);
  EXPECT_EQ(host_->last().failure.code, GXDS_UNAVAILABLE);
  EXPECT_THAT(host_->last().failure.message, ::testing::HasSubstr("GRPC_XDS_BOOTSTRAP_CONFIG"));
  EXPECT_EQ(host_->log.size(), 1u);
  host_->Reresolve();
  host_->ResetBackoff();
  End();
  EXPECT_EQ(fake_.backoffs_reset, 0);
}

TEST_F(XdsResolver, NothingIsReportedAfterShutdown) {
  Start();
  Routes({"a"});
  fake_.Notify("CDS", "a", &EdsCluster("a")->base);
  fake_.Drained();
  fake_.Notify("EDS", "a", &NewEndpoints("a")->base);
  fake_.Drained();
  EXPECT_EQ(host_->scheduled, 1);
  host_->ShutDown();
  host_->Reresolve();
  host_->ResetBackoff();
  host_->Drain();
  EXPECT_THAT(host_->results, IsEmpty());
  EXPECT_EQ(host_->gone, 0);
  fake_.RunReactor();
  EXPECT_EQ(host_->gone, 1);
  host_.reset();
}

TEST_F(XdsResolver, TheDataPlaneAuthorityIsThatOfThePathUnlessTheProgramSaysOtherwise) {
  auto route = [&](const char *domain) {
    fake_.Notify("LDS", "service", &InlineListener(RoutesTo({"a"}, "routes", domain))->base);
    fake_.Drained();
    host_->Drain();
  };
  Start();
  route("service");
  Leaf("a");
  EXPECT_TRUE(host_->last().failure.ok());
  End();
  target_.data_plane_authority = "other";
  Start();
  route("other");
  Leaf("a");
  EXPECT_TRUE(host_->last().failure.ok());
  End();
  Start();
  route("service");
  EXPECT_FALSE(host_->last().failure.ok());
  End();
  target_.data_plane_authority = "";  // set, but no virtual host has it
  Start();
  route("service");
  EXPECT_FALSE(host_->last().failure.ok());
}

TEST_F(XdsResolver, ThePathOfATargetNamesSomething) {
  EXPECT_EQ(gxds_xds_resolver.check(Z("/service")), nullptr);
  EXPECT_EQ(gxds_xds_resolver.check(Z("/a/b")), nullptr);
  for (const char *path : {"", "/", "/service/"}) {
    EXPECT_STREQ(gxds_xds_resolver.check(Z(path)),
                 "URI path does not contain valid data plane authority");
  }
  gxds_str authority = gxds_xds_resolver.default_authority(Z("/service:80"));
  EXPECT_EQ(Str(authority), "service:80");
  gxds_str_free(&authority);
}

TEST_F(XdsResolver, ABootstrapOfTheProgramComesWithAClientOfItsOwn) {
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  target_.bootstrap_json = kBootstrap;
  Start();
  EXPECT_TRUE(fake_.is_private);
  EXPECT_EQ(fake_.resource_timeout, 0) << "the default";
}

TEST_F(XdsResolver, TheClientsArgumentsSetHowLongAResourceIsWaitedFor) {
  struct Case {
    int milliseconds;
    gxds_duration timeout;
  };
  for (const Case &c : std::vector<Case>{{500, 500 * GXDS_MILLISECOND}, {0, 1}, {-1, 1}}) {
    grpc_arg arg = {};
    arg.type = GRPC_ARG_INTEGER;
    arg.key = const_cast<char *>("grpc.xds_resource_does_not_exist_timeout_ms");
    arg.value.integer = c.milliseconds;
    const grpc_channel_args args = {1, &arg};
    args_ = &args;
    Start();
    EXPECT_EQ(fake_.args, &args);
    EXPECT_EQ(fake_.resource_timeout, c.timeout) << c.milliseconds;
    End();
  }
}

TEST_F(XdsResolver, TheTraceShowsSnapshotsAndConfigSelectors) {
  memory::ResolverHost::traces = true;
  Start();
  Good();
  Leaf("a");
  host_->ShutDown();
  EXPECT_THAT(
      host_->log,
      ElementsAre(
          MatchesRegex("I \\[xds_resolver 0x[0-9a-f]+\\] started for xds:///service, data plane "
                       "authority service"),
          MatchesRegex("I \\[xds_resolver 0x[0-9a-f]+\\] snapshot 1 \\(0x[0-9a-f]+\\): listener "
                       "new, routes new, clusters: \\+a \\(1 in all\\)"),
          MatchesRegex("I \\[xds_resolver 0x[0-9a-f]+\\] config selector 0x[0-9a-f]+: made of "
                       "snapshot 1"),
          MatchesRegex("I \\[xds_resolver 0x[0-9a-f]+\\] snapshot 2 \\(0x[0-9a-f]+\\): listener "
                       "unchanged, routes unchanged, clusters: ~a \\(1 in all\\)"),
          MatchesRegex("I \\[xds_resolver 0x[0-9a-f]+\\] shut down")));
  fake_.RunReactor();
  host_.reset();
}

TEST_F(XdsResolver, PoliciesWishesReachTheReactor) {
  Start();
  const int before = fake_.backoffs_reset;
  host_->ResetBackoff();
  host_->Reresolve();
  fake_.RunReactor();
  EXPECT_EQ(fake_.backoffs_reset, before + 1);
}

}  // namespace
}  // namespace made_up
