// Runs the programs of these tests with the plugin preloaded.
#ifndef GRPC_XDS_TEST_PLUGIN_PROCESS_H_
#define GRPC_XDS_TEST_PLUGIN_PROCESS_H_

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/child.h"

namespace gxds_test {

struct Outcome {
  int status;
  std::string output;  // standard output and standard error, without the host's own information
};

using Environment = std::map<std::string, std::string>;

inline Environment Preload(const std::string& libraries, Environment more = {}) {
  more["LD_PRELOAD"] = libraries;
  return more;
}

// Removes the information that gRPC 1.83 logs itself, such as a closed connection, and abseil's
// warning before the first line of a program that has not initialized its log.
inline std::string WithoutHostsInformation(const std::string& output) {
  std::istringstream lines(output);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const bool is_hosts = line.rfind("I0000 ", 0) == 0 && line.find("grpc_xds") == line.npos;
    if (!is_hosts && line.rfind("WARNING: All log messages before absl::", 0) != 0) {
      out += line + "\n";
    }
  }
  return out;
}

inline Outcome RunProgram(const std::vector<std::string>& args, Environment environment = {}) {
  environment["ASAN_OPTIONS"] = AsanOptionsToPreload();
  environment["LSAN_OPTIONS"] = "print_suppressions=0";
  // These tests check only the loading. gRPC's headers in these programs synchronise with a library
  // that is not instrumented, so any report would be about gRPC.
  environment["TSAN_OPTIONS"] = "report_bugs=0";
  Child child(args, environment);
  // Waits until the reader has read all output.
  child.WaitForLine([](const std::string&) { return false; });
  Outcome outcome;
  outcome.status = child.Wait();
  outcome.output = WithoutHostsInformation(child.Output());
  return outcome;
}

}  // namespace gxds_test

#endif
