// The choice among endpoints by their outstanding RPCs (A48).
#include "lb_policies/least_request/least_request.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

// Endpoints with that many RPCs in progress.
class Endpoints {
 public:
  explicit Endpoints(const std::vector<int> &active) {
    for (int n : active) {
      all_.push_back(gxds_active_requests_create());
      for (int i = 0; i < n; i++) gxds_active_requests_begin(all_.back());
    }
  }
  Endpoints(const Endpoints &) = delete;
  ~Endpoints() {
    for (auto *a : all_) gxds_active_requests_unref(a);
  }
  size_t Choose(uint32_t choices, gxds_random *random) {
    return gxds_least_request_choose(all_.data(), all_.size(), nullptr, choices, random);
  }
  gxds_active_requests *at(size_t i) { return all_[i]; }

 private:
  std::vector<gxds_active_requests *> all_;
};

// The choice of A48's pseudo-code with the same random numbers.
size_t Reference(const std::vector<int> &active, uint32_t choices, gxds_random random) {
  size_t candidate = active.size();
  for (uint32_t i = 0; i < choices; i++) {
    size_t sampled = gxds_random_next(&random) % active.size();
    if (candidate == active.size() || active[sampled] < active[candidate]) candidate = sampled;
  }
  return candidate;
}

TEST(LeastRequest, ChoosesAsThePseudoCodeDoes) {  // A48.3, A48.7
  const std::vector<int> active = {5, 0, 3, 3, 9, 1};
  Endpoints endpoints(active);
  for (uint32_t choices : {1u, 2u, 3u, 10u}) {
    gxds_random random = {choices};
    for (int i = 0; i < 1000; i++) {
      const size_t expected = Reference(active, choices, random);
      ASSERT_EQ(endpoints.Choose(choices, &random), expected);
    }
  }
}

TEST(LeastRequest, TheBusiestOfTwoIsChosenOnlyWhenItIsDrawnTwice) {  // A48.3
  Endpoints endpoints({1, 0});
  gxds_random random = {1};
  int busy = 0;
  const int kPicks = 40000;
  for (int i = 0; i < kPicks; i++) busy += endpoints.Choose(2, &random) == 0;
  EXPECT_NEAR(busy, kPicks / 4, kPicks / 40);
}

TEST(LeastRequest, OneEndpointIsAlwaysChosen) {
  Endpoints endpoints({7});
  gxds_random random = {1};
  EXPECT_EQ(endpoints.Choose(2, &random), 0u);
}

TEST(LeastRequest, EqualOnesAreChosenEqually) {
  Endpoints endpoints({2, 2, 2, 2});
  gxds_random random = {3};
  std::vector<int> chosen(4);
  for (int i = 0; i < 40000; i++) chosen[endpoints.Choose(2, &random)]++;
  for (int n : chosen) EXPECT_NEAR(n, 10000, 500);
}

TEST(LeastRequest, CountsOfAllThreads) {  // A48.6
  Endpoints endpoints({0});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; i++) gxds_active_requests_begin(endpoints.at(0));
      for (int i = 0; i < 999; i++) gxds_active_requests_end(endpoints.at(0));
    });
  }
  for (auto &t : threads) t.join();
  EXPECT_EQ(gxds_active_requests_count(endpoints.at(0)), 4u);
}

TEST(LeastRequest, ANewEndpointIsDrawnLessOften) {  // E1.8
  std::vector<gxds_active_requests *> idle;
  for (int i = 0; i < 3; i++) idle.push_back(gxds_active_requests_create());
  gxds_draws *draws = gxds_draws_create(idle.size());
  const auto share = [&](size_t of) {
    gxds_random random = {1};
    int chosen = 0;
    for (int i = 0; i < 21000; i++) {
      chosen += gxds_least_request_choose(idle.data(), idle.size(), draws, 2, &random) == of;
    }
    return chosen;
  };
  EXPECT_NEAR(share(0), 7000, 200);
  const double shares[] = {0.1, 1, 1};
  gxds_draws_set(draws, shares);
  EXPECT_NEAR(share(0), 1000, 100);
  EXPECT_NEAR(share(1), 10000, 200);
  for (int i = 0; i < 5; i++) gxds_active_requests_begin(idle[1]);
  EXPECT_NEAR(share(2), 21000 * 0.703, 300) << "but where both draws are of others";
  const double all_small[] = {0.01, 0.01, 0.01};
  gxds_draws_set(draws, all_small);
  gxds_active_requests_begin(idle[0]);
  EXPECT_GT(share(2), 7000) << "compared with each other they are as any";
  gxds_draws_unref(draws);
  for (auto *a : idle) gxds_active_requests_unref(a);
}

TEST(LeastRequest, DrawsEndWhenNearlyAllAreNew) {  // E1.8
  std::vector<gxds_active_requests *> idle;
  for (int i = 0; i < 1000; i++) idle.push_back(gxds_active_requests_create());
  std::vector<double> shares(idle.size(), 1e-9);
  shares[0] = 1;
  gxds_draws *draws = gxds_draws_create(idle.size());
  gxds_draws_set(draws, shares.data());
  gxds_random random = {1};
  for (int i = 0; i < 1000; i++) {
    EXPECT_LT(gxds_least_request_choose(idle.data(), idle.size(), draws, 10, &random), 1000u);
  }
  gxds_draws_unref(draws);
  for (auto *a : idle) gxds_active_requests_unref(a);
}

}  // namespace
