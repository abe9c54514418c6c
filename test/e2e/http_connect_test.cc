// Endpoints that are reached through an HTTP proxy (A86), on real channels through real proxies.
#include <sys/stat.h>

#include "test/e2e/lb_policy_json.h"
#include "test/e2e/secured_cluster.h"
#include "test/support/child.h"
#include "test/support/connect_proxy.h"
#include "test/support/kept_port.h"

namespace gxds_test {
namespace {

const char kWrapper[] =
    "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport";

// The transport_socket of a cluster. inside: JSON of the transport socket that it wraps, or empty.
std::string ThroughProxies(const std::string& inside = "") {
  return R"({"name":"proxy","typed_config":{"@type":"type.googleapis.com/)" +
         std::string(kWrapper) + "\"" + (inside.empty() ? "" : ",\"transport_socket\":" + inside) +
         "}}";
}
std::string Address(const Backend& b) { return "127.0.0.1:" + std::to_string(b.port()); }

// One cluster with one locality. By default its endpoints are reached through proxies.
struct OneCluster {
  Locality locality;
  std::string transport_socket = ThroughProxies();
  std::string policy = {};

  Mesh ToMesh() const {
    Mesh mesh;
    mesh.routes = {{"", "cluster"}};
    Cluster cluster;
    cluster.name = "cluster";
    cluster.localities = {locality};
    cluster.transport_socket = transport_socket;
    cluster.more = policy;
    mesh.clusters = {cluster};
    return mesh;
  }
};

Locality LocalityOf(const std::vector<const Backend*>& backends,
                    const std::vector<int>& proxies = {}, int proxy = 0) {
  Locality l;
  l.zone = "zone";
  for (const Backend* b : backends) l.ports.push_back(b->port());
  l.proxies = proxies;
  l.proxy = proxy;
  return l;
}

// Each leaf policy, of this project and of the host.
class HttpConnect : public ::testing::TestWithParam<std::pair<const char*, std::string>> {};

TEST_P(HttpConnect, ReachesAnEndpointThroughItsProxy) {  // A86.7, A86.8
  Backend a("a"), b("b");
  ConnectProxy proxy;
  ControlPlane plane;
  OneCluster c = {LocalityOf({&a, &b}, {proxy.port()})};
  c.policy = GetParam().second;
  plane.Set(c.ToMesh());
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  EXPECT_EQ(proxy.requested(), std::vector<std::string>{Address(a)}) << "b has no proxy";
}

// With another proxy it is a different endpoint, although its address is the same.
TEST_P(HttpConnect, AnotherProxyIsAnotherConnection) {  // A86.7
  Backend a("a"), b("b");
  ConnectProxy first, second;
  ControlPlane plane;
  OneCluster c = {LocalityOf({&a, &b}, {first.port()})};
  c.policy = GetParam().second;
  plane.Set(c.ToMesh());
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  c.locality.proxies = {second.port()};
  plane.Set(c.ToMesh());
  ASSERT_TRUE(client.CallUntil([&](const Reply&) { return !second.requested().empty(); }));
  EXPECT_EQ(second.requested(), std::vector<std::string>{Address(a)});
  EXPECT_EQ(first.requested().size(), 1u);
  c.locality.proxies = {};
  plane.Set(c.ToMesh());
  ASSERT_TRUE(client.CallUntil([&](const Reply&) { return a.connections() == 3; }));
  EXPECT_EQ(b.connections(), 1u) << "nothing of it changed";
  EXPECT_EQ(second.requested().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, HttpConnect,
    ::testing::Values(
        std::make_pair("RoundRobin", std::string()),
        std::make_pair("LeastRequest", LbPolicy(PolicyConfig("least_request.v3.LeastRequest"))),
        std::make_pair("HostsRoundRobin", LbPolicy(RegisteredPolicyConfig("round_robin")))),
    [](const auto& info) { return info.param.first; });

TEST(EndToEnd, AnEndpointsProxyGoesBeforeThatOfItsLocality) {  // A86.6
  Backend a("a"), b("b");
  ConnectProxy own, common;
  ControlPlane plane;
  plane.Set(OneCluster{LocalityOf({&a, &b}, {own.port()}, common.port())}.ToMesh());
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  EXPECT_EQ(own.requested(), std::vector<std::string>{Address(a)});
  EXPECT_EQ(common.requested(), std::vector<std::string>{Address(b)});
}

TEST(EndToEnd, ProxiesAreOfNoUseUntilTheClusterWantsThem) {  // A86.1
  Backend a("a");
  ConnectProxy proxy;
  ControlPlane plane;
  OneCluster c = {LocalityOf({&a}, {proxy.port()}), ""};
  plane.Set(c.ToMesh());
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  EXPECT_TRUE(proxy.requested().empty());
  c.transport_socket = ThroughProxies();
  plane.Set(c.ToMesh());
  ASSERT_TRUE(client.CallUntil([&](const Reply&) { return !proxy.requested().empty(); }));
  c.transport_socket = "";
  plane.Set(c.ToMesh());
  ASSERT_TRUE(client.CallUntil([&](const Reply&) { return a.connections() == 3; }));
  EXPECT_EQ(proxy.requested().size(), 1u);
}

TEST_F(SecuredCluster, TlsIsInsideOfTheTunnel) {  // A86.2
  Backend server("server", 0, TlsServer(1, false));
  ConnectProxy proxy;
  const std::string tls =
      TransportSocket(R"("common_tls_context":{"validation_context":)"
                      R"({"ca_certificate_provider_instance":{"instance_name":"files"}}})");
  plane_.Set(OneCluster{LocalityOf({&server}, {proxy.port()}), ThroughProxies(tls)}.ToMesh());
  plane_.Start();
  EXPECT_EQ(Connect()->Call().name, "server");
  EXPECT_EQ(proxy.requested(), std::vector<std::string>{Address(server)});
}

TEST(EndToEnd, AProxyThatRefusesIsTheReasonThatTheRpcGets) {  // A86.7
  Backend a("a");
  ConnectProxy proxy;
  proxy.Refuse("403 Forbidden");
  ControlPlane plane;
  plane.Set(OneCluster{LocalityOf({&a}, {proxy.port()})}.ToMesh());
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  const Reply refused = client.Call();
  EXPECT_EQ(refused.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_NE(refused.status.error_message().find("HTTP proxy returned response code 403"),
            std::string::npos)
      << refused.status.error_message();
  proxy.Refuse("");
  EXPECT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "a"; }, true));
}

TEST(EndToEnd, EachAddressOfAnEndpointIsReachedThroughItsProxy) {  // A86.8
  Backend a("a"), b("b");
  ConnectProxy proxy;
  ControlPlane plane;
  Locality locality = LocalityOf({&a}, {proxy.port()});
  locality.more = {{{"127.0.0.1", b.port()}}};
  plane.Set(OneCluster{locality}.ToMesh());
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  a.Stop();
  ASSERT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "b"; }, true));
  EXPECT_EQ(proxy.requested().front(), Address(a));
  EXPECT_EQ(proxy.requested().back(), Address(b));
}

// ---- Apache as the proxy ----

class Apache {
 public:
  explicit Apache(int allowed_port) : port_(KeptPort()) {
    chmod(dir_.path().c_str(), 0755);
    std::string c;
    for (const char* module : {"mpm_event", "authz_core", "proxy", "proxy_connect"}) {
      c += std::string("LoadModule ") + module + "_module /usr/lib/apache2/modules/mod_" + module +
           ".so\n";
    }
    c += "ServerName localhost\nUser nobody\nGroup nogroup\nListen 127.0.0.1:" +
         std::to_string(port_) + "\nPidFile " + dir_.path() + "/pid\nErrorLog " + dir_.path() +
         "/error.log\nLogFormat \"%r %>s\" short\nCustomLog /dev/stdout short\nProxyRequests "
         "On\nAllowCONNECT " +
         std::to_string(allowed_port) + "\n<Proxy \"*\">\nRequire all granted\n</Proxy>\n";
    dir_.Write("apache.conf", c);
    server_ = std::make_unique<Child>(std::vector<std::string>{
        "/usr/sbin/apache2", "-f", dir_.path() + "/apache.conf", "-D", "FOREGROUND"});
  }
  ~Apache() {
    server_->Signal(SIGTERM);
    server_->Wait();
  }

  int port() const { return port_; }
  // Waits until its log has this request. Apache logs it when the tunnel is closed.
  testing::AssertionResult WaitFor(const std::string& request) const {
    const bool found = !server_
                            ->WaitForLine([&](const std::string& line) {
                              return line.find(request) != std::string::npos;
                            })
                            .empty();
    return found ? testing::AssertionSuccess() : testing::AssertionFailure() << server_->Output();
  }

 private:
  const int port_;
  TempDir dir_;
  std::unique_ptr<Child> server_;
};

TEST(EndToEnd, ApacheCarriesTheConnection) {  // A86.7, A86.8
  Backend allowed("allowed"), other("other");
  Apache proxy(allowed.port());
  ControlPlane plane;
  plane.Set(OneCluster{LocalityOf({&allowed, &other}, {}, proxy.port())}.ToMesh());
  plane.Start();
  auto client = std::make_unique<Client>("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "allowed"; }, true));
  EXPECT_EQ(client->CallMany(10)["allowed"], 10) << "Apache refuses the port of the other";
  client.reset();
  EXPECT_TRUE(proxy.WaitFor("CONNECT " + Address(allowed) + " HTTP/1.1 200"));
  EXPECT_TRUE(proxy.WaitFor("CONNECT " + Address(other) + " HTTP/1.1 403"));
}

}  // namespace
}  // namespace gxds_test
