#include "lb_policies/weighted_locality/wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace {

struct WheelDelete {
  void operator()(gxds_wheel* w) const { gxds_wheel_destroy(w); }
};
using Wheel = std::unique_ptr<gxds_wheel, WheelDelete>;

Wheel Make(const std::vector<uint32_t>& weights) {
  return Wheel(gxds_wheel_create(weights.data(), weights.size()));
}

// The largest deviation of any member from its share, over all prefixes of that many turns.
double WorstDeviation(const std::vector<uint32_t>& weights, uint64_t start, uint64_t turns) {
  Wheel wheel = Make(weights);
  double total = 0;
  for (uint32_t w : weights) total += w;
  std::vector<uint64_t> counts(weights.size());
  double worst = 0;
  for (uint64_t t = 0; t < turns; t++) {
    counts[gxds_wheel_pick(wheel.get(), start + t)]++;
    for (size_t i = 0; i < weights.size(); i++) {
      double expected = weights[i] / total * static_cast<double>(t + 1);
      worst = std::max(worst, std::abs(static_cast<double>(counts[i]) - expected));
    }
  }
  return worst;
}

TEST(Wheel, OneMemberGetsEveryTurn) {
  Wheel wheel = Make({7});
  for (uint64_t t : {UINT64_C(0), UINT64_C(1), UINT64_MAX, UINT64_C(1) << 63}) {
    EXPECT_EQ(gxds_wheel_pick(wheel.get(), t), 0u);
  }
}

TEST(Wheel, TenThousandPicksOf10And30And60LandWithinThreePercent) {
  for (uint64_t start : {UINT64_C(0), UINT64_C(12345), UINT64_MAX - 5000}) {
    Wheel wheel = Make({10, 30, 60});
    std::vector<double> counts(3);
    for (uint64_t t = 0; t < 10000; t++) counts[gxds_wheel_pick(wheel.get(), start + t)]++;
    EXPECT_NEAR(counts[0], 1000, 5);
    EXPECT_NEAR(counts[1], 3000, 5);
    EXPECT_NEAR(counts[2], 6000, 5);
  }
}

TEST(Wheel, NoPrefixIsMoreThanAFewPicksOff) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (int run = 0; run < 200; run++) {
    std::vector<uint32_t> weights(1 + random() % 12);
    for (uint32_t& w : weights) {
      w = 1 + static_cast<uint32_t>(random() % (run % 2 ? 100 : UINT32_MAX));
    }
    worst = std::max(worst, WorstDeviation(weights, random(), 10000));
  }
  EXPECT_LT(worst, 4);
  EXPECT_GT(worst, 0.5) << "or nothing was measured";
}

TEST(Wheel, DeviationGrowsNoFasterThanItsBound) {
  std::mt19937_64 random(2);
  const double phi = (1 + std::sqrt(5.0)) / 2;
  for (uint64_t turns : {10u, 100u, 1000u, 10000u, 100000u, 1000000u}) {
    double bound = 2 * (1 + std::log(static_cast<double>(turns)) / std::log(phi) / 2);
    double worst = WorstDeviation({10, 30, 60}, random(), turns);
    worst = std::max(worst, WorstDeviation({1, 1}, random(), turns));
    worst = std::max(worst, WorstDeviation({1, 2, 3, 5, 7, 11}, random(), turns));
    EXPECT_LT(worst, bound);
    EXPECT_LT(worst, 6) << turns;
  }
}

// The turn that points to `point`. The golden angle is odd, so it has an inverse.
uint64_t TurnAt(uint64_t point) {
  const uint64_t angle = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t inverse = angle;  // its last three bits are right; each step doubles their number
  for (int i = 0; i < 5; i++) inverse *= 2 - angle * inverse;
  return point * inverse;
}

TEST(Wheel, SectorsMeetWithoutGapOrOverlap) {
  Wheel wheel = Make({1, 1, 2});
  const uint64_t quarter = UINT64_C(1) << 62;
  struct {
    uint64_t point;
    size_t member;
  } cases[] = {
      {0, 0},           {quarter - 1, 0}, {quarter, 1}, {2 * quarter - 1, 1},
      {2 * quarter, 2}, {UINT64_MAX, 2},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(gxds_wheel_pick(wheel.get(), TurnAt(c.point)), c.member) << c.point;
  }
}

TEST(Wheel, WeightOfOneBesideTheGreatestGetsItsTurns) {
  Wheel wheel = Make({UINT32_MAX, 1, UINT32_MAX});
  EXPECT_EQ(gxds_wheel_pick(wheel.get(), TurnAt(UINT64_C(1) << 63)), 1u);
}

// Compared with the definition of a sector, by plain search.
TEST(Wheel, GuideFindsTheSectorOfEveryPoint) {
  std::mt19937_64 random(3);
  for (size_t count : {1u, 2u, 3u, 63u, 64u, 65u, 1000u, 5000u}) {
    for (int shape = 0; shape < 3; shape++) {
      std::vector<uint32_t> weights(count);
      for (size_t i = 0; i < count; i++) {
        weights[i] = shape == 0   ? 1
                     : shape == 1 ? 1 + static_cast<uint32_t>(random() % UINT32_MAX)
                                  : (i == count / 2 ? UINT32_MAX : 1);
      }
      Wheel wheel = Make(weights);
      unsigned __int128 total = 0;
      std::vector<unsigned __int128> sums;
      for (uint32_t w : weights) sums.push_back(total += w);
      for (int n = 0; n < 2000; n++) {
        uint64_t turn = random();
        uint64_t point = turn * UINT64_C(0x9e3779b97f4a7c15);
        size_t member = gxds_wheel_pick(wheel.get(), turn);
        ASSERT_LT(member, count);
        ASSERT_TRUE(member + 1 == count || point < (sums[member] << 64) / total);
        ASSERT_TRUE(member == 0 || point >= (sums[member - 1] << 64) / total);
      }
    }
  }
}

TEST(Wheel, ManyLocalitiesAllGetTheirShare) {
  std::vector<uint32_t> weights(3000);
  for (size_t i = 0; i < weights.size(); i++) weights[i] = 1 + i % 7;
  double total = 0;
  for (uint32_t w : weights) total += w;
  Wheel wheel = Make(weights);
  std::vector<double> counts(weights.size());
  const double turns = 1200000;
  for (uint64_t t = 0; t < turns; t++) counts[gxds_wheel_pick(wheel.get(), t)]++;
  for (size_t i = 0; i < weights.size(); i++) {
    ASSERT_NEAR(counts[i], weights[i] / total * turns, 6) << i;
  }
}

// A caller whose RPCs alternate between kinds must get the weights within each kind.
TEST(Wheel, AnyStrideOfTheTurnsSeesTheSameShares) {
  Wheel wheel = Make({10, 30, 60});
  for (uint64_t stride : {2u, 3u, 5u, 10u, 100u}) {
    std::vector<double> counts(3);
    for (uint64_t t = 0; t < 10000; t++) counts[gxds_wheel_pick(wheel.get(), t * stride)]++;
    EXPECT_NEAR(counts[0], 1000, 30) << stride;
    EXPECT_NEAR(counts[1], 3000, 90) << stride;
    EXPECT_NEAR(counts[2], 6000, 180) << stride;
  }
}

TEST(Turns, GoOnAcrossWheels) {
  gxds_turns* turns = gxds_turns_create(41);
  EXPECT_EQ(gxds_turns_next(turns), 41u);
  gxds_turns* other = gxds_turns_ref(turns);
  gxds_turns_unref(turns);
  EXPECT_EQ(gxds_turns_next(other), 42u);
  gxds_turns_unref(other);
  gxds_turns_unref(nullptr);
}

TEST(Turns, AreGivenOnceEachToAnyThread) {
  gxds_turns* turns = gxds_turns_create(UINT64_MAX - 10);  // wraps around
  std::vector<std::vector<uint64_t>> got(4);
  std::vector<std::thread> threads;
  for (auto& mine : got) {
    threads.emplace_back([turns, &mine] {
      for (int i = 0; i < 10000; i++) mine.push_back(gxds_turns_next(turns));
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<uint64_t> all;
  for (const auto& mine : got) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 40000u);
  gxds_turns_unref(turns);
}

}  // namespace
