// Authorities that the control plane rewrites (A81), as backends receive them.
#include "test/e2e/certificates.h"
#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"
#include "test/e2e/resources_json.h"
#include "test/support/host_seam.h"

namespace gxds_test {
namespace {

const char kTrusted[] = "trusted_xds_server";
const char kAuto[] = R"("auto_host_rewrite":true)";
const char kLiteral[] = R"("host_rewrite_literal":"literal.example:7")";

std::string Route(const std::string& cluster, const std::string& more,
                  const std::string& prefix = "") {
  return R"({"match":{"prefix":")" + prefix + R"("},"route":{"cluster":")" + cluster + "\"" +
         (more.empty() ? "" : ",") + more + "}}";
}

struct Named {
  int port;
  std::string hostname;  // empty: it has none
};

// All endpoints are in one locality.
std::string EndpointsOf(const std::string& cluster, const std::vector<Named>& endpoints) {
  std::string list;
  for (const Named& e : endpoints) {
    list += (list.empty() ? "" : ",") +
            std::string(R"({"endpoint":{"address":{"socket_address":{"address":"127.0.0.1",)") +
            R"("port_value":)" + std::to_string(e.port) + "}}" +
            (e.hostname.empty() ? "" : R"(,"hostname":")" + e.hostname + "\"") + "}}";
  }
  return Endpoints(cluster, R"({"locality":{"region":"r","zone":"z"},"load_balancing_weight":1,)"
                            R"("lb_endpoints":[)" +
                                list + "]}");
}

class HostRewrite : public testing::Test {
 protected:
  void Set(const std::string& routes, const std::vector<Named>& endpoints,
           const std::string& of_cluster = "") {
    plane_.WriteFile("resources.json",
                     Document({InlineListener(VirtualHost(routes)), EdsCluster("a", "", of_cluster),
                               EndpointsOf("a", endpoints)}));
  }
  void Start(const std::string& feature = kTrusted, const grpc::ChannelArguments& args = {}) {
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap(feature), args);
  }
  // The authority in the RPC, as its backend received it.
  std::string ReceivedAuthority(const CallOptions& options = {},
                                const std::string& method = "/s/m") {
    const Reply reply = client_->Call(options, method);
    EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    return reply.name == "b" ? b_.authority() : a_.authority();
  }
  static CallOptions Own(const std::string& authority) {
    CallOptions options;
    options.authority = authority;
    return options;
  }

  Backend a_{"a"};
  Backend b_{"b"};
  ControlPlane plane_;
  std::unique_ptr<Client> client_;
};

TEST_F(HostRewrite, ABackendGetsTheHostnameOfItsEndpoint) {  // A81.3, A81.7, A81.9
  Set(Route("a", kAuto), {{a_.port(), "a.example:8443"}, {b_.port(), "b.example"}});
  Start();
  EXPECT_EQ(client_->CallMany(20).count(""), 0u);
  EXPECT_EQ(a_.authority(), "a.example:8443");
  EXPECT_EQ(b_.authority(), "b.example");
}

TEST_F(HostRewrite, AnEndpointWithoutAHostnameGetsTheChannels) {  // A81.9
  Set(Route("a", kAuto), {{a_.port(), ""}, {b_.port(), "b.example"}});
  Start();
  client_->CallMany(20);
  EXPECT_EQ(a_.authority(), "greeter.example");
  EXPECT_EQ(b_.authority(), "b.example");
}

TEST_F(HostRewrite, RoutesWithoutItKeepTheChannels) {  // A81.8
  Set(Route("a", kAuto, "/auto/") + "," + Route("a", R"("auto_host_rewrite":false)", "/not/") +
          "," + Route("a", ""),
      {{a_.port(), "a.example"}});
  Start();
  EXPECT_EQ(ReceivedAuthority({}, "/auto/m"), "a.example");
  EXPECT_EQ(ReceivedAuthority({}, "/not/m"), "greeter.example");
  EXPECT_EQ(ReceivedAuthority({}, "/other/m"), "greeter.example");
  EXPECT_EQ(ReceivedAuthority({}, "/auto/m"), "a.example");
}

TEST_F(HostRewrite, AServerThatIsNotTrustedRewritesNothing) {  // A81.2
  Set(Route("a", kAuto, "/auto/") + "," + Route("a", kLiteral, "/literal/"),
      {{a_.port(), "a.example"}});
  Start("");
  EXPECT_EQ(ReceivedAuthority({}, "/auto/m"), "greeter.example");
  EXPECT_EQ(ReceivedAuthority({}, "/literal/m"), "greeter.example");
}

TEST_F(HostRewrite, ALiteralIsSentToAll) {  // E2.1
  Set(Route("a", kLiteral), {{a_.port(), "a.example"}, {b_.port(), ""}});
  Start();
  client_->CallMany(20);
  EXPECT_EQ(a_.authority(), "literal.example:7");
  EXPECT_EQ(b_.authority(), "literal.example:7");
}

TEST_F(HostRewrite, TheAuthorityOfAnRpcsOwnComesFirst) {  // A81.11, E2.4
  Set(Route("a", kAuto, "/auto/") + "," + Route("a", kLiteral, "/literal/"),
      {{a_.port(), "a.example"}});
  Start();
  EXPECT_EQ(ReceivedAuthority(Own("own.example"), "/auto/m"), "own.example");
  EXPECT_EQ(ReceivedAuthority(Own("own.example"), "/literal/m"), "own.example");
  EXPECT_EQ(ReceivedAuthority({}, "/auto/m"), "a.example");
}

TEST_F(HostRewrite, ItComesBeforeTheChannelsDefault) {  // A81.10
  Set(Route("a", kAuto, "/auto/") + "," + Route("a", kLiteral, "/literal/") + "," + Route("a", ""),
      {{a_.port(), "a.example"}});
  grpc::ChannelArguments args;
  args.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "default.example");
  Start(kTrusted, args);
  EXPECT_EQ(ReceivedAuthority({}, "/auto/m"), "a.example");
  EXPECT_EQ(ReceivedAuthority({}, "/literal/m"), "literal.example:7");
  EXPECT_EQ(ReceivedAuthority({}, "/other/m"), "default.example");
}

TEST_F(HostRewrite, EachAttemptGetsTheHostnameOfItsOwnEndpoint) {  // A81.9
  const std::string retries =
      R"(,"retry_policy":{"retry_on":"unavailable","num_retries":1,)"
      R"("retry_back_off":{"base_interval":"0.001s","max_interval":"0.002s"}})";
  Set(Route("a", kAuto + retries), {{a_.port(), "a.example"}, {b_.port(), ""}});
  Start();
  EXPECT_EQ(client_->CallMany(20).count(""), 0u);  // both are connected
  a_.FailWith(grpc::StatusCode::UNAVAILABLE);
  const long failed_before = a_.calls();
  for (int i = 0; i < 20; i++) {
    EXPECT_EQ(client_->Call({}, "/s/m").name, "b");
    EXPECT_EQ(b_.authority(), "greeter.example") << "not what the attempt before received";
  }
  EXPECT_GE(a_.calls() - failed_before, 5);
  EXPECT_EQ(a_.authority(), "a.example");
}

TEST_F(HostRewrite, AHostnameThatChangesIsUsedWithoutAFailure) {
  Set(Route("a", kAuto), {{a_.port(), "a.one"}, {b_.port(), ""}});
  Start();
  EXPECT_EQ(client_->CallMany(20).count(""), 0u);
  EXPECT_EQ(a_.authority(), "a.one");
  Set(Route("a", kAuto), {{a_.port(), "a.two"}, {b_.port(), ""}});
  EXPECT_TRUE(client_->CallUntil([&](const Reply&) { return a_.authority() == "a.two"; }));
  EXPECT_EQ(a_.connections(), kHostnameIsPartOfConnection ? 2u : 1u);
  EXPECT_EQ(b_.connections(), 1u);
}

TEST_F(HostRewrite, ThatAServerIsTrustedCountsForWhatItSentItself) {  // A81.2
  const std::string resources =
      Document({InlineListener(VirtualHost(Route("a", kAuto))), EdsCluster("a"),
                EndpointsOf("a", {{a_.port(), "a.example"}})});
  ControlPlane second;
  plane_.WriteFile("resources.json", resources);
  second.WriteFile("resources.json", resources);
  plane_.Start();
  second.Start();
  plane_.Kill();
  client_ = std::make_unique<Client>("xds:///greeter.example",
                                     R"({"xds_servers":[)" + plane_.ServerJson(kTrusted) + "," +
                                         second.ServerJson() + R"(],"node":{"id":"n"}})");
  EXPECT_EQ(ReceivedAuthority(), "greeter.example") << "by the second server, of the same bytes";
  plane_.Start();
  EXPECT_TRUE(client_->CallUntil([&](const Reply&) { return a_.authority() == "a.example"; }));
}

TEST_F(HostRewrite, AHostnameThatIsNoAuthorityIsNotSent) {  // E2.6
  Set(Route("a", kAuto), {{a_.port(), "user@a.example"}, {b_.port(), "b.example/path"}});
  Start();
  client_->CallMany(20);
  EXPECT_EQ(a_.authority(), "greeter.example");
  EXPECT_EQ(b_.authority(), "greeter.example");
}

// The addresses and picks pass through the host's own pick_first.
TEST_F(HostRewrite, AHostnameComesThroughPoliciesOfTheHosts) {  // A81.5
  Set(Route("a", kAuto), {{a_.port(), "a.example"}},
      "," + LbPolicy(RegisteredPolicyConfig("pick_first")));
  Start();
  EXPECT_EQ(ReceivedAuthority(), "a.example");
}

TEST_F(HostRewrite, ItWorksForClustersThatALookupNames) {
  Backend lookup("lookup");
  lookup.RespondWith(
      "\x1a\x01"
      "a");
  const std::string plugin =
      R"("cluster_specifier_plugins":[{"extension":{"name":"rls","typed_config":{)"
      R"("@type":"type.googleapis.com/grpc.lookup.v1.RouteLookupClusterSpecifier",)"
      R"("route_lookup_config":{"grpc_keybuilders":[{"names":[{"service":"s"}]}],)"
      R"("lookup_service":"127.0.0.1:)" +
      std::to_string(lookup.port()) +
      R"(","lookup_service_timeout":"30s","cache_size_bytes":"1000000"}}}}],)";
  const std::string route = R"({"match":{"prefix":""},"route":{"cluster_specifier_plugin":"rls",)" +
                            std::string(kAuto) + "}}";
  plane_.WriteFile("resources.json",
                   Document({InlineListener(plugin + VirtualHost(route)), EdsCluster("a"),
                             EndpointsOf("a", {{a_.port(), "a.example"}})}));
  Start();
  EXPECT_EQ(ReceivedAuthority(), "a.example");
}

TEST(HostRewriteTls, ACertificateMustHaveTheAuthorityOfTheRpc) {  // A81.12
  Backend a("a", 0, TlsServer(1, false));
  ControlPlane plane;
  plane.WriteFile("resources.json",
                  Document({InlineListener(VirtualHost(Route("a", kAuto, "/auto/") + "," +
                                                       Route("a", kLiteral, "/literal/"))),
                            EdsCluster("a"), EndpointsOf("a", {{a.port(), "backend.test:8443"}})}));
  plane.Start();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = Pem("ca1.pem");
  // The handshake checks the name of the target.
  const std::string bootstrap =
      R"({"xds_servers":[)" + plane.ServerJson(kTrusted) +
      R"(],"node":{"id":"n"},"client_default_listener_resource_name_template":"greeter.example"})";
  Client client("xds:///backend.test", bootstrap, {}, grpc::SslCredentials(options));
  const Reply good = client.Call({}, "/auto/m");
  EXPECT_EQ(good.name, "a") << good.status.error_message();
  EXPECT_EQ(a.authority(), "backend.test:8443");
  const Reply bad = client.Call({}, "/literal/m");
  EXPECT_EQ(bad.status.error_code(), grpc::StatusCode::UNAUTHENTICATED)
      << bad.status.error_message();
}

}  // namespace
}  // namespace gxds_test
