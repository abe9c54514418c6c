// Counts of policies live as long as the process, by the labels of the gRFCs (A78, A89, A94).
#include "metrics/policy_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "test/metrics/read_metrics.h"

namespace gxds_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

gxds_policy_counts *Of(gxds_counting kind, const std::string &target,
                       const std::string &service = "", const std::string &locality = "") {
  const gxds_metric_labels labels = {gxds_str_of(target.data(), target.size()),
                                     gxds_str_of(service.data(), service.size()),
                                     gxds_str_of(locality.data(), locality.size())};
  return gxds_policy_counts_of(kind, &labels);
}
gxds_policy_counts *Weighted(const std::string &target, const std::string &service = "",
                             const std::string &locality = "") {
  return Of(GXDS_COUNTING_WEIGHTED_ROUND_ROBIN, target, service, locality);
}

TEST(PolicyCounts, EveryFamilyHasItsNameAndType) {  // A78.6, A78.8, A78.10, A94.4, A94.9
  const std::string all = PolicyMetrics();
  for (const char *line : {
           "# TYPE grpc_lb_wrr_rr_fallback_total counter\n",
           "# TYPE grpc_lb_wrr_endpoint_weight_not_yet_usable_total counter\n",
           "# TYPE grpc_lb_wrr_endpoint_weight_stale_total counter\n",
           "# TYPE grpc_lb_wrr_endpoint_weights histogram\n",
           "# TYPE grpc_lb_pick_first_disconnections_total counter\n",
           "# TYPE grpc_lb_pick_first_connection_attempts_succeeded_total counter\n",
           "# TYPE grpc_lb_pick_first_connection_attempts_failed_total counter\n",
           "# TYPE grpc_lb_outlier_detection_ejections_enforced_total counter\n",
           "# TYPE grpc_lb_outlier_detection_ejections_unenforced_total counter\n",
           "# TYPE grpc_subchannel_disconnections_total counter\n",
           "# TYPE grpc_subchannel_connection_attempts_succeeded_total counter\n",
           "# TYPE grpc_subchannel_connection_attempts_failed_total counter\n",
           "# TYPE grpc_subchannel_open_connections gauge\n",
       }) {
    EXPECT_THAT(all, HasSubstr(line));
  }
}

TEST(PolicyCounts, EachSetOfLabelsCountsByItself) {  // A78.5, A89.1
  gxds_text locality = {};
  gxds_metric_locality(gxds_str_z("r"), gxds_str_z("z"), gxds_str_z("s"), &locality);
  const std::string name(locality.data, locality.size);
  gxds_text_fini(&locality);
  gxds_policy_counts_add(Weighted("each", "a", name), GXDS_COUNT_STALE, 2);
  gxds_policy_counts_add(Weighted("each", "b", name), GXDS_COUNT_STALE, 3);
  gxds_policy_counts_add(Weighted("each", "a", name), GXDS_COUNT_STALE, 5);
  Weighted("each");
  const std::string family = "grpc_lb_wrr_endpoint_weight_stale_total{grpc_target=\"each\",";
  const std::string in =
      "\",grpc_lb_locality=\"{region=\\\"r\\\", zone=\\\"z\\\", sub_zone=\\\"s\\\"}\"}";
  EXPECT_EQ(PolicyMetric(family + "grpc_lb_backend_service=\"a" + in), "7");
  EXPECT_EQ(PolicyMetric(family + "grpc_lb_backend_service=\"b" + in), "3");
  EXPECT_EQ(PolicyMetric(family + "grpc_lb_backend_service=\"\",grpc_lb_locality=\"\"}"), "0");
}

TEST(PolicyCounts, LabelsThatAKindHasNotDoNotSplitItsCounts) {  // A78.9
  gxds_policy_counts *counts = Of(GXDS_COUNTING_PICK_FIRST, "apart", "a", "l");
  EXPECT_EQ(Of(GXDS_COUNTING_PICK_FIRST, "apart", "b", "m"), counts);
  gxds_policy_counts_add(counts, GXDS_COUNT_DISCONNECTIONS, 1);
  EXPECT_EQ(PolicyMetric("grpc_lb_pick_first_disconnections_total{grpc_target=\"apart\"}"), "1");
}

TEST(PolicyCounts, OutliersAreCountedByMethodAndReason) {  // A91.1, A91.2, A91.3
  gxds_policy_counts *counts = Of(GXDS_COUNTING_OUTLIER_DETECTION, "outliers", "a");
  for (unsigned i = 0; i < GXDS_COUNT_OUTLIERS; i++) gxds_policy_counts_add(counts, i, i + 1);
  const auto value = [](const std::string &name, const std::string &method,
                        const std::string &reason) {
    return PolicyMetric(
        "grpc_lb_outlier_detection_ejections_" + name +
        "_total{grpc_target=\"outliers\",grpc_lb_backend_service=\"a\","
        "grpc_lb_outlier_detection_detection_method=\"" +
        method + "\"" +
        (reason.empty() ? "" : ",grpc_lb_outlier_detection_unenforced_reason=\"" + reason + "\"") +
        "}");
  };
  EXPECT_EQ(value("enforced", "success_rate", ""), "1");
  EXPECT_EQ(value("enforced", "failure_percentage", ""), "2");
  EXPECT_EQ(value("unenforced", "success_rate", "enforcement_percentage"), "3");
  EXPECT_EQ(value("unenforced", "failure_percentage", "enforcement_percentage"), "4");
  EXPECT_EQ(value("unenforced", "success_rate", "max_ejection_overflow"), "5");
  EXPECT_EQ(value("unenforced", "failure_percentage", "max_ejection_overflow"), "6");
}

TEST(PolicyCounts, DisconnectionsAreCountedByReason) {  // A94.3, A94.4
  gxds_policy_counts *counts = Of(GXDS_COUNTING_SUBCHANNEL, "connections", "a", "l");
  gxds_policy_counts_add(counts, GXDS_COUNT_CONNECTION_LOST, 1);
  gxds_policy_counts_add(counts, GXDS_COUNT_SUBCHANNEL_SHUTDOWN, 2);
  gxds_policy_counts_add(counts, GXDS_COUNT_OPEN_CONNECTIONS, 5);
  gxds_policy_counts_subtract(counts, GXDS_COUNT_OPEN_CONNECTIONS, 3);
  const std::string labels =
      "{grpc_target=\"connections\",grpc_lb_backend_service=\"a\",grpc_lb_locality=\"l\"";
  const std::string lost = "grpc_subchannel_disconnections_total" + labels;
  EXPECT_EQ(PolicyMetric(lost + ",grpc_disconnect_error=\"unknown\"}"), "1");
  EXPECT_EQ(PolicyMetric(lost + ",grpc_disconnect_error=\"subchannel shutdown\"}"), "2");
  EXPECT_EQ(PolicyMetric("grpc_subchannel_open_connections" + labels + "}"), "2");
}

TEST(PolicyCounts, WeightsAreSamplesOfAHistogram) {  // A78.8
  const double weights[] = {0, 5, 5.5, 20000};
  gxds_policy_counts_add_weights(Weighted("histogram"), weights, 4);
  const std::string name = "grpc_lb_wrr_endpoint_weights";
  const std::string labels =
      "grpc_target=\"histogram\",grpc_lb_backend_service=\"\",grpc_lb_locality=\"\"";
  const auto bucket = [&](const std::string &up_to) {
    return PolicyMetric(name + "_bucket{" + labels + ",le=\"" + up_to + "\"}");
  };
  EXPECT_EQ(bucket("0"), "1");
  EXPECT_EQ(bucket("5"), "2");
  EXPECT_EQ(bucket("10"), "3");
  EXPECT_EQ(bucket("10000"), "3");
  EXPECT_EQ(bucket("+Inf"), "4");
  EXPECT_EQ(PolicyMetric(name + "_sum{" + labels + "}"), "20010.500000");
  EXPECT_EQ(PolicyMetric(name + "_count{" + labels + "}"), "4");
}

TEST(PolicyCounts, ANonsenseWeightLeavesTheSumFinite) {
  const double weights[] = {std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::max(), 1};
  gxds_policy_counts_add_weights(Weighted("nonsense"), weights, 3);
  const std::string labels =
      "{grpc_target=\"nonsense\",grpc_lb_backend_service=\"\",grpc_lb_locality=\"\"}";
  EXPECT_EQ(PolicyMetric("grpc_lb_wrr_endpoint_weights_sum" + labels), "2000000000001.000000");
  EXPECT_EQ(PolicyMetric("grpc_lb_wrr_endpoint_weights_count" + labels), "3");
}

TEST(PolicyCounts, ThreadsThatCallAtOnceGetTheSame) {
  constexpr int kThreads = 4;
  constexpr int kTargets = 50;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) {
    threads.emplace_back([] {
      for (int k = 0; k < kTargets; k++) {
        gxds_policy_counts *counts = Weighted("at once " + std::to_string(k));
        const double weight = 1;
        gxds_policy_counts_add(counts, GXDS_COUNT_RR_FALLBACK, 1);
        gxds_policy_counts_add_weights(counts, &weight, 1);
      }
    });
  }
  for (auto &thread : threads) thread.join();
  const std::string all = PolicyMetrics();
  for (int k = 0; k < kTargets; k++) {
    const std::string labels = "{grpc_target=\"at once " + std::to_string(k) +
                               "\",grpc_lb_backend_service=\"\",grpc_lb_locality=\"\"}";
    EXPECT_EQ(MetricIn(all, "grpc_lb_wrr_rr_fallback_total" + labels), "4");
    EXPECT_EQ(MetricIn(all, "grpc_lb_wrr_endpoint_weights_sum" + labels), "4.000000");
  }
}

// The last test, because it uses up all sets of labels.
TEST(PolicyCountsEnd, SetsOfLabelsBeyondTheLimitAreCountedAsOne) {
  gxds_policy_counts *known = Weighted("known");
  for (unsigned i = 0; i < GXDS_POLICY_COUNTS_MAX; i++) Weighted("many " + std::to_string(i));
  gxds_policy_counts *late = Weighted("late");
  EXPECT_EQ(Weighted("later"), late);
  EXPECT_EQ(Weighted("known"), known);
  EXPECT_NE(Of(GXDS_COUNTING_PICK_FIRST, "late"), late) << "each kind has its own";
  gxds_policy_counts_add(late, GXDS_COUNT_STALE, 9);
  const std::string all = PolicyMetrics();
  EXPECT_EQ(MetricIn(all, "grpc_lb_wrr_endpoint_weight_stale_total{otel_metric_overflow=\"true\"}"),
            "9");
  EXPECT_THAT(all, Not(HasSubstr("grpc_lb_wrr_rr_fallback_total{grpc_target=\"late\"")));
  const std::string line = "\ngrpc_lb_wrr_rr_fallback_total{";
  size_t sets = 0;
  for (size_t at = all.find(line); at != std::string::npos; at = all.find(line, at + 1)) sets++;
  EXPECT_EQ(sets, GXDS_POLICY_COUNTS_MAX + 1);
}

}  // namespace
}  // namespace gxds_test
