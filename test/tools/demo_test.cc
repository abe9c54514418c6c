// `xds demo`, in a process of its own.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "test/support/child.h"

namespace {

namespace fs = std::filesystem;

using gxds_test::AsanOptionsToPreload;
using gxds_test::Child;
using gxds_test::Runfile;

// The folder that the demo gives to `xds serve`; empty if that does not run.
std::string FolderOf(pid_t demo) {
  const std::string id = std::to_string(demo);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  for (std::string child; children >> child;) {
    std::ifstream file("/proc/" + child + "/cmdline");
    const std::string args{std::istreambuf_iterator<char>(file), {}};
    const size_t at = args.find("/tmp/xds-demo-");
    if (at != std::string::npos) return fs::path(args.c_str() + at).parent_path().string();
  }
  return "";
}

TEST(Demo, ASignalLeavesNoFolderBehind) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    Child demo({Runfile("tools/xds"), "demo"}, {{"ASAN_OPTIONS", AsanOptionsToPreload()}});
    const auto is_table = [](const std::string& line) {
      return line.find("in load reports") != std::string::npos;
    };
    ASSERT_NE(demo.WaitForLine(is_table), "") << demo.Output();
    const std::string folder = FolderOf(demo.pid());
    ASSERT_NE(folder, "") << demo.Output();
    EXPECT_TRUE(fs::exists(folder));
    demo.Signal(signal);
    EXPECT_EQ(demo.Wait(), -signal) << demo.Output();
    EXPECT_FALSE(fs::exists(folder)) << folder;
  }
}

}  // namespace
