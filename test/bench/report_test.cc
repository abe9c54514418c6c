#include "test/bench/report.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

namespace gxds_bench {
namespace {

std::string Written(void (*write)(const Report&, FILE*), const Report& report) {
  char* text = nullptr;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  write(report, out);
  fclose(out);
  std::string written(text, size);
  free(text);
  return written;
}

std::string Table(const Report& report) {
  return Written([](const Report& r, FILE* out) { r.WriteTable(out); }, report);
}

// What --check goes by; the table of targets has that text.
bool Met(const Report& report, const std::string& line) {
  const std::string targets =
      Written([](const Report& r, FILE* out) { r.WriteTargets(out); }, report);
  FILE* nowhere = fopen("/dev/null", "w");
  const bool met = report.WriteTargets(nowhere);
  fclose(nowhere);
  EXPECT_NE(targets.find(line), std::string::npos) << targets;
  return met;
}

// At most 1.5 % more than plain.
Report WithRpc(const std::vector<double>& plain, const std::vector<double>& ours) {
  Report report;
  Row& row = report.At("rpc", 0, "an RPC", "instructions");
  row.plain.values = plain;
  row.ours.values = ours;
  return report;
}

TEST(Report, ATargetIsMetByTheMedians) {
  EXPECT_TRUE(Met(WithRpc({900, 1000, 1100}, {1000, 1010, 2000}), "| 1.01 | met |"));
}

TEST(Report, MissedWithinTheSpreadIsNoFailure) {
  EXPECT_TRUE(Met(WithRpc({990, 1000, 1010}, {1020, 1030, 1040}), "| missed, within the spread |"));
}

TEST(Report, MissedByMoreThanTheSpreadFails) {
  EXPECT_FALSE(Met(WithRpc({990, 1000, 1000}, {1020, 1030, 1040}), "| 1.03 | missed |"));
}

TEST(Report, ARatioThatMustBeReachedIsJudgedTheOtherWayRound) {
  Report report;
  Row& row = report.At("first_clusters", 1000, "first RPC", "s");  // at least 15
  row.host.values = {14, 16};
  row.ours.values = {1, 1.02};
  EXPECT_TRUE(Met(report, "| 14.9 | missed, within the spread |"));
  row.host.values = {10, 11};
  EXPECT_FALSE(Met(report, "| 10.4 | missed |"));
}

TEST(Report, WhatMustBeLittleBeyondPlainIsJudgedByTheDifference) {
  Report report;
  Row& row = report.At("cluster_change", 100, "one cluster changes", "ms");  // at most 0.1
  row.plain.values = {0.01, 0.02, 0.03};
  row.ours.values = {0.11, 0.115, 0.2};
  EXPECT_TRUE(Met(report, "| 0.095 | met |"));
  row.ours.values = {0.12, 0.15, 0.2};
  EXPECT_TRUE(Met(report, "| 0.13 | missed, within the spread |"));
  row.ours.values = {0.5, 0.52, 0.6};
  EXPECT_FALSE(Met(report, "| 0.5 | missed |"));
}

TEST(Report, ARowInWhichOursGaveNothingFails) {
  EXPECT_FALSE(Met(WithRpc({1000}, {}), "| failed |"));
}

TEST(Report, ARowThatIsNotThereIsNamedAndNoFailure) {
  EXPECT_TRUE(Met(Report(), "| not measured |"));
}

TEST(Report, WhatWasGivenUpIsShownAsMore) {
  Report report;
  Row& row = report.At("first_clusters", 5000, "first RPC", "s");
  row.host.beyond = 60;
  row.ours.values = {0.5};
  EXPECT_NE(Table(report).find("| first RPC | s | – | > 60.0 | 0.5 | > 120 | – |"),
            std::string::npos)
      << Table(report);
}

}  // namespace
}  // namespace gxds_bench
