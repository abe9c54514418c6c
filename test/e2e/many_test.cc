// More endpoints than may connect at a time: through real channels.
#include <algorithm>
#include <vector>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// Several times of what may connect at a time (lb_policies/pace/pace.h).
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
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));  // fails at an RPC that does
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

}  // namespace
}  // namespace gxds_test
