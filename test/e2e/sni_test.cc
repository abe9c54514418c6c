// The server name in handshakes, and whether the server's certificate must have that name (A101).
// Servers have two certificates: one for *.wild.test, which they show to clients that ask for such
// a name, and one for backend.test, which they show to all others.
#include "test/e2e/resources_json.h"
#include "test/e2e/secured_cluster.h"

namespace gxds_test {
namespace {

std::shared_ptr<grpc::ServerCredentials> TwoCertificates() {
  grpc::SslServerCredentialsOptions options(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  for (const char* name : {"server1", "rare1"}) {
    options.pem_key_cert_pairs.push_back(
        {Pem(std::string(name) + ".key"), Pem(std::string(name) + ".pem")});
  }
  return grpc::SslServerCredentials(options);
}

// sni: JSON of the fields of UpstreamTlsContext, with a comma at the end. san: the only name that
// the validation context accepts; empty: any.
std::string Tls(const std::string& sni, const std::string& san = "") {
  const std::string names =
      san.empty() ? "" : R"(,"match_subject_alt_names":[{"exact":")" + san + "\"}]";
  return TransportSocket(sni +
                         R"("common_tls_context":{"validation_context":{)"
                         R"("ca_certificate_provider_instance":{"instance_name":"files"})" +
                         names + "}}");
}

const char kWild[] = R"("sni":"a.wild.test",)";
const char kBackend[] = R"("sni":"backend.test",)";
const char kAuto[] = R"("auto_host_sni":true,)";
const char kValidation[] = R"("auto_sni_san_validation":true,)";

class Sni : public SecuredCluster {
 protected:
  // One endpoint with that hostname; empty: without a hostname.
  void Set(const std::string& transport_socket, const Backend& backend,
           const std::string& hostname = "") {
    const std::string endpoint =
        R"({"endpoint":{"address":{"socket_address":{"address":"127.0.0.1","port_value":)" +
        std::to_string(backend.port()) + "}}" +
        (hostname.empty() ? "" : R"(,"hostname":")" + hostname + "\"") + "}}";
    plane_.WriteFile("resources.json",
                     Document({InlineListener(VirtualHost(RouteTo("a"))),
                               EdsCluster("a", "", R"(,"transport_socket":)" + transport_socket),
                               Endpoints("a", R"({"locality":{"region":"r","zone":"z"},)"
                                              R"("load_balancing_weight":1,"lb_endpoints":[)" +
                                                  endpoint + "]}")}));
  }
  void Start() {
    plane_.Start();
    client_ = Connect();
  }
  void ExpectRefused(const std::string& why) {
    const Reply reply = client_->Call();
    EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_TRUE(Contains(reply.status.error_message(), why)) << reply.status.error_message();
    EXPECT_EQ(two_.calls() + one_.calls(), 0);
  }
  bool Reaches(const Backend& backend) {
    return client_->CallUntil([&](const Reply& r) { return r.name == backend.name(); }, true);
  }

  Backend two_{"two", 0, TwoCertificates()};
  Backend one_{"one", 0, TlsServer(1, false)};  // for backend.test alone
  std::unique_ptr<Client> client_;
};

const char kNotTheMatchers[] = "SANs from certificate did not match SANs from xDS control plane";
const char kNotTheSni[] = "SANs from certificate did not match SNI from xDS control plane";

TEST_F(Sni, IsWhatTheClusterSays) {  // A101.2
  Set(Tls(kWild, "b.wild.test"), two_);
  Start();
  EXPECT_EQ(client_->Call().name, "two");
}

TEST_F(Sni, IsNotThatWithoutItsField) {  // A101.3
  Set(Tls("", "b.wild.test"), two_);
  Start();
  ExpectRefused(kNotTheMatchers);
}

TEST_F(Sni, IsTheHostnameOfTheEndpointWithoutItsPort) {  // A101.1, A101.4
  Set(Tls(std::string(kAuto) + kBackend, "b.wild.test"), two_, "a.wild.test:8443");
  Start();
  EXPECT_EQ(client_->Call().name, "two");
}

TEST_F(Sni, IsTheClustersIfTheEndpointHasNoHostname) {  // A101.2
  Set(Tls(std::string(kAuto) + kWild, "b.wild.test"), two_);
  Start();
  EXPECT_EQ(client_->Call().name, "two");
}

TEST_F(Sni, IsComparedWithTheCertificateInPlaceOfTheMatchers) {  // A101.5
  Set(Tls(std::string(kValidation) + kBackend, "elsewhere.test"), one_);
  Start();
  EXPECT_EQ(client_->Call().name, "one");
}

TEST_F(Sni, ACertificateWithoutThatNameFailsRpcsWithTheReason) {  // A101.5
  Set(Tls(std::string(kValidation) + kWild, "backend.test"), one_);
  Start();
  ExpectRefused(kNotTheSni);
}

TEST_F(Sni, IsComparedWhereverItComesFrom) {  // A101.5
  Set(Tls(std::string(kValidation) + kAuto + kBackend), one_, "a.wild.test");
  Start();
  ExpectRefused(kNotTheSni);
  Set(Tls(std::string(kValidation) + kAuto), one_, "backend.test:1");
  EXPECT_TRUE(Reaches(one_));
}

TEST_F(Sni, IsComparedWithDnsNamesAlone) {  // A101.6
  Set(Tls(std::string(kValidation) + R"("sni":"spiffe://test/backend",)"), one_);
  Start();
  ExpectRefused(kNotTheSni);
}

TEST_F(Sni, TheMatchersCountIfNoSniWasSent) {  // A101.7
  Set(Tls(kValidation, "elsewhere.test"), one_);
  Start();
  ExpectRefused(kNotTheMatchers);
  Set(Tls(kValidation, "backend.test"), one_);
  EXPECT_TRUE(Reaches(one_));
}

// The endpoint does not change.
TEST_F(Sni, ChangesWithNewConnections) {  // A101.9
  Set(Tls(std::string(kValidation) + kBackend), two_);
  Start();
  EXPECT_EQ(client_->Call().name, "two");
  const size_t before = two_.connections();
  Set(Tls(std::string(kValidation) + kWild), two_);
  EXPECT_TRUE(client_->CallUntil([&](const Reply&) { return two_.connections() > before; }, true));
  // The server has no certificate for this name. It sends its other certificate, which is refused.
  Set(Tls(std::string(kValidation) + R"("sni":"other.test",)"), two_);
  EXPECT_TRUE(client_->CallUntil(
      [](const Reply& r) { return Contains(r.status.error_message(), kNotTheSni); }, true));
}

}  // namespace
}  // namespace gxds_test
