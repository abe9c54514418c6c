#include <gtest/gtest.h>

#include "test/differential/history.h"

namespace gxds_differential {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kSeeds = 1000;
#else
constexpr uint64_t kSeeds = 10000;
#endif

TEST(Differential, SotwAndDeltaHoldTheSameAtEveryQuietPoint) {
  uint64_t counts[kHappeningCount] = {};
  for (uint64_t seed = 1; seed <= kSeeds; seed++) {
    HistoryResult r = RunHistory(seed, kPlantNone);
    ASSERT_EQ(r.difference, "") << "seed " << seed;
    for (int i = 0; i < kHappeningCount; i++) counts[i] += r.counts[i];
  }
  for (int i = 0; i < kHappeningCount; i++) {
    EXPECT_GE(counts[i], kSeeds / 10) << "happening " << i << " is rare";
  }
  EXPECT_GE(counts[kDidCompareSnapshots] * 4, counts[kDidCompare]) << "mostly nothing is compared";
}

class Canary : public ::testing::TestWithParam<int> {};

TEST_P(Canary, IsFound) {
  for (uint64_t seed = 1; seed <= 300; seed++) {
    if (RunHistory(seed, static_cast<Plant>(GetParam())).difference != "") return;
  }
  FAIL() << "nobody notices planted fault " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Planted, Canary, ::testing::Range(1, int{kPlantCount}));

}  // namespace
}  // namespace gxds_differential
