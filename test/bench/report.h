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

struct Row {
  std::string id;  // for targets and machines: "routes"
  long size = 0;   // routes, endpoints, clusters; 0: the row has no size
  std::string title;
  std::string unit;  // "instructions", "s", "ms", "us", "kB"
  Sample plain, host, ours;

  Sample& Of(Variant v) { return v == Variant::kPlain ? plain : v == Variant::kHost ? host : ours; }
};

class Report {
 public:
  // The row of that id and size; made at the first call.
  Row& At(const std::string& id, long size, const std::string& title, const std::string& unit);

  // One line per row and variant: id, size, unit, variant, median, least, most, runs.
  void WriteLines(FILE* out) const;
  void WriteTable(FILE* out) const;
  // Each target with what was measured; those of rows that are not there are named as such. False:
  // one is missed by more than the measured spread, or ours has no value in a row that is there.
  bool WriteTargets(FILE* out) const;

 private:
  const Row* Find(const std::string& id, long size) const;
  std::deque<Row> rows_;  // a row stays where it is
};

}  // namespace gxds_bench

#endif
