// What of a backend's load report counts for its weight (A58).
#include "lb_policies/weighted_round_robin/report_weight.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "test/lb_policies/orca/orca_bytes.h"

namespace {

using orca_test::Double;

double Weight(const std::string &bytes, double penalty = 1) {
  gxds_orca_report report;
  EXPECT_TRUE(gxds_orca_report_decode(gxds_str_of(bytes.data(), bytes.size()), &report));
  return gxds_report_weight(&report, penalty);
}

TEST(ReportWeight, IsQpsByUtilization) {  // A58.4
  EXPECT_EQ(Weight(Double(6, 100) + Double(1, 0.5)), 200);
  EXPECT_EQ(Weight(Double(6, 100) + Double(1, 0.5) + Double(9, 0.25)), 400)
      << "the application's, if it is set";
}

TEST(ReportWeight, ErrorsArePenalised) {  // A58.5
  const std::string report = Double(6, 100) + Double(1, 0.5) + Double(7, 50);
  EXPECT_EQ(Weight(report, 1), 100);
  EXPECT_EQ(Weight(report, 3), 50);
  EXPECT_EQ(Weight(report, 0), 200);
}

TEST(ReportWeight, WithoutQpsOrUtilizationThereIsNone) {  // A58.6
  EXPECT_EQ(Weight(""), 0);
  EXPECT_EQ(Weight(Double(6, 100)), 0);
  EXPECT_EQ(Weight(Double(1, 0.5)), 0);
}

TEST(ReportWeight, NumbersThatAreNoneCountAsNotSet) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double odd : {inf, -inf, nan, -1.0}) {
    EXPECT_EQ(Weight(Double(6, odd) + Double(1, 0.5)), 0) << odd;
    EXPECT_EQ(Weight(Double(6, 100) + Double(1, odd)), 0) << odd;
    EXPECT_EQ(Weight(Double(6, 100) + Double(1, 0.5) + Double(7, odd)), 200) << odd;
    EXPECT_EQ(Weight(Double(6, 100) + Double(1, 0.5) + Double(9, odd)), 200) << odd;
  }
  EXPECT_EQ(Weight(Double(6, 1e300) + Double(1, 1e-300)), 0) << "more than there are numbers";
  EXPECT_EQ(Weight(Double(6, 100) + std::string("\x08\x05", 2)), 0) << "of another wire type";
}

}  // namespace
