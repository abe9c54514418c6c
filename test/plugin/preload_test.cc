// The whole plugin in real programs. Texts that the host's xDS does not have prove that ours ran:
// our bootstrap errors name lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "grpc_xds/grpc_xds.h"
#include "test/plugin/process.h"

namespace {

using gxds_test::Environment;
using gxds_test::Outcome;
using gxds_test::Preload;
using gxds_test::Runfile;
using gxds_test::RunProgram;
using testing::HasSubstr;
using testing::Not;

const char kOurs[] = "field:xds_servers error:field not present] (xds_servers line 1)";
const char kTheirs[] = "field:xds_servers error:field not present]\n";
const char kInfo[] =
    "grpc_xds: " GRPC_XDS_VERSION " registered with gRPC core " HOST_NUMBER ".0.0\n";

std::string Program(const std::string& name) { return Runfile("test/plugin/" + name); }

Environment WithEmptyBootstrap(Environment more = {}) {
  more["GRPC_XDS_BOOTSTRAP_CONFIG"] = "{}";
  more["GRPC_VERBOSITY"] = "INFO";
  return more;
}

Environment Preloaded(Environment more = {}) {
  return Preload(Runfile("libgrpc_xds.so"), std::move(more));
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) count++;
  return count;
}

TEST(Preload, UnmodifiedProgramWithoutItUsesTheHosts) {  // the baseline of the other tests
  Outcome outcome = RunProgram({Program("probe"), "call", "xds:///service"}, WithEmptyBootstrap());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr(kTheirs));
}

TEST(Preload, UnmodifiedProgramUsesOurs) {
  Outcome outcome =
      RunProgram({Program("probe"), "call", "xds:///service"}, Preloaded(WithEmptyBootstrap()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("code 14: "));
  EXPECT_THAT(outcome.output, HasSubstr(kOurs));
  EXPECT_EQ(Count(outcome.output, kInfo), 1u) << outcome.output;
}

TEST(Preload, AbsentBootstrapSaysWhatWasLookedFor) {
  Outcome outcome = RunProgram({Program("probe"), "call", "xds:///service"}, Preloaded());
  EXPECT_THAT(outcome.output,
              testing::ContainsRegex("code 14: .*GRPC_XDS_BOOTSTRAP or GRPC_XDS_BOOTSTRAP_CONFIG"));
}

TEST(Preload, IsQuietByDefault) {
  Outcome outcome = RunProgram({Program("probe"), "serve", "ipv4:127.0.0.1:"}, Preloaded());
  EXPECT_EQ(outcome.output, "code 0: \n");
}

TEST(Preload, OtherSchemesWorkAsBefore) {
  // No host names: a bare machine resolves none, not even localhost.
  for (const char* prefix :
       {"ipv4:127.0.0.1:", "dns:///127.0.0.1:", "127.0.0.1:", "dns:127.0.0.1:"}) {
    Outcome outcome = RunProgram({Program("probe"), "serve", prefix}, Preloaded());
    EXPECT_EQ(outcome.status, 0) << prefix;
    EXPECT_EQ(outcome.output, "code 0: \n") << prefix;
  }
}

TEST(Preload, LibraryThatComesLaterUsesOurs) {
  Outcome outcome = RunProgram({Program("late"), Program("libextension.so"), "xds:///service", "1"},
                               Preloaded(WithEmptyBootstrap()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr(kOurs));
  EXPECT_EQ(Count(outcome.output, kInfo), 1u) << outcome.output;
}

TEST(Preload, ThreadsThatInitialiseTogetherAllUseOurs) {
  Outcome outcome = RunProgram({Program("late"), Program("libextension.so"), "xds:///service", "8"},
                               Preloaded(WithEmptyBootstrap()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(Count(outcome.output, "code 14: "), 8u) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("not registered")));
  EXPECT_THAT(outcome.output, Not(HasSubstr(kTheirs)));
  EXPECT_EQ(Count(outcome.output, kInfo), 1u) << outcome.output;
}

TEST(Preload, AfterInitIsTooLate) {
  for (const char* how : {"init", "channel"}) {
    Outcome outcome =
        RunProgram({Program("initialized"), Runfile("libgrpc_xds.so"), how}, WithEmptyBootstrap());
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.output, HasSubstr("result 3\nresult 3\n")) << how;
    EXPECT_EQ(Count(outcome.output,
                    "grpc_xds: not registered: gRPC " HOST_NUMBER ".0.0 was initialised before"),
              1u)
        << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(kTheirs)) << how;  // the host's xDS stays in place
  }
}

TEST(Link, LinkedProgramUsesOurs) {
  Outcome outcome = RunProgram({Program("linked"), "xds:///service"}, WithEmptyBootstrap());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("version " GRPC_XDS_VERSION "\nresult 0\nresult 0\n"));
  EXPECT_THAT(outcome.output, HasSubstr(kOurs));
  EXPECT_EQ(Count(outcome.output, kInfo), 1u) << outcome.output;
}

// The library's constructor then runs before libgrpc's, which must not undo its effect.
TEST(Link, OrderOfLibrariesDoesNotMatter) {
  Outcome outcome = RunProgram({Program("linked"), "xds:///service"},
                               Preload("libgrpc.so." HOST_NUMBER, WithEmptyBootstrap()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("result 0\nresult 0\npolicy 6\n"));
  EXPECT_THAT(outcome.output, HasSubstr(kOurs));
}

TEST(Link, ProgramThatHoldsItCallsRegister) {
  Outcome outcome = RunProgram({Program("holds"), "xds:///service"}, WithEmptyBootstrap());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("result 0\nresult 0\npolicy 6\n"));
  EXPECT_THAT(outcome.output, HasSubstr(kOurs));
}

}  // namespace
