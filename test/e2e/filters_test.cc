// HTTP filters (A39), and fault injection (A33), which clients support, through the host's filter.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

using grpc::StatusCode;

const char kFault[] =
    R"("@type":"type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault")";

// fields: of an HTTPFault, a comma before each.
std::string Filter(const std::string& name, const std::string& fields) {
  return R"({"name":")" + name + R"(","typed_config":{)" + kFault + fields + "}},";
}

std::string Override(const std::string& name, const std::string& fields) {
  return R"(,"typed_per_filter_config":{")" + name + "\":{" + kFault + fields + "}}";
}

std::string Percentage(int percent) {
  return R"("percentage":{"numerator":)" + std::to_string(percent) + "}";
}

std::string Abort(StatusCode code, int percent = 100) {
  return R"(,"abort":{"grpc_status":)" + std::to_string(code) + "," + Percentage(percent) + "}";
}

class Faults : public testing::Test {
 protected:
  void Start(const Mesh& mesh) {
    plane_.Set(mesh);
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap());
  }
  StatusCode Call(const std::string& method, const CallOptions& options = {}) {
    return client_->Call(options, method).status.error_code();
  }
  testing::AssertionResult CallUntil(StatusCode code) {
    return client_->CallUntil([code](const Reply& r) { return r.status.error_code() == code; },
                              /*failures_allowed=*/true);
  }

  Backend a_{"a"};
  ControlPlane plane_;
  Mesh mesh_ = SimpleMesh({&a_});
  std::unique_ptr<Client> client_;
};

TEST_F(Faults, AnAbortedRpcEndsWithTheCodeAndReachesNoBackend) {  // A33.2
  mesh_.filters = Filter("fault", Abort(StatusCode::DATA_LOSS));
  Start(mesh_);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Call("/s/m"), StatusCode::DATA_LOSS);
  EXPECT_EQ(a_.calls(), 0);
}

TEST_F(Faults, RpcsRequestAbortsByHeader) {  // A33.5
  mesh_.filters = Filter("fault", R"(,"abort":{"header_abort":{},)" + Percentage(100) + "}");
  Start(mesh_);
  CallOptions abort;
  abort.metadata = {{"x-envoy-fault-abort-grpc-request", "10"}};
  EXPECT_EQ(Call("/s/m", abort), StatusCode::ABORTED);
  EXPECT_EQ(Call("/s/m"), StatusCode::OK);
}

TEST_F(Faults, RpcsRequestAbortsByAnHttpStatus) {  // A33.12
  mesh_.filters = Filter("fault", R"(,"abort":{"header_abort":{},)" + Percentage(100) + "}");
  Start(mesh_);
  CallOptions abort;
  abort.metadata = {{"x-envoy-fault-abort-request", "401"}};
  EXPECT_EQ(Call("/s/m", abort), StatusCode::UNAUTHENTICATED);
  abort.metadata[0].second = "no status";
  EXPECT_EQ(Call("/s/m", abort), StatusCode::OK);
}

TEST_F(Faults, APercentageIsSetByItsHeaderOrByTheHostsNameOfThat) {  // A33.7
  mesh_.filters = Filter("fault", R"(,"abort":{"header_abort":{},)" + Percentage(100) + "}");
  Start(mesh_);
  CallOptions abort;
  abort.metadata = {{"x-envoy-fault-abort-grpc-request", "10"}};
  const CallOptions plain = abort;
  for (const char* name :
       {"x-envoy-fault-abort-request-percentage", "x-envoy-fault-abort-percentage"}) {
    abort = plain;
    abort.metadata.emplace_back(name, "100");
    EXPECT_EQ(Call("/s/m", abort), StatusCode::ABORTED) << name;
    abort.metadata.back().second = "0";
    EXPECT_EQ(Call("/s/m", abort), StatusCode::OK) << name;
  }
  abort.metadata.emplace_back("x-envoy-fault-abort-request-percentage", "100");
  EXPECT_EQ(Call("/s/m", abort), StatusCode::ABORTED) << "of both names the gRFC's counts";
}

TEST_F(Faults, AHeaderSetsNoMoreThanTheConfiguredPercentage) {  // A33.6
  mesh_.filters = Filter("fault", R"(,"abort":{"header_abort":{},)" + Percentage(0) + "}");
  Start(mesh_);
  CallOptions abort;
  abort.metadata = {{"x-envoy-fault-abort-grpc-request", "10"},
                    {"x-envoy-fault-abort-request-percentage", "100"}};
  EXPECT_EQ(Call("/s/m", abort), StatusCode::OK);
}

TEST_F(Faults, AHeadersPercentageIsOfTheFiltersDenominator) {  // A33.8
  mesh_.filters =
      Filter("fault", R"(,"abort":{"header_abort":{},"percentage":{"numerator":1000000,)"
                      R"("denominator":"MILLION"}})");
  Start(mesh_);
  CallOptions abort;
  abort.metadata = {{"x-envoy-fault-abort-grpc-request", "10"},
                    {"x-envoy-fault-abort-request-percentage", "100"}};
  int aborted = 0;
  for (int i = 0; i < 20; ++i) aborted += Call("/s/m", abort) == StatusCode::ABORTED ? 1 : 0;
  EXPECT_LT(aborted, 10) << "one in ten thousand";
  abort.metadata[1].second = "1000000";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Call("/s/m", abort), StatusCode::ABORTED);
}

TEST_F(Faults, DelaysAndAbortsAreDrawnEachByItself) {  // A33.11
  mesh_.filters = Filter("fault", Abort(StatusCode::ABORTED, 50) +
                                      R"(,"delay":{"fixed_delay":"600s",)" + Percentage(50) + "}");
  Start(mesh_);
  ASSERT_TRUE(client_->channel()->WaitForConnected(std::chrono::system_clock::now() + kPatience));
  // RPCs that are delayed last until they are cancelled.
  CallOptions options;
  options.timeout = std::chrono::seconds(600);
  std::vector<std::unique_ptr<PendingCall>> calls;
  for (int i = 0; i < 64; ++i) calls.push_back(client_->Start(options));
  std::mutex mu;
  std::condition_variable changed;
  std::map<StatusCode, int> ended;
  std::vector<std::thread> waiters;
  for (auto& call : calls) {
    waiters.emplace_back([&mu, &changed, &ended, &call] {
      const StatusCode code = call->Wait().status.error_code();
      std::lock_guard<std::mutex> lock(mu);
      ++ended[code];
      changed.notify_all();
    });
  }
  {
    std::unique_lock<std::mutex> lock(mu);
    // Expected are 16 of each.
    EXPECT_TRUE(changed.wait_for(lock, kPatience, [&] {
      return ended[StatusCode::ABORTED] > 2 && ended[StatusCode::OK] > 2;
    }));
  }
  for (auto& call : calls) call->Cancel();
  for (auto& waiter : waiters) waiter.join();
  EXPECT_GT(ended[StatusCode::CANCELLED], 2);
}

TEST_F(Faults, AShareOfRpcsIsAborted) {  // A33.10
  mesh_.filters = Filter("fault", Abort(StatusCode::ABORTED, 50));
  Start(mesh_);
  int aborted = 0;
  for (int i = 0; i < 400; ++i) aborted += Call("/s/m") == StatusCode::ABORTED ? 1 : 0;
  EXPECT_GT(aborted, 100);  // ten standard deviations
  EXPECT_LT(aborted, 300);
}

TEST_F(Faults, ADelayedRpcTakesThatLong) {  // A33
  mesh_.filters = Filter("fault", R"(,"delay":{"fixed_delay":"0.3s",)" + Percentage(100) + "}");
  Start(mesh_);
  for (int i = 0; i < 3; ++i) {
    Reply reply = client_->Call();
    EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    EXPECT_GE(reply.took, std::chrono::milliseconds(290));
  }
}

TEST_F(Faults, ADelayEndsWithTheRpcsDeadline) {  // A33.1, A33.5
  mesh_.filters = Filter("fault", R"(,"delay":{"header_delay":{},)" + Percentage(100) + "}");
  Start(mesh_);
  EXPECT_EQ(Call("/s/m"), StatusCode::OK);
  CallOptions delay;
  delay.metadata = {{"x-envoy-fault-delay-request", "600000"}};
  delay.timeout = std::chrono::milliseconds(100);
  EXPECT_EQ(Call("/s/m", delay), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(a_.calls(), 1);
}

TEST_F(Faults, NoMoreThanTheLimitAreActive) {  // A33.4
  mesh_.filters = Filter(
      "fault", R"(,"max_active_faults":1,"delay":{"header_delay":{},)" + Percentage(100) + "}");
  Start(mesh_);
  ASSERT_EQ(Call("/s/m"), StatusCode::OK);
  CallOptions delay;
  delay.metadata = {{"x-envoy-fault-delay-request", "600000"}};
  CallOptions longer = delay;
  longer.timeout = std::chrono::minutes(10);
  auto delayed = client_->Start(longer);
  delay.timeout = std::chrono::seconds(1);
  // While that RPC is delayed, no other RPC is.
  const auto until = std::chrono::steady_clock::now() + kPatience;
  StatusCode code = StatusCode::UNKNOWN;
  while (code != StatusCode::OK && std::chrono::steady_clock::now() < until) {
    code = Call("/s/m", delay);
  }
  EXPECT_EQ(code, StatusCode::OK);
  delayed->Cancel();
  EXPECT_EQ(delayed->Wait().status.error_code(), StatusCode::CANCELLED);
}

TEST_F(Faults, TheMostSpecificConfigCounts) {  // A39.7
  mesh_.filters = Filter("fault", Abort(StatusCode::ABORTED));
  const std::string to_weighted = R"({"weighted_clusters":{"clusters":[{"name":"a","weight":1)" +
                                  Override("fault", Abort(StatusCode::UNIMPLEMENTED)) + "}]}}";
  const std::string of_route = Override("fault", Abort(StatusCode::OUT_OF_RANGE));
  mesh_.routes = {{"/route/", "a", {}, of_route},
                  {"/cluster/", "", to_weighted, of_route},
                  {"/off/", "a", {}, Override("fault", "")},
                  {"", "a"}};
  Start(mesh_);
  EXPECT_EQ(Call("/x/m"), StatusCode::ABORTED);
  EXPECT_EQ(Call("/route/m"), StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(Call("/cluster/m"), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Call("/off/m"), StatusCode::OK);
  mesh_.virtual_host_fields = Override("fault", Abort(StatusCode::DATA_LOSS));
  plane_.Set(mesh_);
  EXPECT_TRUE(CallUntil(StatusCode::DATA_LOSS));
  EXPECT_EQ(Call("/route/m"), StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(Call("/cluster/m"), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Call("/off/m"), StatusCode::OK);
}

TEST_F(Faults, EachInstanceOfAFilterHasItsOwnConfig) {  // A39.6, A39.8, A39.10
  mesh_.filters = Filter("one", "") + Filter("two", Abort(StatusCode::ABORTED));
  mesh_.routes = {{"/one/", "a", {}, Override("one", Abort(StatusCode::DATA_LOSS))},
                  {"/two/", "a", {}, Override("two", Abort(StatusCode::OUT_OF_RANGE))},
                  {"/other/", "a", {}, Override("three", "")},
                  {"", "a"}};
  Start(mesh_);
  EXPECT_EQ(Call("/one/m"), StatusCode::DATA_LOSS);
  EXPECT_EQ(Call("/two/m"), StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(Call("/other/m"), StatusCode::ABORTED);
  EXPECT_EQ(Call("/x/m"), StatusCode::ABORTED);
}

TEST_F(Faults, UnknownFiltersThatAreOptionalAreLeftOut) {  // A39.3, A39.9, A39.12
  const std::string unknown = R"("@type":"type.googleapis.com/xds.type.v3.TypedStruct",)"
                              R"("type_url":"type.googleapis.com/test.Unknown","value":{})";
  mesh_.filters = R"({"name":"unknown","is_optional":true,"typed_config":{)" + unknown + "}}," +
                  Filter("fault", Abort(StatusCode::ABORTED));
  mesh_.routes[0].fields = R"(,"typed_per_filter_config":{"unknown":{"@type":"type.googleapis.com/)"
                           R"(envoy.config.route.v3.FilterConfig","is_optional":true,"config":{)" +
                           unknown + "}}}";
  Start(mesh_);
  EXPECT_EQ(Call("/s/m"), StatusCode::ABORTED);
}

TEST_F(Faults, FiltersComeAndGoWithTheListener) {  // A39
  Start(mesh_);
  EXPECT_EQ(Call("/s/m"), StatusCode::OK);
  for (int i = 0; i < 3; ++i) {
    mesh_.filters = Filter("fault", Abort(StatusCode::ABORTED));
    plane_.Set(mesh_);
    ASSERT_TRUE(CallUntil(StatusCode::ABORTED));
    mesh_.filters = "";
    plane_.Set(mesh_);
    ASSERT_TRUE(CallUntil(StatusCode::OK));
  }
  EXPECT_EQ(a_.connections(), 1u);
}

}  // namespace
}  // namespace gxds_test
