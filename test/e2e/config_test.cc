// Events of the control plane on a running channel: changes, bad resources, missing resources,
// restarts.
#include <cstdlib>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(EndToEnd, ARouteThatMovesToAnotherClusterFailsNoRpc) {
  Backend a("a"), b("b");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  mesh.clusters.push_back({"b", {{"b", 1, 0, {b.port()}}}, {}, -1, true, true});
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (int i = 0; i < 5; ++i) {
    mesh.routes[0].cluster = "a";
    plane.Set(mesh);
    ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
    mesh.routes[0].cluster = "b";
    plane.Set(mesh);
    ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  }
}

TEST(EndToEnd, RoutesAreMatchedInOrderByPath) {  // A28.6
  Backend a("a"), b("b");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  mesh.clusters.push_back({"b", {{"b", 1, 0, {b.port()}}}, {}, -1, true, true});
  mesh.routes = {{"/test.Echo/", "b"}, {"", "a"}};
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(client.Call({}, "/test.Echo/Name").name, "b");
  EXPECT_EQ(client.Call({}, "/other.Service/Name").name, "a");
}

// A GRPCRoute by service, withoutHeaders by value, and matches of method and authority.
TEST(EndToEnd, RoutesAsIstioMakesThemAreMatched) {
  Backend a("a"), b("b"), c("c"), d("d");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  for (Backend* other : {&b, &c, &d}) {
    mesh.clusters.push_back(
        {other->name(), {{other->name(), 1, 0, {other->port()}}}, {}, -1, true, true});
  }
  auto route = [](const std::string& cluster, const std::string& match) {
    Route r;
    r.cluster = cluster;
    r.match = "{" + match + "}";
    return r;
  };
  mesh.routes = {
      route("b", R"("path_separated_prefix":"/test.Echo")"),
      route("a", R"("prefix":"/","headers":[{"name":":method","string_match":{"exact":"GET"}}])"),
      route("c", R"("prefix":"/","headers":[{"name":":authority","string_match":{"exact":"c"}}])"),
      route("d", R"("prefix":"/","headers":[{"name":"user","string_match":{"exact":"bob"},)"
                 R"("invert_match":true,"treat_missing_header_as_empty":true},)"
                 R"({"name":":method","string_match":{"exact":"POST"}},)"
                 R"({"name":":authority","string_match":{"exact":"greeter.example"}}])"),
      route("a", R"("prefix":"/")")};
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  CallOptions bob;
  bob.metadata = {{"user", "bob"}};
  CallOptions amy;
  amy.metadata = {{"user", "amy"}};
  CallOptions to_c;
  to_c.authority = "c";
  EXPECT_EQ(client.Call(bob, "/test.Echo/Name").name, "b");
  EXPECT_EQ(client.Call(bob, "/test.EchoTwo/Name").name, "a");
  EXPECT_EQ(client.Call(amy, "/test.EchoTwo/Name").name, "d");
  EXPECT_EQ(client.Call({}, "/test.EchoTwo/Name").name, "d");
  EXPECT_EQ(client.Call(to_c, "/test.EchoTwo/Name").name, "c");
}

TEST(EndToEnd, AnRpcThatNoRouteMatchesSaysSo) {  // A28.12, A31.2, A54.4
  Backend a("a");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  mesh.routes = {{"/test.Echo/", "a"}};
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_TRUE(client.Call().status.ok());
  Reply reply = client.Call({}, "/other.Service/Name");
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Contains(reply.status.error_message(), "No matching route found"))
      << reply.status.error_message();
}

// Such as a host that has only routes for HTTP.
TEST(EndToEnd, AVirtualHostWithoutARouteForGrpcFailsItsRpcs) {
  Backend a("a");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  const auto good = mesh.routes;
  mesh.routes = {{"/api/v1/users", "a"}};
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Contains(reply.status.error_message(), "No matching route found"))
      << reply.status.error_message();
  mesh.routes = good;
  plane.Set(mesh);
  EXPECT_TRUE(client.CallUntil([](const Reply& r) { return r.status.ok(); }, true));
}

TEST(EndToEnd, ARejectedUpdateIsNackedAndTrafficGoesOn) {  // A46.2
  Backend a("a");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.Call().status.ok());
  Mesh bad = mesh;
  bad.clusters[0].localities[0].priority = 1;  // an error, since there is no priority 0
  plane.Set(bad);
  const std::string nack = plane.Wait({"\"event\":\"nack\""});
  EXPECT_TRUE(Contains(nack, "xDS response validation errors")) << nack;
  EXPECT_TRUE(Contains(nack, "priority 0 empty")) << nack;
  client.CallMany(50);
  // The next good update is accepted.
  Backend b("b");
  Mesh good = SimpleMesh({&b});
  plane.Set(good);
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(EndToEnd, AControlPlaneThatRestartsIsFoundAgain) {  // A57.7
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  plane.Kill();
  client.CallMany(100);
  plane.Set(SimpleMesh({&b}));
  plane.Start();
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(EndToEnd, ChannelsOfOneTargetShareAStream) {  // A71.1
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", plane.Bootstrap().c_str(), 1);
  {
    Client one("xds:///greeter.example", "");
    Client two("xds:///greeter.example", "");
    EXPECT_EQ(one.Call().name, "a");
    EXPECT_EQ(two.Call().name, "a");
    EXPECT_EQ(plane.Count({"\"event\":\"stream_open\"", "\"service\":\"ads\""}), 1u);
  }
  // When the last channel is gone, the stream is closed.
  EXPECT_NE(plane.Wait({"\"event\":\"stream_close\"", "\"service\":\"ads\""}), "");
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
}

// Whether the channel becomes IDLE.
bool BecomesIdle(grpc::Channel* channel) {
  const auto deadline = std::chrono::system_clock::now() + kPatience;
  for (grpc_connectivity_state state; (state = channel->GetState(false)) != GRPC_CHANNEL_IDLE;) {
    if (!channel->WaitForStateChange(state, deadline)) return false;
  }
  return true;
}

TEST(EndToEnd, AChannelThatNobodyUsesBecomesIdleAndComesBack) {
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_CLIENT_IDLE_TIMEOUT_MS, 1);
  Client client("xds:///greeter.example", plane.Bootstrap(), args);
  EXPECT_EQ(client.Call().name, "a");
  ASSERT_TRUE(BecomesIdle(client.channel()));
  EXPECT_NE(plane.Wait({"\"event\":\"stream_close\"", "\"service\":\"ads\""}), "");
  plane.Set(SimpleMesh({&b}));
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(EndToEnd, TheBootstrapIsReadForTheFirstChannelOfATarget) {  // A71
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", plane.Bootstrap().c_str(), 1);
  Client one("xds:///greeter.example", "");
  EXPECT_EQ(one.Call().name, "a");
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  Client two("xds:///greeter.example", "");
  EXPECT_EQ(two.Call().name, "a");
  Client other("xds:///other.example", "");
  EXPECT_NE(other.Call().status.error_message().find("GRPC_XDS_BOOTSTRAP_CONFIG"),
            std::string::npos);
}

TEST(EndToEnd, WithoutABootstrapTheStatusSaysWhatWasLookedFor) {
  unsetenv("GRPC_XDS_BOOTSTRAP");
  unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  Client client("xds:///greeter.example", "");
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Contains(reply.status.error_message(), "GRPC_XDS_BOOTSTRAP"))
      << reply.status.error_message();
  EXPECT_TRUE(Contains(reply.status.error_message(), "GRPC_XDS_BOOTSTRAP_CONFIG"))
      << reply.status.error_message();
}

TEST(EndToEnd, TheStatusHasAllErrorsOfTheBootstrap) {
  Client client("xds:///greeter.example",
                R"({"xds_servers":[{"server_uri":1,"channel_creds":[{"type":"nonsense"}]}]})");
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Contains(reply.status.error_message(), "xds_servers[0].server_uri"))
      << reply.status.error_message();
  EXPECT_TRUE(Contains(reply.status.error_message(), "xds_servers[0].channel_creds"))
      << reply.status.error_message();
}

TEST(EndToEnd, AnUnreachableControlPlaneFailsRpcsWithItsName) {  // A74.18, A57.5, A57.6, A88.21
  int port;
  { port = Backend("gone").port(); }
  const std::string server = "127.0.0.1:" + std::to_string(port);
  Client client("xds:///greeter.example", R"({"xds_servers":[{"server_uri":")" + server +
                                              R"(","channel_creds":[{"type":"insecure"}]}]})");
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Contains(reply.status.error_message(), server)) << reply.status.error_message();
}

// A cluster with a queued RPC is removed, and the RPC's deadline passes. The host's own resolver
// then releases the cluster while it holds a mutex that the release needs.
TEST(EndToEnd, AQueuedRpcWhoseClusterGoesAwayDoesNotHangTheChannel) {  // A31.3
  Backend a("a"), b("b");
  ControlPlane plane;
  Mesh mesh;
  // Soon nobody listens on the port. The call is queued while the channel retries the connection.
  int dead_port;
  { dead_port = Backend("dead").port(); }
  mesh.routes = {{"/test.Slow/", "slow"}, {"", "a"}};
  mesh.clusters.push_back({"slow", {{"z", 1, 0, {dead_port}}}, {}, -1, true, true});
  mesh.clusters.push_back({"a", {{"a", 1, 0, {a.port()}}}, {}, -1, true, true});
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  CallOptions queued;
  queued.wait_for_ready = true;
  queued.timeout = std::chrono::milliseconds(1500);
  auto call = client.Start(queued, "/test.Slow/Name");
  mesh.routes = {{"", "a"}};
  mesh.clusters.erase(mesh.clusters.begin());
  plane.Set(mesh);
  EXPECT_EQ(call->Wait().status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  mesh.clusters[0].localities[0] = {"b", 1, 0, {b.port()}};
  plane.Set(mesh);
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(EndToEnd, AnIdleSynchronousClientTakesUpdatesIn) {
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.Call().status.ok());
  const size_t mark = plane.Mark();
  plane.Set(SimpleMesh({&b}));
  // The client acknowledges the update although it makes no call.
  EXPECT_NE(plane.Wait({"\"event\":\"ack\"", "ClusterLoadAssignment"}, mark), "");
}

TEST(EndToEnd, AChannelThatIsNotUsedToTheEndLeavesNothingBehind) {
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  for (int i = 0; i < 5; ++i) {
    Client client("xds:///greeter.example", plane.Bootstrap());
    if (i % 2 == 0) client.channel()->GetState(true);  // the channel is destroyed while it resolves
  }
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(client.Call().name, "a");
}

}  // namespace
}  // namespace gxds_test
