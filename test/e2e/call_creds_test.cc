// A control plane that requires a token in each stream (A97), like istiod's secure port.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "grpc_xds/grpc_xds.h"
#include "test/e2e/certificates.h"
#include "test/e2e/e2e.h"
#include "test/support/agent.h"
#include "test/transport/jwt_text.h"

namespace gxds_test {
namespace {

using testing::HasSubstr;
using testing::Not;

const char kAds[] = "AggregatedDiscoveryService";
const char kLrs[] = "LoadReportingService";

// A token with that subject, which expires after that many seconds.
std::string TokenFor(const std::string& subject, int64_t seconds) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return Token(subject, std::chrono::duration_cast<std::chrono::seconds>(now).count() + seconds);
}

// A control plane behind TLS that records the headers of streams, and the process's bootstrap.
class CallCreds : public testing::Test {
 protected:
  CallCreds() : backend_("b"), files_(1) {
    plane_.Set(SimpleMesh({&backend_}));
    plane_.Start();
    UseServer(TlsServer(1, false), R"({"type":"tls","config":)" + files_.Json(false) + "}");
  }
  ~CallCreds() override { unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG"); }

  void UseServer(const std::shared_ptr<grpc::ServerCredentials>& server, const std::string& creds) {
    agent_ = std::make_unique<Agent>(plane_.address(), server);
    const std::string json =
        R"({"xds_servers":[{"server_uri":"127.0.0.1:)" + std::to_string(agent_->port()) +
        R"(","channel_creds":[)" + creds +
        R"(],"call_creds":[{"type":"jwt_token_file","config":{"jwt_token_file":")" +
        tokens_.path() + R"(/token"}}]}],"node":{"id":"n"}})";
    setenv("GRPC_XDS_BOOTSTRAP_CONFIG", json.c_str(), 1);
  }
  void WriteToken(const std::string& token) { tokens_.Write("token", token + "\n"); }
  void Connect() { client_ = std::make_unique<Client>("xds:///greeter.example", ""); }
  // Waits for that many streams of the service. Returns their "authorization" headers.
  std::vector<std::string> Streams(const std::string& service, size_t count) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      std::vector<std::string> all = agent_->Authorizations(service);
      if (all.size() >= count || std::chrono::steady_clock::now() > until) return all;
      sched_yield();
    }
  }
  // The status of an RPC to a target that no channel has used yet.
  static std::string ErrorOfANewTarget() {
    Client stranger("xds:///stranger.example", "");
    Reply reply = stranger.Call();
    EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    return reply.status.error_message();
  }
  static std::string Status() {
    char* data = nullptr;
    size_t size = 0;
    EXPECT_EQ(grpc_xds_dump_client_status(&data, &size), GRPC_XDS_OK);
    std::string status(data, size);
    free(data);
    return status;
  }

  Backend backend_;
  ControlPlane plane_;
  ClientFiles files_;
  TempDir tokens_;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<Client> client_;
};

TEST_F(CallCreds, StreamsOfResourcesAndOfLoadBearTheToken) {  // A97.5
  const std::string token = TokenFor("one", 3600);
  WriteToken(token);
  Connect();
  EXPECT_EQ(client_->Call().name, "b");
  EXPECT_EQ(Streams(kAds, 1), std::vector<std::string>{"Bearer " + token});
  EXPECT_TRUE(plane_.WaitForIssued(1));
  EXPECT_EQ(Streams(kLrs, 1), std::vector<std::string>{"Bearer " + token});
  EXPECT_THAT(Status(), HasSubstr("greeter.example"));
  EXPECT_THAT(Status(), Not(HasSubstr(token)));
}

TEST_F(CallCreds, ATokenReplacedOnDiskIsInTheNextStream) {  // A97.6
  const std::string first = TokenFor("one", 25);
  const std::string second = TokenFor("two", 3600);
  WriteToken(first);
  Connect();
  EXPECT_EQ(client_->Call().name, "b");
  WriteToken(second);
  agent_->EndStream();
  EXPECT_EQ(Streams(kAds, 2), (std::vector<std::string>{"Bearer " + first, "Bearer " + second}));
  EXPECT_EQ(client_->Call().name, "b");
}

TEST_F(CallCreds, WithAnExpiredTokenNoStreamOpensAndTheLastConfigurationStays) {  // A97.9
  WriteToken(TokenFor("one", 25));
  Connect();
  EXPECT_EQ(client_->Call().name, "b");
  const std::string expired = TokenFor("two", -1);
  WriteToken(expired);
  agent_->EndStream();
  const std::string error = ErrorOfANewTarget();
  EXPECT_THAT(error, HasSubstr("UNAUTHENTICATED: the token in " + tokens_.path() +
                               "/token (jwt_token_file) expired at "));
  EXPECT_THAT(error, Not(HasSubstr(expired)));
  EXPECT_EQ(client_->Call().name, "b");
  EXPECT_EQ(Streams(kAds, 1).size(), 1u);
  const std::string third = TokenFor("three", 3600);
  WriteToken(third);
  EXPECT_EQ(Streams(kAds, 2).back(), "Bearer " + third) << "after the backoff";
}

TEST_F(CallCreds, AFileThatCannotBeReadFailsRpcsWithTheReasonUntilItCan) {  // A97.8
  const std::string error = ErrorOfANewTarget();
  EXPECT_THAT(error, HasSubstr("UNAVAILABLE: cannot read the token file " + tokens_.path() +
                               "/token (jwt_token_file): No such file or directory"));
  EXPECT_EQ(agent_->opened(), 0);
  WriteToken(TokenFor("one", 3600));
  Connect();
  EXPECT_TRUE(client_->CallUntil([](const Reply& r) { return r.name == "b"; }, true));
}

TEST_F(CallCreds, NoTokenIsSentOverInsecureCredentials) {
  UseServer(nullptr, R"({"type":"insecure"})");
  WriteToken(TokenFor("one", 3600));
  EXPECT_THAT(ErrorOfANewTarget(),
              HasSubstr("UNAUTHENTICATED: call_creds are not sent over \"insecure\" channel_creds: "
                        "a token needs \"tls\", or others that encrypt"));
  EXPECT_EQ(agent_->opened(), 0);
}

}  // namespace
}  // namespace gxds_test
