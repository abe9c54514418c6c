// More endpoints than may connect at a time, and more clusters than are made at a time, through
// real channels.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// Several times the attempts that are allowed at a time (lb_policies/pace/pace.h).
constexpr int kMany = 300;

// Ports below 1024 of this machine, where nothing speaks HTTP/2.
std::vector<int> Refusing(int count) {
  std::vector<int> ports;
  for (int port = 650; port < 650 + count; ++port) ports.push_back(port);
  return ports;
}

Mesh MeshOf(std::vector<int> ports) {
  Mesh mesh = SimpleMesh({});
  mesh.clusters[0].localities = {{"z", 1, 0, std::move(ports)}};
  return mesh;
}

TEST(Many, EndpointsThatRefuseKeepNobodyFromTheOneThatServes) {
  Backend a("a");
  ControlPlane plane;
  std::vector<int> ports = Refusing(kMany);
  ports.push_back(a.port());
  plane.Set(MeshOf(ports));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(client.CallMany(50)["a"], 50);
  EXPECT_EQ(a.connections(), 1u);
}

TEST(Many, RpcsGoOnWhileEndpointsComeByTheHundred) {
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(MeshOf({a.port()}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(client.Call().name, "a");
  std::vector<int> ports = Refusing(kMany);
  ports.push_back(a.port());
  ports.push_back(b.port());
  plane.Set(MeshOf(ports));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));  // a failed RPC fails the test
  std::reverse(ports.begin(), ports.end());
  ports.resize(kMany / 2);
  plane.Set(MeshOf(ports));
  EXPECT_EQ(client.CallMany(50)[""], 0);
  EXPECT_EQ(a.connections(), 1u);
}

TEST(Many, EndpointsFailTogetherWhenTheLastOfThemHas) {
  ControlPlane plane;
  plane.Set(MeshOf(Refusing(kMany)));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_NE(reply.status.error_message().find("connections to all backends failing"),
            std::string::npos)
      << reply.status.error_message();
}

// Clusters "c0", "c1", …. The last clusters have a backend each, the last cluster the first
// backend. All other endpoints refuse connections.
Mesh Clusters(int count, const std::vector<Backend*>& backends) {
  Mesh mesh;
  for (int i = 0; i < count; ++i) {
    const std::string name = "c" + std::to_string(i);
    std::vector<int> ports = Refusing(3);
    const size_t from_the_end = static_cast<size_t>(count - 1 - i);
    if (from_the_end < backends.size()) ports.push_back(backends[from_the_end]->port());
    Cluster cluster;
    cluster.name = name;
    cluster.localities = {{"z", 1, 0, std::move(ports)}};
    mesh.clusters.push_back(std::move(cluster));
    mesh.routes.push_back({"/" + name + "/", name, {}, {}});
  }
  return mesh;
}

TEST(Many, RpcOfAnyClusterIsServedWhileTheOthersConnect) {
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(Clusters(60, {&a, &b}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  Reply last = client.Call({}, "/c59/Name");
  EXPECT_EQ(last.name, "a") << last.status.error_message();
  Reply before_last = client.Call({}, "/c58/Name");
  EXPECT_EQ(before_last.name, "b") << before_last.status.error_message();
  EXPECT_EQ(client.Call({}, "/c0/Name").status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(Many, RpcsGoOnWhileClustersComeByTheDozen) {
  Backend a("a"), b("b");
  ControlPlane plane;
  Mesh mesh = Clusters(1, {&a});
  mesh.routes = {{"", "c0", {}, {}}};
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(client.Call().name, "a");
  Mesh more = Clusters(60, {&b});
  more.clusters[0] = mesh.clusters[0];
  more.routes.push_back({"", "c59", {}, {}});
  plane.Set(more);
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));  // a failed RPC fails the test
  EXPECT_EQ(client.Call({}, "/c0/Name").name, "a");
  EXPECT_EQ(a.connections(), 1u);
}

}  // namespace
}  // namespace gxds_test
