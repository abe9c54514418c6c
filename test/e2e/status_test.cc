// The status of RPCs when something is wrong. Each part of the configuration is broken in turn, and
// the status names the resource, its server, the node and the reason.
#include <gmock/gmock.h>

#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"
#include "test/e2e/resources_json.h"

namespace gxds_test {
namespace {

using testing::HasSubstr;

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Makes calls until one fails with these words.
testing::AssertionResult FailsWith(Client* client, const std::string& words, Reply* reply) {
  return client->CallUntil(
      [&](const Reply& r) {
        *reply = r;
        return r.status.error_message().find(words) != std::string::npos;
      },
      true);
}

void ExpectOrigin(const Reply& reply, const ControlPlane& plane) {
  const std::string& message = reply.status.error_message();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  const std::string server = "(xDS server 127.0.0.1:" + std::to_string(plane.port()) + ")";
  EXPECT_EQ(CountOf(message, server), 1u) << message;
  EXPECT_EQ(CountOf(message, "(node ID:test-node)"), 1u) << message;
}

struct Broken {
  const char* name;
  std::vector<std::string> resources;
  const char* words;  // the resource and what is wrong with it
};

const std::string kToA = VirtualHost(RouteTo("a"));
// A port on which nobody listens any more, so connections to it fail.
int DeadPort() { return Backend("dead").port(); }

std::vector<Broken> AllBroken() {
  const std::string some = LocalityOf({1});
  return {
      {"NoListener",
       {},
       "LDS resource greeter.example: does not exist: the server did not send it"},
      {"BadListener",
       {ListenerOf("")},
       "LDS resource greeter.example: invalid resource: INVALID_ARGUMENT: "},
      {"SocketListener", {SocketListener()}, "LDS resource greeter.example: not an API listener"},
      {"NoRoutes", {RdsListener()}, "RDS resource routes: does not exist: the server did not"},
      {"BadRoutes",
       {RdsListener(), Routes(VirtualHost(R"({"route":{"cluster":"a"}})"))},
       "RDS resource routes: invalid resource: INVALID_ARGUMENT: "},
      {"NoVirtualHost",
       {RdsListener(), Routes(VirtualHost(RouteTo("a"), "other.example"))},
       "RDS resource routes: no virtual host for greeter.example"},
      {"NoVirtualHostInline",
       {InlineListener(VirtualHost(RouteTo("a"), "other.example"))},
       "LDS resource greeter.example: no virtual host for greeter.example"},
      {"NoMatchingRoute",
       {RdsListener(), Routes(VirtualHost(RouteTo("a", "/other/"))), EdsCluster("a"),
        Endpoints("a", some)},
       "No matching route found in xDS route config: RDS resource routes"},
      {"NoMatchingRouteInline",
       {InlineListener(VirtualHost(RouteTo("a", "/other/"))), EdsCluster("a"),
        Endpoints("a", some)},
       "No matching route found in xDS route config: LDS resource greeter.example"},
      {"InappropriateAction",
       {RdsListener(),
        Routes(VirtualHost(R"({"match":{"prefix":""},"non_forwarding_action":{}})"))},
       "Matching route has inappropriate action: RDS resource routes"},
      {"NoCluster", {RdsListener(), Routes(kToA)}, "CDS resource a: does not exist: the server"},
      {"BadCluster",
       {RdsListener(), Routes(kToA),
        Typed("envoy.config.cluster.v3.Cluster", R"("name":"a","type":"STATIC")")},
       "CDS resource a: invalid resource: INVALID_ARGUMENT: "},
      {"NoEndpointsResource",
       {RdsListener(), Routes(kToA), EdsCluster("a")},
       "EDS resource a: does not exist: the server did not send it"},
      {"BadEndpoints",
       {RdsListener(), Routes(kToA), EdsCluster("a", "svc"), Endpoints("svc", LocalityOf({1}, 1))},
       "EDS resource svc: invalid resource: INVALID_ARGUMENT: "},
      {"NoLocalities",
       {RdsListener(), Routes(kToA), EdsCluster("a", "svc"), Endpoints("svc", "")},
       "EDS resource svc: contains no localities"},
      {"EmptyLocality",
       {RdsListener(), Routes(kToA), EdsCluster("a"), Endpoints("a", LocalityOf({}))},
       "EDS resource a: contains empty localities: ["},
      {"AggregateWithoutLeaf",
       {RdsListener(), Routes(kToA), AggregateCluster("a", R"("x","y")")},
       "aggregate cluster \"a\" has no leaf clusters: CDS resource x, CDS resource y: does not "
       "exist"},
      {"AggregateLoop",
       {RdsListener(), Routes(kToA), AggregateCluster("a", R"("b")"),
        AggregateCluster("b", R"("a")")},
       "CDS resource a: aggregate cluster graph exceeds max depth (16) or has a loop"},
      {"Drops",
       {RdsListener(), Routes(kToA), EdsCluster("a"),
        Endpoints("a", some,
                  R"(,"policy":{"drop_overloads":[{"category":"full","drop_percentage":)"
                  R"({"numerator":100}}]})")},
       "EDS-configured drop: full (cluster a)"},
      {"CircuitBreaker",
       {RdsListener(), Routes(kToA),
        EdsCluster("a", "", R"(,"circuit_breakers":{"thresholds":[{"max_requests":0}]})"),
        Endpoints("a", some)},
       "circuit breaker drop (cluster a)"},
      {"DeadEndpoint",
       {RdsListener(), Routes(kToA), EdsCluster("a"), Endpoints("a", LocalityOf({DeadPort()}))},
       " (cluster a)"},
  };
}

class Status : public testing::TestWithParam<Broken> {};

TEST_P(Status, NamesTheResourceTheServerTheNodeAndTheReason) {
  ControlPlane plane;
  plane.WriteFile("resources.json", Document(GetParam().resources));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap(), {}, nullptr, kImpatience);
  Reply reply;
  ASSERT_TRUE(FailsWith(&client, GetParam().words, &reply));
  ExpectOrigin(reply, plane);
}

INSTANTIATE_TEST_SUITE_P(EndToEnd, Status, testing::ValuesIn(AllBroken()),
                         [](const testing::TestParamInfo<Broken>& info) {
                           return std::string(info.param.name);
                         });

// Without these arguments the client would wait 15 seconds for the resource.
TEST(EndToEnd, ArgumentsOfTheXdsClientReachTheOneOfTheProcesssBootstrap) {
  ControlPlane plane;
  plane.WriteFile("resources.json", Document({}));
  plane.Start();
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", plane.Bootstrap().c_str(), 1);
  Client client("xds:///greeter.example", "", {}, nullptr, kImpatience);
  const auto began = std::chrono::steady_clock::now();
  Reply reply;
  EXPECT_TRUE(FailsWith(&client, "LDS resource greeter.example: does not exist", &reply));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
}

// The channel has had no configuration yet, so the RPC is routed only when there is one.
TEST(EndToEnd, AnRpcThatBeginsBeforeTheFirstConfigurationIsRoutedWhenThereIsOne) {  // A31.1
  Backend a("a");
  ControlPlane plane;
  plane.WriteFile("resources.json", Document({}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap(), {}, nullptr, kImpatience);
  Reply reply;
  ASSERT_TRUE(FailsWith(&client, "LDS resource greeter.example: does not exist", &reply));
  CallOptions patient;
  patient.wait_for_ready = true;
  auto call = client.Start(patient);
  plane.WriteFile("resources.json", Document({RdsListener(), Routes(kToA), EdsCluster("a"),
                                              Endpoints("a", LocalityOf({a.port()}))}));
  EXPECT_EQ(call->Wait().name, "a") << call->Wait().status.error_message();
}

TEST(EndToEnd, AnUnreachableServerIsNamedWithTheNodeAndTheResource) {  // A57, A74.16
  const std::string server = "127.0.0.1:" + std::to_string(DeadPort());
  Client client("xds:///greeter.example",
                R"({"xds_servers":[{"server_uri":")" + server +
                    R"(","channel_creds":[{"type":"insecure"}]}],"node":{"id":"test-node"}})");
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  const std::string& message = reply.status.error_message();
  EXPECT_THAT(message, HasSubstr("LDS resource greeter.example: xDS channel for server " + server));
  EXPECT_EQ(CountOf(message, "(node ID:test-node)"), 1u) << message;
}

TEST(EndToEnd, AnAuthorityThatTheBootstrapLacksIsNamed) {  // A47
  ControlPlane plane;
  plane.Start();
  Client client("xds://nowhere.example/greeter.example", plane.Bootstrap());
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(reply.status.error_message(), HasSubstr("authority not found for nowhere.example"));
}

// ---- after good data ----

// A channel that has served RPCs with a good configuration, which the control plane then changes.
class AfterGoodData : public testing::Test {
 protected:
  void Start(const std::string& server_features = "") {
    plane_.WriteFile("resources.json", Good());
    plane_.Start();
    std::string bootstrap = plane_.Bootstrap();
    const std::string creds = R"("channel_creds")";
    bootstrap.insert(bootstrap.find(creds), R"("server_features":[)" + server_features + "],");
    client_ = std::make_unique<Client>("xds:///greeter.example", bootstrap);
    ASSERT_TRUE(client_->CallUntilAnsweredBy("a"));
  }
  std::string Good() const { return With(RdsListener(), Routes(kToA), EdsCluster("a"), Live()); }
  std::string Live() const { return Endpoints("a", LocalityOf({backend_.port()})); }
  static std::string With(const std::string& listener, const std::string& routes,
                          const std::string& cluster, const std::string& endpoints) {
    return Document({listener, routes, cluster, endpoints});
  }

  // RPCs fail with these words, and succeed again when the good configuration is back.
  void ExpectToFail(const std::string& resources, const std::string& words) {
    plane_.WriteFile("resources.json", resources);
    Reply reply;
    ASSERT_TRUE(FailsWith(client_.get(), words, &reply));
    ExpectOrigin(reply, plane_);
    // Every RPC fails in this way meanwhile.
    for (int i = 0; i < 10; ++i) {
      EXPECT_THAT(client_->Call().status.error_message(), HasSubstr(words));
    }
    plane_.WriteFile("resources.json", Good());
    EXPECT_TRUE(client_->CallUntil([](const Reply& r) { return r.name == "a"; }, true));
  }
  // The client receives the change, and RPCs go on. type: the type in the server's event.
  void ExpectToGoOn(const std::string& resources, const std::string& event,
                    const std::string& type) {
    const size_t mark = plane_.Mark();
    plane_.WriteFile("resources.json", resources);
    ASSERT_NE(plane_.Wait({"\"event\":\"" + event + "\"", type}, mark), "");
    EXPECT_EQ(client_->CallMany(50)["a"], 50);
    const size_t healed = plane_.Mark();
    plane_.WriteFile("resources.json", Good());
    ASSERT_NE(plane_.Wait({"\"event\":\"ack\"", type}, healed), "");
    EXPECT_EQ(client_->CallMany(5)["a"], 5);
  }

  Backend backend_{"a"};
  ControlPlane plane_;
  std::unique_ptr<Client> client_;
};

const char kBadRoute[] = R"({"route":{"cluster":"a"}})";
const char kDropsOnError[] = R"("fail_on_data_errors")";

TEST_F(AfterGoodData, ASocketListenerFailsRpcs) {  // A74.19
  Start();
  ExpectToFail(With(SocketListener(), Routes(kToA), EdsCluster("a"), Live()),
               "LDS resource greeter.example: not an API listener");
}

TEST_F(AfterGoodData, NoMatchingVirtualHostFailsRpcs) {  // A74.21
  Start();
  ExpectToFail(With(RdsListener(), Routes(VirtualHost(RouteTo("a"), "other.example")),
                    EdsCluster("a"), Live()),
               "RDS resource routes: no virtual host for greeter.example");
}

TEST_F(AfterGoodData, ADeletedListenerOrClusterIsAmbient) {  // A88
  Start();
  ExpectToGoOn(Document({Routes(kToA), EdsCluster("a"), Live()}), "ack", "v3.Listener\"");
  ExpectToGoOn(Document({RdsListener(), Routes(kToA), Live()}), "ack", "v3.Cluster\"");
}

TEST_F(AfterGoodData, ARejectedResourceIsAmbient) {  // A88
  Start();
  ExpectToGoOn(With(ListenerOf(""), Routes(kToA), EdsCluster("a"), Live()), "nack",
               "v3.Listener\"");
  ExpectToGoOn(With(RdsListener(), Routes(VirtualHost(kBadRoute)), EdsCluster("a"), Live()), "nack",
               "v3.RouteConfiguration\"");
  ExpectToGoOn(
      With(RdsListener(), Routes(kToA), EdsCluster("a"), Endpoints("a", LocalityOf({1}, 1))),
      "nack", "v3.ClusterLoadAssignment\"");
}

TEST_F(AfterGoodData, ADeletionFailsRpcsWhereTheBootstrapSaysSo) {  // A88
  Start(kDropsOnError);
  ExpectToFail(Document({Routes(kToA), EdsCluster("a"), Live()}),
               "LDS resource greeter.example: resource deleted");
  ExpectToFail(Document({RdsListener(), Routes(kToA), Live()}), "CDS resource a: resource deleted");
}

// The RPC waits for ready, and would wait forever.
TEST_F(AfterGoodData, AnRpcWhoseClusterIsDeletedIsDropped) {  // A31.10, A31.20
  Start(kDropsOnError);
  const std::string slow_routes = VirtualHost(RouteTo("slow", "/test.Slow/") + "," + RouteTo("a"));
  plane_.WriteFile("resources.json",
                   Document({RdsListener(), Routes(slow_routes), EdsCluster("a"), Live(),
                             EdsCluster("slow"), Endpoints("slow", LocalityOf({DeadPort()}))}));
  Reply failed;
  EXPECT_TRUE(client_->CallUntil(
      [&](const Reply&) {
        failed = client_->Call({}, "/test.Slow/Name");
        return failed.status.error_message().find("(cluster slow)") != std::string::npos;
      },
      true));
  CallOptions patient;
  patient.wait_for_ready = true;
  auto call = client_->Start(patient, "/test.Slow/Name");
  plane_.WriteFile("resources.json", Good());
  Reply reply = call->Wait();
  EXPECT_THAT(reply.status.error_message(), HasSubstr("CDS resource slow: resource deleted"));
  ExpectOrigin(reply, plane_);
}

// The host does not route such an RPC again, so it would wait forever. It learns of the failure a
// moment before it forgets the routes: an RPC that begins in between succeeds, and is made again.
TEST_F(AfterGoodData, AnRpcThatBeganWithoutAConfigurationIsDroppedWhenThereIsOne) {  // A31.12
  Start();
  CallOptions patient;
  patient.wait_for_ready = true;
  Reply reply;
  for (int i = 0; i < 10 && reply.status.ok(); ++i) {
    plane_.WriteFile("resources.json",
                     With(SocketListener(), Routes(kToA), EdsCluster("a"), Live()));
    Reply failed;
    ASSERT_TRUE(FailsWith(client_.get(), "not an API listener", &failed));
    auto call = client_->Start(patient);
    plane_.WriteFile("resources.json", Good());
    reply = call->Wait();
    EXPECT_TRUE(client_->CallUntilAnsweredBy("a"));
  }
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(reply.status.error_message(), HasSubstr("the RPC has no route"));
}

TEST_F(AfterGoodData, ARejectionFailsRpcsWhereTheBootstrapSaysSo) {  // A88
  Start(kDropsOnError);
  ExpectToFail(With(ListenerOf(""), Routes(kToA), EdsCluster("a"), Live()),
               "LDS resource greeter.example: invalid resource: ");
  ExpectToFail(With(RdsListener(), Routes(VirtualHost(kBadRoute)), EdsCluster("a"), Live()),
               "RDS resource routes: invalid resource: ");
  ExpectToFail(
      With(RdsListener(), Routes(kToA), EdsCluster("a"), Endpoints("a", LocalityOf({1}, 1))),
      "EDS resource a: invalid resource: ");
}

TEST_F(AfterGoodData, AChangeOfShapeIsFollowed) {  // A74.3, A74.5
  Start();
  Backend b("b");
  const std::string to_b = VirtualHost(RouteTo("b"));
  const std::string b_cluster = EdsCluster("b");
  const std::string b_endpoints = Endpoints("b", LocalityOf({b.port()}));
  auto expect_b = [&](const std::vector<std::string>& resources) {
    plane_.WriteFile("resources.json", Document(resources));
    EXPECT_TRUE(client_->CallUntilAnsweredBy("b"));
  };
  auto expect_a = [&] {
    plane_.WriteFile("resources.json", Good());
    EXPECT_TRUE(client_->CallUntilAnsweredBy("a"));
  };
  // Changes the name of the routes, moves them into the listener and back, and replaces a leaf with
  // an aggregate and back. No RPC fails.
  expect_b({RdsListener("other"), Routes(to_b, "other"), b_cluster, b_endpoints});
  expect_a();
  expect_b({InlineListener(to_b), b_cluster, b_endpoints});
  expect_a();
  expect_b({RdsListener(), Routes(kToA), AggregateCluster("a", R"("b")"), b_cluster, b_endpoints});
  expect_a();
}

// ---- without a control plane ----

struct LeafPolicy {
  const char* name;
  std::string more;  // of the cluster
};

LeafPolicy ByList(const char* name, const std::string& type, const std::string& fields = "") {
  return {name, "," + LbPolicy(PolicyConfig(type, fields))};
}

std::vector<LeafPolicy> AllLeafPolicies() {
  return {
      {"RoundRobin", ""},
      {"RingHash", R"(,"lb_policy":"RING_HASH")"},
      {"LeastRequest", R"(,"lb_policy":"LEAST_REQUEST")"},
      ByList("WeightedRoundRobin",
             "client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin"),
      ByList("PickFirst", "pick_first.v3.PickFirst"),
      ByList("ShuffledPickFirst", "pick_first.v3.PickFirst", R"(,"shuffle_address_list":true)"),
  };
}

class ControlPlaneThatIsGone : public testing::TestWithParam<LeafPolicy> {};

TEST_P(ControlPlaneThatIsGone, IsReportedWithItsTimeByRpcsThatFail) {  // A88.18, A88.22
  ControlPlane plane;
  auto backend = std::make_unique<Backend>("a");
  plane.WriteFile("resources.json",
                  Document({RdsListener(), Routes(kToA), EdsCluster("a", "", GetParam().more),
                            Endpoints("a", LocalityOf({backend->port()}))}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  plane.Kill();
  backend.reset();
  Reply reply;
  ASSERT_TRUE(FailsWith(&client, ", unreachable since 20", &reply)) << reply.status.error_message();
  const std::string& message = reply.status.error_message();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(message, HasSubstr(" (cluster a): "));
  EXPECT_THAT(message, HasSubstr("EDS resource a: xDS channel for server 127.0.0.1:" +
                                 std::to_string(plane.port()) + ": "));
  EXPECT_EQ(CountOf(message, "(node ID:test-node)"), 1u) << message;
}

INSTANTIATE_TEST_SUITE_P(EndToEnd, ControlPlaneThatIsGone, testing::ValuesIn(AllLeafPolicies()),
                         [](const testing::TestParamInfo<LeafPolicy>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace gxds_test
