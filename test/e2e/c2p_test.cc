// Channels of google-c2p, which makes the bootstrap inside the host and starts the xds resolver.
#include <cstdlib>

#include "test/e2e/certificates.h"
#include "test/e2e/e2e.h"
#include "test/transport/raw_server.h"

// The function of libgrpc that its google-c2p resolver calls.
namespace grpc_core::internal {
void SetXdsFallbackBootstrapConfig(const char* config);
}

namespace gxds_test {
namespace {

using grpc_xds::RawServer;

// The first message of a client's stream names the listener.
std::string FirstRequest(RawServer* server) {
  auto stream = server->Take();
  return stream->Take().value_or("");
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CloudToProd, AChannelTakesTheBootstrapThatIsLeftWithTheHost) {
  RawServer server;
  grpc_core::internal::SetXdsFallbackBootstrapConfig(
      (R"({"xds_servers":[{"server_uri":")" + server.uri() +
       R"(","channel_creds":[{"type":"insecure"}]}],"node":{"id":"left"}})")
          .c_str());
  Client client("xds:///greeter.example", "");
  client.channel()->GetState(true);
  const std::string request = FirstRequest(&server);
  EXPECT_TRUE(Contains(request, "greeter.example"));
  EXPECT_TRUE(Contains(request, "left"));
}

TEST(CloudToProd, AGoogleC2pChannelIsOurs) {
  RawServer server(0, TlsServer(1, false));
  int closed_port = 0;
  { closed_port = Backend("gone").port(); }
  setenv("GRPC_TEST_ONLY_GOOGLE_C2P_RESOLVER_TRAFFIC_DIRECTOR_URI", server.uri().c_str(), 1);
  setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", Runfile("test/e2e/certs/ca1.pem").c_str(), 1);
  setenv("GOOGLE_APPLICATION_CREDENTIALS", Runfile("test/e2e/certs/account.json").c_str(), 1);
  grpc::ChannelArguments args;
  args.SetInt("grpc.testing.google_c2p_resolver_pretend_running_on_gcp", 1);
  args.SetString("grpc.testing.google_c2p_resolver_metadata_server_override",
                 "127.0.0.1:" + std::to_string(closed_port));
  Client client("google-c2p:///greeter.example", "", args);
  client.channel()->GetState(true);
  const std::string request = FirstRequest(&server);
  EXPECT_TRUE(Contains(request, "greeter.example"));
  EXPECT_TRUE(Contains(request, "C2P-"));
}

}  // namespace
}  // namespace gxds_test
