// `xds status` in a process of its own, for processes that follow `xds serve`, and for a CSDS
// service.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "test/support/child.h"
#include "test/support/control_plane.h"
#include "test/transport/raw_server.h"

namespace {

// A socket's path has at most 107 bytes. The path of a test's folder may be longer.
[[maybe_unused]] const int g_in_a_short_folder = setenv("TEST_TMPDIR", "/tmp", 1);

using gxds_test::Child;
using gxds_test::ControlPlane;
using gxds_test::Mesh;
using gxds_test::Runfile;
using gxds_test::TempDir;
using Lines = std::vector<std::string>;

class Status : public ::testing::Test {
 public:
  struct Result {
    int status;
    std::string text;
  };

 protected:
  void Start(const std::string& outlier_detection = "") {
    mesh_.routes = {{"", "blue"}};
    mesh_.clusters.resize(1);
    mesh_.clusters[0].name = "blue";
    mesh_.clusters[0].localities = {{"z", 1, 0, {1001, 1002}}};
    mesh_.clusters[0].outlier_detection = outlier_detection;
    plane_.Set(mesh_);
    plane_.Start();
  }
  // A process that follows the mesh.
  std::unique_ptr<Child> Follow(const std::string& dir) {
    std::map<std::string, std::string> env = {{"GRPC_XDS_BOOTSTRAP_CONFIG", plane_.Bootstrap()},
                                              {"GRPC_VERBOSITY", "info"}};
    if (!dir.empty()) env["GRPC_XDS_STATUS_DIR"] = dir;
    auto child = std::make_unique<Child>(
        Lines{Runfile("tools/xds"), "resolve", "--watch", "xds:///greeter.example"}, env);
    EXPECT_NE(Wait(*child, "an RPC could"), "") << child->Output();
    return child;
  }
  static std::string Wait(Child& child, const std::string& text, size_t from = 0) {
    return child.WaitForLine(
        [&](const std::string& line) { return line.find(text) != std::string::npos; }, from);
  }
  static Result Run(Lines args, const std::string& dir = "") {
    args.insert(args.begin(), {Runfile("tools/xds"), "status"});
    std::map<std::string, std::string> env;
    if (!dir.empty()) env["GRPC_XDS_STATUS_DIR"] = dir;
    Child child(args, env);
    int status = child.Wait();
    return {status, child.Output()};
  }
  std::string Socket(const Child& child) {
    return dir_.path() + "/" + std::to_string(child.pid()) + ".sock";
  }

  Mesh mesh_;
  ControlPlane plane_;
  TempDir dir_;
};

TEST_F(Status, ShowsWhatAProcessHolds) {
  Start();
  auto process = Follow(dir_.path());
  Result r = Run({std::to_string(process->pid())});
  EXPECT_EQ(r.status, 0) << r.text;
  size_t at = 0;
  for (const char* part :
       {"process ", "└─ client xds:///greeter.example  node ", "   └─ listener greeter.example  ",
        "      └─ route_config greeter.example-routes  ", "         └─ cluster blue  version ",
        "            └─ endpoints blue  version ", "localities 1  endpoints 2",
        "4 of 4 resources ACKED\n"}) {
    at = r.text.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << "\n" << r.text;
  }
  EXPECT_EQ(Run({Socket(*process)}).status, 0);
}

TEST_F(Status, TheSocketMayHaveARelativePath) {
  Start();
  auto process = Follow(dir_.path());
  const std::string name = std::to_string(process->pid()) + ".sock";
  const std::string relative = std::filesystem::relative(dir_.path()).string() + "/" + name;
  ASSERT_EQ(relative[0], '.');
  for (const std::string& socket : {relative, "./" + relative, "test/../" + relative}) {
    const Result r = Run({socket});
    EXPECT_EQ(r.status, 0) << socket << "\n" << r.text;
  }
}

TEST_F(Status, WhatIsNotAckedIsTheExitStatus) {
  Start(R"({"max_ejection_percent":101})");
  auto process = Follow(dir_.path());
  Result r = Run({std::to_string(process->pid())});
  EXPECT_EQ(r.status, 1) << r.text;
  EXPECT_NE(r.text.find("cluster blue  state NACKED  rejected_version"), std::string::npos)
      << r.text;
  EXPECT_NE(r.text.find("max_ejection_percent error:value must be <= 100"), std::string::npos);
}

TEST_F(Status, ProcessesHaveTheirOwnSockets) {
  Start();
  auto one = Follow(dir_.path());
  auto two = Follow(dir_.path());
  EXPECT_EQ(Run({std::to_string(one->pid())}).status, 0);
  const std::string left = Socket(*one);
  one->Signal(SIGKILL);
  one->Wait();
  EXPECT_EQ(Run({std::to_string(two->pid())}).status, 0);
  Result r = Run({left});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.text.find("a program that ended left it"), std::string::npos) << r.text;
  r = Run({"999999999"});  // higher than any process id of Linux
  EXPECT_NE(r.text.find("there is no process"), std::string::npos) << r.text;
}

TEST_F(Status, WithoutTheVariableThereIsNoSocket) {
  Start();
  auto process = Follow("");
  Result r = Run({std::to_string(process->pid())});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.text.find("was not started with GRPC_XDS_STATUS_DIR=DIR"), std::string::npos)
      << r.text;
  r = Run({std::to_string(process->pid())}, dir_.path());
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.text.find("the program has made no xds: channel yet"), std::string::npos) << r.text;
}

TEST_F(Status, AProcessThatIsStoppedDoesNotRespondInTime) {
  Start();
  std::unique_ptr<Child> child = Follow(dir_.path());
  child->Stop();
  Result r = Run({std::to_string(child->pid()), "--timeout", "0.05"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.text, "xds status: " + Socket(*child) + " does not respond in time\n");
}

TEST_F(Status, AFileThatIsNoSocketIsReportedHoweverLongItsPathIs) {
  const std::string path = dir_.path() + "/" + std::string(120, 'x');
  std::ofstream(path) << "x";
  Result r = Run({path});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.text.find("xxx is no socket"), std::string::npos) << r.text;
}

TEST_F(Status, WhatAProcessCallsItsDirectoryCannotMoveTheCursor) {
  Child child({"/bin/sleep", "1000"}, {{"GRPC_XDS_STATUS_DIR", "/tmp/\x1b[31mred\n"}});
  Result result = Run({std::to_string(child.pid())});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.text.find('\x1b'), std::string::npos) << result.text;
  EXPECT_NE(result.text.find("there is no /tmp/\\x1b[31mred\\x0a/"), std::string::npos)
      << result.text;
}

TEST_F(Status, ADirectoryThatCannotBeUsedIsLoggedAndHarmsNothing) {
  Start();
  ASSERT_EQ(chmod(dir_.path().c_str(), 0777), 0);
  auto process = Follow(dir_.path());
  EXPECT_NE(Wait(*process, "no status: cannot listen in GRPC_XDS_STATUS_DIR=" + dir_.path() +
                               ": others may write into it (chmod go-w)"),
            "")
      << process->Output();
}

TEST_F(Status, JsonIsForPrograms) {
  Start();
  auto process = Follow(dir_.path());
  Result r = Run({"--json", std::to_string(process->pid())});
  EXPECT_EQ(r.text.find("{\"kind\":\"process\",\"name\":\"" + std::to_string(process->pid())), 0u)
      << r.text;
  EXPECT_NE(r.text.find("{\"kind\":\"cluster\",\"name\":\"blue\",\"version\":\""),
            std::string::npos);
}

TEST_F(Status, WatchFollowsChangesUntilTheProcessEnds) {
  Start();
  auto process = Follow(dir_.path());
  Child watch({Runfile("tools/xds"), "status", "--watch", std::to_string(process->pid())});
  ASSERT_NE(Wait(watch, "4 of 4 resources ACKED"), "") << watch.Output();
  mesh_.clusters[0].localities[0].ports = {1001};
  plane_.Set(mesh_);
  size_t from = watch.Lines().size();
  EXPECT_EQ(Wait(watch, "localities 1  endpoints 2", from).substr(0, 2), "- ") << watch.Output();
  EXPECT_EQ(Wait(watch, "localities 1  endpoints 1", from).substr(0, 2), "+ ") << watch.Output();
  process->Signal(SIGKILL);
  process->Wait();
  EXPECT_EQ(watch.Wait(), 2);
}

TEST_F(Status, TheCommandLineIsChecked) {
  EXPECT_EQ(Run({}).status, 2);
  EXPECT_EQ(Run({"greeter"}).status, 2);
  EXPECT_EQ(Run({"127.0.0.1:65536"}).text,
            "xds status: 127.0.0.1:65536: expected a port from 0 to 65535, found 65536 "
            "(xds status --help)\n");
  EXPECT_EQ(Run({"1", "2"}).status, 2);
  EXPECT_EQ(Run({"--timeout", "x", "1"}).status, 2);
  EXPECT_EQ(Run({"--help"}).status, 0);
}

// The output for this response of a CSDS service.
Status::Result OfAService(const std::string& response) {
  grpc_xds::RawServer server;
  Child child({Runfile("tools/xds"), "status", server.uri()});
  auto stream = server.Take();
  EXPECT_EQ(stream->Method(),
            "/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus");
  stream->Send(response);
  stream->Finish(grpc::Status::OK);
  int status = child.Wait();
  return {status, child.Output()};
}

TEST_F(Status, CallsTheCsdsServiceOfAnyProgram) {
  // One client, whose scope is "x", without resources.
  Result r = OfAService(std::string("\x0a\x03\x22\x01x", 5));
  EXPECT_EQ(r.status, 0) << r.text;
  EXPECT_NE(r.text.find("└─ client x"), std::string::npos) << r.text;
  r = OfAService("\xff");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.text.find("is no ClientStatusResponse"), std::string::npos) << r.text;
  r = OfAService("");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.text.find("the program has no xDS client now"), std::string::npos) << r.text;
}

TEST_F(Status, AServerWithoutTheServiceIsNamed) {
  Start();
  const std::string address = "127.0.0.1:" + std::to_string(plane_.port());
  Result r = Run({address});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.text.find(address + " has no CSDS service"), std::string::npos) << r.text;
  plane_.Kill();
  r = Run({address});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.text.find(address + ": UNAVAILABLE: "), std::string::npos) << r.text;
}

}  // namespace
