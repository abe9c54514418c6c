// What counts of a backend's load report (A58).
#include "lb_policies/weighted_round_robin/load_report.h"

#include <gtest/gtest.h>
#include <string.h>

#include <limits>
#include <string>

namespace {

std::string Double(unsigned number, double value) {
  std::string out(1, static_cast<char>(number << 3 | 1));
  char bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  return out + std::string(bytes, sizeof bytes);
}

gxds_load_report Decode(const std::string &bytes) {
  gxds_load_report report;
  EXPECT_TRUE(gxds_load_report_decode(gxds_str_of(bytes.data(), bytes.size()), &report));
  return report;
}

double Weight(const std::string &bytes, double penalty = 1) {
  gxds_load_report report = Decode(bytes);
  return gxds_load_report_weight(&report, penalty);
}

TEST(LoadReport, HasFourNumbersThatCount) {  // A58.4
  gxds_load_report r = Decode(Double(1, 0.5) + Double(2, 0.25) + Double(6, 100) + Double(7, 3) +
                              Double(9, 0.75) + std::string("\x42\x03\x0a\x01\x61", 5));
  EXPECT_EQ(r.cpu_utilization, 0.5);
  EXPECT_EQ(r.qps, 100);
  EXPECT_EQ(r.eps, 3);
  EXPECT_EQ(r.application_utilization, 0.75);
}

TEST(LoadReport, WeightIsQpsByUtilization) {  // A58.4
  EXPECT_EQ(Weight(Double(6, 100) + Double(1, 0.5)), 200);
  EXPECT_EQ(Weight(Double(6, 100) + Double(1, 0.5) + Double(9, 0.25)), 400)
      << "the application's, if it is set";
}

TEST(LoadReport, ErrorsArePenalised) {  // A58.5
  const std::string report = Double(6, 100) + Double(1, 0.5) + Double(7, 50);
  EXPECT_EQ(Weight(report, 1), 100);
  EXPECT_EQ(Weight(report, 3), 50);
  EXPECT_EQ(Weight(report, 0), 200);
}

TEST(LoadReport, WithoutQpsOrUtilizationSaysNothing) {  // A58.6
  EXPECT_EQ(Weight(""), 0);
  EXPECT_EQ(Weight(Double(6, 100)), 0);
  EXPECT_EQ(Weight(Double(1, 0.5)), 0);
}

TEST(LoadReport, NumbersThatAreNoneCountAsNotSet) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double odd : {inf, -inf, nan, -1.0}) {
    EXPECT_EQ(Weight(Double(6, odd) + Double(1, 0.5)), 0) << odd;
    EXPECT_EQ(Weight(Double(6, 100) + Double(1, odd)), 0) << odd;
    EXPECT_EQ(Weight(Double(6, 100) + Double(1, 0.5) + Double(7, odd)), 200) << odd;
  }
  EXPECT_EQ(Weight(Double(6, 1e300) + Double(1, 1e-300)), 0) << "more than there are numbers";
  EXPECT_EQ(Weight(Double(6, 100) + std::string("\x08\x05", 2)), 0) << "of another wire type";
}

TEST(LoadReport, WhatIsNoMessageIsRefused) {
  gxds_load_report report;
  const std::string cut = Double(1, 0.5).substr(0, 5);
  EXPECT_FALSE(gxds_load_report_decode(gxds_str_of(cut.data(), cut.size()), &report));
}

}  // namespace
