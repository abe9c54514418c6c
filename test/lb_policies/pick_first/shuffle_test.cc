// Random orders (A62).
#include "lb_policies/pick_first/shuffle.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace {

TEST(Shuffle, EveryOrderIsEquallyLikely) {  // A62.3
  gxds_random random = {1};
  std::map<std::vector<size_t>, int> seen;
  for (int i = 0; i < 24000; i++) {
    std::vector<size_t> order(4);
    gxds_shuffle(order.data(), order.size(), &random);
    seen[order]++;
  }
  ASSERT_EQ(seen.size(), 24u) << "all of them, and nothing that is none";
  for (const auto &[order, count] : seen) EXPECT_NEAR(count, 1000, 150);
}

TEST(Shuffle, OfNothingIsNothing) {
  gxds_random random = {1};
  gxds_shuffle(nullptr, 0, &random);
  size_t one = 7;
  gxds_shuffle(&one, 1, &random);
  EXPECT_EQ(one, 0u);
}

}  // namespace
