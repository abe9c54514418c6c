// When an endpoint's weight counts (A58).
#include "lb_policies/weighted_round_robin/endpoint_weight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

constexpr gxds_duration kBlackout = 10 * GXDS_SECOND;
constexpr gxds_duration kExpiration = 180 * GXDS_SECOND;

class EndpointWeight : public testing::Test {
 protected:
  ~EndpointWeight() override { gxds_endpoint_weight_unref(w_); }
  void Report(double weight) { gxds_endpoint_weight_on_report(w_, weight, now_); }
  double Get(gxds_duration blackout = kBlackout) {
    double weight;
    state_ = gxds_endpoint_weight_get(w_, blackout, kExpiration, now_, &weight);
    return weight;
  }
  void Pass(gxds_duration time) { now_ += time; }

  gxds_endpoint_weight *w_ = gxds_endpoint_weight_create();
  gxds_time now_ = 1000 * GXDS_SECOND;
  gxds_weight_state state_ = GXDS_WEIGHT_USABLE;  // with the last weight
};

TEST_F(EndpointWeight, IsUnknownWithoutAReport) {
  EXPECT_EQ(Get(), 0);
  EXPECT_EQ(Get(0), 0);
  Report(0);
  EXPECT_EQ(Get(0), 0) << "it says nothing";
  EXPECT_EQ(state_, GXDS_WEIGHT_NOT_YET_USABLE);
}

TEST_F(EndpointWeight, CountsOnceTheBlackoutIsOver) {  // A58.7
  Report(5);
  Pass(kBlackout - 1);
  EXPECT_EQ(Get(), 0);
  EXPECT_EQ(state_, GXDS_WEIGHT_NOT_YET_USABLE);
  EXPECT_EQ(Get(0), 5) << "there is none";
  EXPECT_EQ(state_, GXDS_WEIGHT_USABLE);
  Report(6);
  Pass(1);
  EXPECT_EQ(Get(), 6) << "counted from the first report";
}

TEST_F(EndpointWeight, ExpiresAfterTheLastReportAndBeginsAnew) {  // A58.8
  Report(5);
  Pass(kBlackout);
  Report(5);
  Pass(kExpiration - 1);
  EXPECT_EQ(Get(), 5);
  Pass(1);
  EXPECT_EQ(Get(), 0);
  EXPECT_EQ(state_, GXDS_WEIGHT_STALE);
  Report(7);
  EXPECT_EQ(Get(), 0) << "blackout";
  EXPECT_EQ(state_, GXDS_WEIGHT_NOT_YET_USABLE);
  Pass(kBlackout);
  EXPECT_EQ(Get(), 7);
}

TEST_F(EndpointWeight, ReconnectedBeginsAnew) {  // A58.7
  Report(5);
  Pass(kBlackout);
  EXPECT_EQ(Get(), 5);
  gxds_endpoint_weight_on_ready(w_);
  EXPECT_EQ(Get(), 0);
  Report(5);
  Pass(kBlackout);
  EXPECT_EQ(Get(), 5);
}

TEST_F(EndpointWeight, IsReportedAndReadByAllThreads) {
  std::atomic<bool> stop{false};
  std::thread reports([&] {
    for (int i = 1; i <= 10000; i++) gxds_endpoint_weight_on_report(w_, i, now_);
    stop = true;
  });
  while (!stop) {
    double weight = Get(0);
    ASSERT_GE(weight, 0);
    ASSERT_LE(weight, 10000);
  }
  reports.join();
  EXPECT_EQ(Get(0), 10000);
}

}  // namespace
