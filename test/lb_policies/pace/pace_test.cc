#include "lb_policies/pace/pace.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace {

class PaceTest : public ::testing::Test {
 protected:
  ~PaceTest() override { gxds_pace_destroy(p_); }

  uint32_t Join(uint32_t wanted = 0, bool hurries = false) {
    const uint32_t user = gxds_pace_join(p_);
    gxds_pace_want(p_, user, wanted, hurries);
    return user;
  }
  // The user of the next start; -1: there is none.
  int Next() {
    gxds_pace_start start;
    gxds_pace_validate(p_);
    const bool has_next = gxds_pace_has_next(p_);
    EXPECT_EQ(gxds_pace_next(p_, now_, &start), has_next);
    gxds_pace_validate(p_);
    if (!has_next) return -1;
    last_ = start.id;
    return static_cast<int>(start.user);
  }
  std::vector<int> Next(int count) {
    std::vector<int> users;
    for (int i = 0; i < count; i++) users.push_back(Next());
    return users;
  }
  int Fill() {
    int count = 0;
    while (Next() != -1) count++;
    return count;
  }

  gxds_pace* const p_ = gxds_pace_create(GXDS_PACE_WINDOW);
  gxds_time now_ = 100 * GXDS_SECOND;
  uint64_t last_ = 0;
};

TEST_F(PaceTest, UsersTakeTurns) {
  EXPECT_EQ(Next(), -1);
  Join(3);
  Join(1);
  Join(2);
  EXPECT_EQ(Next(7), (std::vector<int>{0, 1, 2, 0, 2, 0, -1}));
}

TEST_F(PaceTest, ThoseThatHurryComeFirst) {
  Join(2);
  Join(2, true);
  const uint32_t last = Join(2);
  EXPECT_EQ(Next(), 1);
  gxds_pace_want(p_, last, 2, true);
  EXPECT_EQ(Next(3), (std::vector<int>{1, 2, 2}));
  EXPECT_EQ(Next(3), (std::vector<int>{0, 0, -1}));
}

TEST_F(PaceTest, WhoNoLongerHurriesWaitsItsTurn) {
  Join(2);
  const uint32_t user = Join(2, true);
  EXPECT_EQ(Next(), 1);
  gxds_pace_want(p_, user, 1, false);
  EXPECT_EQ(Next(4), (std::vector<int>{0, 1, 0, -1}));
}

TEST_F(PaceTest, WindowIsBounded) {
  Join(10000);
  EXPECT_EQ(Fill(), GXDS_PACE_WINDOW);
  EXPECT_EQ(Next(), -1);
  gxds_pace_settle(p_, last_);
  gxds_pace_settle(p_, last_);  // already settled
  gxds_pace_settle(p_, 0);
  EXPECT_EQ(Fill(), 1);
}

TEST(PaceWindow, MayBeSmaller) {
  gxds_pace* const p = gxds_pace_create(2);
  const uint32_t user = gxds_pace_join(p);
  gxds_pace_want(p, user, 5, false);
  gxds_pace_start start;
  EXPECT_TRUE(gxds_pace_next(p, 1, &start));
  EXPECT_TRUE(gxds_pace_next(p, 2, &start));
  EXPECT_FALSE(gxds_pace_next(p, 2, &start));
  gxds_pace_validate(p);
  EXPECT_EQ(gxds_pace_deadline(p), 1 + GXDS_PACE_PATIENCE);
  gxds_pace_on_deadline(p, 1 + GXDS_PACE_PATIENCE);
  EXPECT_TRUE(gxds_pace_next(p, 3, &start));
  EXPECT_FALSE(gxds_pace_next(p, 3, &start));
  gxds_pace_settle(p, start.id);
  EXPECT_TRUE(gxds_pace_next(p, 3, &start));
  gxds_pace_leave(p, user);
  gxds_pace_validate(p);
  gxds_pace_destroy(p);
}

TEST_F(PaceTest, SettlingAnOlderStartInTheSamePlaceIsIgnored) {
  Join(10000);
  Fill();
  const uint64_t old = last_;
  gxds_pace_settle(p_, old);
  EXPECT_EQ(Fill(), 1);
  EXPECT_NE(last_, old);
  gxds_pace_settle(p_, old);
  EXPECT_EQ(Next(), -1);
}

TEST_F(PaceTest, StartThatIsNotFinishedLosesItsPlace) {
  const uint32_t user = Join(10000);
  EXPECT_EQ(Next(), 0);
  EXPECT_EQ(gxds_pace_deadline(p_), GXDS_TIME_NEVER);  // no user waits for a place
  now_ += GXDS_MILLISECOND;
  EXPECT_EQ(Fill(), GXDS_PACE_WINDOW - 1);
  EXPECT_EQ(gxds_pace_deadline(p_), now_ - GXDS_MILLISECOND + GXDS_PACE_PATIENCE);
  gxds_pace_on_deadline(p_, now_);  // early
  EXPECT_EQ(Next(), -1);
  now_ = gxds_pace_deadline(p_);
  gxds_pace_on_deadline(p_, now_);
  EXPECT_EQ(Fill(), 1);
  now_ = gxds_pace_deadline(p_);
  gxds_pace_on_deadline(p_, now_);
  EXPECT_EQ(Fill(), GXDS_PACE_WINDOW - 1);
  gxds_pace_want(p_, user, 0, false);
  EXPECT_EQ(gxds_pace_deadline(p_), GXDS_TIME_NEVER);  // no user waits
}

TEST_F(PaceTest, WhoLeavesGivesItsPlacesBack) {
  const uint32_t first = Join(10000);
  Fill();
  const uint32_t second = Join(5);
  EXPECT_EQ(Next(), -1);
  gxds_pace_leave(p_, first);
  EXPECT_EQ(Next(), static_cast<int>(second));
  EXPECT_EQ(Fill(), 4);
  EXPECT_EQ(Join(1), first) << "its number is free";
  EXPECT_EQ(Next(), static_cast<int>(first));
}

TEST_F(PaceTest, RandomOperations) {
  std::mt19937 random(7);
  std::map<uint32_t, uint32_t> wanted;
  std::vector<uint64_t> starts;
  for (int i = 0; i < 20000; i++) {
    const unsigned kind = random() % 10;
    if (kind == 0 && wanted.size() < 20) {
      ASSERT_TRUE(wanted.insert({gxds_pace_join(p_), 0}).second);
    } else if (kind == 1 && !wanted.empty() && random() % 4 == 0) {
      const uint32_t user = std::next(wanted.begin(), random() % wanted.size())->first;
      gxds_pace_leave(p_, user);
      wanted.erase(user);
    } else if (kind < 5 && !wanted.empty()) {
      auto it = std::next(wanted.begin(), random() % wanted.size());
      it->second = random() % 4 == 0 ? 0 : random() % 50;
      gxds_pace_want(p_, it->first, it->second, random() % 3 == 0);
    } else if (kind < 8) {
      const int user = Next();
      if (user >= 0) {
        ASSERT_GT(wanted.at(static_cast<uint32_t>(user))--, 0u);
        starts.push_back(last_);
      }
    } else if (!starts.empty()) {
      gxds_pace_settle(p_, starts[random() % starts.size()]);
    }
    now_ += random() % 3 == 0 ? GXDS_MILLISECOND : 0;
    if (random() % 50 == 0) gxds_pace_on_deadline(p_, now_);
    gxds_pace_validate(p_);
  }
}

}  // namespace
