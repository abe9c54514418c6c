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

// Instrumented programs insist on their runtime being the first library, unless told otherwise.
inline Environment Preload(const std::string& libraries, Environment more = {}) {
  const char* options = getenv("ASAN_OPTIONS");
  more["LD_PRELOAD"] = libraries;
  more["ASAN_OPTIONS"] =
      (options != nullptr ? std::string(options) + ":" : "") + "verify_asan_link_order=0";
  return more;
}

inline Outcome RunProgram(const std::vector<std::string>& args,
                          const Environment& environment = {}) {
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
