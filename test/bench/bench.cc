// The benchmark compares the cost of the plugin with that of the host's own xDS. Both are measured
// in one run, each client in a process of its own.
//
// usage: bench [--quick] [--table=FILE] [--lines=FILE] [--check] [--only=ROW:SIZE[:ours]]
//              [--updates=N]
//
// --only: makes one measurement, once, for work by hand: "endpoints:10000", "clusters:1000",
// "endpoint_instructions:10000", "cluster_instructions:1000", "acknowledgement:5000",
// "endpoints_arrive:10000", "session_endpoint_instructions:10000", "rpc:10", "method_config:5",
// "session:3" or "subset:3" (that many runs), "routes:1", "mixed_routes:10000", or "steps:10000"
// for the single steps.
// ":ours" leaves the host out. --updates: the number of updates of each kind in it, by default 20.
#include <sys/resource.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "test/bench/document.h"
#include "test/bench/report.h"
#include "test/bench/rows.h"
#include "test/support/child.h"

namespace {

constexpr long kCalls = 500;  // under valgrind, to count the instructions of an RPC

struct Arguments {
  bool quick = false;
  bool check = false;
  std::string table;
  std::string lines;
  std::string only;
  int updates = 20;
};

constexpr char kUsage[] =
    "usage: bench [--quick] [--table=FILE] [--lines=FILE] [--check] [--only=ROW:SIZE[:ours]]\n"
    "             [--updates=N]\n";

bool Parse(int argc, char** argv, Arguments* out) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--quick") {
      out->quick = true;
    } else if (arg == "--check") {
      out->check = true;
    } else if (arg.rfind("--table=", 0) == 0) {
      out->table = arg.substr(strlen("--table="));
    } else if (arg.rfind("--lines=", 0) == 0) {
      out->lines = arg.substr(strlen("--lines="));
    } else if (arg.rfind("--only=", 0) == 0) {
      out->only = arg.substr(strlen("--only="));
    } else if (arg.rfind("--updates=", 0) == 0) {
      out->updates = atoi(arg.c_str() + strlen("--updates="));
    } else {
      fputs(kUsage, stderr);
      return false;
    }
  }
  return out->updates > 0;
}

// Needed for thousands of connections, at both ends.
void AllowManyFiles() {
  rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// Measures every kind of row, only long enough to show a fault.
void MeasureQuick(gxds_bench::Rows* rows) {
  constexpr long kFewCalls = 200;
  for (int i = 0; i < 3; ++i) rows->RpcInstructions(kFewCalls);
  rows->RpcRoutes(1, false, kFewCalls);
  rows->RpcRoutes(10000, false, kFewCalls);
  rows->RpcRoutes(10000, true, kFewCalls);
  rows->RpcMethodConfig(kFewCalls);
  rows->RpcOfSession(kFewCalls);
  rows->RpcWithSubset(kFewCalls);
  rows->Decode(10000);
  rows->EndpointInstructions(10000, 5);
  rows->SessionEndpointInstructions(10000, 5);
  rows->ClusterInstructions(100, 20);
  for (int i = 0; i < 3; ++i) rows->RpcCpu(3000);
  rows->Endpoints(1000, 20, true);
  rows->Endpoints(10000, 5, true);
  rows->Clusters(100, 20, true);
  rows->Clusters(300, 20, true);
  rows->Moved(5);
  rows->Late(1);
  rows->Idle(1);
}

void MeasureAll(gxds_bench::Rows* rows) {
  // Chance decides which of two threads polls, even under valgrind, so this needs more runs.
  for (int i = 0; i < 9; ++i) rows->RpcInstructions(kCalls);
  for (int i = 0; i < 5; ++i) rows->RpcRoutes(1, false, kCalls);
  for (long routes : {100, 1000, 10000}) rows->RpcRoutes(routes, false, kCalls);
  rows->RpcRoutes(10000, true, kCalls);
  rows->RpcMethodConfig(kCalls);
  rows->RpcOfSession(kCalls);
  rows->RpcWithSubset(kCalls);
  rows->Decode(10000);
  for (long count : {1000, 10000}) rows->EndpointInstructions(count, 20);
  rows->SessionEndpointInstructions(10000, 20);
  rows->EndpointsArrive(10000, 20);
  // In turn, since one is compared with the other.
  for (int i = 0; i < 3; ++i) {
    for (long count : {100, 5000}) rows->ClusterInstructions(count, 40);
    for (long count : {100, 5000}) rows->Acknowledgement(count, 20, true);
  }
  rows->ClusterInstructions(1000, 40);
  for (int i = 0; i < 5; ++i) {
    rows->RpcCpu(20000);
    for (long count : {1000, 10000}) rows->Endpoints(count, 20, true);
    rows->Clusters(100, 20, true);
  }
  for (int i = 0; i < 2; ++i) {
    rows->Clusters(1000, 20, true);
    // The host's own xDS takes many minutes. It is enough to show that it does.
    rows->Clusters(5000, 20, i == 0, std::chrono::seconds(60));
    for (long count : {100, 5000}) rows->Acknowledgement(count, 20, false);
  }
  rows->Moved(20);
  rows->Late(5);
  rows->Idle(3);
}

// False: there is no such row.
bool MeasureOnly(gxds_bench::Rows* rows, const std::string& only, int updates) {
  const size_t name_end = only.find(':');
  if (name_end == std::string::npos) return false;
  const std::string row = only.substr(0, name_end);
  const long size = strtol(only.c_str() + name_end + 1, nullptr, 10);
  const bool with_host = only.find(":ours", name_end) == std::string::npos;
  bool small = row == "routes";
  for (const char* runs : {"rpc", "rpc_cpu", "method_config", "session", "subset"}) {
    small = small || row == runs;
  }
  if (size < (small ? 1 : 20)) return false;
  if (row == "endpoints") {
    rows->Endpoints(size, updates, with_host);
  } else if (row == "clusters") {
    rows->Clusters(size, updates, with_host);
  } else if (row == "endpoint_instructions") {
    rows->EndpointInstructions(size, updates);
  } else if (row == "session_endpoint_instructions") {
    rows->SessionEndpointInstructions(size, updates);
  } else if (row == "cluster_instructions") {
    rows->ClusterInstructions(size, updates);
  } else if (row == "acknowledgement") {
    rows->Acknowledgement(size, updates, false);
    rows->Acknowledgement(size, updates, true);
  } else if (row == "endpoints_arrive") {
    rows->EndpointsArrive(size, updates);
  } else if (row == "rpc") {
    for (long i = 0; i < size; ++i) rows->RpcInstructions(kCalls);
  } else if (row == "rpc_cpu") {
    for (long i = 0; i < size; ++i) rows->RpcCpu(20000);
  } else if (row == "routes") {
    rows->RpcRoutes(size, false, kCalls);
  } else if (row == "mixed_routes") {
    rows->RpcRoutes(1, false, kCalls);
    rows->RpcRoutes(size, true, kCalls);
  } else if (row == "method_config") {
    for (long i = 0; i < size; ++i) rows->RpcMethodConfig(kCalls);
  } else if (row == "session") {
    for (long i = 0; i < size; ++i) rows->RpcOfSession(kCalls);
  } else if (row == "subset") {
    for (long i = 0; i < size; ++i) rows->RpcWithSubset(kCalls);
  } else if (row == "moved") {
    rows->Moved(static_cast<int>(size));
  } else if (row == "steps") {
    rows->Decode(size);
    rows->Late(1);
    rows->Idle(2);
  } else {
    return false;
  }
  return true;
}

// The output of micro without its description of the machine.
std::string SingleSteps(bool quick) {
  gxds_test::Child child({gxds_test::Runfile("test/bench/micro"),
                          quick ? "--benchmark_min_time=0.05" : "--benchmark_min_time=0.2"});
  if (child.Wait() != 0) return child.Output();
  std::string table;
  for (const std::string& line : child.Lines()) {
    if (!table.empty() || line.rfind("Benchmark", 0) == 0) table += line + "\n";
  }
  return table;
}

void WriteDocument(FILE* out, const gxds_bench::Report& report, const std::string& steps,
                   bool quick) {
  utsname system = {};
  uname(&system);
  fprintf(out,
          "# Benchmarks\n\n"
          "This page shows the cost of an RPC and of an update. `make bench%s` wrote it on\n"
          "%u processors (%s %s). [test/bench/README.md](../test/bench/README.md) explains the\n"
          "measurement. Each number is a median, with the least and the greatest in brackets.\n\n",
          quick ? " QUICK=1" : "", std::thread::hardware_concurrency(), system.sysname,
          system.machine);
  report.WriteTable(out);
  fprintf(out, "\n## Targets\n\n");
  report.WriteTargets(out);
  if (steps.empty()) return;
  fprintf(out, "\n## Single steps\n\n`test/bench/micro.cc`, by Google Benchmark:\n\n```\n%s```\n",
          steps.c_str());
  fprintf(out,
          "\n## Plots\n\n"
          "![an RPC with more and more routes](bench_routes.svg)\n"
          "![one endpoint of more and more changes](bench_endpoint_change.svg)\n"
          "![the first RPC with more and more clusters](bench_first_clusters.svg)\n"
          "![one of more and more clusters changes](bench_cluster_change.svg)\n");
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, &arguments)) return 2;
  AllowManyFiles();
  gxds_bench::Report report;
  {
    gxds_bench::Rows rows(&report);
    if (arguments.only.empty()) {
      arguments.quick ? MeasureQuick(&rows) : MeasureAll(&rows);
    } else if (!MeasureOnly(&rows, arguments.only, arguments.updates)) {
      fputs(kUsage, stderr);
      return 2;
    }
  }
  const std::string steps = arguments.only.empty() ? SingleSteps(arguments.quick) : "";
  WriteDocument(stdout, report, steps, arguments.quick);
  if (!arguments.table.empty()) {
    const std::string beside =
        gxds_bench::PartOf(gxds_bench::TextOf(arguments.table), gxds_bench::kBesideOthers);
    FILE* file = fopen(arguments.table.c_str(), "w");
    if (file == nullptr) return perror(arguments.table.c_str()), 1;
    WriteDocument(file, report, steps, arguments.quick);
    fclose(file);
    if (!beside.empty()) {
      gxds_bench::WritePart(arguments.table, gxds_bench::kBesideOthers, beside);
    }
  }
  if (!arguments.lines.empty()) {
    FILE* file = fopen(arguments.lines.c_str(), "w");
    if (file == nullptr) return perror(arguments.lines.c_str()), 1;
    report.WriteLines(file);
    fclose(file);
  }
  return arguments.check && !report.Passes() ? 1 : 0;
}
