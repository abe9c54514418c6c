// LOGICAL_DNS clusters (A37), whose backends the host's DNS resolver finds.
#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"
#include "test/host/grpc_common/dns_server.h"

namespace gxds_test {
namespace {

using grpc_xds::DnsServer;

// more: further fields, each after a comma.
std::string DnsCluster(const std::string& name, const std::string& host, int port,
                       const std::string& more = "") {
  return R"([{"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":")" + name +
         R"(","type":"LOGICAL_DNS","load_assignment":{"endpoints":[{"lb_endpoints":[{"endpoint":)" +
         R"({"address":{"socket_address":{"address":")" + host + R"(","port_value":)" +
         std::to_string(port) + "}}}}]}]}" + more + "}]";
}

std::string Aggregate(const std::string& name, const std::string& children) {
  return R"([{"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":")" + name +
         R"(","cluster_type":{"name":"envoy.clusters.aggregate",)" +
         R"("typed_config":{"@type":"type.googleapis.com/)" +
         R"(envoy.extensions.clusters.aggregate.v3.ClusterConfig","clusters":[)" + children +
         "]}}}]";
}

Mesh RouteTo(const std::string& cluster) {
  Mesh mesh;
  mesh.routes = {{"", cluster}};
  return mesh;
}

// Without a minimum time between the host's resolutions of a name.
grpc::ChannelArguments Eager() {
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 0);
  return args;
}

TEST(EndToEnd, LogicalDnsClusterReachesItsBackend) {  // A74.7
  DnsServer dns;
  dns.Set("backend.test", {"127.0.0.1"});
  Backend a("a");
  ControlPlane plane;
  plane.Set(RouteTo("dns"));
  plane.WriteFile("dns.json", DnsCluster("dns", "backend.test", a.port()));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  auto answered = client.CallMany(20);
  EXPECT_EQ(answered["a"], 20);
  EXPECT_EQ(a.connections(), 1u);
}

class LogicalDns : public ::testing::TestWithParam<std::pair<const char*, std::string>> {};

// The other address is used when the first backend is gone.
TEST_P(LogicalDns, ConnectsToOneAddressOfManyWhateverThePolicyIs) {  // A61.17
  DnsServer dns;
  dns.Set("backend.test", {"127.0.0.1", "127.0.0.2"});
  Backend a("a");
  Backend b("b", a.port(), nullptr, "127.0.0.2");
  ControlPlane plane;
  plane.Set(RouteTo("dns"));
  plane.WriteFile("dns.json", DnsCluster("dns", "backend.test", a.port(), GetParam().second));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  const std::string first = client.Call().name;  // the addresses of a DNS answer have no order
  Backend& connected = first == "a" ? a : b;
  Backend& other = first == "a" ? b : a;
  EXPECT_EQ(client.CallMany(20)[first], 20);
  EXPECT_EQ(connected.connections(), 1u);
  EXPECT_EQ(other.connections(), 0u);
  connected.Stop();
  ASSERT_TRUE(client.CallUntilAnsweredBy(other.name()));
  EXPECT_EQ(client.CallMany(20)[other.name()], 20);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, LogicalDns,
    ::testing::Values(
        std::make_pair("RoundRobin", std::string()),
        std::make_pair("RingHash", std::string(R"(,"lb_policy":"RING_HASH")")),
        std::make_pair("LeastRequest", std::string(R"(,"lb_policy":"LEAST_REQUEST")")),
        std::make_pair("PickFirst", "," + LbPolicy(PolicyConfig("pick_first.v3.PickFirst"))),
        std::make_pair("HostsRoundRobin", "," + LbPolicy(RegisteredPolicyConfig("round_robin")))),
    [](const auto& info) { return info.param.first; });

TEST(EndToEnd, LogicalDnsClusterSendsItsBackendTheNameThatWasResolved) {  // A81.6
  DnsServer dns;
  dns.Set("backend.test", {"127.0.0.1"});
  Backend a("a");
  ControlPlane plane;
  Mesh mesh = RouteTo("dns");
  mesh.routes[0].action = R"({"cluster":"dns","auto_host_rewrite":true})";
  plane.Set(mesh);
  plane.WriteFile("dns.json", DnsCluster("dns", "backend.test", a.port()));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("trusted_xds_server"));
  EXPECT_EQ(client.Call().name, "a");
  EXPECT_EQ(a.authority(), "backend.test:" + std::to_string(a.port()));
}

TEST(EndToEnd, LogicalDnsClusterIsResolvedAgainWhenItsBackendsCannotBeReached) {  // A74.12
  DnsServer dns;
  dns.Set("backend.test", {"127.0.0.9"});  // nobody listens there
  Backend a("a");
  ControlPlane plane;
  plane.Set(RouteTo("dns"));
  plane.WriteFile("dns.json", DnsCluster("dns", "backend.test", a.port()));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap(), Eager());
  Reply failed = client.Call();
  EXPECT_EQ(failed.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  dns.Set("backend.test", {"127.0.0.1"});
  EXPECT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "a"; }, true));
}

TEST(EndToEnd, LogicalDnsClusterThatCannotBeResolvedFailsRpcsWithTheReason) {  // A74.25
  DnsServer dns;
  Backend a("a");
  ControlPlane plane;
  plane.Set(RouteTo("dns"));
  plane.WriteFile("dns.json", DnsCluster("dns", "missing.test", a.port()));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  Reply reply = client.Call();
  const std::string& message = reply.status.error_message();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_NE(message.find("DNS name missing.test:" + std::to_string(a.port())), std::string::npos)
      << message;
  EXPECT_NE(message.find("Domain name not found"), std::string::npos) << message;
  const std::string server = "127.0.0.1:" + std::to_string(plane.port());
  EXPECT_NE(message.find("(xDS server " + server + ") (node ID:test-node)"), std::string::npos)
      << message;
  // The host resolves the name again by itself.
  dns.Set("missing.test", {"127.0.0.1"});
  EXPECT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "a"; }, true));
}

TEST(EndToEnd, LogicalDnsClusterTakesOverInAnAggregateFromOneWithoutEndpoints) {  // A37.13
  DnsServer dns;
  dns.Set("backend.test", {"127.0.0.1"});
  Backend a("a");
  ControlPlane plane;
  Mesh mesh = RouteTo("both");
  mesh.clusters.push_back({"eds", {}, {}, -1, false, true});
  plane.Set(mesh);
  plane.WriteFile("dns.json", DnsCluster("dns", "backend.test", a.port()));
  plane.WriteFile("aggregate.json", Aggregate("both", R"("eds","dns")"));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(client.CallMany(20)["a"], 20);
}

TEST(EndToEnd, LogicalDnsClusterStandsByInAnAggregateWhileEndpointsComeAndGo) {  // A37
  Backend a("a"), b("b");
  ControlPlane plane;
  Mesh with = RouteTo("both");
  with.clusters.push_back({"eds", {{"z", 1, 0, {a.port()}}}, {}, -1, false, true});
  Mesh without = RouteTo("both");
  without.clusters.push_back({"eds", {}, {}, -1, false, true});
  plane.Set(with);
  plane.WriteFile("dns.json", DnsCluster("dns", "127.0.0.1", b.port()));
  plane.WriteFile("aggregate.json", Aggregate("both", R"("eds","dns")"));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  for (int i = 0; i < 3; ++i) {
    plane.Set(without);
    ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
    plane.Set(with);
    ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  }
}

TEST(EndToEnd, LeafOfAnAggregateThatLeavesAndReturnsHasItsConnection) {  // A56.12, A56.13
  Backend a("a"), b("b");
  ControlPlane plane;
  Mesh mesh = RouteTo("both");
  mesh.clusters.push_back({"x", {{"z", 1, 0, {a.port()}}}, {}, -1, false, true});
  mesh.clusters.push_back({"y", {{"z", 1, 0, {b.port()}}}, {}, -1, false, true});
  plane.Set(mesh);
  plane.WriteFile("aggregate.json", Aggregate("both", R"("x","y")"));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  for (int i = 0; i < 3; ++i) {
    plane.WriteFile("aggregate.json", Aggregate("both", R"("y")"));
    ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
    plane.WriteFile("aggregate.json", Aggregate("both", R"("x","y")"));
    ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  }
  EXPECT_EQ(a.connections(), 1u);
  EXPECT_EQ(b.connections(), 1u);
}

}  // namespace
}  // namespace gxds_test
