// Connections that the control plane secures (A29), on channels with the host's xds credentials.
#include <grpc/grpc.h>
#include <stdlib.h>
#include <string.h>

#include "test/e2e/secured_cluster.h"

namespace gxds_test {
namespace {

// The transport_socket of a cluster: sans is JSON of match_subject_alt_names, or empty.
std::string Tls(bool with_identity, const std::string& sans = "") {
  const std::string instance = R"({"instance_name":"files"})";
  std::string common = R"("validation_context":{"ca_certificate_provider_instance":)" + instance;
  if (!sans.empty()) common += R"(,"match_subject_alt_names":)" + sans;
  common += "}";
  if (with_identity) common += R"(,"tls_certificate_provider_instance":)" + instance;
  return TransportSocket(R"("common_tls_context":{)" + common + "}");
}

class Security : public SecuredCluster {
 protected:
  // A new client each time, because a connection that the last matcher allowed would stay.
  void Serve(const std::string& san, const Backend& backend) {
    const size_t mark = plane_.Mark();
    Set(Tls(false, "[" + san + "]"), {&backend});
    ASSERT_NE(plane_.Wait({R"("event":"resources")"}, mark), "") << san;
  }
  // Expects the matcher to accept the backend's certificate.
  void ExpectMatch(const std::string& san, const Backend& backend) {
    Serve(san, backend);
    auto client = Connect();
    EXPECT_TRUE(client->CallUntil([&](const Reply& r) { return r.name == backend.name(); }, true))
        << san;
  }
  void ExpectNoMatch(const std::string& san, const Backend& backend) {
    Serve(san, backend);
    auto client = Connect();
    EXPECT_TRUE(client->CallUntil(
        [](const Reply& r) {
          return Contains(r.status.error_message(),
                          "SANs from certificate did not match SANs from xDS control plane");
        },
        true))
        << san;
  }
};

TEST_F(Security, BothSidesShowTheirCertificates) {  // A29.1, A29.13
  Backend mutual("mutual", 0, TlsServer(1, true));
  Set(Tls(true), {&mutual});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "mutual");
}

TEST_F(Security, AClientNeedsNoCertificateOfItsOwn) {  // A29.14, A29.19
  Backend server("server", 0, TlsServer(1, false));
  Set(Tls(false), {&server});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "server");
}

TEST_F(Security, WithoutItsCertificateAClientIsTurnedAway) {  // A29.15
  Backend mutual("mutual", 0, TlsServer(1, true));
  Set(Tls(false), {&mutual});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  // The client shows its certificate as soon as the control plane asks for that.
  Set(Tls(true), {&mutual});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "mutual"; }, true));
}

TEST_F(Security, AServerOfAnotherAuthorityIsNotTrusted) {  // A29.3
  Backend stranger("stranger", 0, TlsServer(2, false));
  Set(Tls(false), {&stranger});
  plane_.Start();
  auto client = Connect();
  Reply reply = client->Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(
      Contains(reply.status.error_message(), "127.0.0.1:" + std::to_string(stranger.port())))
      << reply.status.error_message();
  EXPECT_EQ(stranger.calls(), 0);
}

TEST_F(Security, AServerOfAnotherNameFailsRpcsWithTheReason) {  // A29.24
  Backend server("server", 0, TlsServer(1, false));
  Set(Tls(false, R"([{"exact":"elsewhere.test"},{"prefix":"spiffe://other/"}])"), {&server});
  plane_.Start();
  auto client = Connect();
  Reply reply = client->Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Contains(reply.status.error_message(),
                       "SANs from certificate did not match SANs from xDS control plane"))
      << reply.status.error_message();
  EXPECT_EQ(server.calls(), 0);
  Set(Tls(false, R"([{"exact":"elsewhere.test"},{"prefix":"spiffe://test/"}])"), {&server});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "server"; }, true));
}

TEST_F(Security, NamesMatchInEveryWay) {  // A29.20, A29.21
  Backend server("server", 0, TlsServer(1, false));
  plane_.Start();
  for (const char* san :
       {R"({"exact":"backend.test"})", R"({"prefix":"BACKEND","ignore_case":true})",
        R"({"suffix":"/backend"})", R"({"contains":"//test"})", R"({"exact":"127.0.0.1"})",
        R"({"safe_regex":{"regex":"spiffe://[a-z]+/back.*"}})"}) {
    ExpectMatch(san, server);
  }
}

TEST_F(Security, Ipv6NamesMatchInTheirCanonicalForm) {  // A29.22
  Backend rare("rare", 0, TlsServer(1, false, "rare"));
  plane_.Start();
  ExpectMatch(R"({"exact":"2001:db8::1"})", rare);
  ExpectMatch(R"({"prefix":"2001:db8:"})", rare);
  ExpectNoMatch(R"({"prefix":"2001:DB8:0:"})", rare);
  ExpectNoMatch(R"({"exact":"2001:db8::2"})", rare);
}

TEST_F(Security, ExactNamesFitAWildcard) {  // A29.23
  Backend rare("rare", 0, TlsServer(1, false, "rare"));
  plane_.Start();
  ExpectMatch(R"({"exact":"a.wild.test"})", rare);
  ExpectMatch(R"({"exact":"B.Wild.test"})", rare);
  ExpectNoMatch(R"({"exact":"wild.test"})", rare);
  ExpectNoMatch(R"({"exact":"a.b.wild.test"})", rare);
  ExpectNoMatch(R"({"prefix":"a.wild"})", rare);
}

// The host's verifier looks only at names of other kinds, against A29.36.
TEST_F(Security, NamesOfMailDoNotCount) {
  Backend rare("rare", 0, TlsServer(1, false, "rare"));
  plane_.Start();
  ExpectNoMatch(R"({"exact":"backend@mail.test"})", rare);
  ExpectNoMatch(R"({"contains":"@"})", rare);
}

TEST_F(Security, AClusterWithoutTlsUsesTheFallback) {  // A29.2
  Backend plain("plain");
  Set("", {&plain});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "plain");
}

TEST_F(Security, AChannelThatDoesNotUseXdsUsesTheFallback) {  // A29.4
  Backend plain("plain");
  Client client("ipv4:127.0.0.1:" + std::to_string(plain.port()), "", {}, XdsOrInsecure());
  EXPECT_EQ(client.Call().name, "plain");
}

TEST_F(Security, OtherCredentialsIgnoreTheClustersTls) {  // A29.5
  Backend plain("plain");
  Set(Tls(true), {&plain});
  plane_.Start();
  auto client = Connect(grpc::InsecureChannelCredentials());
  EXPECT_EQ(client->Call().name, "plain");
}

TEST_F(Security, CallCredentialsAroundXdsCredentialsTakeNothingAway) {  // A29
  Backend mutual("mutual", 0, TlsServer(1, true));
  Set(Tls(true), {&mutual});
  plane_.Start();
  auto client = Connect(
      grpc::CompositeChannelCredentials(XdsOrInsecure(), grpc::AccessTokenCredentials("token")));
  EXPECT_EQ(client->Call().name, "mutual");
}

// The endpoints do not change. The first accepts only TLS, the second only plaintext.
TEST_F(Security, AClusterSwitchesTlsOffAndOn) {  // A29.7
  Backend mutual("mutual", 0, TlsServer(1, true)), plain("plain");
  Set(Tls(true), {&mutual, &plain});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "mutual");
  Set("", {&mutual, &plain});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "plain"; }, true));
  Set(Tls(true), {&mutual, &plain});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "mutual"; }, true));
}

TEST_F(Security, FilesThatChangeAreTakenUp) {  // A29.33
  Backend one("one", 0, TlsServer(1, true)), two("two", 0, TlsServer(2, true));
  Set(Tls(true), {&one, &two});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "one");
  Set(Tls(true), {&two});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return !r.status.ok(); }, true));
  files_.Use(2);
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "two"; }, true));
}

// The bootstrap, with this config for its provider in place of one for files.
std::string WithProvider(const ControlPlane& plane, const std::string& config) {
  return plane.Bootstrap().insert(
      1, R"("certificate_providers":{"files":{"plugin_name":"file_watcher","config":{)" + config +
             "}}},");
}

TEST_F(Security, BesideASpiffeBundleMapTheCaFileCounts) {  // A87.2
  Backend one("one", 0, TlsServer(1, false));
  Set(Tls(false), {&one});
  plane_.Start();
  Client client(
      "xds:///greeter.example",
      WithProvider(plane_, R"("spiffe_trust_bundle_map_file":"/none","ca_certificate_file":")" +
                               files_.ca() + "\""),
      {}, XdsOrInsecure());
  EXPECT_EQ(client.Call().name, "one");
}

TEST_F(Security, ASpiffeBundleMapAloneLetsNoServerPass) {  // A87.3
  Backend one("one", 0, TlsServer(1, false)), plain("plain");
  Set(Tls(true), {&one, &plain});
  plane_.Start();
  Client client(
      "xds:///greeter.example",
      WithProvider(plane_, R"("spiffe_trust_bundle_map_file":"/none","certificate_file":")" +
                               files_.certificate() + R"(","private_key_file":")" + files_.key() +
                               "\""),
      {}, XdsOrInsecure());
  const Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE)
      << reply.status.error_message();
  EXPECT_EQ(one.calls() + plain.calls(), 0);
}

// A bundle map. authorities: {trust domain, number of its authority}.
std::string BundleMap(const std::vector<std::pair<std::string, int>>& authorities) {
  std::string json;
  for (const auto& [domain, number] : authorities) {
    std::string pem = Pem("ca" + std::to_string(number) + ".pem");
    pem = pem.substr(pem.find('\n') + 1);  // after "-----BEGIN CERTIFICATE-----"
    std::string der;
    for (char c : pem.substr(0, pem.find("-----"))) {
      if (c != '\n') der += c;
    }
    json += (json.empty() ? "\"" : ",\"") + domain +
            R"(":{"spiffe_sequence":1,"keys":[{"use":"x509-svid","kty":"EC","x5c":[")" + der +
            R"("]}]})";
  }
  return R"({"trust_domains":{)" + json + "}}";
}

// gRPC 1.83's file_watcher reads bundle maps if this is set.
class SpiffeBundles : public Security {
 protected:
  SpiffeBundles() { setenv("GRPC_EXPERIMENTAL_XDS_MTLS_SPIFFE", "true", 1); }
  ~SpiffeBundles() override { unsetenv("GRPC_EXPERIMENTAL_XDS_MTLS_SPIFFE"); }

  void SetUp() override {
    if (strcmp(grpc_version_string(), "56.0.0") != 0) {
      GTEST_SKIP() << "this gRPC reads no bundle maps";
    }
  }
  Reply CallWith(const std::string& bundle_map) {
    const TempDir dir;
    dir.Write("map.json", bundle_map);
    Client client(
        "xds:///greeter.example",
        WithProvider(plane_, R"("spiffe_trust_bundle_map_file":")" + dir.path() +
                                 R"(/map.json","ca_certificate_file":")" + files_.ca() + "\""),
        {}, XdsOrInsecure());
    return client.Call();
  }
};

TEST_F(SpiffeBundles, AServerIsCheckedByTheBundleOfItsTrustDomain) {  // A87.1
  Backend two("two", 0, TlsServer(2, false));                         // the CA file has authority 1
  Set(Tls(false), {&two});
  plane_.Start();
  const Reply reply = CallWith(BundleMap({{"other", 1}, {"test", 2}}));
  EXPECT_EQ(reply.name, "two") << reply.status.error_message();
}

TEST_F(SpiffeBundles, TheAuthorityOfAnotherTrustDomainDoesNotCount) {  // A87.1
  Backend one("one", 0, TlsServer(1, false));
  Set(Tls(false), {&one});
  plane_.Start();
  const Reply reply = CallWith(BundleMap({{"other", 1}, {"test", 2}}));
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(one.calls(), 0);
}

TEST_F(Security, TwoClustersOfOneChannelAreSecuredEachByItself) {  // A29.6, A74
  Backend secured("secured", 0, TlsServer(1, true)), plain("plain");
  Mesh mesh;
  mesh.routes = {{"/test.Plain/", "plain"}, {"", "secured"}};
  Cluster a, b;
  a.name = "secured";
  a.transport_socket = Tls(true);
  a.localities.push_back({"z", 1, 0, {secured.port()}});
  b.name = "plain";
  b.localities.push_back({"z", 1, 0, {plain.port()}});
  mesh.clusters = {a, b};
  plane_.Set(mesh);
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "secured");
  EXPECT_EQ(client->Call({}, "/test.Plain/Name").name, "plain");
}

}  // namespace
}  // namespace gxds_test
