// Runs the programs of these tests with the plugin preloaded.
#ifndef GRPC_XDS_TEST_PLUGIN_PROCESS_H_
#define GRPC_XDS_TEST_PLUGIN_PROCESS_H_

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "test/support/child.h"

namespace gxds_test {

struct Outcome {
  int status;
  std::string output;  // standard output and standard error
};

using Environment = std::map<std::string, std::string>;

inline Environment Preload(const std::string& libraries, Environment more = {}) {
  more["LD_PRELOAD"] = libraries;
  return more;
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
  outcome.output = child.Output();
  return outcome;
}

}  // namespace gxds_test

#endif
