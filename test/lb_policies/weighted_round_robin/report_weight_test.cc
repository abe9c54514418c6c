// The parts of a backend's load report that count for its weight (A58, A114).
#include "lb_policies/weighted_round_robin/report_weight.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "test/lb_policies/orca/orca_bytes.h"

namespace {

using orca_test::Application;
using orca_test::Cpu;
using orca_test::Double;
using orca_test::Memory;
using orca_test::Named;
using orca_test::Part;

gxds_rating *Rating(double penalty, const std::vector<std::string> &names) {
  std::vector<gxds_utilization_metric> metrics;
  for (const std::string &name : names) {
    gxds_utilization_metric metric;
    if (gxds_utilization_metric_parse(gxds_str_of(name.data(), name.size()), &metric)) {
      metrics.push_back(metric);
    }
  }
  return gxds_rating_create(penalty, metrics.data(), metrics.size());
}

double Weight(const std::string &bytes, double penalty = 1,
              const std::vector<std::string> &names = {}) {
  gxds_orca_report report;
  EXPECT_TRUE(gxds_orca_report_decode(gxds_str_of(bytes.data(), bytes.size()), &report));
  gxds_rating *rating = Rating(penalty, names);
  const double weight = gxds_report_weight(&report, rating);
  gxds_rating_unref(rating);
  return weight;
}

std::string Queries(double qps) { return Double(6, qps); }
std::string Utilization(const std::string &name, double value) {
  return Part(5, Part(1, name) + Double(2, value));
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

TEST(ReportWeight, UtilizationIsTheGreatestOfTheNamedMetrics) {  // A114.1, A114.2
  const std::string report = Queries(100) + Cpu(0.9) + Memory(0.2) + Application(0.8) +
                             Named("queue", 0.5) + Named("queue.length", 0.25) +
                             Utilization("disk", 0.4);
  auto by = [&report](const std::vector<std::string> &names) { return Weight(report, 1, names); };
  EXPECT_EQ(by({"mem_utilization"}), 500);
  EXPECT_EQ(by({"cpu_utilization"}), Weight(Queries(100) + Cpu(0.9)));
  EXPECT_EQ(by({"application_utilization"}), 125);
  EXPECT_EQ(by({"named_metrics.queue"}), 200);
  EXPECT_EQ(by({"utilization.disk"}), 250);
  EXPECT_EQ(by({"mem_utilization", "named_metrics.queue", "utilization.disk"}), 200);
  EXPECT_EQ(by({"named_metrics.queue.length"}), 400) << "the first period ends the map's name";
}

TEST(ReportWeight, WithoutANamedMetricUtilizationIsThatOfTheApplicationOrElseTheCpu) {  // A114.3
  const double odd[] = {0, -1, std::numeric_limits<double>::quiet_NaN()};
  for (double value : odd) {
    const std::string report = Queries(100) + Cpu(0.25) + Named("queue", value);
    EXPECT_EQ(Weight(report, 1, {"named_metrics.queue", "named_metrics.none"}), 400) << value;
    EXPECT_EQ(Weight(report + Application(0.5), 1, {"named_metrics.queue"}), 200) << value;
    EXPECT_EQ(Weight(report + Named("other", 1), 1, {"named_metrics.queue", "named_metrics.other"}),
              100)
        << value;
  }
  EXPECT_EQ(Weight(Queries(100) + Cpu(0.25) + Named("queue", 1) + Named("queue", 0.5), 1,
                   {"named_metrics.queue"}),
            200)
      << "the last of a name counts";
}

TEST(ReportWeight, OtherNamesAreIgnored) {  // A114.4
  const std::string report = Queries(100) + Cpu(0.25) + Memory(1) + Named("", 1) + Double(7, 1);
  for (const char *name : {"", "eps", "rps_fractional", "request_cost.x", "mem_utilization.",
                           "mem_utilization.x", "named_metrics", "mem", "MEM_UTILIZATION"}) {
    EXPECT_EQ(Weight(report, 0, {name}), 400) << name;
  }
  EXPECT_EQ(Weight(report, 0, {"named_metrics."}), 100) << "an empty key is a key";
}

TEST(ReportWeight, ErrorsArePenalisedWhateverUtilizationIs) {  // A58.5
  EXPECT_EQ(Weight(Queries(100) + Memory(0.5) + Double(7, 50), 1, {"mem_utilization"}), 100);
}

TEST(Rating, IsEqualByItsPenaltyAndMetrics) {
  const std::vector<std::string> names = {"named_metrics.a", "utilization.a"};
  gxds_rating *rating = Rating(1, names);
  const std::vector<std::pair<gxds_rating *, bool>> others = {
      {Rating(1, names), true},
      {Rating(2, names), false},
      {Rating(1, {"named_metrics.a"}), false},
      {Rating(1, {"named_metrics.a", "utilization.b"}), false},
      {Rating(1, {"named_metrics.a", "named_metrics.a"}), false}};
  for (const auto &[other, equal] : others) {
    EXPECT_EQ(gxds_rating_equal(rating, other), equal);
    gxds_rating_unref(other);
  }
  gxds_rating_unref(rating);
}

}  // namespace
