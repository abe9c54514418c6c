// Config tears (A74): RPCs while a route has moved to a cluster that has not arrived yet. The same
// scenarios run on the plugin and, for comparison, built without it on the host's own xDS. The host
// uses the route at once, and RPCs wait for the cluster.
#include <algorithm>
#include <iostream>

#include "test/e2e/e2e.h"
#include "test/e2e/resources_json.h"

namespace gxds_test {
namespace {

#ifdef WITHOUT_PLUGIN
constexpr bool kTears = true;
#else
constexpr bool kTears = false;
#endif

// Long for an RPC on loopback, short for a test that sees RPCs wait.
constexpr std::chrono::milliseconds kDeadline{1000};
constexpr int kCalls = 100;

// Prints the time of the longest RPC, and of the first RPC on a new connection to that backend.
void PrintTimes(std::chrono::microseconds longest, const Backend& backend) {
  Client fresh("ipv4:127.0.0.1:" + std::to_string(backend.port()), "");
  Reply first = fresh.Call();
  EXPECT_TRUE(first.status.ok()) << first.status.error_message();
  std::cout << "the longest RPC took " << longest.count() << " us; the first of a new connection "
            << first.took.count() << " us\n";
}

class Tear : public testing::Test {
 protected:
  Tear() {
    mesh_ = SimpleMesh({&a_});
    plane_.Set(mesh_);
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap());
    EXPECT_TRUE(client_->CallUntilAnsweredBy("a"));
  }

  // Checks RPCs while the client has received the change and waits for the missing resource.
  void CheckWhileWaiting() {
    CallOptions options;
    options.timeout = kDeadline;
    if (kTears) {
      Reply reply = client_->Call(options);
      EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
      longest_ = reply.took;
      return;
    }
    for (int i = 0; i < kCalls; ++i) {
      Reply reply = client_->Call(options);
      ASSERT_TRUE(reply.status.ok()) << reply.status.error_message();
      ASSERT_EQ(reply.name, "a");
      longest_ = std::max(longest_, reply.took);
    }
  }
  // The late resource has arrived: RPCs go to b.
  void CheckArrival() {
    EXPECT_TRUE(client_->CallUntil([&](const Reply& reply) {
      longest_ = std::max(longest_, reply.took);
      return reply.name == "b";
    }));
    PrintTimes(longest_, b_);
  }

  Cluster B() const { return {"b", {{"b", 1, 0, {b_.port()}}}, {}, -1, true, true}; }

  Backend a_{"a"};
  Backend b_{"b"};
  ControlPlane plane_;
  Mesh mesh_;
  std::unique_ptr<Client> client_;
  std::chrono::microseconds longest_{0};
};

TEST_F(Tear, ARouteToAClusterThatIsLateMakesNoRpcWait) {  // A74.9, A74.10
  const size_t mark = plane_.Mark();
  mesh_.routes[0].cluster = "b";
  plane_.Set(mesh_);
  ASSERT_NE(plane_.Wait({"\"event\":\"subscribed\"", "v3.Cluster\"", "\"b\""}, mark), "");
  CheckWhileWaiting();
  mesh_.clusters.push_back(B());
  plane_.Set(mesh_);
  CheckArrival();
}

TEST_F(Tear, ARouteToAClusterWhoseEndpointsAreLateMakesNoRpcWait) {  // A74.11
  const size_t mark = plane_.Mark();
  mesh_.routes[0].cluster = "b";
  mesh_.clusters.push_back(B());
  mesh_.clusters[1].with_endpoints = false;
  plane_.Set(mesh_);
  ASSERT_NE(plane_.Wait({"\"event\":\"subscribed\"", "ClusterLoadAssignment\"", "\"b\""}, mark),
            "");
  CheckWhileWaiting();
  mesh_.clusters[1].with_endpoints = true;
  plane_.Set(mesh_);
  CheckArrival();
}

// One part of the configuration changes, and a resource that it needs is late.
class LatePart : public testing::Test {
 protected:
  // Connects with the resources that are served now.
  void Connect() {
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap());
    ASSERT_TRUE(client_->CallUntilAnsweredBy("a"));
  }
  void Serve(std::vector<std::string> resources, const std::string& route_to) {
    resources.push_back(RdsListener());
    resources.push_back(Routes(VirtualHost(RouteTo(route_to))));
    plane_.WriteFile("resources.json", Document(resources));
  }
  // RPCs go on while the client waits for the late resource, which has that type and name. When it
  // arrives, they move to b. No RPC fails, and none waits for more than a connection. This holds on
  // the host too.
  void ExpectNoTear(const std::vector<std::string>& without, const std::string& late,
                    const std::string& route_to, const std::string& type, const std::string& name) {
    const size_t mark = plane_.Mark();
    Serve(without, route_to);
    ASSERT_NE(plane_.Wait({"\"event\":\"subscribed\"", type, "\"" + name + "\""}, mark), "");
    CallOptions options;
    options.timeout = kDeadline;
    std::chrono::microseconds longest{0};
    for (int i = 0; i < kCalls; ++i) {
      Reply reply = client_->Call(options);
      ASSERT_TRUE(reply.status.ok()) << reply.status.error_message();
      ASSERT_EQ(reply.name, "a");
      longest = std::max(longest, reply.took);
    }
    std::vector<std::string> all = without;
    all.push_back(late);
    Serve(all, route_to);
    EXPECT_TRUE(client_->CallUntil([&](const Reply& reply) {
      longest = std::max(longest, reply.took);
      return reply.name == "b";
    }));
    PrintTimes(longest, b_);
  }

  Backend a_{"a"};
  Backend b_{"b"};
  ControlPlane plane_;
  std::unique_ptr<Client> client_;
};

TEST_F(LatePart, EndpointsOfAnotherServiceNameMakeNoRpcWait) {  // A74.11
  Serve({EdsCluster("a"), Endpoints("a", LocalityOf({a_.port()}))}, "a");
  Connect();
  ExpectNoTear({EdsCluster("a", "other"), Endpoints("a", LocalityOf({a_.port()}))},
               Endpoints("other", LocalityOf({b_.port()})), "a", "ClusterLoadAssignment\"",
               "other");
}

TEST_F(LatePart, AnotherClusterOfAnAggregateMakesNoRpcWait) {  // A74.10
  const std::string a = EdsCluster("a");
  const std::string a_endpoints = Endpoints("a", LocalityOf({a_.port()}));
  Serve({AggregateCluster("both", R"("a")"), a, a_endpoints}, "both");
  Connect();
  ExpectNoTear({AggregateCluster("both", R"("b","a")"), a, a_endpoints, EdsCluster("b")},
               Endpoints("b", LocalityOf({b_.port()})), "both", "ClusterLoadAssignment\"", "b");
}

#ifndef WITHOUT_PLUGIN
// The old list still needs the old endpoints of its cluster.
TEST_F(LatePart, AClusterThatIsEmptiedWhileItsAggregateWaitsMakesNoRpcFail) {  // A74.10
  const std::string a = EdsCluster("a");
  Serve({AggregateCluster("both", R"("a")"), a, Endpoints("a", LocalityOf({a_.port()}))}, "both");
  Connect();
  ExpectNoTear({AggregateCluster("both", R"("a","b")"), a, Endpoints("a", ""), EdsCluster("b")},
               Endpoints("b", LocalityOf({b_.port()})), "both", "ClusterLoadAssignment\"", "b");
}

// While a new route waits for its cluster, the old route's cluster still receives updates.
TEST_F(Tear, EndpointsOfTheOldRouteChangeWhileTheNewOneWaits) {  // A74.10
  Backend other("other");
  const size_t mark = plane_.Mark();
  mesh_.routes[0].cluster = "b";
  plane_.Set(mesh_);
  ASSERT_NE(plane_.Wait({"\"event\":\"subscribed\"", "v3.Cluster\"", "\"b\""}, mark), "");
  mesh_.clusters[0].localities[0].ports = {other.port()};
  plane_.Set(mesh_);
  EXPECT_TRUE(client_->CallUntilAnsweredBy("other"));
  mesh_.clusters.push_back(B());
  plane_.Set(mesh_);
  EXPECT_TRUE(client_->CallUntilAnsweredBy("b"));
}

TEST_F(Tear, AnEndpointOfTheOldRouteDiesWhileTheNewOneWaits) {  // A74.10
  Backend other("other");
  const size_t mark = plane_.Mark();
  mesh_.routes[0].cluster = "b";
  plane_.Set(mesh_);
  ASSERT_NE(plane_.Wait({"\"event\":\"subscribed\"", "v3.Cluster\"", "\"b\""}, mark), "");
  mesh_.clusters[0].localities[0].ports = {other.port()};
  plane_.Set(mesh_);
  EXPECT_TRUE(client_->CallUntilAnsweredBy("other"));
  a_.Stop();
  for (int i = 0; i < kCalls; ++i) {
    Reply reply = client_->Call();
    ASSERT_TRUE(reply.status.ok()) << reply.status.error_message();
    ASSERT_EQ(reply.name, "other");
  }
  mesh_.clusters.push_back(B());
  plane_.Set(mesh_);
  EXPECT_TRUE(client_->CallUntilAnsweredBy("b"));
}
#endif

}  // namespace
}  // namespace gxds_test
