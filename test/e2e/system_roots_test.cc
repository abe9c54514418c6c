// Clusters whose server certificates must come from authorities that the machine trusts (A82). Here
// it trusts authority 1 only. The bootstrap's provider has authority 2.
#include <atomic>
#include <cstdlib>
#include <map>

#include "test/e2e/secured_cluster.h"

namespace gxds_test {
namespace {

// Runs before the host reads them, which it does once.
const int kRootsAreSet =
    setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", Runfile("test/e2e/certs/ca1.pem").c_str(), 1);

// more: JSON of further fields of the validation context, each after a comma.
std::string SystemRoots(const std::string& more = "", bool with_identity = false) {
  std::string common = R"("validation_context":{"system_root_certs":{})" + more + "}";
  if (with_identity) {
    common += R"(,"tls_certificate_provider_instance":{"instance_name":"files"})";
  }
  return TransportSocket(R"("common_tls_context":{)" + common + "}");
}

constexpr char kProvider[] = R"(,"ca_certificate_provider_instance":{"instance_name":"files"})";

class SystemRootsTest : public SecuredCluster {
 protected:
  SystemRootsTest() : SecuredCluster(2) { EXPECT_EQ(kRootsAreSet, 0); }
};

TEST_F(SystemRootsTest, TrustAServerOfTheMachinesAuthorities) {  // A82.1
  Backend one("one", 0, TlsServer(1, false));
  Set(SystemRoots(), {&one});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "one");
}

TEST_F(SystemRootsTest, TrustNoOtherServer) {  // A82.1
  Backend two("two", 0, TlsServer(2, false)), plain("plain");
  Set(SystemRoots(), {&two, &plain});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(two.calls(), 0);
  EXPECT_EQ(plain.calls(), 0);
}

TEST_F(SystemRootsTest, GoBehindAProvider) {  // A82.2
  Backend one("one", 0, TlsServer(1, false)), two("two", 0, TlsServer(2, false));
  Set(SystemRoots(kProvider), {&one, &two});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "two");
  EXPECT_EQ(one.calls(), 0);
}

TEST_F(SystemRootsTest, GoWithACertificateOfTheClient) {  // A82.6
  // A server of authority 1 that demands a client's certificate of authority 1.
  files_.Use(1);
  Backend mutual("mutual", 0, TlsServer(1, true));
  Set(SystemRoots("", true), {&mutual});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "mutual");
}

TEST_F(SystemRootsTest, GoWithNamesOfServers) {  // A82.6
  Backend one("one", 0, TlsServer(1, false));
  Set(SystemRoots(R"(,"match_subject_alt_names":[{"exact":"elsewhere.test"}])"), {&one});
  plane_.Start();
  auto client = Connect();
  Reply reply = client->Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Contains(reply.status.error_message(),
                       "SANs from certificate did not match SANs from xDS control plane"))
      << reply.status.error_message();
  EXPECT_EQ(one.calls(), 0);
  Set(SystemRoots(R"(,"match_subject_alt_names":[{"exact":"backend.test"}])"), {&one});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "one"; }, true));
}

TEST_F(SystemRootsTest, GoWithTheNameInTheSni) {  // A82.6, A101.5
  const std::string roots =
      R"("common_tls_context":{"validation_context":{"system_root_certs":{}}})";
  const std::string validation = R"("auto_sni_san_validation":true,"sni":)";
  Backend one("one", 0, TlsServer(1, false));
  Set(TransportSocket(validation + R"("elsewhere.test",)" + roots), {&one});
  plane_.Start();
  auto client = Connect();
  EXPECT_TRUE(Contains(client->Call().status.error_message(),
                       "SANs from certificate did not match SNI from xDS control plane"));
  EXPECT_EQ(one.calls(), 0);
  Set(TransportSocket(validation + R"("backend.test",)" + roots), {&one});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "one"; }, true));
}

// The endpoints do not change.
TEST_F(SystemRootsTest, ComeAndGoWhileTheClusterIsInUse) {  // A82.5
  Backend one("one", 0, TlsServer(1, false)), two("two", 0, TlsServer(2, false)), plain("plain");
  Set(SystemRoots(kProvider), {&one, &two, &plain});
  plane_.Start();
  auto client = Connect();
  EXPECT_EQ(client->Call().name, "two");
  Set(SystemRoots(), {&one, &two, &plain});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "one"; }, true));
  Set("", {&one, &two, &plain});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "plain"; }, true));
  Set(SystemRoots(), {&one, &two, &plain});
  EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "one"; }, true));
}

// Counts the RPCs for which gRPC asked it.
class Token : public grpc::MetadataCredentialsPlugin {
 public:
  explicit Token(std::atomic<int>* asked) : asked_(asked) {}
  grpc::Status GetMetadata(grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
                           std::multimap<grpc::string, grpc::string>* metadata) override {
    ++*asked_;
    metadata->insert({"authorization", "Bearer token"});
    return grpc::Status::OK;
  }

 private:
  std::atomic<int>* const asked_;
};

TEST_F(SystemRootsTest, LeaveCallCredentialsInForce) {  // A82.6
  Backend one("one", 0, TlsServer(1, false));
  Set(SystemRoots(), {&one});
  plane_.Start();
  std::atomic<int> asked[2] = {{0}, {0}};
  auto credentials = XdsOrInsecure();
  for (auto& count : asked) {
    credentials = grpc::CompositeChannelCredentials(
        credentials, grpc::MetadataCredentialsFromPlugin(std::make_unique<Token>(&count)));
  }
  auto client = Connect(credentials);
  EXPECT_EQ(client->Call().name, "one");
  EXPECT_EQ(asked[0], 1);
  EXPECT_EQ(asked[1], 1);
}

}  // namespace
}  // namespace gxds_test
