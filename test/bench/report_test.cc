#include "test/bench/report.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "test/bench/document.h"

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

std::string Targets(const Report& report) {
  return Written([](const Report& r, FILE* out) { r.WriteTargets(out); }, report);
}

// Expects this line in the table of targets, and whether bench-check passes.
void ExpectPasses(const Report& report, const std::string& line) {
  EXPECT_NE(Targets(report).find(line), std::string::npos) << Targets(report);
  EXPECT_TRUE(report.Passes()) << Targets(report);
}
void ExpectFails(const Report& report, const std::string& line) {
  EXPECT_NE(Targets(report).find(line), std::string::npos) << Targets(report);
  EXPECT_FALSE(report.Passes()) << Targets(report);
}

// The target is at most 1.5 % more than plain.
Report WithRpc(const std::vector<double>& plain, const std::vector<double>& ours) {
  Report report;
  Row& row = report.At("rpc", 0, "an RPC", "instructions");
  row.plain.values = plain;
  row.ours.values = ours;
  return report;
}

TEST(Report, ATargetIsMetByTheMedians) {
  ExpectPasses(WithRpc({900, 1000, 1100}, {1000, 1010, 2000}), "| 1.01 | met |");
}

TEST(Report, ATargetIsMetByItsBound) {
  ExpectPasses(WithRpc({1000}, {1015}), "| 1.01 | met |");
  ExpectFails(WithRpc({1000}, {1016}), "| 1.02 | missed |");
}

TEST(Report, MissedWithinTheSpreadPasses) {
  ExpectPasses(WithRpc({990, 1000, 1010}, {1020, 1030, 1040}), "| missed, within the spread |");
}

TEST(Report, MissedByMoreThanTheSpreadFails) {
  ExpectFails(WithRpc({990, 1000, 1000}, {1020, 1030, 1040}), "| 1.03 | missed |");
}

TEST(Report, OneMissedTargetFailsWhateverOthersSay) {
  Report report = WithRpc({1000}, {2000});
  report.At("held", 10000, "held", "bytes").ours.values = {50};
  ExpectFails(report, "| 50.0 | met |");
  ExpectFails(report, "| 2 | missed |");
}

TEST(Report, ARatioThatMustBeReachedIsJudgedTheOtherWayRound) {
  Report report;
  Row& row = report.At("first_clusters", 1000, "first RPC", "s");  // at least 15
  row.host.values = {14, 16};
  row.ours.values = {1, 1};
  ExpectPasses(report, "| 15.0 | met |");
  row.host.values = {14, 16};
  row.ours.values = {1, 1.02};
  ExpectPasses(report, "| 14.9 | missed, within the spread |");
  row.host.values = {10, 11};
  ExpectFails(report, "| 10.4 | missed |");
}

TEST(Report, OneSizeOverAnotherIsJudgedByTheSpreadOfBoth) {
  Report report;  // at most 1.3
  Sample& few = report.At("cluster_change_instructions", 100, "change", "instructions").ours;
  Sample& many = report.At("cluster_change_instructions", 5000, "change", "instructions").ours;
  few.values = {200, 205, 210};
  many.values = {230, 240, 400};
  ExpectPasses(report, "| 1.17 | met |");
  many.values = {270, 300, 330};
  ExpectPasses(report, "| 1.46 | missed, within the spread |");
  many.values = {280, 300, 330};
  ExpectFails(report, "| 1.46 | missed |");
}

TEST(Report, WhatMustBeLittleIsJudgedAlone) {
  Report report;
  Row& row = report.At("idle_update", 0, "idle", "ms");  // under 20
  row.ours.values = {1, 19, 30};
  ExpectPasses(report, "| 19.0 | met |");
  row.ours.values = {1, 21, 30};
  ExpectPasses(report, "| 21.0 | missed, within the spread |");
  row.ours.values = {21, 22, 30};
  ExpectFails(report, "| 22.0 | missed |");
}

TEST(Report, WhatMustBeLittleBeyondPlainIsJudgedByTheDifference) {
  Report report;
  Row& row = report.At("cluster_change", 100, "one cluster changes", "ms");  // at most 0.1
  row.plain.values = {0.01, 0.02, 0.03};
  row.ours.values = {0.11, 0.115, 0.2};
  ExpectPasses(report, "| 0.095 | met |");
  row.ours.values = {0.12, 0.15, 0.2};
  ExpectPasses(report, "| 0.13 | missed, within the spread |");
  row.ours.values = {0.5, 0.52, 0.6};
  ExpectFails(report, "| 0.5 | missed |");
}

TEST(Report, ARowInWhichOursGaveNothingFails) {
  ExpectFails(WithRpc({1000}, {}),
              "| unary RPC over plain round_robin: at most +1.5 % | – | failed |");
}

TEST(Report, ARowInWhichOursWasGivenUpFails) {
  Report report;
  Row& row = report.At("first_clusters", 5000, "first RPC", "s");
  row.ours.beyond = 120;
  ExpectFails(report, "under 5 s | – | failed |");
}

TEST(Report, ARowWithoutATargetInWhichOursGaveNothingFailsByItsOwnName) {
  Report report;
  report.At("memory", 1000, "resident memory", "kB").host.values = {1};
  ExpectFails(report, "| resident memory | – | failed |");
}

TEST(Report, WhatIsOverARowInWhichOursGaveNothingFails) {
  Report report;
  report.At("routes", 1, "one route", "instructions");
  report.At("routes", 10000, "many routes", "instructions").ours.values = {1};
  ExpectFails(report, "10,000 exact routes over 1: at most +3 % | – | failed |");
}

TEST(Report, AFloorOfPlainAlonePasses) {
  Report report;
  Row& row = report.At("acknowledgement", 100, "gRPC alone", "ms");
  row.is_of_plain_alone = true;
  row.plain.values = {1};
  EXPECT_TRUE(report.Passes()) << Targets(report);
}

TEST(Report, ARowThatIsNotThereIsNamedAndPasses) {
  ExpectPasses(Report(), "| unary RPC over plain round_robin: at most +1.5 % | – | not measured |");
}

TEST(Report, WhatHasNothingToBeComparedWithIsNotMeasured) {
  ExpectPasses(WithRpc({}, {1000}), "at most +1.5 % | – | not measured |");
  Report report;
  report.At("first_clusters", 1000, "first RPC", "s").ours.values = {1};
  report.At("routes", 10000, "many routes", "instructions").ours.values = {1};
  ExpectPasses(report, "at least 15 times sooner than the host | – | not measured |");
  ExpectPasses(report, "10,000 exact routes over 1: at most +3 % | – | not measured |");
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

TEST(Document, APartIsReplacedAndWhatIsAroundItStays) {
  const std::string before = "# Page\n\n## One\n\nfirst\n";
  const std::string added = WithPart(before, "Two", "second\n");
  EXPECT_EQ(added, before + "\n## Two\n\nsecond\n");
  const std::string longer = added + "\n## Three\n\nthird\n";
  EXPECT_EQ(PartOf(longer, "Two"), "second\n");
  EXPECT_EQ(WithPart(longer, "Two", "2\n"), before + "\n## Two\n\n2\n" + "\n## Three\n\nthird\n");
}

TEST(Document, APartThatIsNotThereIsEmpty) {
  EXPECT_EQ(PartOf("# Page\n\n## One\n\nfirst\n", "Two"), "");
}

}  // namespace
}  // namespace gxds_bench
