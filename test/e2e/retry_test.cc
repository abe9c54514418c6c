// Retry policies (A44), and what else a route decides for the attempts and the deadline of an RPC.
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

using grpc::StatusCode;

std::string Policy(const std::string& retry_on, int num_retries) {
  return R"("retry_policy":{"retry_on":")" + retry_on + R"(","num_retries":)" +
         std::to_string(num_retries) +
         R"(,"retry_back_off":{"base_interval":"0.001s","max_interval":"0.002s"}})";
}

std::string To(const std::string& cluster, const std::string& policy) {
  return R"({"cluster":")" + cluster + "\"," + policy + "}";
}

class Retries : public testing::Test {
 protected:
  void Start(const Mesh& mesh) {
    plane_.Set(mesh);
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap());
  }
  StatusCode Call(const std::string& method, const CallOptions& options = {}) {
    return client_->Call(options, method).status.error_code();
  }

  Backend a_{"a"};
  ControlPlane plane_;
  Mesh mesh_ = SimpleMesh({&a_});
  std::unique_ptr<Client> client_;
};

TEST_F(Retries, AnRpcThatFailsIsTriedAgain) {  // A44.10
  mesh_.routes[0].action = To("a", Policy("unavailable", 3));
  Start(mesh_);
  a_.FailTimes(3, StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call("/s/m"), StatusCode::OK);
  EXPECT_EQ(a_.calls(), 4);
}

TEST_F(Retries, AreNoMoreThanThePolicySays) {  // A44.10
  mesh_.routes[0].action = To("a", Policy("unavailable", 1));
  Start(mesh_);
  a_.FailWith(StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call("/s/m"), StatusCode::UNAVAILABLE);
  EXPECT_EQ(a_.calls(), 2);
}

TEST_F(Retries, OnlyTheListedCodesAreTriedAgain) {  // A44.1
  mesh_.routes[0].action = To("a", Policy("cancelled,resource-exhausted,5xx", 2));
  Start(mesh_);
  a_.FailTimes(1, StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call("/s/m"), StatusCode::UNAVAILABLE);
  a_.FailTimes(1, StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Call("/s/m"), StatusCode::OK);
  EXPECT_EQ(a_.calls(), 3);
}

TEST_F(Retries, TheRoutesPolicyTakesThePlaceOfTheVirtualHosts) {  // A44.9
  mesh_.virtual_host_fields = "," + Policy("unavailable", 1);
  mesh_.routes = {{"/own/", "a", To("a", Policy("internal", 1))}, {"", "a"}};
  Start(mesh_);
  a_.FailTimes(1, StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call("/own/m"), StatusCode::UNAVAILABLE);
  a_.FailTimes(1, StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call("/s/m"), StatusCode::OK);
  EXPECT_EQ(a_.calls(), 3);
}

TEST_F(Retries, ComeAndGoWithTheRoute) {  // A44
  Start(mesh_);
  a_.FailTimes(1, StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call("/s/m"), StatusCode::UNAVAILABLE);
  mesh_.routes[0].action = To("a", Policy("unavailable", 1));
  plane_.Set(mesh_);
  EXPECT_TRUE(client_->CallUntil(
      [this](const Reply& r) {
        a_.FailTimes(1, StatusCode::UNAVAILABLE);  // for the next one
        return r.status.ok() && a_.calls() > 3;
      },
      /*failures_allowed=*/true));
}

TEST_F(Retries, AllAttemptsGoToTheClusterThatWasChosen) {  // A31.4, A44.11
  Backend b("b");
  mesh_.clusters.push_back({"b", {{"b", 1, 0, {b.port()}}}, {}, -1, true, true});
  mesh_.routes[0].action = R"({"weighted_clusters":{"clusters":[)"
                           R"({"name":"a","weight":1},{"name":"b","weight":1}]},)" +
                           Policy("unavailable", 3) + "}";
  Start(mesh_);
  a_.FailWith(StatusCode::UNAVAILABLE);
  b.FailWith(StatusCode::UNAVAILABLE);
  for (int i = 0; i < 20; ++i) {
    const long a_before = a_.calls();
    const long b_before = b.calls();
    EXPECT_EQ(Call("/s/m"), StatusCode::UNAVAILABLE);
    const long to_a = a_.calls() - a_before;
    const long to_b = b.calls() - b_before;
    EXPECT_TRUE((to_a == 4 && to_b == 0) || (to_a == 0 && to_b == 4)) << to_a << " " << to_b;
  }
}

TEST_F(Retries, TheRoutesLimitNeverLengthensTheDeadline) {  // A31.17
  mesh_.routes[0].action =
      R"({"cluster":"a","max_stream_duration":{"max_stream_duration":"600s"}})";
  Start(mesh_);
  ASSERT_EQ(Call("/s/m"), StatusCode::OK);
  a_.Hold();
  CallOptions options;
  options.timeout = std::chrono::milliseconds(100);
  EXPECT_EQ(Call("/s/m", options), StatusCode::DEADLINE_EXCEEDED);
  a_.Release();
}

}  // namespace
}  // namespace gxds_test
