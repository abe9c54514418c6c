// The contents of a backend's load report (A51).
#include "lb_policies/orca/orca_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "test/lb_policies/orca/orca_bytes.h"

namespace {

using orca_test::Cpu;
using orca_test::Double;
using orca_test::Named;
using orca_test::Part;

bool IsReport(const std::string &bytes) {
  gxds_orca_report report;
  return gxds_orca_report_decode(gxds_str_of(bytes.data(), bytes.size()), &report);
}

// The named metrics in their order: "a=1 b=-2".
std::string NamedIn(const std::string &bytes) {
  gxds_orca_report report;
  EXPECT_TRUE(gxds_orca_report_decode(gxds_str_of(bytes.data(), bytes.size()), &report));
  gxds_orca_metrics metrics = gxds_orca_report_named_metrics(&report);
  gxds_orca_metric metric;
  std::string out;
  while (gxds_orca_metrics_next(&metrics, &metric)) {
    out += (out.empty() ? "" : " ") + std::string(metric.name.data, metric.name.size) + "=" +
           std::to_string(static_cast<int>(metric.value));
  }
  return out;
}

TEST(OrcaReport, HasFiveNumbersThatCount) {  // A58.4
  const std::string bytes = Cpu(0.5) + Double(2, 0.25) + Double(6, 100) + Double(7, 3) +
                            Double(9, 0.75) + Named("a", 1) + std::string("\x18\x05", 2);
  gxds_orca_report r;
  ASSERT_TRUE(gxds_orca_report_decode(gxds_str_of(bytes.data(), bytes.size()), &r));
  EXPECT_EQ(r.cpu_utilization, 0.5);
  EXPECT_EQ(r.mem_utilization, 0.25);
  EXPECT_EQ(r.qps, 100);
  EXPECT_EQ(r.eps, 3);
  EXPECT_EQ(r.application_utilization, 0.75);
}

TEST(OrcaReport, NumbersAreAsTheyWereSent) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::string bytes = Cpu(-1) + Double(2, inf) + std::string("\x38\x05", 2);
  gxds_orca_report r;
  ASSERT_TRUE(gxds_orca_report_decode(gxds_str_of(bytes.data(), bytes.size()), &r));
  EXPECT_EQ(r.cpu_utilization, -1);
  EXPECT_EQ(r.mem_utilization, inf);
  EXPECT_EQ(r.eps, 0) << "of another wire type";
}

TEST(OrcaReport, NamedMetricsAreAMap) {  // A64.1
  EXPECT_EQ(NamedIn(""), "");
  EXPECT_EQ(NamedIn(Cpu(1) + Named("a", 1) + Named("b", -2) + Named("", 3)), "a=1 b=-2 =3");
  EXPECT_EQ(NamedIn(Named("a", 1) + Named("b", 2) + Named("a", 3)), "b=2 a=3")
      << "the last of a key";
  EXPECT_EQ(NamedIn(Part(8, "")), "=0") << "both may be left out";
  EXPECT_EQ(NamedIn(Part(8, Double(2, 4) + Part(1, "x") + Part(1, "y"))), "y=4");
}

TEST(OrcaReport, OnlySoManyNamedMetricsAreLookedAt) {
  std::string bytes;
  for (int i = 0; i <= GXDS_ORCA_NAMED_METRICS_MAX; i++) bytes += Named(std::to_string(i), i);
  const std::string shown = NamedIn(bytes);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '='), GXDS_ORCA_NAMED_METRICS_MAX);
}

TEST(OrcaReport, WhatIsNoMessageIsRefused) {
  EXPECT_FALSE(IsReport(Cpu(0.5).substr(0, 5)));
  EXPECT_FALSE(IsReport(Part(8, "\x0a\x05x"))) << "an entry that is cut off";
  EXPECT_FALSE(IsReport(Named("\xff", 1))) << "a name that is no UTF-8";
}

}  // namespace
