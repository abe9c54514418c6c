// Programs that fork. Each is a process of its own, for a test has threads that a fork would meet
// in the midst of something.
//
// The host's own xDS serves the first two only: where the parent has a channel, its child uses the
// parent's connections, and the parent fails from then on (//test/e2e:fork_compare).
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <cctype>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "test/e2e/e2e.h"
#include "test/support/host_seam.h"

namespace gxds_test {
namespace {

// The host's own handlers hang now and then, a few times of a hundred: they wait for a thread
// that waits for them, when it ends an RPC just then. The thread sanitizer makes that likelier.
// More often than this in all the tests is ours.
#if defined(__SANITIZE_THREAD__)
constexpr int kHangsMax = 6;
#else
constexpr int kHangsMax = 2;
#endif

class Fork : public testing::Test {
 protected:
  static void SetUpTestSuite() { hangs_ = 0; }

  // web_form: of the server's bootstrap entry; null: it is reached by gRPC.
  explicit Fork(const char* support = "1", const char* polling = "epoll1",
                const char* web_form = nullptr)
      : support_(support), polling_(polling) {
    if (web_form) plane_.AlsoServeRest();
    plane_.Set(SimpleMesh({&backend_}));
    plane_.Start();
    bootstrap_ = web_form ? R"({"xds_servers":[)" + plane_.WebServerJson(web_form) +
                                R"(],"node":{"id":"test-node"}})"
                          : plane_.Bootstrap();
  }

  // What a child inherited, it leaves behind when it exits: that is no leak.
  static std::string AddressOptions(const std::string& scenario) {
    const char* options = getenv("ASAN_OPTIONS");
    return std::string(options != nullptr ? options : "") +
           (scenario == "exit" ? ":detect_leaks=0" : "");
  }

  // The thread sanitizer calls a thread leaked that has ended and is joined at the exit: a child
  // ends with _exit().
  static std::string ThreadOptions() {
    const char* options = getenv("TSAN_OPTIONS");
    return std::string(options != nullptr ? options : "") + ":report_thread_leaks=0";
  }

  static bool IsOnParentsChannel(const std::string& scenario) {
    return scenario == "share" || scenario == "share-many" || scenario == "update" ||
           scenario == "in-rpc";
  }

  // How often a process says that. gRPC writes its log to the same pipe, a line in several pieces,
  // between which what a process says may stand.
  static int CountOf(const std::string& output, const std::string& said) {
    int count = 0;
    for (size_t at = output.find(said); at != std::string::npos; at = output.find(said, at + 1)) {
      count += at == 0 || std::isalpha(static_cast<unsigned char>(output[at - 1])) == 0;
    }
    return count;
  }

  // Runs the program, and something beside it, and expects of each of its processes to be served
  // that many times.
  void ExpectServed(
      const std::string& scenario, const std::map<std::string, int>& processes,
      const std::function<void(Child&)>& beside = [](Child&) {}) {
    if (!kChildMayUseChannelOfParent && IsOnParentsChannel(scenario)) {
      GTEST_SKIP() << "nothing runs on channels of a parent in its child, with this gRPC";
    }
    for (;;) {
      plane_.Set(SimpleMesh({&backend_}));
      const size_t before = backend_.connections();
      Child program({Runfile("test/e2e/fork_client"), scenario, "xds:///greeter.example"},
                    {{"GRPC_XDS_BOOTSTRAP_CONFIG", bootstrap_},
                     {"GRPC_ENABLE_FORK_SUPPORT", support_},
                     {"GRPC_POLL_STRATEGY", polling_},
                     {"GRPC_VERBOSITY", "info"},
                     {"ASAN_OPTIONS", AddressOptions(scenario)},
                     {"TSAN_OPTIONS", ThreadOptions()}});
      beside(program);
      const int status = program.Wait();
      const std::string output = program.Output();
      if (status == -SIGALRM || output.find(": signal 14\n") != std::string::npos) {
        std::cerr << "hangs in fork(): " << ++hangs_ << "\n" << output;
        ASSERT_LE(hangs_, kHangsMax);
        continue;
      }
      // The thread sanitizer goes on to count the parent's threads in a child, and ends one in
      // which a thread gets the stack, which is its name there, of one that only the parent has.
      // With fork support there are few such threads, the host's being stopped.
      if (output.find("ThreadSanitizer: dup thread with used id") != std::string::npos) {
        GTEST_SKIP() << "the thread sanitizer bears no thread in the place of one of the parent's";
      }
      EXPECT_EQ(status, 0);
      connections_ = backend_.connections() - before;
      for (const auto& [name, times] : processes) {
        EXPECT_EQ(CountOf(output, name + ": all served"), times) << name;
      }
      EXPECT_NE(output.find("registered with gRPC core"), std::string::npos)
          << "it was not the plugin that ran";
      if (HasFailure()) ADD_FAILURE() << output;
      return;
    }
  }

  // Of the last program, to the backend.
  void ExpectConnections(size_t count) const {
    if (IsSkipped()) return;
    EXPECT_EQ(connections_, count);
  }

  static inline int hangs_ = 0;
  const char* const support_;
  const char* const polling_;
  size_t connections_ = 0;
  Backend backend_{"a"};
  ControlPlane plane_;
  std::string bootstrap_;
};

TEST_F(Fork, AChildOfAProcessThatMadeNoChannelIsServed) {
  ExpectServed("before", {{"parent", 1}, {"child", 1}});
}

TEST_F(Fork, AChildIsServedThatItsParentClosedItsChannelFor) {
  ExpectServed("closed", {{"parent", 2}, {"child", 1}});
}

// After it has let go of a channel that it inherited, as at exit it does of what is global.
TEST_F(Fork, AChildEndsWithExit) { ExpectServed("exit", {{"parent", 2}, {"child", 1}}); }

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

// On connections of its own: the parent goes on with the one that it has.
TEST_F(Fork, AChildIsServedOnItsParentsChannelFromTheFirstRpcOn) {
  ExpectServed("share", {{"parent", 2}, {"child", 1}});
  ExpectConnections(2);
}

TEST_F(Fork, SeveralChildrenAreServedOnTheirParentsChannelBesideIt) {
  ExpectServed("share-many", {{"parent", 3},
                              {"child 1", 1},
                              {"child 2", 1},
                              {"child 3", 1},
                              {"child 4", 1},
                              {"child 5", 1}});
}

TEST_F(Fork, UpdatesComeInOnAParentsChannelInItsChild) {
  Backend next("b");
  ExpectServed("update", {{"parent", 2}, {"child", 2}}, [&](Child& program) {
    (void)program.WaitForLine(
        [](const std::string& line) { return CountOf(line, "child: all served") > 0; });
    plane_.Set(SimpleMesh({&next}));
  });
}

// It goes on in the parent, and the child is served on its channel beside it.
TEST_F(Fork, AChildIsServedOnAChannelOnWhichItsParentHasAnRpcInProgress) {
  Backend next("b");
  ExpectServed("in-rpc", {{"parent", 2}, {"child", 2}}, [&](Child& program) {
    (void)program.WaitForLine(
        [](const std::string& line) { return CountOf(line, "child: all served") > 0; });
    plane_.Set(SimpleMesh({&next}));
  });
}

// One connection each: neither takes what is the other's.
TEST_F(Fork, BothAreServedWhenTheParentKeepsItsChannel) {
  ExpectServed("open", {{"parent", 2}, {"child", 1}});
  ExpectConnections(2);
}

class ForkWithPoll : public Fork {
 protected:
  ForkWithPoll() : Fork("1", "poll") {}
};

TEST_F(ForkWithPoll, BothAreServedWhenTheParentKeepsItsChannel) {
  ExpectServed("open", {{"parent", 2}, {"child", 1}});
  ExpectConnections(2);
}

TEST_F(ForkWithPoll, AChildIsServedOnItsParentsChannelFromTheFirstRpcOn) {
  ExpectServed("share", {{"parent", 2}, {"child", 1}});
  ExpectConnections(2);
}

TEST_F(ForkWithPoll, UpdatesComeInOnAParentsChannelInItsChild) {
  Backend next("b");
  ExpectServed("update", {{"parent", 2}, {"child", 2}}, [&](Child& program) {
    (void)program.WaitForLine(
        [](const std::string& line) { return CountOf(line, "child: all served") > 0; });
    plane_.Set(SimpleMesh({&next}));
  });
}

// There the host's child is served on its parent's connections, and its parent is served no more.
class ForkWithoutSupport : public Fork {
 protected:
  ForkWithoutSupport() : Fork("0") {}
};

TEST_F(ForkWithoutSupport, BothAreServedWhenTheParentKeepsItsChannel) {
  ExpectServed("open", {{"parent", 2}, {"child", 1}});
  ExpectConnections(2);
}

TEST_F(ForkWithoutSupport, SeveralChildrenAtOnceAreServedBesideTheirParent) {
  ExpectServed("many", {{"parent", 3},
                        {"child 1", 1},
                        {"child 2", 1},
                        {"child 3", 1},
                        {"child 4", 1},
                        {"child 5", 1}});
}

TEST_F(ForkWithoutSupport, AChildOfAChildIsServed) {
  ExpectServed("grandchild", {{"parent", 2}, {"child", 2}, {"grandchild", 1}});
}

TEST_F(ForkWithoutSupport, AChildEndsWithExit) {
  ExpectServed("exit", {{"parent", 2}, {"child", 1}});
}

TEST_F(ForkWithoutSupport, AnRpcOfAChildEndsAtItsDeadline) {
  ExpectServed("deadline", {{"parent", 2}, {"child", 1}});
}

// What its server is asked is carried by a thread with libcurl, which the child has not.
class ForkWithWebServer : public Fork, public testing::WithParamInterface<const char*> {
 protected:
  ForkWithWebServer() : Fork("1", "epoll1", GetParam()) {}
};

TEST_P(ForkWithWebServer, UpdatesComeInOnAParentsChannelInItsChild) {
  Backend next("b");
  ExpectServed("update", {{"parent", 2}, {"child", 2}}, [&](Child& program) {
    (void)program.WaitForLine(
        [](const std::string& line) { return CountOf(line, "child: all served") > 0; });
    plane_.Set(SimpleMesh({&next}));
  });
}

TEST_P(ForkWithWebServer, SeveralChildrenAreServedOnTheirParentsChannelBesideIt) {
  ExpectServed("share-many", {{"parent", 3},
                              {"child 1", 1},
                              {"child 2", 1},
                              {"child 3", 1},
                              {"child 4", 1},
                              {"child 5", 1}});
}

TEST_P(ForkWithWebServer, AChildEndsWithExit) {
  ExpectServed("exit", {{"parent", 2}, {"child", 1}});
}

INSTANTIATE_TEST_SUITE_P(Forms, ForkWithWebServer, testing::Values("rest", "files"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gxds_test
