// Programs that fork. Each is a process of its own, for a test has threads that a fork would meet
// in the midst of something.
//
// The host's own xDS (bazel run //test/e2e:fork_client_on_host) serves the first two only: where
// the parent has a channel, its child uses the parent's connections, and the parent fails from then
// on.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// The host's own handlers hang now and then.
constexpr int kAttempts = 4;

class Fork : public testing::Test {
 protected:
  Fork() {
    plane_.Set(SimpleMesh({&backend_}));
    plane_.Start();
  }

  // Their runtimes have threads and locks of their own, which a child of a fork inherits in the
  // midst of something; what ours do over a fork is tried with them in //test/transport.
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "not with a sanitizer";
#endif
  }

  // Runs the program, and expects of each of its processes to be served that many times.
  void ExpectServed(const std::string& scenario, const std::map<std::string, int>& processes) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Child program({Runfile("test/e2e/fork_client"), scenario, "xds:///greeter.example"},
                    {{"GRPC_XDS_BOOTSTRAP_CONFIG", plane_.Bootstrap()},
                     {"GRPC_ENABLE_FORK_SUPPORT", "1"},
                     {"GRPC_VERBOSITY", "info"}});
      const int status = program.Wait();
      const std::string output = program.Output();
      if (status == -SIGALRM || output.find(": signal 14\n") != std::string::npos) continue;
      EXPECT_EQ(status, 0);
      const std::vector<std::string> lines = program.Lines();
      for (const auto& [name, times] : processes) {
        EXPECT_EQ(std::count(lines.begin(), lines.end(), name + ": all served"), times) << name;
      }
      EXPECT_NE(output.find("registered with gRPC core"), std::string::npos)
          << "it was not the plugin that ran";
      if (HasFailure()) ADD_FAILURE() << output;
      return;
    }
    ADD_FAILURE() << "it hung in fork() each time";
  }

  Backend backend_{"a"};
  ControlPlane plane_;
};

TEST_F(Fork, AChildOfAProcessThatMadeNoChannelIsServed) {
  ExpectServed("before", {{"parent", 1}, {"child", 1}});
}

TEST_F(Fork, AChildIsServedThatItsParentClosedItsChannelFor) {
  ExpectServed("closed", {{"parent", 2}, {"child", 1}});
}

TEST_F(Fork, SeveralChildrenInTurnAreServed) {
  ExpectServed("in-turn", {{"parent", 6},
                           {"child 1", 1},
                           {"child 2", 1},
                           {"child 3", 1},
                           {"child 4", 1},
                           {"child 5", 1}});
}

TEST_F(Fork, SeveralChildrenAtOnceAreServedBesideTheirParent) {
  ExpectServed("many", {{"parent", 3},
                        {"child 1", 1},
                        {"child 2", 1},
                        {"child 3", 1},
                        {"child 4", 1},
                        {"child 5", 1}});
}

TEST_F(Fork, AChildOfAChildIsServed) {
  ExpectServed("grandchild", {{"parent", 2}, {"child", 2}, {"grandchild", 1}});
}

// One connection each: neither takes what is the other's.
TEST_F(Fork, BothAreServedWhenTheParentKeepsItsChannel) {
  ExpectServed("open", {{"parent", 2}, {"child", 1}});
  EXPECT_GE(backend_.connections(), 2u);
}

}  // namespace
}  // namespace gxds_test
