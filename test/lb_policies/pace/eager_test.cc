#include "lb_policies/pace/eager.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

constexpr uint32_t kLeast = 96;

uint32_t Renewed(gxds_eager* e, uint32_t share, uint32_t count) {
  gxds_eager_renew(e, &share, count);
  return share;
}

TEST(Eager, APolicyGetsWhatTheOthersLeft) {
  gxds_eager e = {2000, kLeast, 0};
  EXPECT_EQ(Renewed(&e, 0, 700), 700u);
  EXPECT_EQ(Renewed(&e, 0, 10000), 1300u);
}

TEST(Eager, APolicyGetsAWindowEvenIfNothingIsLeft) {
  gxds_eager e = {2000, kLeast, 0};
  EXPECT_EQ(Renewed(&e, 0, 10000), 2000u);
  EXPECT_EQ(Renewed(&e, 0, 10000), kLeast);
  EXPECT_EQ(Renewed(&e, 0, 7), 7u) << "it has no more";
}

TEST(Eager, AShareThatIsGivenBackIsForOthers) {
  gxds_eager e = {2000, kLeast, 0};
  EXPECT_EQ(Renewed(&e, 0, 2000), 2000u);
  EXPECT_EQ(Renewed(&e, 0, 500), kLeast);
  EXPECT_EQ(Renewed(&e, 2000, 0), 0u);
  EXPECT_EQ(Renewed(&e, kLeast, 500), 500u) << "at its next update";
}

TEST(Eager, AShareShrinksOnlyWithTheEndpoints) {
  gxds_eager e = {2000, kLeast, 0};
  EXPECT_EQ(Renewed(&e, 0, 3000), 2000u);
  EXPECT_EQ(Renewed(&e, 0, 3000), kLeast);
  EXPECT_EQ(Renewed(&e, 2000, 3001), 2000u) << "although both have more than the limit";
  EXPECT_EQ(Renewed(&e, 2000, 1500), 1500u);
  EXPECT_EQ(Renewed(&e, 1500, 3000), 2000u - kLeast);
}

TEST(Eager, WithoutALimitAllConnect) {
  gxds_eager e = {SIZE_MAX, kLeast, 0};
  for (int i = 0; i < 3; i++) EXPECT_EQ(Renewed(&e, 0, UINT32_MAX), UINT32_MAX);
}

TEST(Eager, SharesStayWithinTheLimitButForTheLeast) {
  std::mt19937 random(20261128);
  for (size_t limit : {size_t{0}, size_t{50}, size_t{2000}}) {
    gxds_eager e = {limit, kLeast, 0};
    std::vector<uint32_t> shares(20);
    for (int i = 0; i < 10000; i++) {
      uint32_t* share = &shares[random() % shares.size()];
      const uint32_t count = random() % 3 == 0 ? 0 : random() % 3000;
      gxds_eager_renew(&e, share, count);
      ASSERT_LE(*share, count);
      ASSERT_GE(*share, std::min(count, kLeast));
      size_t sum = 0;
      size_t above = 0;  // what is more than the least
      for (uint32_t s : shares) {
        sum += s;
        above += s > kLeast ? s - kLeast : 0;
      }
      ASSERT_EQ(sum, e.shared_out);
      ASSERT_LE(above, limit);
    }
  }
}

}  // namespace
