// The loader alone, with fake hosts and implementations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "plugin/impl.h"
#include "test/plugin/process.h"

namespace {

using gxds_test::Environment;
using gxds_test::Outcome;
using gxds_test::Preload;
using gxds_test::Runfile;
using gxds_test::RunProgram;
using testing::HasSubstr;
using testing::Not;

const char kError[] = "grpc_xds: not registered: ";

std::string Program(const std::string& name) { return Runfile("test/plugin/" + name); }

// A copy of the loader in a folder of its own, with or without an implementation.
class Loader : public testing::Test {
 protected:
  std::string path() const { return folder_.path() + "/libgrpc_xds.so"; }
  std::string implementation(const std::string& grpc = HOST_RELEASE) const {
    return folder_.path() + "/grpc_xds/libgrpc_xds_impl_" + grpc + ".so";
  }
  void SetUp() override {
    std::filesystem::copy(Runfile("libgrpc_xds.so"), path());
    std::filesystem::create_directories(std::filesystem::path(implementation()).parent_path());
  }
  void AddFakeImplementation(const std::string& grpc = HOST_RELEASE) {
    std::filesystem::copy(Program("libfake_impl.so"), implementation(grpc));
  }
  gxds_test::TempDir folder_;
};

TEST_F(Loader, IsSilentInAProgramWithoutGrpc) {
  Outcome outcome = RunProgram({"/bin/true"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "");
}

TEST_F(Loader, NoGrpcIsAnErrorForTheCaller) {
  Outcome outcome = RunProgram({Program("asks")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("result 1\npolicy 1\n"));
  EXPECT_THAT(outcome.output, HasSubstr("grpc_xds: not registered: this program has no "
                                        "libgrpc.so.29 or libgrpc.so.56: link it"));
}

TEST_F(Loader, RegistersWhenLoadedIntoAProgramWithGrpc) {
  AddFakeImplementation();
  Outcome outcome = RunProgram({Program("probe"), "serve", "ipv4:127.0.0.1:"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "fake implementation was asked\ncode 0: \n");
}

TEST_F(Loader, WorksThroughALinkAndARelativePath) {
  AddFakeImplementation();
  gxds_test::TempDir elsewhere;
  std::filesystem::create_symlink(path(), elsewhere.path() + "/link.so");
  Outcome outcome =
      RunProgram({"/bin/sh", "-c",
                  "cd " + elsewhere.path() + " && LD_PRELOAD=./link.so exec " + Program("late") +
                      " " + Program("libextension.so") + " ipv4:127.0.0.1:1 1"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, testing::StartsWith("fake implementation was asked\ncode 14: "));
}

TEST_F(Loader, RegistersAtTheFirstInitOfALibraryThatComesLater) {
  AddFakeImplementation();
  Outcome outcome = RunProgram(
      {Program("late"), Program("libextension.so"), "ipv4:127.0.0.1:1", "1"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, testing::StartsWith("fake implementation was asked\ncode 14: "));
  EXPECT_THAT(outcome.output, HasSubstr("alive\n"));
}

TEST_F(Loader, CallsTheGrpcThatItsCallerWouldHaveCalled) {
  AddFakeImplementation();
  Outcome outcome =
      RunProgram({Program("late"), Program("libprivate_copy.so"), "call", "1"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "private grpc_init\ncalled\nalive\n");
}

TEST_F(Loader, FindsTheGrpcOfACallerThatJumped) {
  AddFakeImplementation();
  Outcome outcome =
      RunProgram({Program("late"), Program("libprivate_copy.so"), "jump", "3"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "private grpc_init\nprivate grpc_init\nprivate grpc_init\nalive\n");
}

TEST_F(Loader, MissingImplementationIsLoggedAndSurvived) {
  Outcome outcome = RunProgram({Program("probe"), "serve", "ipv4:127.0.0.1:"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output,
              testing::ContainsRegex("^E.*grpc_xds: not registered: cannot load the "
                                     "implementation: .*libgrpc_xds_impl_" HOST_RELEASE ".so"));
  EXPECT_THAT(outcome.output, testing::EndsWith("code 0: \n"));
}

TEST_F(Loader, BrokenImplementationIsLoggedAndSurvived) {
  std::ofstream(implementation()) << "no library";
  Outcome outcome = RunProgram({Program("probe"), "serve", "ipv4:127.0.0.1:"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("cannot load the implementation: "));
  EXPECT_THAT(outcome.output, testing::EndsWith("code 0: \n"));
}

TEST_F(Loader, ForeignLibraryIsNoImplementation) {
  std::filesystem::copy(Program("libprivate_copy.so"), implementation());
  Outcome outcome = RunProgram({Program("probe"), "serve", "ipv4:127.0.0.1:"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("is not an implementation of grpc_xds"));
}

TEST_F(Loader, ImplementationOfAnotherVersionIsNotCalled) {
  AddFakeImplementation();
  auto environment = Preload(path(), {{"FAKE_IMPL_VERSION", "0.0.1"}});
  Outcome outcome = RunProgram({Program("probe"), "serve", "ipv4:127.0.0.1:"}, environment);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr(kError + implementation() +
                                        " is of version 0.0.1, and the library that opens it of " +
                                        GRPC_XDS_VERSION));
  EXPECT_THAT(outcome.output, Not(HasSubstr("fake implementation")));
  EXPECT_THAT(outcome.output, testing::EndsWith("code 0: \n"));
}

// The program was started before an upgrade.
TEST_F(Loader, GrpcThatIsOpenedAfterAnUpgradeKeepsItsOwnXds) {
  AddFakeImplementation();
  auto environment = Preload(path(), {{"FAKE_IMPL_VERSION", "0.0.1"}});
  Outcome outcome = RunProgram(
      {Program("late"), Program("libextension.so"), "ipv4:127.0.0.1:1", "1"}, environment);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr(" is of version 0.0.1, and the library that opens it of "));
  EXPECT_THAT(outcome.output, Not(HasSubstr("fake implementation")));
  EXPECT_THAT(outcome.output, HasSubstr("code 14: "));
  EXPECT_THAT(outcome.output, HasSubstr("alive\n"));
}

TEST_F(Loader, ErrorsAreLoggedOnce) {
  Outcome outcome = RunProgram(
      {Program("late"), Program("libextension.so"), "ipv4:127.0.0.1:1", "8"}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  size_t first = outcome.output.find(kError);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.output.find(kError, first + 1), std::string::npos);
}

TEST_F(Loader, VerbosityNoneIsRespected) {
  Outcome outcome = RunProgram({Program("probe"), "serve", "ipv4:127.0.0.1:"},
                               Preload(path(), {{"GRPC_VERBOSITY", "NONE"}}));
  EXPECT_EQ(outcome.output, "code 0: \n");
}

TEST_F(Loader, AnotherVersionIsLeftAlone) {
  AddFakeImplementation();
  Outcome outcome =
      RunProgram({Program("calls_init")}, Preload(path() + " " + Program("libfake_grpc29.so")));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output,
              HasSubstr("grpc_xds: not registered: built for gRPC core 29.0.0 (libgrpc.so.29) and "
                        "56.0.0 (libgrpc.so.56), but this program has 28.9.9 ("));
  EXPECT_THAT(outcome.output, Not(HasSubstr("fake implementation")));
  EXPECT_THAT(outcome.output, HasSubstr("fake grpc_init\nalive\n"));
}

TEST_F(Loader, AnotherSonameIsLeftAlone) {
  AddFakeImplementation();
  // A supported host is identified by its soname, any other by its file name.
  std::string other = folder_.path() + "/libgrpc.so.30";
  std::filesystem::copy(Program("libfake_grpc30.so"), other);
  Outcome outcome = RunProgram({Program("calls_init")}, Preload(path() + " " + other));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("but this program has 30.0.0 (" + other + ")"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("fake implementation")));
  EXPECT_THAT(outcome.output, HasSubstr("fake grpc_init\nalive\n"));
}

TEST_F(Loader, OpensTheImplementationForTheGrpcThatIsThere) {
  AddFakeImplementation("1_83");
  const std::string preloaded = path() + " " + Program("libfake_grpc56.so");
  Outcome outcome = RunProgram({Program("calls_init")}, Preload(preloaded));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "fake implementation was asked\nfake grpc_init\nalive\n");
  std::filesystem::remove(implementation("1_83"));
  AddFakeImplementation("1_51");
  outcome = RunProgram({Program("calls_init")}, Preload(preloaded));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output,
              HasSubstr("cannot load the implementation: " + implementation("1_83")));
  EXPECT_THAT(outcome.output, HasSubstr("fake grpc_init\nalive\n"));
}

TEST_F(Loader, TwoGrpcsAreLeftAlone) {
  AddFakeImplementation("1_51");
  AddFakeImplementation("1_83");
  Outcome outcome = RunProgram(
      {Program("calls_init")},
      Preload(path() + " " + Program("libfake_grpc29.so") + " " + Program("libfake_grpc56.so")));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output,
              HasSubstr("not registered: this program has two gRPCs, libgrpc.so.29 and "
                        "libgrpc.so.56: "));
  EXPECT_THAT(outcome.output, Not(HasSubstr("fake implementation")));
  EXPECT_THAT(outcome.output, HasSubstr("fake grpc_init\nalive\n"));
}

TEST_F(Loader, InitWithoutAnyGrpcIsSurvived) {
  Outcome outcome = RunProgram({Program("calls_init")}, Preload(path()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("there is no gRPC in this program"));
  EXPECT_THAT(outcome.output, HasSubstr("alive\n"));
}

TEST_F(Loader, TooLateIsReportedByTheImplementationAndLogged) {
  AddFakeImplementation();
  Outcome outcome = RunProgram({Program("initialized"), path()}, {{"FAKE_IMPL_RESULT", "3"}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output,
              HasSubstr("not registered: gRPC " HOST_NUMBER ".0.0 was initialised before"));
  EXPECT_THAT(outcome.output, HasSubstr("result 3\nresult 3\n"));
}

}  // namespace
