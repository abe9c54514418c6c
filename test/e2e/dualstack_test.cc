// Endpoints with several addresses (A61) on real channels. Some addresses refuse connections, or
// never respond.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"
#include "test/support/kept_port.h"

namespace gxds_test {
namespace {

// Accepts connections and sends nothing.
class SilentServer {
 public:
  SilentServer() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 10), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { close(fd_); }
  SilentServer(const SilentServer&) = delete;

  int port() const { return port_; }

 private:
  const int fd_;
  int port_ = 0;
};

using More = std::vector<std::pair<std::string, int>>;

// One locality whose endpoints have these first ports and additional addresses.
Mesh MeshOf(const std::vector<int>& ports, const std::vector<More>& more,
            const std::string& policy = "") {
  Mesh mesh;
  mesh.routes = {{"", "cluster"}};
  Cluster cluster;
  cluster.name = "cluster";
  Locality locality;
  locality.zone = "zone";
  locality.ports = ports;
  locality.more = more;
  cluster.localities = {locality};
  cluster.more = policy;
  mesh.clusters = {cluster};
  return mesh;
}

// Each policy that distributes RPCs over endpoints, including the host's own, for which an endpoint
// is one address.
class Dualstack : public ::testing::TestWithParam<std::pair<const char*, std::string>> {};

TEST_P(Dualstack, OneEndpointGetsOneShareAndRpcsGoToTheAddressThatConnects) {  // A61.10
  Backend a("a"), b("b");
  SilentServer silent;
  ControlPlane plane;
  plane.Set(MeshOf({silent.port(), KeptPort()},
                   {{{"::1", KeptPort()}, {"127.0.0.1", a.port()}}, {{"127.0.0.1", b.port()}}},
                   GetParam().second));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  auto answers = client.CallMany(100);
  EXPECT_EQ(answers["a"] + answers["b"], 100);
  EXPECT_GT(answers["a"], 20);
  EXPECT_GT(answers["b"], 20);
  EXPECT_EQ(a.connections(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Dualstack,
    ::testing::Values(
        std::make_pair("RoundRobin", std::string()),
        std::make_pair("LeastRequest", LbPolicy(PolicyConfig("least_request.v3.LeastRequest"))),
        std::make_pair("WeightedRoundRobin",
                       LbPolicy(PolicyConfig(
                           "client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin"))),
        std::make_pair("HostsRoundRobin", LbPolicy(RegisteredPolicyConfig("round_robin")))),
    [](const auto& info) { return info.param.first; });

TEST(EndToEnd, ASecondAddressIsUsedWhenTheFirstIsGone) {  // A61.5
  Backend a("a"), a2("a2"), b("b");
  ControlPlane plane;
  plane.Set(MeshOf({a.port(), b.port()}, {{{"127.0.0.1", a2.port()}}}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  auto answers = client.CallMany(10);
  EXPECT_EQ(answers["a"], 5) << "its two addresses are one endpoint";
  EXPECT_EQ(answers["b"], 5);
  a.Stop();
  ASSERT_TRUE(client.CallUntilAnsweredBy("a2"));
  answers = client.CallMany(10);
  EXPECT_EQ(answers["a2"], 5);
  EXPECT_EQ(answers["b"], 5);
}

TEST(EndToEnd, AnotherOrderOfItsAddressesKeepsAnEndpointsConnection) {  // A61.6
  Backend a("a"), a2("a2"), b("b");
  ControlPlane plane;
  plane.Set(MeshOf({a.port()}, {{{"127.0.0.1", a2.port()}}}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  plane.Set(MeshOf({a2.port(), b.port()}, {{{"127.0.0.1", a.port()}}}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  EXPECT_EQ(client.CallMany(10)["a"], 5);
  EXPECT_EQ(a.connections(), 1u);
  EXPECT_EQ(a2.connections(), 0u);
}

TEST(EndToEnd, AnAddressMoreKeepsAnEndpointsConnection) {
  Backend a("a"), a2("a2"), b("b"), c("c");
  ControlPlane plane;
  plane.Set(MeshOf({a.port(), b.port()}, {}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  const More more = {{"127.0.0.1", a2.port()}};
  plane.Set(MeshOf({a.port(), b.port(), c.port()}, {more}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("c"));
  EXPECT_EQ(client.CallMany(9)["a"], 3);
  EXPECT_EQ(a.connections(), 1u);
  plane.Set(MeshOf({a.port(), b.port()}, {}));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (client.CallMany(9)["c"] > 0) ASSERT_LT(std::chrono::steady_clock::now(), until);
  EXPECT_EQ(client.CallMany(10)["a"], 5);
  EXPECT_EQ(a.connections(), 1u);
  EXPECT_EQ(a2.connections(), 0u);
}

TEST(EndToEnd, PickFirstDoesNotWaitForAnAddressThatNeverConnects) {  // A61.1
  Backend a("a");
  SilentServer silent;
  ControlPlane plane;
  plane.Set(
      MeshOf({silent.port(), a.port()}, {}, LbPolicy(PolicyConfig("pick_first.v3.PickFirst"))));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  const Reply reply = client.Call();
  EXPECT_EQ(reply.name, "a") << reply.status.error_message();
  EXPECT_LT(reply.took, std::chrono::seconds(15)) << "the host gives a connection up after 20 s";
}

}  // namespace
}  // namespace gxds_test
