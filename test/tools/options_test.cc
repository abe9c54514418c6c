// The command line of `xds serve`.
#include "tools/serve/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/files/support.h"

namespace {

std::string Parse(std::vector<std::string> args, gxds_serve_command *command) {
  args.insert(args.begin(), "serve");
  std::vector<char *> argv;
  for (auto &arg : args) argv.push_back(arg.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  gxds_text error = {};
  bool ok = gxds_serve_command_parse(argc, argv.data(), command, &error);
  EXPECT_EQ(ok, error.size == 0);
  // The command points into args.
  static std::vector<std::string> kept;
  kept.swap(args);
  return Take(&error);
}

TEST(Options, HaveDefaults) {
  gxds_serve_command c;
  EXPECT_EQ(Parse({"dir"}, &c), "");
  EXPECT_STREQ(c.dir, "dir");
  EXPECT_STREQ(c.listen, "127.0.0.1:18000");
  EXPECT_EQ(c.load_interval, GXDS_SECOND);
  EXPECT_FALSE(c.json || c.quiet || c.help);
  EXPECT_EQ(c.port_file, nullptr);
}

TEST(Options, AreTakenInEitherForm) {
  gxds_serve_command c;
  EXPECT_EQ(Parse({"--listen", "[::]:1", "--json", "--load-interval=0.5", "dir", "--quiet",
                   "--port-file=p"},
                  &c),
            "");
  EXPECT_STREQ(c.listen, "[::]:1");
  EXPECT_EQ(c.load_interval, GXDS_SECOND / 2);
  EXPECT_TRUE(c.json && c.quiet);
  EXPECT_STREQ(c.port_file, "p");
}

TEST(Options, ASocketHasNoPortForAFile) {
  gxds_serve_command c;
  EXPECT_EQ(Parse({"dir", "--listen", "unix:/s", "--port-file", "p"}, &c),
            "--port-file: unix:/s has no port");
  EXPECT_EQ(Parse({"dir", "--port-file", "p", "--listen=unix-abstract:s/a"}, &c),
            "--port-file: unix-abstract:s/a has no port");
  EXPECT_EQ(Parse({"dir", "--listen", "unix.example:1", "--port-file", "p"}, &c), "");
}

TEST(Options, OfWebServers) {
  gxds_serve_command c;
  EXPECT_EQ(Parse({"dir", "--rest", "127.0.0.1:0"}, &c), "");
  EXPECT_STREQ(c.rest, "127.0.0.1:0");
  EXPECT_FALSE(c.write_index);
  EXPECT_EQ(Parse({"--write-index", "dir"}, &c), "");
  EXPECT_TRUE(c.write_index);
  EXPECT_EQ(Parse({"--write-index"}, &c), "which directory?");
  EXPECT_EQ(Parse({"--write-index", "--synthetic", "clusters=1"}, &c),
            "--write-index is of a directory");
}

TEST(Options, AUnixSocketHasNoPort) {
  gxds_serve_command c;
  EXPECT_EQ(Parse({"dir", "--listen=unix:/run/xds.sock"}, &c), "");
  EXPECT_STREQ(c.listen, "unix:/run/xds.sock");
}

TEST(Options, HelpNeedsNoOptionsThatFitTogether) {
  const std::vector<std::string> cases[] = {
      {"--help"},
      {"--help", "dir", "--synthetic", "clusters=1"},
      {"--write-index", "--synthetic", "clusters=1", "--help"},
      {"--help", "--listen", "unix:/s", "--port-file", "p"},
  };
  gxds_serve_command c;
  for (const auto &args : cases) {
    EXPECT_EQ(Parse(args, &c), "");
    EXPECT_TRUE(c.help);
  }
}

TEST(Options, ReportWhatIsWrong) {
  const struct {
    std::vector<std::string> args;
    const char *error;
  } cases[] = {
      {{}, "which directory?"},
      {{"a", "b"}, "one directory at a time: a and b"},
      {{"a", "--synthetic", "clusters=1"}, "either a directory or --synthetic, not both: a"},
      {{"--synthetic", "clusters=0"},
       "--synthetic: expected clusters=1..1000000,endpoints=1..10000,localities=1..10000,"
       "seed=0..4294967295, found clusters=0"},
      {{"--synthetic", "clusters=1000000,endpoints=10000"},
       "--synthetic: at most 20000000 endpoints in all"},
      {{"a", "--listen"}, "--listen needs a value"},
      {{"a", "--listen=h"}, "--listen: expected ADDRESS:PORT, found h"},
      {{"a", "--listen=[::1]:65536"}, "--listen: expected a port from 0 to 65535, found 65536"},
      {{"a", "--listen=127.0.0.1:"}, "--listen: expected a port after the colon, found 127.0.0.1:"},
      {{"a", "--listen=127.0.0.1:abc"}, "--listen: expected a port from 0 to 65535, found abc"},
      {{"a", "--rest=127.0.0.1:8o"}, "--rest: expected a port from 0 to 65535, found 8o"},
      {{"a", "--http", "h:99999"}, "--http: expected a port from 0 to 65535, found 99999"},
      {{"a", "--listens=1"}, "no such option: --listens=1"},
      {{"a", "-x"}, "no such option: -x"},
      {{"a", "--load-interval", "0"}, "--load-interval: expected 0.001 to 86400 seconds, found 0"},
      {{"a", "--load-interval=1s"}, "--load-interval: expected 0.001 to 86400 seconds, found 1s"},
      {{"a", "--load-interval=nan"}, "--load-interval: expected 0.001 to 86400 seconds, found nan"},
      {{"a", "--load-interval=1e9"}, "--load-interval: expected 0.001 to 86400 seconds, found 1e9"},
  };
  gxds_serve_command c;
  for (const auto &test : cases) EXPECT_EQ(Parse(test.args, &c), test.error);
}

}  // namespace
