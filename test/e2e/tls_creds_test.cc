// A control plane with TLS (A65).
#include "test/e2e/certificates.h"
#include "test/e2e/e2e.h"
#include "test/support/host_seam.h"
#include "test/transport/raw_server.h"

namespace gxds_test {
namespace {

using grpc_xds::RawServer;

std::string Bootstrap(const RawServer& server, const std::string& config) {
  return R"({"xds_servers":[{"server_uri":")" + server.uri() +
         R"(","channel_creds":[{"type":"tls","config":)" + config + R"(}]}],"node":{"id":"n"}})";
}

// Waits for the client's first request.
void ExpectRequest(RawServer* server) {
  auto stream = server->Take();
  auto request = stream->Take();
  ASSERT_TRUE(request.has_value());
  EXPECT_NE(request->find("greeter.example"), std::string::npos);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TlsCreds, TheControlPlaneIsTrustedByItsAuthority) {  // A65.1, A65.2
  RawServer server(0, TlsServer(1, false));
  ClientFiles files(1);
  Client client("xds:///greeter.example", Bootstrap(server, files.Json(false)));
  client.channel()->GetState(true);
  ExpectRequest(&server);
}

TEST(TlsCreds, TheClientShowsItsCertificate) {  // A65.4
  RawServer server(0, TlsServer(1, true));
  ClientFiles files(1);
  Client client("xds:///greeter.example", Bootstrap(server, files.Json(true)));
  client.channel()->GetState(true);
  ExpectRequest(&server);
}

TEST(TlsCreds, AControlPlaneOfAnotherAuthorityIsNotTrustedUntilTheFilesSaySo) {  // A65.7
  RawServer server(0, TlsServer(2, true));
  ClientFiles files(1);
  Client client("xds:///greeter.example", Bootstrap(server, files.Json(true)));
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Contains(reply.status.error_message(), server.uri())) << reply.status.error_message();
  EXPECT_TRUE(server.NoMoreStreams());
  files.Use(2);
  ExpectRequest(&server);
}

TEST(TlsCreds, TheSystemsAuthoritiesAreTrustedWithoutAFile) {  // A65.3
  RawServer server(0, TlsServer(1, false));
  Client client("xds:///greeter.example", Bootstrap(server, "{}"));
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE) << "ours is none of them";
  EXPECT_TRUE(server.NoMoreStreams());
}

TEST(TlsCreds, AWrongConfigurationFailsRpcsWithTheReason) {  // A65.9
  RawServer server(0, TlsServer(1, false));
  Client client("xds:///greeter.example",
                Bootstrap(server, R"({"certificate_file":"/c","refresh_interval":"often"})"));
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  for (const std::string part : {"field:xds_servers[0].channel_creds[0]", kNotADuration}) {
    EXPECT_TRUE(Contains(reply.status.error_message(), part)) << reply.status.error_message();
  }
}

}  // namespace
}  // namespace gxds_test
