// Programs that fork. Each is a process of its own, because a fork of the test itself could
// interrupt its threads at any point.
//
// The host's own xDS passes only the first two tests. Where the parent has a channel, its child
// uses the parent's connections, and the parent's RPCs fail from then on (//test/e2e:fork_compare).
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

// The host's own handlers hang a few times in a hundred forks: they wait for a thread that ends an
// RPC at that moment and waits for them. The thread sanitizer makes that more likely. Without fork
// support, a child hangs once in two thousand forks: a thread of the host held a lock of abseil's
// mutexes, which no fork handler knows. More hangs than this in all the tests are our fault.
#if defined(__SANITIZE_THREAD__)
constexpr int kHangsMax = 6;
#else
constexpr int kHangsMax = 2;
#endif

class Fork : public testing::Test {
 protected:
  static void SetUpTestSuite() { hangs_ = 0; }

  // web_form: the form in the server's bootstrap entry; null: a gRPC server.
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

  // A child does not free what it inherited before it exits. That is no leak.
  static std::string AddressOptions(const std::string& scenario) {
    const char* options = getenv("ASAN_OPTIONS");
    return std::string(options != nullptr ? options : "") +
           (scenario == "exit" ? ":detect_leaks=0" : "");
  }

  // The thread sanitizer reports a thread that has ended but is joined only at exit as leaked,
  // because a child ends with _exit().
  static std::string ThreadOptions() {
    const char* options = getenv("TSAN_OPTIONS");
    return std::string(options != nullptr ? options : "") + ":report_thread_leaks=0";
  }

  static bool IsOnParentsChannel(const std::string& scenario) {
    return scenario == "share" || scenario == "share-many" || scenario == "update" ||
           scenario == "in-rpc" || scenario == "unused";
  }

  // How often a process printed that. gRPC writes its log to the same pipe in pieces of a line, so
  // the text may be in the middle of a log line.
  static int CountOf(const std::string& output, const std::string& said) {
    int count = 0;
    for (size_t at = output.find(said); at != std::string::npos; at = output.find(said, at + 1)) {
      count += at == 0 || std::isalpha(static_cast<unsigned char>(output[at - 1])) == 0;
    }
    return count;
  }

  // Runs the program and calls `beside` meanwhile. Expects each process to print "all served" that
  // many times.
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
      if (status == -SIGALRM || output.find(": signal 14\n") != std::string::npos ||
          output.find(": hangs\n") != std::string::npos) {
        std::cerr << "hangs by the host: " << ++hangs_ << "\n" << output;
        ASSERT_LE(hangs_, kHangsMax);
        continue;
      }
      // In a child the thread sanitizer still counts the parent's threads. It identifies a thread
      // by its stack, and ends a child in which a new thread gets the stack of a thread that only
      // the parent has. With fork support there are few such threads, since the host stops its own.
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

  // The connections of the last program to the backend.
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

// The child has destroyed an inherited channel, as exit() does with global objects.
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

// The child makes its own connection, and the parent keeps its connection.
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

// The RPC goes on in the parent, while the child makes RPCs on the same channel.
TEST_F(Fork, AChildIsServedOnAChannelOnWhichItsParentHasAnRpcInProgress) {
  Backend next("b");
  ExpectServed("in-rpc", {{"parent", 2}, {"child", 2}}, [&](Child& program) {
    (void)program.WaitForLine(
        [](const std::string& line) { return CountOf(line, "child: all served") > 0; });
    plane_.Set(SimpleMesh({&next}));
  });
}

// Each has its own connection, and neither uses the other's.
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

// With the host's own xDS and without fork support, the child uses its parent's connections, and
// the parent's RPCs fail.
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

// Each client of the parent has a thread that reads these files. The child does not have it.
TEST_F(ForkWithoutSupport, AChildFreesChannelsWhoseClientsReadCertificateFiles) {
  bootstrap_.insert(1, R"("shared_stream":false,"authorities":{"other":{"xds_servers":[{
      "server_uri":"127.0.0.1:1","channel_creds":[{"type":"tls","config":{
      "ca_certificate_file":"/nowhere"}}]}]}},)");
  ExpectServed("free-many", {{"parent", 2}, {"child", 1}});
}

TEST_F(ForkWithoutSupport, AnRpcOfAChildEndsAtItsDeadline) {
  ExpectServed("deadline", {{"parent", 2}, {"child", 1}});
}

// As in a server that makes its channel, forks its workers, and uses the channel only there.
TEST_F(ForkWithoutSupport, ChildrenAreServedOnAChannelThatTheirParentDidNotUse) {
  ExpectServed("unused", {{"parent", 1},
                          {"child 1", 1},
                          {"child 2", 1},
                          {"child 3", 1},
                          {"child 4", 1},
                          {"child 5", 1}});
}

// A thread with libcurl makes the requests to the server. The child does not have that thread.
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
