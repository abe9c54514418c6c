#include "lb_policies/round_robin/growth.h"

#include <gtest/gtest.h>

#include <set>

#include "lb_policies/pace/pace.h"

namespace {

constexpr uint32_t kWindow = GXDS_PACE_WINDOW;

uint32_t Wanted(const gxds_growth& g, gxds_growth_counts counts) {
  return gxds_growth_wanted(&g, &counts);
}
void Use(gxds_growth* g, gxds_growth_counts counts) { gxds_growth_on_use(g, &counts); }

TEST(Growth, AsManyAreTriedAsTheLimitAllows) {
  const gxds_growth g = {2000, kWindow, 0, 0};
  EXPECT_EQ(Wanted(g, {1, 96, 9904}), 1904u);
  EXPECT_EQ(Wanted(g, {1, 2000, 8000}), 0u);
  EXPECT_EQ(Wanted(g, {1, 2500, 7500}), 0u);
  EXPECT_EQ(Wanted(g, {1, 96, 4}), 4u) << "there are no more";
}

TEST(Growth, AllAreTriedWhileNoneIsReady) {
  const gxds_growth g = {2000, kWindow, 0, 0};
  EXPECT_EQ(Wanted(g, {0, 0, 10000}), 10000u);
  EXPECT_EQ(Wanted(g, {0, 2000, 8000}), 8000u);
}

TEST(Growth, WithoutALimitAllAreTried) {
  const gxds_growth g = GXDS_GROWTH_UNLIMITED;
  EXPECT_EQ(Wanted(g, {1, 2, 10000}), 10000u);
  EXPECT_EQ(gxds_growth_first(&g, UINT32_MAX), 0u);
}

TEST(Growth, UseDoublesTheReadyEndpoints) {
  gxds_growth g = {2000, kWindow, 0, 0};
  Use(&g, {2000, 2000, 8000});
  EXPECT_EQ(Wanted(g, {2000, 2000, 8000}), 2000u);
  Use(&g, {4000, 4000, 6000});
  EXPECT_EQ(Wanted(g, {4000, 4000, 6000}), 4000u);
}

TEST(Growth, UseTriesAWindowMoreAtLeast) {
  gxds_growth g = {96, kWindow, 0, 0};
  Use(&g, {1, 96, 904});
  EXPECT_EQ(Wanted(g, {1, 96, 904}), kWindow);
  Use(&g, {1, 96 + kWindow, 904 - kWindow});
  EXPECT_EQ(Wanted(g, {1, 96 + kWindow, 904 - kWindow}), kWindow)
      << "although those that were tried are not READY";
}

TEST(Growth, TheWindowMayBeSmaller) {
  gxds_growth g = {2, 3, 0, 0};
  Use(&g, {2, 2, 100});
  EXPECT_EQ(Wanted(g, {2, 2, 100}), 3u);
}

TEST(Growth, UseBeforeTheFirstAreTriedChangesNothing) {
  gxds_growth g = {2000, kWindow, 0, 0};
  Use(&g, {1, 96, 9904});
  EXPECT_EQ(Wanted(g, {1, 96, 9904}), 1904u);
}

TEST(Growth, NumbersDoNotOverflow) {
  gxds_growth g = {96, kWindow, UINT64_MAX, 0};
  Use(&g, {UINT32_MAX - 5, UINT32_MAX - 5, 5});
  EXPECT_EQ(Wanted(g, {UINT32_MAX - 5, UINT32_MAX - 5, 5}), 5u);
  EXPECT_EQ(gxds_growth_first(&g, UINT32_MAX), UINT32_MAX - 1);
}

TEST(Growth, TheFirstEndpointIsRandomOnlyIfSomeAreLeftOut) {
  std::set<uint32_t> firsts;
  for (uint64_t i = 0; i < 1000; i++) {
    const gxds_growth g = {96, kWindow, i * 0x9e3779b97f4a7c15u, 0};
    EXPECT_EQ(gxds_growth_first(&g, 96), 0u);
    EXPECT_EQ(gxds_growth_first(&g, 0), 0u);
    const uint32_t first = gxds_growth_first(&g, 100);
    EXPECT_LT(first, 100u);
    firsts.insert(first);
  }
  EXPECT_EQ(firsts.size(), 100u);
}

}  // namespace
