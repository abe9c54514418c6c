// The part of its weight that a new endpoint gets, by Envoy's rule.
#include "lb_policies/slow_start/slow_start.h"

#include <gtest/gtest.h>

namespace {

gxds_slow_start Config(int window_seconds, double aggression = 1, double min_weight_percent = 10) {
  return {window_seconds * GXDS_SECOND, aggression, min_weight_percent};
}

double Share(const gxds_slow_start &s, double seconds) {
  return gxds_slow_start_share(&s, static_cast<gxds_duration>(seconds * GXDS_SECOND));
}

TEST(SlowStart, TheShareGrowsWithTheAge) {  // E1.2
  const gxds_slow_start s = Config(60);
  EXPECT_DOUBLE_EQ(Share(s, 15), 0.25);
  EXPECT_DOUBLE_EQ(Share(s, 30), 0.5);
  EXPECT_DOUBLE_EQ(Share(s, 60), 1);
  EXPECT_DOUBLE_EQ(Share(s, 6000), 1);
}

TEST(SlowStart, ItIsNeverLessThanTheMinimum) {  // E1.3
  EXPECT_DOUBLE_EQ(Share(Config(60), 0), 0.1);
  EXPECT_DOUBLE_EQ(Share(Config(60, 1, 40), 15), 0.4);
  EXPECT_DOUBLE_EQ(Share(Config(60, 1, 40), 30), 0.5);
  EXPECT_DOUBLE_EQ(Share(Config(60, 1, 100), 0), 1);
}

TEST(SlowStart, AnAgeOfLessThanASecondCountsAsOne) {  // E1.2
  EXPECT_DOUBLE_EQ(Share(Config(50, 1, 0), 0), 0.02);
  EXPECT_DOUBLE_EQ(Share(Config(50, 1, 0), 0.9), 0.02);
  EXPECT_DOUBLE_EQ(Share(Config(1), 0), 1) << "a window of a second is none";
}

TEST(SlowStart, AggressionBendsTheCurve) {  // E1.2
  EXPECT_DOUBLE_EQ(Share(Config(100, 2, 0), 25), 0.5) << "fast at first";
  EXPECT_DOUBLE_EQ(Share(Config(100, 0.5, 0), 50), 0.25) << "slow at first";
  for (double aggression : {1e-300, 1e300}) {
    const double share = Share(Config(100, aggression, 0), 50);
    EXPECT_GE(share, GXDS_SLOW_START_SHARE_MIN) << aggression;
    EXPECT_LE(share, 1) << aggression;
  }
}

TEST(SlowStart, SharesAreComputedAnewAHundredTimesInAWindow) {
  auto period = [](gxds_duration window) {
    const gxds_slow_start s = {window, 1, 10};
    return gxds_slow_start_period(&s);
  };
  EXPECT_EQ(period(60 * GXDS_SECOND), 600 * GXDS_MILLISECOND);
  EXPECT_EQ(period(GXDS_SECOND), 100 * GXDS_MILLISECOND) << "no more than ten a second";
  EXPECT_EQ(period(GXDS_TIME_NEVER), GXDS_SECOND) << "at least one";
}

}  // namespace
