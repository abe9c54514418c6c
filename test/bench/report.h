// The measurements: medians with their spread, as a table, as lines for programs, and compared with
// the targets.
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
  double beyond = 0;  // the value at which the run was stopped, in the row's unit; 0: none was
};

// 1234567: "1,234,567"
std::string Grouped(long number);
// "12.3 (11.9–13)", "> 60" if the run was stopped, or a dash.
std::string Cell(const Sample& s);

struct Row {
  std::string id;  // for targets and programs: "routes"
  long size = 0;   // routes, endpoints, clusters; 0: the row has no size
  std::string title;
  std::string unit;  // "instructions", "s", "ms", "us", "kB"
  Sample plain, host, ours;
  bool is_of_plain_alone = false;  // a floor: ours has no value, and needs none

  Sample& Of(Variant v) { return v == Variant::kPlain ? plain : v == Variant::kHost ? host : ours; }
};

class Report {
 public:
  // The row with that id and size. The first call makes it.
  Row& At(const std::string& id, long size, const std::string& title, const std::string& unit);

  // One line per row and variant: id, size, unit, variant, median, least, most, runs.
  void WriteLines(FILE* out) const;
  void WriteTable(FILE* out) const;
  // Each target with its measurement and its result: met, missed, missed within the spread, failed
  // (ours gave no value) or not measured (there is no such row, or nothing to compare with). Also
  // lists other rows that failed.
  void WriteTargets(FILE* out) const;
  // False: a row failed, or a target is missed by more than the spread of the runs: even the best
  // run of one side over the worst of the other does not reach it.
  bool Passes() const;

 private:
  std::deque<Row> rows_;  // a deque, so that rows keep their addresses
};

}  // namespace gxds_bench

#endif
