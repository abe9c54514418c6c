// Clusters that connect at their first pick, and endpoints that connect when picks need them,
// through real channels. With GRPC_XDS_CONNECT_ON_DEMAND, which is set for this program, these are
// all clusters, and all endpoints of a cluster but a window of the pace. Without it, these are the
// clusters and endpoints beyond a number of endpoints.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// A port that listens and never accepts a connection.
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
  // Whether a client has connected, or connects within that time.
  bool Rang(std::chrono::milliseconds patience = std::chrono::milliseconds(0)) const {
    pollfd fd = {socket_, POLLIN, 0};
    return poll(&fd, 1, static_cast<int>(patience.count())) == 1;
  }

 private:
  const int socket_;
  int port_ = 0;
};

// A cluster and a route for each name and port.
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

// How many connections this process has made to that port.
int ConnectionsTo(int port) {
  int count = 0;
  for (int fd = 0; fd < 4096; fd++) {
    sockaddr_storage peer = {};
    socklen_t size = sizeof(peer);
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    const in_port_t of = peer.ss_family == AF_INET
                             ? reinterpret_cast<const sockaddr_in*>(&peer)->sin_port
                             : reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_port;
    if ((peer.ss_family == AF_INET || peer.ss_family == AF_INET6) && ntohs(of) == port) count++;
  }
  return count;
}

TEST(OnDemand, EndpointsOfALargeClusterConnectAsPicksNeedThem) {
  constexpr int kEndpoints = 300;
  constexpr int kAtFirst = 96;
  Backend other("other"), everywhere("everywhere", 0, nullptr, "0.0.0.0");
  Mesh mesh = ClustersOf({{"large", everywhere.port()}, {"other", other.port()}});
  ControlPlane plane;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  // While no endpoint is connected, all of them would be tried.
  ASSERT_EQ(client.Call({}, "/large/Name").name, "everywhere");
  Locality& locality = mesh.clusters[0].localities[0];
  locality.ports.assign(kEndpoints, everywhere.port());
  locality.ips = {"127.0.0.1"};
  for (int i = 1; i < kEndpoints; ++i) {
    locality.ips.push_back("127.1." + std::to_string(i / 200) + "." + std::to_string(1 + i % 200));
  }
  plane.Set(mesh);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (ConnectionsTo(everywhere.port()) < kAtFirst) {
    ASSERT_EQ(client.Call({}, "/other/Name").name, "other");
    ASSERT_LT(std::chrono::steady_clock::now(), until) << ConnectionsTo(everywhere.port());
  }
  // The others would have time to connect.
  for (int i = 0; i < 500; ++i) ASSERT_EQ(client.Call({}, "/other/Name").name, "other");
  EXPECT_EQ(ConnectionsTo(everywhere.port()), kAtFirst);
  while (ConnectionsTo(everywhere.port()) < kEndpoints) {
    ASSERT_EQ(client.Call({}, "/large/Name").name, "everywhere");
    ASSERT_LT(std::chrono::steady_clock::now(), until) << ConnectionsTo(everywhere.port());
  }
}

// The variable is read for each channel.
class Variable {
 public:
  explicit Variable(const char* value) {
    if (value == nullptr) {
      unsetenv("GRPC_XDS_CONNECT_ON_DEMAND");
    } else {
      setenv("GRPC_XDS_CONNECT_ON_DEMAND", value, 1);
    }
  }
  ~Variable() { setenv("GRPC_XDS_CONNECT_ON_DEMAND", "true", 1); }
};

// Cluster a serves. Cluster z comes after so many endpoints that a channel does not connect to it
// (lb_policies/pace/limits.h). The ports of these endpoints are on this
// machine, and no HTTP/2 server listens on them.
Mesh MeshWithManyEndpoints(int a, int z) {
  Mesh mesh = ClustersOf({{"a", a}, {"z", z}});
  for (const char* name : {"m1", "m2", "m3", "m4", "m5", "m6", "m7"}) {
    Cluster cluster;
    cluster.name = name;
    cluster.localities = {{"z", 1, 0, {}}};
    for (int port = 650; port < 950; ++port) cluster.localities[0].ports.push_back(port);
    mesh.clusters.push_back(std::move(cluster));
    mesh.routes.push_back({std::string("/") + name + "/", name, {}, {}});
  }
  return mesh;
}

TEST(OnDemand, ClustersConnectBeforeRpcsUnlessThereAreManyEndpoints) {
  const Variable unset(nullptr);
  Backend a("a");
  Doorbell b, z;
  ControlPlane of_few, of_many;
  of_few.Set(ClustersOf({{"a", a.port()}, {"b", b.port()}}));
  of_many.Set(MeshWithManyEndpoints(a.port(), z.port()));
  of_few.Start();
  of_many.Start();
  Client few("xds:///greeter.example", of_few.Bootstrap());
  EXPECT_EQ(few.Call({}, "/a/Name").name, "a");
  EXPECT_TRUE(b.Rang(kPatience));

  Client many("xds:///greeter.example", of_many.Bootstrap());
  for (int i = 0; i < 20; ++i) ASSERT_EQ(many.Call({}, "/a/Name").name, "a");
  EXPECT_FALSE(z.Rang());
  auto call = many.Start({}, "/z/Name");
  EXPECT_TRUE(z.Rang(kPatience));
  call->Cancel();
}

TEST(OnDemand, AProgramMayWantAllConnections) {
  const Variable never("false");
  Backend a("a");
  Doorbell z;
  ControlPlane plane;
  plane.Set(MeshWithManyEndpoints(a.port(), z.port()));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  client.channel()->GetState(true);
  EXPECT_TRUE(z.Rang(kPatience));
}

}  // namespace
}  // namespace gxds_test
