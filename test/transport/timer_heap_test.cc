#include "transport/timer_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "base/random.h"

namespace grpc_xds {
namespace {

class TimerHeap : public testing::Test {
 protected:
  struct Timer {
    TimerHeap *test;
    int name;
    gxds_time again = GXDS_TIME_NEVER;  // the time to which it sets itself again when it fires
    gxds_timer timer{};
  };
  static void Fire(void *arg) {
    auto *t = static_cast<Timer *>(arg);
    t->test->fired_.push_back(t->name);
    if (t->again != GXDS_TIME_NEVER) t->test->Set(t, t->again);
  }
  void Set(Timer *t, gxds_time deadline) {
    gxds_timer_heap_set(&heap_, &t->timer, deadline, Fire, t);
  }
  std::vector<int> FireAt(gxds_time now) {
    gxds_timer_heap_fire(&heap_, now);
    return std::exchange(fired_, {});
  }
  void TearDown() override { gxds_timer_heap_fini(&heap_); }

  gxds_timer_heap heap_{};
  std::vector<int> fired_;
};

TEST_F(TimerHeap, FiresWhatIsDueInOrderOfDeadlines) {
  Timer a{this, 1}, b{this, 2}, c{this, 3};
  Set(&c, 30);
  Set(&a, 10);
  Set(&b, 20);
  EXPECT_EQ(gxds_timer_heap_deadline(&heap_), 10);
  EXPECT_EQ(FireAt(9), (std::vector<int>{}));
  EXPECT_EQ(FireAt(20), (std::vector<int>{1, 2}));
  EXPECT_EQ(gxds_timer_heap_deadline(&heap_), 30);
  EXPECT_EQ(FireAt(1000), (std::vector<int>{3}));
  EXPECT_EQ(gxds_timer_heap_deadline(&heap_), GXDS_TIME_NEVER);
}

TEST_F(TimerHeap, EqualDeadlinesFireInTheOrderOfSetting) {
  Timer t[5] = {{this, 0}, {this, 1}, {this, 2}, {this, 3}, {this, 4}};
  for (int i : {3, 1, 4, 0, 2}) Set(&t[i], 7);
  EXPECT_EQ(FireAt(7), (std::vector<int>{3, 1, 4, 0, 2}));
}

TEST_F(TimerHeap, SettingTheSameDeadlineKeepsThePlace) {
  Timer a{this, 1}, b{this, 2};
  Set(&a, 7);
  Set(&b, 7);
  Set(&a, 7);
  EXPECT_EQ(FireAt(7), (std::vector<int>{1, 2}));
}

TEST_F(TimerHeap, MovedTimerFiresOnceAtItsNewDeadline) {
  Timer a{this, 1}, b{this, 2};
  Set(&a, 10);
  Set(&b, 20);
  Set(&a, 30);
  EXPECT_EQ(FireAt(20), (std::vector<int>{2}));
  EXPECT_EQ(FireAt(30), (std::vector<int>{1}));
}

TEST_F(TimerHeap, CancelledTimerDoesNotFire) {
  Timer a{this, 1}, b{this, 2};
  Set(&a, 10);
  Set(&b, 10);
  gxds_timer_heap_cancel(&heap_, &a.timer);
  gxds_timer_heap_cancel(&heap_, &a.timer);
  EXPECT_FALSE(gxds_deadline_is_set(&a.timer.deadline));
  Set(&b, GXDS_TIME_NEVER);
  EXPECT_EQ(FireAt(1000), (std::vector<int>{}));
  EXPECT_EQ(heap_.deadlines.count, 0u);
}

TEST_F(TimerHeap, WhatIsSetByATimerWaitsForTheNextRound) {
  Timer a{this, 1}, b{this, 2};
  a.again = 10;  // already due when it is set
  Set(&a, 10);
  Set(&b, 11);
  EXPECT_EQ(FireAt(10), (std::vector<int>{1}));
  EXPECT_EQ(FireAt(10), (std::vector<int>{1}));
  a.again = GXDS_TIME_NEVER;
  EXPECT_EQ(FireAt(11), (std::vector<int>{1, 2}));
}

TEST_F(TimerHeap, ForgottenTimersAreIdle) {
  Timer a{this, 1}, b{this, 2}, c{this, 3};
  Set(&a, 10);
  Set(&b, 20);
  gxds_timer_heap_clear(&heap_);
  EXPECT_EQ(gxds_timer_heap_deadline(&heap_), GXDS_TIME_NEVER);
  Set(&c, 30);
  gxds_timer_heap_cancel(&heap_, &a.timer);  // its slot is c's now
  Set(&b, 25);
  EXPECT_EQ(FireAt(30), (std::vector<int>{2, 3}));
}

TEST_F(TimerHeap, AgreesWithASortedMapUnderRandomUse) {
  constexpr int kTimers = 50;
  std::vector<Timer> timers;
  for (int i = 0; i < kTimers; i++) timers.push_back({this, i});
  std::map<std::pair<gxds_time, uint64_t>, int> expected;
  std::map<int, std::pair<gxds_time, uint64_t>> keys;
  gxds_random random{42};
  gxds_time now = 0;
  for (uint64_t step = 0; step < 20000; step++) {
    int i = static_cast<int>(gxds_random_next(&random) % kTimers);
    auto known = keys.find(i);
    switch (gxds_random_next(&random) % 4) {
      case 0:
        gxds_timer_heap_cancel(&heap_, &timers[i].timer);
        if (known != keys.end()) expected.erase(known->second), keys.erase(known);
        break;
      case 1: {
        now += static_cast<gxds_time>(gxds_random_next(&random) % 5);
        std::vector<int> due;
        while (!expected.empty() && expected.begin()->first.first <= now) {
          due.push_back(expected.begin()->second);
          keys.erase(expected.begin()->second);
          expected.erase(expected.begin());
        }
        ASSERT_EQ(FireAt(now), due);
        break;
      }
      default: {
        gxds_time deadline = now + static_cast<gxds_time>(gxds_random_next(&random) % 10);
        Set(&timers[i], deadline);
        if (known != keys.end() && known->second.first == deadline) break;  // keeps its place
        if (known != keys.end()) expected.erase(known->second);
        keys[i] = {deadline, step};
        expected[keys[i]] = i;
      }
    }
    ASSERT_EQ(heap_.deadlines.count, expected.size());
  }
}

}  // namespace
}  // namespace grpc_xds
