// Clusters that connect when the first RPC is picked by them (GRPC_XDS_CONNECT_ON_DEMAND, set for
// this program): through real channels.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// A port on which connections are waited for and none is accepted.
class Doorbell {
 public:
  Doorbell() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_, 10), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Doorbell() { close(socket_); }
  int port() const { return port_; }
  // Whether somebody connected so far, or does so in that time.
  bool Rang(std::chrono::milliseconds patience = std::chrono::milliseconds(0)) const {
    pollfd fd = {socket_, POLLIN, 0};
    return poll(&fd, 1, static_cast<int>(patience.count())) == 1;
  }

 private:
  const int socket_;
  int port_ = 0;
};

// Cluster and route for each name and port.
Mesh ClustersOf(const std::vector<std::pair<std::string, int>>& ports) {
  Mesh mesh;
  for (const auto& [name, port] : ports) {
    Cluster cluster;
    cluster.name = name;
    cluster.localities = {{"z", 1, 0, {port}}};
    mesh.clusters.push_back(std::move(cluster));
    mesh.routes.push_back({"/" + name + "/", name, {}, {}});
  }
  return mesh;
}

TEST(OnDemand, ClusterConnectsWhenAnRpcIsPickedByIt) {
  // The first one may connect with the channel.
  Backend a("a");
  Doorbell b, c;
  ControlPlane plane;
  plane.Set(ClustersOf({{"a", a.port()}, {"b", b.port()}, {"c", c.port()}}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (int i = 0; i < 20; ++i) {
    Reply reply = client.Call({}, "/a/Name");
    ASSERT_EQ(reply.name, "a") << reply.status.error_message();
  }
  EXPECT_FALSE(b.Rang());
  EXPECT_FALSE(c.Rang());
  auto call = client.Start({}, "/c/Name");
  EXPECT_TRUE(c.Rang(kPatience));
  EXPECT_FALSE(b.Rang());
  call->Cancel();
}

TEST(OnDemand, ClusterIsGivenWhatIsNewestWhenItsTimeComes) {
  Backend a("a"), other_a("other_a"), other_b("other_b");
  Doorbell b;
  ControlPlane plane;
  plane.Set(ClustersOf({{"a", a.port()}, {"b", b.port()}}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(client.Call({}, "/a/Name").name, "a");
  // Both endpoints are in one response.
  plane.Set(ClustersOf({{"a", other_a.port()}, {"b", other_b.port()}}));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (client.Call({}, "/a/Name").name != "other_a") {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
  EXPECT_EQ(client.Call({}, "/b/Name").name, "other_b");
  EXPECT_FALSE(b.Rang());
}

TEST(OnDemand, ChannelThatIsToConnectConnectsOne) {
  Backend a("a");
  Doorbell b;
  ControlPlane plane;
  plane.Set(ClustersOf({{"a", a.port()}, {"b", b.port()}}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_TRUE(client.channel()->WaitForConnected(std::chrono::system_clock::now() + kPatience));
  EXPECT_FALSE(b.Rang());
}

}  // namespace
}  // namespace gxds_test
