// Picks by weight, in turn (A58).
#include "lb_policies/weighted_round_robin/stride.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

class Stride {
 public:
  explicit Stride(const std::vector<double> &weights, uint64_t start = 0)
      : s_(gxds_stride_create(weights.size())),
        turns_(gxds_turns_create(start)),
        count_(weights.size()) {
    Set(weights);
  }
  Stride(const Stride &) = delete;
  ~Stride() {
    gxds_stride_destroy(s_);
    gxds_turns_unref(turns_);
  }
  void Set(const std::vector<double> &weights) { gxds_stride_set(s_, weights.data()); }
  size_t Pick() { return gxds_stride_pick(s_, turns_); }
  std::vector<int> Picks(int count) {
    std::vector<int> picks(count_);
    for (int i = 0; i < count; i++) picks[Pick()]++;
    return picks;
  }

 private:
  gxds_stride *const s_;
  gxds_turns *const turns_;
  const size_t count_;
};

void ExpectShares(Stride *s, const std::vector<double> &shares) {
  double sum = 0;
  for (double share : shares) sum += share;
  const int kPicks = 100000;
  std::vector<int> picks = s->Picks(kPicks);
  for (size_t i = 0; i < shares.size(); i++) {
    EXPECT_NEAR(picks[i], kPicks * shares[i] / sum, kPicks * 0.005) << i;
  }
}

TEST(Stride, PicksByWeight) {  // A58.3
  for (uint64_t start : {uint64_t{0}, uint64_t{12345678901}, UINT64_MAX - 1000}) {
    Stride s({1, 2, 3, 4}, start);
    ExpectShares(&s, {1, 2, 3, 4});
  }
  Stride fractions({0.001, 0.0005});
  ExpectShares(&fractions, {2, 1});
}

TEST(Stride, SpreadsThePicksOfAMember) {  // A58.3
  Stride s({1, 3});
  int since = 0;
  for (int i = 0; i < 10000; i++) {
    since = s.Pick() == 0 ? 0 : since + 1;
    ASSERT_LE(since, 4) << "three of the other, or four";
  }
}

TEST(Stride, UnknownOnesCountAsTheMean) {  // A58.2
  Stride s({2, 0, 4});
  ExpectShares(&s, {2, 3, 4});
}

TEST(Stride, WithFewerThanTwoKnownIsRoundRobin) {  // A58.2
  for (const std::vector<double> &weights :
       {std::vector<double>{0, 0, 0}, std::vector<double>{0, 7, 0}, std::vector<double>{5, 5, 5}}) {
    Stride s(weights);
    const size_t first = s.Pick();
    for (size_t i = 1; i < 30; i++) ASSERT_EQ(s.Pick(), (first + i) % 3);
  }
}

TEST(Stride, NoneGetsFarMoreOrLessThanTheMean) {
  std::vector<double> weights(100, 1);
  weights[0] = 1e6;
  Stride heavy(weights);
  // The mean is 10,001. The heavy weight counts as ten times the mean, the others as a hundredth of
  // it.
  EXPECT_NEAR(heavy.Picks(100000)[0], 100000 / (1 + 99 / 1000.0), 1000);
  weights.assign(10, 1000);
  weights[0] = 1e-9;
  Stride light(weights);
  EXPECT_GT(light.Picks(100000)[0], 50);
}

TEST(Stride, TakesNewWeightsWhileItIsUsed) {  // A58.9
  Stride s({1, 1});
  ExpectShares(&s, {1, 1});
  s.Set({1, 4});
  ExpectShares(&s, {1, 4});
}

TEST(Stride, IsUsedByAllThreads) {
  Stride s({1, 1, 1});
  std::atomic<bool> stop{false};
  std::thread weigher([&] {
    for (double i = 1; i < 2000; i++) s.Set({i, 1, 2000 - i});
    stop = true;
  });
  while (!stop) ASSERT_LT(s.Pick(), 3u);
  weigher.join();
}

TEST(Stride, OfOneMemberPicksIt) {
  Stride s({3});
  for (int i = 0; i < 10; i++) EXPECT_EQ(s.Pick(), 0u);
}

TEST(Stride, SharesAreTakenAsTheyAreHoweverFarApart) {  // E1.2
  gxds_stride *s = gxds_stride_create(100);
  gxds_turns *turns = gxds_turns_create(0);
  std::vector<double> shares(100, 0.01);
  shares[7] = 1;
  gxds_stride_set_shares(s, shares.data());
  int of_the_old = 0;
  for (int i = 0; i < 19900; i++) of_the_old += gxds_stride_pick(s, turns) == 7;
  EXPECT_NEAR(of_the_old, 10000, 100) << "more than ten times the mean";
  gxds_turns_unref(turns);
  gxds_stride_destroy(s);
}

}  // namespace
