#include "transport/poll_policy.h"

#include <gtest/gtest.h>

namespace grpc_xds {
namespace {

// The worker's thread on a made-up clock. Each step takes its time, except that a WATCH takes none
// if there are events.
class Thread {
 public:
  Thread() : step_(gxds_poll_policy_init(&policy_)) {}

  gxds_poll_kind kind() const { return step_.kind; }
  gxds_duration time() const { return step_.time; }
  gxds_time now() const { return now_; }
  // Lets part of a WATCH pass.
  void Wait(gxds_time until) { now_ = until; }
  void Step(bool events) {
    if (step_.kind != GXDS_POLL_WATCH || !events) now_ += step_.time;
    step_ = gxds_poll_policy_next(&policy_, events, now_);
  }
  // The time until it polls, with events that nobody else takes.
  gxds_duration UntilItPolls() {
    const gxds_time start = now_;
    while (kind() != GXDS_POLL_POLL) Step(true);
    return now_ - start;
  }
  // The number of polls until it is idle, without events.
  int BecomeIdle() {
    int polls = 0;
    while (kind() != GXDS_POLL_WATCH || time() != GXDS_POLL_QUIET_MAX) {
      polls += kind() == GXDS_POLL_POLL;
      Step(false);
    }
    return polls;
  }
  // Another thread takes all events for that time.
  void Others(gxds_duration how_long) {
    for (const gxds_time until = now_ + how_long; now_ < until;) {
      EXPECT_NE(kind(), GXDS_POLL_POLL);
      Step(kind() == GXDS_POLL_WATCH);
    }
  }

 private:
  gxds_poll_policy policy_;
  gxds_poll_step step_;
  gxds_time now_ = GXDS_SECOND;
};

TEST(PollPolicy, PollsAtOnceWhereNobodyElseDoes) {
  Thread t;
  t.BecomeIdle();
  EXPECT_LE(t.UntilItPolls(), GXDS_MILLISECOND);
}

TEST(PollPolicy, NeverPollsWhatOthersTake) {
  Thread t;
  t.BecomeIdle();
  t.Others(10 * GXDS_SECOND);  // this expects no poll
}

// Often a look finds events of the next call, but never as many times in a row as a poll needs.
TEST(PollPolicy, NeverPollsWhatOthersTakeThoughNewEventsCome) {
  Thread t;
  t.Others(GXDS_SECOND);
  int looks = 0;
  for (const gxds_time until = t.now() + 10 * GXDS_SECOND; t.now() < until;) {
    ASSERT_NE(t.kind(), GXDS_POLL_POLL);
    t.Step(t.kind() == GXDS_POLL_WATCH || ++looks % 7 != 0);
  }
}

TEST(PollPolicy, LooksAtMostAHundredTimesASecondWhereOthersPoll) {
  Thread t;
  t.Others(GXDS_SECOND);
  int looks = 0;
  for (const gxds_time until = t.now() + GXDS_SECOND; t.now() < until;) {
    looks += t.kind() == GXDS_POLL_PAUSE;
    t.Step(t.kind() == GXDS_POLL_WATCH);
  }
  EXPECT_LE(looks, 100);
}

// A program gets an event some forty times a second, and its own thread takes the event.
TEST(PollPolicy, WakesThreeTimesForAnEventThatIsRareAndOthersTake) {
  Thread t;
  t.Others(GXDS_SECOND);
  int wakes = 0;
  for (int event = 0; event < 100; ++event) {
    const gxds_time next = t.now() + 25 * GXDS_MILLISECOND;
    while (t.kind() != GXDS_POLL_WATCH || t.now() + t.time() < next) {
      t.Step(false);
      ++wakes;
    }
    t.Wait(next);
    t.Step(true);
    ++wakes;
  }
  // Each time: the event, a look, and a poll for events that were fetched and not handled.
  EXPECT_LE(wakes, 3 * 100 + 5);
}

// As in a program that receives an update now and then, which its own thread takes.
TEST(PollPolicy, WakesSixTimesForAnEventThatOthersTakeInAnIdleProgram) {
  Thread t;
  t.Others(GXDS_SECOND);
  for (int event = 0; event < 10; ++event) {
    t.BecomeIdle();
    t.Wait(t.now() + 300 * GXDS_MILLISECOND);
    int wakes = 1;
    t.Step(true);
    while (t.kind() != GXDS_POLL_WATCH || t.time() != GXDS_POLL_QUIET_MAX) {
      t.Step(false);
      ++wakes;
    }
    // The event, a look, and then two polls with a WATCH before the second.
    EXPECT_LE(wakes, 6);
  }
}

TEST(PollPolicy, TakesWhatOthersLeaveWithin14Milliseconds) {
  for (int at = 0; at < 4; ++at) {  // at any step when the others stop
    Thread t;
    t.Others(GXDS_SECOND);
    for (int i = 0; i < at; ++i) t.Step(t.kind() == GXDS_POLL_WATCH);
    EXPECT_LE(t.UntilItPolls(), 14 * GXDS_MILLISECOND) << at;
    EXPECT_LE(t.time(), GXDS_MILLISECOND) << "they may be back";
  }
}

// The host fetches many events and handles one at a time. Fetched events are not in the set any
// more.
TEST(PollPolicy, LooksForWhatOthersFetchedAndLeftUndone) {
  Thread t;
  t.Others(GXDS_SECOND);
  const gxds_time stopped = t.now();
  while (t.kind() != GXDS_POLL_POLL) t.Step(false);
  EXPECT_LE(t.now() - stopped, 14 * GXDS_MILLISECOND);
}

TEST(PollPolicy, PollsEveryTwoSecondsWhereNothingHappens) {
  Thread t;
  EXPECT_LE(t.BecomeIdle(), 8);
  t.UntilItPolls();
  EXPECT_LE(t.BecomeIdle(), 8);
  for (int i = 0; i < 3; ++i) {
    const gxds_time start = t.now();
    t.Step(false);
    EXPECT_EQ(t.now() - start, 2 * GXDS_SECOND);
    EXPECT_EQ(t.kind(), GXDS_POLL_POLL);
    t.Step(false);
  }
}

TEST(PollPolicy, PollsSoonAgainAfterAPollThatHadMuchToDo) {
  Thread t;
  t.BecomeIdle();
  t.UntilItPolls();
  for (int i = 0; i < 20; ++i) {
    t.Step(true);  // it fetched many events, and its time was over
    const gxds_time start = t.now();
    while (t.kind() != GXDS_POLL_POLL) t.Step(false);
    EXPECT_LE(t.now() - start, 4 * GXDS_MILLISECOND);
  }
}

TEST(PollPolicy, IsQuickAgainWhenOthersHaveGone) {
  Thread t;
  t.Others(GXDS_SECOND);
  t.BecomeIdle();
  EXPECT_LE(t.UntilItPolls(), GXDS_MILLISECOND);
}

}  // namespace
}  // namespace grpc_xds
