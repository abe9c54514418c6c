// Compares forks with the plugin and with the host's own xDS: runs each case of fork_client several
// times and counts the outcomes.
//
// usage: fork_compare RUNS [CASE...]
//
// FORK_COMPARE_ONLY names one of the two programs. FORK_COMPARE_SUPPORT is 1 or 0.
#include <stdlib.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// The parent makes RPCs first, so one line of "all served" is no outcome.
std::string Outcome(const std::string& program, const std::string& scenario, bool support) {
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Child child({Runfile("test/e2e/" + program), scenario, "xds:///greeter.example"},
              {{"GRPC_XDS_BOOTSTRAP_CONFIG", plane.Bootstrap()},
               {"FORK_CLIENT_SECONDS", "4"},
               {"GRPC_ENABLE_FORK_SUPPORT", support ? "1" : "0"}});
  if (scenario == "update" || scenario == "in-rpc") {
    (void)child.WaitForLine([](const std::string& line) { return line == "child: all served"; });
    plane.Set(SimpleMesh({&b}));
  }
  const int status = child.Wait();
  if (status == 0) return "served";
  std::string outcome;
  for (const std::string& line : child.Lines()) {
    const bool said = line.rfind("parent: ", 0) == 0 || line.rfind("child", 0) == 0 ||
                      line.rfind("grandchild: ", 0) == 0;
    if (!said || line.find(": all served") != std::string::npos) continue;
    outcome += (outcome.empty() ? "" : "; ") + line.substr(0, 60);
  }
  return (outcome.empty() ? "nothing said" : outcome) + " (" + std::to_string(status) + ")";
}

}  // namespace
}  // namespace gxds_test

int main(int argc, char** argv) {
  std::vector<std::string> cases(argv + (argc < 2 ? argc : 2), argv + argc);
  if (cases.empty()) {
    cases = {"before", "closed", "open",       "in-turn", "many",      "grandchild", "share",
             "update", "in-rpc", "share-many", "exit",    "only-exit", "exec"};
  }
  const char* only = getenv("FORK_COMPARE_ONLY");
  const std::vector<std::string> programs =
      only ? std::vector<std::string>{only}
           : std::vector<std::string>{"fork_client_on_host", "fork_client"};
  const char* with = getenv("FORK_COMPARE_SUPPORT");
  const int runs = argc > 1 ? atoi(argv[1]) : 20;
  for (const std::string& scenario : cases) {
    for (bool support : {true, false}) {
      if (with != nullptr && (*with == '1') != support) continue;
      for (const std::string& program : programs) {
        std::map<std::string, int> outcomes;
        for (int i = 0; i < runs; ++i) ++outcomes[gxds_test::Outcome(program, scenario, support)];
        std::printf("%-10s support=%d %s:\n", scenario.c_str(), support, program.c_str());
        for (const auto& [outcome, count] : outcomes) {
          std::printf("    %3d %s\n", count, outcome.c_str());
        }
        std::fflush(stdout);
      }
    }
  }
}
