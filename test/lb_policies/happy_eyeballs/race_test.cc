#include "lb_policies/happy_eyeballs/race.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lb_policies/happy_eyeballs/interleave.h"

namespace {

constexpr auto kIdle = GRPC_CHANNEL_IDLE;
constexpr auto kConnecting = GRPC_CHANNEL_CONNECTING;
constexpr auto kReady = GRPC_CHANNEL_READY;
constexpr auto kFailed = GRPC_CHANNEL_TRANSIENT_FAILURE;

class Race : public ::testing::Test {
 protected:
  ~Race() override { gxds_race_destroy(race_); }

  // Starts with all addresses IDLE and a request to connect.
  void Start(uint32_t count) {
    race_ = gxds_race_create(count);
    EXPECT_EQ(Done(), "make");
    for (uint32_t i = 0; i < count; i++) EXPECT_EQ(State(i, kIdle), i + 1 < count ? "" : "IDLE");
  }
  std::string Connect() {
    gxds_race_on_connect(race_, now_);
    return Done();
  }
  std::string State(uint32_t address, grpc_connectivity_state state) {
    gxds_race_on_state(race_, address, state, now_);
    return Done();
  }
  std::string Pass(gxds_duration time) {
    now_ += time;
    if (now_ >= gxds_race_deadline(race_)) gxds_race_on_deadline(race_, now_);
    return Done();
  }
  // Makes the first count addresses fail, one after the other.
  std::string FailAll(uint32_t count) {
    std::string out;
    for (uint32_t i = 0; i < count; i++) {
      State(i, kConnecting);
      out = State(i, kFailed);
    }
    return out;
  }
  std::string Done() {
    std::string out;
    gxds_race_op op;
    while (gxds_race_next(race_, &op)) out += (out.empty() ? "" : " ") + Text(op);
    return out;
  }
  static std::string Text(const gxds_race_op& op) {
    static const char* const kStates[] = {"IDLE", "CONNECTING", "READY", "FAILED"};
    switch (op.kind) {
      case GXDS_RACE_MAKE:
        return "make";
      case GXDS_RACE_CONNECT:
        return "connect" + std::to_string(op.address);
      case GXDS_RACE_CHOOSE:
        return "choose" + std::to_string(op.address);
      case GXDS_RACE_DROP:
        return "drop";
      case GXDS_RACE_PUBLISH:
        return kStates[op.state];
    }
    return "?";
  }

  gxds_race* race_ = nullptr;
  gxds_time now_ = GXDS_SECOND;
};

TEST_F(Race, NothingConnectsBeforeItIsWanted) {
  Start(2);
  EXPECT_EQ(Pass(GXDS_SECOND), "");
  EXPECT_EQ(gxds_race_deadline(race_), GXDS_TIME_NEVER);
}

TEST_F(Race, TheNextAddressIsTriedWhenTheLastTakesLonger) {  // A61.1
  Start(3);
  EXPECT_EQ(Connect(), "connect0 CONNECTING");
  EXPECT_EQ(State(0, kConnecting), "");
  EXPECT_EQ(Pass(GXDS_RACE_DELAY - 1), "");
  EXPECT_EQ(Pass(1), "connect1");
  EXPECT_EQ(State(1, kConnecting), "");
  EXPECT_EQ(Pass(GXDS_RACE_DELAY), "connect2");
  EXPECT_EQ(gxds_race_deadline(race_), GXDS_TIME_NEVER) << "it is the last";
  EXPECT_EQ(State(0, kReady), "choose0 READY") << "its attempt went on";
}

TEST_F(Race, TheNextAddressIsTriedAtOnceWhenTheLastFailed) {  // A61.1
  Start(2);
  Connect();
  State(0, kConnecting);
  EXPECT_EQ(State(0, kFailed), "connect1");
  State(1, kConnecting);
  EXPECT_EQ(State(1, kReady), "choose1 READY");
}

TEST_F(Race, TheFirstThatIsReadyIsChosen) {  // A61.2
  Start(2);
  Connect();
  State(0, kConnecting);
  Pass(GXDS_RACE_DELAY);
  State(1, kConnecting);
  EXPECT_EQ(State(1, kReady), "choose1 READY");
  EXPECT_EQ(gxds_race_deadline(race_), GXDS_TIME_NEVER);
  EXPECT_EQ(State(0, kReady), "") << "too late, it was on its way";
}

TEST_F(Race, OneThatIsConnectedAlreadyIsChosenWithoutAPass) {  // A61.2
  race_ = gxds_race_create(2);
  EXPECT_EQ(Done(), "make");
  EXPECT_EQ(State(0, kIdle), "");
  EXPECT_EQ(State(1, kReady), "choose1 READY");
}

TEST_F(Race, FailureIsReportedWhenEachAddressHasFailed) {  // A61.3
  Start(3);
  Connect();
  State(0, kConnecting);
  Pass(GXDS_RACE_DELAY);
  State(1, kConnecting);
  EXPECT_EQ(State(1, kFailed), "connect2");
  State(2, kConnecting);
  EXPECT_EQ(State(2, kFailed), "") << "the first is still at it";
  EXPECT_EQ(State(1, kIdle), "") << "its turn is over";
  EXPECT_EQ(State(0, kFailed), "connect1 FAILED");
}

TEST_F(Race, AfterThatAllConnectAtAllTimesUntilOneIsReady) {  // A61.3, A62.5
  Start(2);
  Connect();
  EXPECT_EQ(FailAll(2), "FAILED");
  EXPECT_EQ(State(1, kIdle), "connect1");
  EXPECT_EQ(State(1, kConnecting), "") << "it stays failed";
  EXPECT_EQ(State(0, kIdle), "connect0");
  EXPECT_EQ(Connect(), "");
  EXPECT_EQ(State(1, kReady), "choose1 READY");
}

TEST_F(Race, EveryRoundOfFailuresIsReported) {  // A61.3
  Start(2);
  Connect();
  FailAll(2);
  for (int round = 0; round < 3; round++) {
    EXPECT_EQ(State(1, kFailed), "");
    EXPECT_EQ(State(1, kFailed), "FAILED") << "one may fail for both";
  }
}

TEST_F(Race, AnAddressInBackoffIsPassedOver) {  // A61.4
  race_ = gxds_race_create(3);
  Done();
  State(0, kFailed);
  State(1, kIdle);
  EXPECT_EQ(State(2, kFailed), "IDLE");
  EXPECT_EQ(Connect(), "connect1 CONNECTING");
  State(1, kConnecting);
  EXPECT_EQ(State(1, kFailed), "FAILED");
}

TEST_F(Race, AllInBackoffIsAFailureAtOnce) {  // A61.4
  race_ = gxds_race_create(2);
  Done();
  gxds_race_on_connect(race_, now_);
  EXPECT_EQ(State(0, kFailed), "");
  EXPECT_EQ(State(1, kFailed), "FAILED");
}

TEST_F(Race, AnAddressThatConnectsAlreadyCountsAsTried) {  // A61.4
  race_ = gxds_race_create(2);
  Done();
  State(0, kConnecting);
  State(1, kIdle);
  EXPECT_EQ(Connect(), "CONNECTING");
  EXPECT_EQ(Pass(GXDS_RACE_DELAY), "connect1");
}

TEST_F(Race, ALostConnectionIsIdleAndAllAreMadeAnewWhenItIsWanted) {  // A61.5
  Start(2);
  Connect();
  State(0, kConnecting);
  State(0, kReady);
  EXPECT_EQ(State(0, kIdle), "drop IDLE");
  EXPECT_EQ(State(0, kIdle), "");
  EXPECT_EQ(Connect(), "make CONNECTING");
  EXPECT_EQ(State(0, kFailed), "");
  EXPECT_EQ(State(1, kIdle), "connect1");
}

TEST_F(Race, AConnectionThatIsNotHealthyIsKept) {  // A61.5
  Start(2);
  Connect();
  State(0, kConnecting);
  State(0, kReady);
  EXPECT_EQ(State(0, kFailed), "FAILED");
  EXPECT_EQ(State(0, kReady), "READY");
}

TEST_F(Race, AnotherOrderBeginsThePassAnew) {  // A61.6
  Start(3);
  Connect();
  State(0, kConnecting);
  const uint32_t order[] = {2, 0, 1};
  gxds_race_on_reorder(race_, order, now_);
  EXPECT_EQ(Done(), "connect0") << "what was the last";
  State(0, kConnecting);
  EXPECT_EQ(Pass(GXDS_RACE_DELAY), "") << "the next one, once the first, connects already";
  EXPECT_EQ(State(1, kFailed), "connect2");
}

std::vector<uint32_t> Interleaved(const std::string& families) {
  bool is_ipv6[16];
  for (size_t i = 0; i < families.size(); i++) is_ipv6[i] = families[i] == '6';
  std::vector<uint32_t> out(families.size());
  gxds_interleave(is_ipv6, static_cast<uint32_t>(families.size()), out.data());
  return out;
}

TEST(Interleave, FamiliesTakeTurnsBeginningWithTheFirst) {  // A61.7
  EXPECT_EQ(Interleaved("6644"), (std::vector<uint32_t>{0, 2, 1, 3}));
  EXPECT_EQ(Interleaved("4466"), (std::vector<uint32_t>{0, 2, 1, 3}));
  EXPECT_EQ(Interleaved("4446"), (std::vector<uint32_t>{0, 3, 1, 2}));
  EXPECT_EQ(Interleaved("6444"), (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(Interleaved("444"), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(Interleaved("6"), (std::vector<uint32_t>{0}));
  EXPECT_EQ(Interleaved(""), (std::vector<uint32_t>{}));
}

}  // namespace
