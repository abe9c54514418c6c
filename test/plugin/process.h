// Runs the programs of these tests with the plugin preloaded.
#ifndef GRPC_XDS_TEST_PLUGIN_PROCESS_H_
#define GRPC_XDS_TEST_PLUGIN_PROCESS_H_

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/child.h"

namespace gxds_test {

struct Outcome {
  int status;
  std::string output;  // standard output and standard error, but for the host's own information
};

using Environment = std::map<std::string, std::string>;

inline Environment Preload(const std::string& libraries, Environment more = {}) {
  more["LD_PRELOAD"] = libraries;
  return more;
}

// Without the information that gRPC 1.83 logs of itself, such as that a server hung up, and what
// abseil says before the first line of a program that has not set its log up.
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
  // An instrumented program insists on its runtime being the first library, unless told otherwise.
  const char* options = getenv("ASAN_OPTIONS");
  environment["ASAN_OPTIONS"] =
      (options != nullptr ? std::string(options) + ":" : "") + "verify_asan_link_order=0";
  environment["LSAN_OPTIONS"] = "print_suppressions=0";
  // What is tested is the loading. gRPC's headers in these programs synchronise with a library that
  // is not instrumented: all that could be reported is theirs.
  environment["TSAN_OPTIONS"] = "report_bugs=0";
  Child child(args, environment);
  // The reader ends with the output: all of it is there then.
  child.WaitForLine([](const std::string&) { return false; });
  Outcome outcome;
  outcome.status = child.Wait();
  outcome.output = WithoutHostsInformation(child.Output());
  return outcome;
}

}  // namespace gxds_test

#endif
