// Times of RPCs: the limits of routes (A31), the backoff of attempts (A44), and delays of the fault
// filter (A33). The host has two clocks with different zeros. The plugin corrects the times that
// the host starts on one clock and ends by the other.
#include <algorithm>
#include <thread>

#include "test/e2e/e2e.h"
#include "test/support/host_seam.h"
#include "test/support/wall_clock.h"

namespace gxds_test {
namespace {

using grpc::StatusCode;
using std::chrono::milliseconds;

// A busy machine ends some RPCs late, but not all of this many.
constexpr int kTries = 10;

std::string To(const std::string& fields) { return R"({"cluster":"a",)" + fields + "}"; }

std::string Limit(const std::string& duration) {
  return R"("max_stream_duration":{"max_stream_duration":")" + duration + "\"}";
}

std::string Policy(int num_retries, const std::string& interval) {
  return R"("retry_policy":{"retry_on":"unavailable","num_retries":)" +
         std::to_string(num_retries) + R"(,"retry_back_off":{"base_interval":")" + interval +
         R"(","max_interval":")" + interval + "\"}}";
}

std::string Delay(const std::string& duration) {
  return R"({"name":"fault","typed_config":{"@type":"type.googleapis.com/)"
         R"(envoy.extensions.filters.http.fault.v3.HTTPFault","delay":{"fixed_delay":")" +
         duration + R"(","percentage":{"numerator":100}}}},)";
}

class Timeouts : public testing::Test {
 protected:
  void TearDown() override {
    SetWallClockAhead(std::chrono::seconds(0));
    a_.Release();
  }
  void Start() {
    plane_.Set(mesh_);
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap());
    ASSERT_TRUE(client_->CallUntil([](const Reply& r) { return r.status.ok(); },
                                   /*failures_allowed=*/true));
  }
  // RPCs end with that code, none of them earlier than least, and not all of them later than most.
  void ExpectEnd(StatusCode code, milliseconds least, milliseconds most,
                 milliseconds deadline = kPatience) {
    CallOptions options;
    options.timeout = deadline;
    auto best = std::chrono::microseconds::max();
    for (int i = 0; i < kTries && best > most; ++i) {
      const Reply reply = client_->Call(options);
      ASSERT_EQ(reply.status.error_code(), code) << reply.status.error_message();
      ASSERT_GE(reply.took.count(), std::chrono::microseconds(least).count());
      best = std::min(best, reply.took);
    }
    EXPECT_LE(best.count(), std::chrono::microseconds(most).count());
  }
  // An RPC that the backend answers after that time succeeds.
  testing::AssertionResult AnsweredAfter(milliseconds time) {
    Reply last;
    for (int i = 0; i < kTries; ++i) {
      a_.Hold();
      auto call = client_->Start();
      std::this_thread::sleep_for(time);  // the backend's time for an answer
      a_.Release();
      last = call->Wait();
      if (last.status.ok()) return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << "the last took " << last.took.count() << " us: " << last.status.error_message();
  }

  Backend a_{"a"};
  ControlPlane plane_;
  Mesh mesh_ = SimpleMesh({&a_});
  std::unique_ptr<Client> client_;
};

TEST_F(Timeouts, AnRpcHasAllTheTimeThatItsRouteGives) {  // A31.13
  mesh_.routes[0].action = To(Limit("0.5s"));
  Start();
  EXPECT_TRUE(AnsweredAfter(milliseconds(200)));
  a_.Hold();
  ExpectEnd(StatusCode::DEADLINE_EXCEEDED, milliseconds(500), milliseconds(900));
}

TEST_F(Timeouts, TheApplicationsDeadlineStaysWhereItIsSooner) {  // A31.17
  mesh_.routes[0].action = To(Limit("0.6s"));
  Start();
  a_.Hold();
  ExpectEnd(StatusCode::DEADLINE_EXCEEDED, milliseconds(100), milliseconds(590),
            /*deadline=*/milliseconds(200));
}

TEST_F(Timeouts, ARouteWhoseLimitIsZeroHasNone) {  // A31.16
  mesh_.routes[0].action = To(Limit("0s"));
  Start();
  a_.Hold();
  ExpectEnd(StatusCode::DEADLINE_EXCEEDED, milliseconds(2300), std::chrono::minutes(1),
            /*deadline=*/milliseconds(2500));
}

TEST_F(Timeouts, ALimitOfLessThanAMillisecondIsOne) {  // A31.13
  mesh_.routes = {{"/short/", "a", To(Limit("0.000001s"))}, {"", "a"}};
  Start();
  a_.Hold();
  CallOptions options;
  options.timeout = std::chrono::minutes(1);
  EXPECT_LE(client_->Call(options, "/short/m").took, std::chrono::seconds(50));
}

TEST_F(Timeouts, DoNotMoveWhenTheWallClockIsSet) {  // A31.13
  mesh_.routes[0].action = To(Limit("0.5s"));
  Start();
  for (const int seconds : {3600, -3600, 0}) {
    SCOPED_TRACE(seconds);
    SetWallClockAhead(std::chrono::seconds(seconds));
    EXPECT_TRUE(AnsweredAfter(milliseconds(200)));
    a_.Hold();
    ExpectEnd(StatusCode::DEADLINE_EXCEEDED, milliseconds(500), milliseconds(900));
    a_.Release();
  }
}

TEST_F(Timeouts, AllAttemptsOfAnRpcShareTheTimeOfItsRoute) {  // A44
  mesh_.routes[0].action = To(Limit("0.5s") + "," + Policy(4, "0.2s"));
  Start();
  EXPECT_TRUE(client_->CallUntil(
      [this](const Reply& r) {
        a_.FailTimes(1, StatusCode::UNAVAILABLE);  // for the next one
        return r.status.ok() && r.took > milliseconds(190);
      },
      /*failures_allowed=*/true));
  a_.FailWith(StatusCode::UNAVAILABLE);
  ExpectEnd(StatusCode::DEADLINE_EXCEEDED, milliseconds(500), milliseconds(900));
}

// The host measures these on one clock only, in milliseconds.
constexpr milliseconds kHalfASecond(499);

TEST_F(Timeouts, AnotherAttemptComesAfterAllOfTheBackoff) {  // A44
  mesh_.routes[0].action = To(Policy(1, "0.5s"));
  Start();
  a_.FailWith(StatusCode::UNAVAILABLE);
  const auto least = std::chrono::duration_cast<milliseconds>(kHalfASecond * kShortestFirstBackoff);
  ExpectEnd(StatusCode::UNAVAILABLE, least, milliseconds(900));
}

TEST_F(Timeouts, AFaultDelaysForAllOfItsTime) {  // A33
  mesh_.filters = Delay("0.5s");
  Start();
  ExpectEnd(StatusCode::OK, kHalfASecond, milliseconds(900));
}

TEST_F(Timeouts, ADelayIsPartOfTheTimeThatTheRouteGives) {  // A31.13
  mesh_.filters = Delay("0.2s");
  mesh_.routes[0].action = To(Limit("0.5s"));
  Start();
  a_.Hold();
  ExpectEnd(StatusCode::DEADLINE_EXCEEDED, milliseconds(500), milliseconds(900));
}

}  // namespace
}  // namespace gxds_test
