#include "transport/poll_policy.h"

#include <gtest/gtest.h>

namespace grpc_xds {
namespace {

// The reactor's thread on a made-up clock. Each step takes its time, except that a WATCH takes none
// if there are events.
class Thread {
 public:
  Thread() : step_(gxds_poll_policy_init(&policy_)) {}

  gxds_poll_kind kind() const { return step_.kind; }
  gxds_duration time() const { return step_.time; }
  gxds_time now() const { return now_; }
  bool IsInside() const { return kind() == GXDS_POLL_POLL || kind() == GXDS_POLL_STAY; }
  // Lets part of a WATCH pass.
  void Wait(gxds_time until) { now_ = until; }
  // events: inside the host, whether there was something to do all the time.
  void Step(bool events) {
    if (kind() != GXDS_POLL_WATCH || !events) now_ += time();
    step_ = IsInside() ? gxds_poll_policy_polled(&policy_, events ? time() : 0, now_)
                       : gxds_poll_policy_looked(&policy_, events, now_);
  }
  void StayAndUse(gxds_duration used) {
    now_ += time();
    step_ = gxds_poll_policy_polled(&policy_, used, now_);
  }
  void BeginCall() { step_ = gxds_poll_policy_call_begins(&policy_, now_); }
  // The time until it polls, with events that nobody else takes.
  gxds_duration UntilItPolls() {
    const gxds_time start = now_;
    while (!IsInside()) Step(true);
    return now_ - start;
  }
  // The number of polls until it is idle, without events.
  int BecomeIdle() {
    int polls = 0;
    while (kind() != GXDS_POLL_STAY) {
      polls += kind() == GXDS_POLL_POLL;
      Step(false);
    }
    return polls;
  }
  // Another thread makes calls, and takes all events for that time.
  void Others(gxds_duration how_long) {
    if (kind() == GXDS_POLL_STAY) BeginCall();
    for (const gxds_time until = now_ + how_long; now_ < until;) {
      EXPECT_FALSE(IsInside());
      Step(kind() == GXDS_POLL_WATCH);
    }
  }

 private:
  gxds_poll_policy policy_;
  gxds_poll_step step_;
  gxds_time now_ = GXDS_SECOND;
};

TEST(PollPolicy, StaysInsideWhereNobodyMakesCalls) {
  Thread t;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(t.kind(), GXDS_POLL_STAY);
    t.Step(false);
  }
}

TEST(PollPolicy, StaysInsideForUpdates) {
  Thread t;
  t.StayAndUse(t.time() / 200);
  EXPECT_EQ(t.kind(), GXDS_POLL_STAY);
}

// A program may make calls on channels that are not ours.
TEST(PollPolicy, LeavesIfThereIsMuchToDo) {
  Thread t;
  t.StayAndUse(t.time() / 50);
  EXPECT_EQ(t.kind(), GXDS_POLL_WATCH);
  t.Others(GXDS_SECOND);
}

TEST(PollPolicy, LeavesWhenACallBegins) {
  Thread t;
  t.BeginCall();
  EXPECT_EQ(t.kind(), GXDS_POLL_WATCH);
  t.Step(true);
  EXPECT_EQ(t.kind(), GXDS_POLL_PAUSE);
  EXPECT_EQ(t.time(), 10 * GXDS_MILLISECOND) << "the thread that calls takes them";
}

TEST(PollPolicy, StaysAgainWithinATimeWithoutEvents) {
  Thread t;
  t.BeginCall();
  const gxds_time start = t.now();
  t.BecomeIdle();
  EXPECT_LE(t.now() - start, 300 * GXDS_MILLISECOND);
}

TEST(PollPolicy, NeverPollsWhatOthersTake) {
  Thread t;
  t.Others(10 * GXDS_SECOND);  // this expects no poll
}

// Often a look finds events of the next call, but never as many times in a row as a poll needs.
TEST(PollPolicy, NeverPollsWhatOthersTakeThoughNewEventsCome) {
  Thread t;
  t.Others(GXDS_SECOND);
  int looks = 0;
  for (const gxds_time until = t.now() + 10 * GXDS_SECOND; t.now() < until;) {
    ASSERT_FALSE(t.IsInside());
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

// As in a program that makes a call now and then.
TEST(PollPolicy, WakesSixTimesForACallInAnIdleProgram) {
  Thread t;
  for (int call = 0; call < 10; ++call) {
    t.BeginCall();
    t.Step(true);
    int wakes = 2;
    for (; t.kind() != GXDS_POLL_STAY; ++wakes) t.Step(false);
    // The call, its response, a look, a poll with a WATCH before it, and the end of a WATCH.
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
  while (!t.IsInside()) t.Step(false);
  EXPECT_LE(t.now() - stopped, 14 * GXDS_MILLISECOND);
}

TEST(PollPolicy, PollsSoonAgainAfterAPollThatHadMuchToDo) {
  Thread t;
  t.BeginCall();
  t.UntilItPolls();
  for (int i = 0; i < 20; ++i) {
    t.Step(true);  // it fetched many events, and its time was over
    const gxds_time start = t.now();
    while (!t.IsInside()) t.Step(false);
    EXPECT_LE(t.now() - start, 4 * GXDS_MILLISECOND);
  }
}

}  // namespace
}  // namespace grpc_xds
