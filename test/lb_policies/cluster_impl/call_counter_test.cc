#include "lb_policies/cluster_impl/call_counter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "test/support/forks_during.h"

namespace {

gxds_call_counter* Get(const char* cluster, const char* service = "") {
  return gxds_call_counter_get(gxds_str_z(cluster), gxds_str_z(service));
}

TEST(CallCounter, OneForTheProcessPerClusterAndService) {  // A32.8, A37.26
  gxds_call_counter* a = Get("a");
  gxds_call_counter* again = Get("a");
  gxds_call_counter* service = Get("a", "s");
  gxds_call_counter* b = Get("b");
  EXPECT_EQ(a, again);
  EXPECT_NE(a, service);
  EXPECT_NE(a, b);
  for (auto* c : {a, again, service, b}) gxds_call_counter_unref(c);
}

TEST(CallCounter, NeverExceedsTheLimit) {
  gxds_call_counter* c = Get("a");
  EXPECT_FALSE(gxds_call_counter_try_add(c, 0));
  EXPECT_TRUE(gxds_call_counter_try_add(c, 2));
  EXPECT_TRUE(gxds_call_counter_try_add(c, 2));
  EXPECT_FALSE(gxds_call_counter_try_add(c, 2));
  EXPECT_EQ(gxds_call_counter_load(c), 2u);
  gxds_call_counter_remove(c);
  EXPECT_TRUE(gxds_call_counter_try_add(c, 2));
  gxds_call_counter_remove(c);
  gxds_call_counter_remove(c);
  gxds_call_counter_unref(c);
}

TEST(CallCounter, StartsAtZeroOnceNobodyUsedIt) {  // A32.9
  gxds_call_counter* c = Get("a");
  EXPECT_TRUE(gxds_call_counter_try_add(c, 1));
  gxds_call_counter_remove(c);
  gxds_call_counter_unref(c);
  c = Get("a");
  EXPECT_EQ(gxds_call_counter_load(c), 0u);
  gxds_call_counter_unref(c);
}

TEST(CallCounter, RequestsInFlightKeepItAndItsCount) {
  gxds_call_counter* c = Get("a");
  EXPECT_TRUE(gxds_call_counter_try_add(c, 1));
  gxds_call_counter_unref(c);
  EXPECT_EQ(Get("a"), c);
  EXPECT_EQ(gxds_call_counter_load(c), 1u);
  gxds_call_counter_unref(c);
  gxds_call_counter_remove(c);  // the last use; the leak checker reports it otherwise
  c = Get("a");
  EXPECT_EQ(gxds_call_counter_load(c), 0u);
  gxds_call_counter_unref(c);
}

TEST(CallCounter, ManyAreFoundAgain) {
  std::vector<gxds_call_counter*> all;
  for (int i = 0; i < 500; i++) all.push_back(Get(std::to_string(i).c_str()));
  for (int i = 0; i < 500; i++) {
    gxds_call_counter* c = Get(std::to_string(i).c_str());
    EXPECT_EQ(c, all[size_t(i)]);
    gxds_call_counter_unref(c);
  }
  for (auto* c : all) gxds_call_counter_unref(c);
}

// The limit holds and no place is lost while threads take places and the counter is created and
// removed.
TEST(CallCounter, LimitHoldsBetweenThreads) {
  constexpr uint32_t kLimit = 3;
  std::atomic<uint32_t> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; t++) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3000; i++) {
        gxds_call_counter* c = Get("shared");
        if (gxds_call_counter_try_add(c, kLimit)) {
          uint32_t n = ++inside;
          uint32_t seen = most;
          while (n > seen && !most.compare_exchange_weak(seen, n)) {
          }
          inside--;
          gxds_call_counter_remove(c);
        }
        gxds_call_counter_unref(c);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_LE(most, kLimit);
  EXPECT_GE(most, 1u);
}

TEST(CallCounter, IsFoundInTheChildOfAForkDuringItsUse) {
  EXPECT_TRUE(gxds_test::AllChildrenEnd([] { gxds_call_counter_unref(Get("a")); }));
}

}  // namespace
