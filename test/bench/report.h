// What was measured: medians with their spread, as a table for people, as lines for machines, and
// against the targets.
#ifndef GRPC_XDS_TEST_BENCH_REPORT_H_
#define GRPC_XDS_TEST_BENCH_REPORT_H_

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "test/bench/process.h"

namespace gxds_bench {

// The values of one variant in one row, one per run.
struct Sample {
  double Median() const;
  double Least() const;
  double Most() const;
  std::vector<double> values;
  double beyond = 0;  // it was given up after so much, in the row's unit; 0: never
};

// 1234567: "1,234,567"
std::string Grouped(long number);
// "12.3 (11.9–13)", "> 60" where it was given up, or a dash.
std::string Cell(const Sample& s);

struct Row {
  std::string id;  // for targets and machines: "routes"
  long size = 0;   // routes, endpoints, clusters; 0: the row has no size
  std::string title;
  std::string unit;  // "instructions", "s", "ms", "us", "kB"
  Sample plain, host, ours;
  bool is_of_plain_alone = false;  // a floor: ours has no value, and none is missing

  Sample& Of(Variant v) { return v == Variant::kPlain ? plain : v == Variant::kHost ? host : ours; }
};

class Report {
 public:
  // The row of that id and size; made at the first call.
  Row& At(const std::string& id, long size, const std::string& title, const std::string& unit);

  // One line per row and variant: id, size, unit, variant, median, least, most, runs.
  void WriteLines(FILE* out) const;
  void WriteTable(FILE* out) const;
  // Each target with what was measured, whether it is met, missed, missed within the spread, failed
  // (ours gave no value) or not measured (its row is not there, or has nothing to compare with);
  // and other rows that failed.
  void WriteTargets(FILE* out) const;
  // False: a target is missed by more than the spread of the runs, which is when the best of them
  // on one side over the worst on the other does not reach it either; or a row failed.
  bool Passes() const;

 private:
  std::deque<Row> rows_;  // a row stays where it is
};

}  // namespace gxds_bench

#endif
