// Which backends RPCs go to, and that load reports count them, through real channels.
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// The allowed relative difference of a share from its weight over 10,000 RPCs.
constexpr double kTolerance = 0.03;

TEST(EndToEnd, AnRpcReachesTheEndpointThatTheControlPlaneNames) {
  Backend backend("b");
  ControlPlane plane;
  plane.Set(SimpleMesh({&backend}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  Reply reply = client.Call();
  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  EXPECT_EQ(reply.name, "b");
}

TEST(EndToEnd, ThePortIsPartOfTheNameInBothFormsOfATarget) {  // A27.9
  Backend backend("b");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&backend});
  mesh.service = "greeter.example:123";
  plane.Set(mesh);
  plane.Start();
  for (const char* target : {"xds:greeter.example:123", "xds:///greeter.example:123"}) {
    Client client(target, plane.Bootstrap());
    EXPECT_EQ(client.Call().name, "b") << target;
  }
}

TEST(EndToEnd, SharesFollowLocalityWeightsAndLoadReportsCountExactly) {  // A27.42
  Backend a("zone-a"), b("zone-b"), c("zone-c");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a, &b, &c});
  const std::map<std::string, double> weights = {{"zone-a", 10}, {"zone-b", 30}, {"zone-c", 60}};
  for (Locality& l : mesh.clusters[0].localities) {
    l.weight = static_cast<unsigned>(weights.at(l.zone));
  }
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  // All three are connected before the count begins.
  for (const auto& [zone, weight] : weights) ASSERT_TRUE(client.CallUntilAnsweredBy(zone));
  const long before = client.made();
  std::map<std::string, long> answered = client.CallMany(10000);
  for (const auto& [zone, weight] : weights) {
    const double share = static_cast<double>(answered[zone]) / 10000;
    EXPECT_NEAR(share, weight / 100, kTolerance * weight / 100) << zone;
  }
  // LRS counts attempts. Without retries there is one attempt for each call.
  ASSERT_TRUE(plane.WaitForIssued(client.made())) << client.made();
  long issued = 0;
  for (const auto& [where, load] : plane.Loads()) {
    issued += load.issued;
    EXPECT_EQ(load.issued, load.successful) << where.second;
    EXPECT_EQ(load.error, 0) << where.second;
    EXPECT_EQ(load.in_progress, 0) << where.second;
    EXPECT_GE(load.issued, answered[where.second]) << where.second;
  }
  EXPECT_EQ(issued, before + 10000);
  EXPECT_EQ(a.calls() + b.calls() + c.calls(), issued);
}

TEST(EndToEnd, LoadReportsCountSuccessFailureAndProgress) {  // A27.43
  Backend backend("b");
  ControlPlane plane;
  plane.Set(SimpleMesh({&backend}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.Call().status.ok());
  backend.FailWith(grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(client.Call().status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  backend.FailWith(grpc::StatusCode::OK);
  backend.Hold();
  auto held = client.Start();
  ASSERT_TRUE(backend.WaitForHeld(1));
  ASSERT_TRUE(plane.WaitForIssued(3));
  Load load = plane.Loads()[{"a", "b"}];
  EXPECT_EQ(load.successful, 1);
  EXPECT_EQ(load.error, 1);
  EXPECT_EQ(load.in_progress, 1);
  EXPECT_EQ(load.issued, 3);
  backend.Release();
  EXPECT_TRUE(held->Wait().status.ok());
}

// A server that is killed has received every report sent to it. RPCs counted after that, and RPCs
// that end later, are reported once to the next server.
TEST(EndToEnd, LoadReportsLoseAndRepeatNothingWhenTheControlPlaneRestarts) {
  Backend backend("b");
  ControlPlane plane;
  plane.Set(SimpleMesh({&backend}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  client.CallMany(20);
  backend.Hold();
  auto held = client.Start();
  ASSERT_TRUE(backend.WaitForHeld(1));
  ASSERT_TRUE(plane.WaitForIssued(21));
  EXPECT_EQ((plane.Loads()[{"a", "b"}].successful), 20);
  plane.Kill();
  backend.Release();
  EXPECT_TRUE(held->Wait().status.ok());
  client.CallMany(30);
  plane.Start();
  ASSERT_TRUE(plane.WaitForIssued(30));
  client.CallMany(5);
  ASSERT_TRUE(plane.WaitForIssued(35));
  // The report after that is empty.
  ASSERT_NE(plane.Wait({"\"event\":\"load\""}, plane.Mark()), "");
  const Load load = plane.Loads()[{"a", "b"}];
  EXPECT_EQ(load.issued, 35);
  EXPECT_EQ(load.successful, 36);
  EXPECT_EQ(load.error, 0);
  EXPECT_EQ(load.in_progress, 0);
}

TEST(EndToEnd, DropsAreCountedByCategory) {  // A27.39
  Backend backend("b");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&backend});
  mesh.clusters[0].drops = {{"throttle", 100}};
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (int i = 0; i < 10; ++i) {
    Reply reply = client.Call();
    EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(reply.status.error_message().rfind("EDS-configured drop: throttle ", 0), 0u);
  }
  ASSERT_NE(plane.Wait({"\"event\":\"load\"", "\"throttle\""}), "");
  std::map<std::pair<std::string, std::string>, long> drops;
  for (const auto until = std::chrono::steady_clock::now() + kPatience;
       std::chrono::steady_clock::now() < until;) {
    size_t mark = plane.Mark();
    drops = plane.Drops();
    if (drops[{"a", "throttle"}] >= 10) break;
    plane.Wait({"\"event\":\"load\""}, mark);
  }
  EXPECT_EQ((drops[{"a", "throttle"}]), 10);
  EXPECT_EQ((drops[{"a", ""}]), 10);
  EXPECT_EQ(backend.calls(), 0);
}

TEST(EndToEnd, CircuitBreakerDropsWhatExceedsItsLimit) {  // A32.5
  Backend backend("b");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&backend});
  mesh.clusters[0].name = "breaker";
  mesh.routes[0].cluster = "breaker";
  mesh.clusters[0].max_requests = 2;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.Call().status.ok());
  backend.Hold();
  auto first = client.Start();
  auto second = client.Start();
  ASSERT_TRUE(backend.WaitForHeld(2));
  Reply third = client.Call();
  EXPECT_EQ(third.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(third.status.error_message().rfind("circuit breaker drop ", 0), 0u);
  backend.Release();
  EXPECT_TRUE(first->Wait().status.ok());
  EXPECT_TRUE(second->Wait().status.ok());
  // The counter goes down only when the call has also ended on the client's side.
  EXPECT_TRUE(client.CallUntil([](const Reply& r) { return r.status.ok(); }, true));
}

TEST(EndToEnd, FailoverFromAPriorityThatIsEmptiedFailsNoRpc) {  // A56
  Backend first("first"), second("second");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&first, &second});
  mesh.clusters[0].localities[1].priority = 1;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("first"));
  Mesh emptied = mesh;
  emptied.clusters[0].localities[0].ports.clear();
  plane.Set(emptied);
  ASSERT_TRUE(client.CallUntilAnsweredBy("second"));
  plane.Set(mesh);
  ASSERT_TRUE(client.CallUntilAnsweredBy("first"));
}

TEST(EndToEnd, FailoverFromADeadPriorityLosesOnlyWhatWasOnTheWire) {  // A27.41, A56
  auto first = std::make_unique<Backend>("first");
  Backend second("second");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({first.get(), &second});
  mesh.clusters[0].localities[1].priority = 1;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("first"));
  // No call is on the wire when the backend dies, so none may fail. Until the client has seen that
  // the connection broke, a call would still be written to it.
  grpc::CompletionQueue states;
  client.channel()->NotifyOnStateChange(
      GRPC_CHANNEL_READY, std::chrono::system_clock::now() + kPatience, &states, nullptr);
  first->Stop();
  void* tag;
  bool changed = false;
  ASSERT_TRUE(states.Next(&tag, &changed));
  ASSERT_TRUE(changed);
  EXPECT_TRUE(client.CallUntilAnsweredBy("second"));
  client.CallMany(200);
}

TEST(EndToEnd, PriorityThatLeavesAndReturnsHasItsConnections) {  // A56.12, A56.13
  Backend first("first"), second("second"), third("third");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&first, &second, &third});
  mesh.clusters[0].localities[1].priority = 1;
  mesh.clusters[0].localities[2].priority = 2;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("first"));
  // The localities of the other two move up, those of the first are gone.
  Mesh without = mesh;
  without.clusters[0].localities.erase(without.clusters[0].localities.begin());
  without.clusters[0].localities[0].priority = 0;
  without.clusters[0].localities[1].priority = 1;
  for (int round = 0; round < 3; ++round) {
    plane.Set(without);
    ASSERT_TRUE(client.CallUntilAnsweredBy("second"));
    const long calls = first.calls();
    EXPECT_EQ(client.CallMany(20)["second"], 20);
    EXPECT_EQ(first.calls(), calls) << "a child that is kept gets no picks";
    plane.Set(mesh);
    ASSERT_TRUE(client.CallUntilAnsweredBy("first"));
  }
  EXPECT_EQ(first.connections(), 1u);
  EXPECT_EQ(second.connections(), 1u);
  EXPECT_EQ(third.connections(), 0u);
}

TEST(EndToEnd, UpdatesThatChangeNoEndpointMakeNoNewConnection) {
  Backend a("zone-a"), b("zone-b");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a, &b});
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("zone-a"));
  ASSERT_TRUE(client.CallUntilAnsweredBy("zone-b"));
  for (unsigned i = 0; i < 10; ++i) {
    const size_t mark = plane.Mark();
    // Weights, drops and the breaker change; no endpoint does.
    mesh.clusters[0].localities[0].weight = i + 2;
    mesh.clusters[0].max_requests = static_cast<int>(2000 + i);
    plane.Set(mesh);
    ASSERT_NE(plane.Wait({"\"event\":\"ack\"", "ClusterLoadAssignment"}, mark), "");
    client.CallMany(20);
  }
  EXPECT_EQ(a.connections(), 1u);
  EXPECT_EQ(b.connections(), 1u);
}

}  // namespace
}  // namespace gxds_test
