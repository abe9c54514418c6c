// Random orders (A62, A113).
#include "lb_policies/pick_first/shuffle.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace {

TEST(Shuffle, EveryOrderIsEquallyLikely) {  // A62.3
  gxds_random random = {1};
  const std::vector<uint32_t> weights(4, 7);
  std::map<std::vector<size_t>, int> seen;
  for (int i = 0; i < 24000; i++) {
    std::vector<size_t> order(4);
    gxds_shuffle(weights.data(), order.data(), order.size(), &random);
    seen[order]++;
  }
  ASSERT_EQ(seen.size(), 24u) << "all of them, and nothing that is none";
  for (const auto &[order, count] : seen) EXPECT_NEAR(count, 1000, 150);
}

TEST(Shuffle, TheFirstIsDrawnByWeightAndTheNextByWeightOfThoseLeft) {  // A113.1
  gxds_random random = {1};
  const uint32_t one = 1u << 28;  // weights are shares, with a sum of 2^31 at most
  const std::vector<uint32_t> weights = {one, 2 * one, 5 * one};
  std::map<std::vector<size_t>, int> seen;
  for (int i = 0; i < 80000; i++) {
    std::vector<size_t> order(3);
    gxds_shuffle(weights.data(), order.data(), order.size(), &random);
    seen[order]++;
  }
  EXPECT_NEAR((seen[{0, 1, 2}]), 80000 * 1 / 8 * 2 / 7, 300);
  EXPECT_NEAR((seen[{0, 2, 1}]), 80000 * 1 / 8 * 5 / 7, 300);
  EXPECT_NEAR((seen[{1, 0, 2}]), 80000 * 2 / 8 * 1 / 6, 300);
  EXPECT_NEAR((seen[{1, 2, 0}]), 80000 * 2 / 8 * 5 / 6, 400);
  EXPECT_NEAR((seen[{2, 0, 1}]), 80000 * 5 / 8 * 1 / 3, 400);
  EXPECT_NEAR((seen[{2, 1, 0}]), 80000 * 5 / 8 * 2 / 3, 400);
}

TEST(Shuffle, OfNothingIsNothing) {
  gxds_random random = {1};
  gxds_shuffle(nullptr, nullptr, 0, &random);
  size_t one = 7;
  const uint32_t weight = 1;
  gxds_shuffle(&weight, &one, 1, &random);
  EXPECT_EQ(one, 0u);
}

}  // namespace
