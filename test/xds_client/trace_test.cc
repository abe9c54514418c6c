// The trace of the engine with GRPC_TRACE=xds_client. Without it, no trace text is made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;

ScenarioOptions Traced(bool delta = false) {
  ScenarioOptions options;
  options.trace = true;
  options.servers[0].delta = delta;
  return options;
}

// The lines since the last call.
class Lines {
 public:
  explicit Lines(const Scenario &s) : s_(s) {}
  std::vector<std::string> Next() {
    std::vector<std::string> out(s_.log().begin() + static_cast<long>(from_), s_.log().end());
    from_ = s_.log().size();
    return out;
  }

 private:
  const Scenario &s_;
  size_t from_ = 0;
};

TEST(Trace, ShowsAWatchFromItsStartToItsEnd) {
  Scenario s(Traced());
  s.Forgive();
  Lines lines(s);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_THAT(lines.Next(),
              ElementsAre("watch 1 of Foo foo1 started", "xds server server1: channel wanted",
                          "xds server server1: ADS stream 2 (state of the world) opened",
                          "xds server server1: sending request: type=Foo version= nonce= "
                          "names=[foo1]",
                          "xds server server1: waiting for Foo foo1, 15000 ms at most"));
  s.Respond(kFoo, "7", {"foo1=6"});
  EXPECT_THAT(lines.Next(),
              ElementsAre("xds server server1: received response: type=test.v3.Foo version=7 "
                          "nonce=n1 resources=1",
                          "xds server server1: ADS stream is up",
                          "xds server server1: accepted Foo foo1 version=7",
                          "xds server server1: sending request: type=Foo version=7 nonce=n1 "
                          "names=[foo1]"));
  s.Cancel(foo1);
  EXPECT_THAT(lines.Next(),
              ElementsAre("watch 1 of Foo foo1 stopped",
                          "xds server server1: ADS stream 2 (state of the world) closed: the "
                          "server is not needed any more",
                          "xds server server1: channel given up"));
}

TEST(Trace, ShowsWhatWasRejectedAndWhy) {
  Scenario s(Traced());
  s.Forgive();
  Lines lines(s);
  s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=2"});
  lines.Next();
  s.Respond(kFoo, "2", {"foo1=bad", "foo2=2"});
  std::vector<std::string> all = lines.Next();
  EXPECT_THAT(all, ::testing::Contains(
                       ::testing::StartsWith("xds server server1: rejected Foo foo1 version=2: ")));
  EXPECT_THAT(all, ::testing::Contains("xds server server1: unchanged Foo foo2 version=2"));
  EXPECT_EQ(all.back(),
            "xds server server1: sending request: type=Foo version=2 nonce=n2 "
            "names=[foo1 foo2] (NACK)");
}

TEST(Trace, ShowsWhenTheStreamIsTriedAgain) {
  Scenario s(Traced());
  s.Forgive();
  s.Watch(kFoo, "foo1");
  Lines lines(s);
  lines.Next();
  s.server().CloseStream();
  long wait = static_cast<long>(s.UntilDeadline() / GXDS_MILLISECOND);
  EXPECT_EQ(lines.Next().front(),
            "xds server server1: the next ADS stream is opened in " + std::to_string(wait) + " ms");
  s.Advance(s.UntilDeadline());
  EXPECT_EQ(lines.Next().front(), "xds server server1: ADS stream 3 (state of the world) opened");
}

TEST(Trace, ShowsFallbackAndTheWayBack) {  // A71
  ScenarioOptions options = Traced();
  options.servers.push_back(options.servers[0]);
  options.servers[1].uri = "server2";
  Scenario s(options);
  s.Forgive();
  s.Watch(kFoo, "foo1");
  s.server("server1").FailChannel("down");
  EXPECT_TRUE(s.Logged("xds server server1: falling back to server2"));
  s.server("server1").Respond(kFoo, "1", {"foo1=1"});
  EXPECT_TRUE(
      s.Logged("xds server server2: not used any more: one before it in the list responds again"));
}

TEST(Trace, ShowsTheDifferencesOfDelta) {
  Scenario s(Traced(true));
  s.Forgive();
  Lines lines(s);
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.server().RespondDelta(kFoo, {{"foo1", "5", "foo1=1"}});
  std::vector<std::string> all = lines.Next();
  EXPECT_THAT(all, ::testing::Contains("xds server server1: ADS stream 3 (delta) opened"));
  EXPECT_THAT(all, ::testing::Contains("xds server server1: sending request: type=Foo version= "
                                       "nonce= subscribe=[foo1 foo2]"));
  EXPECT_THAT(all, ::testing::Contains("xds server server1: accepted Foo foo1 version=5"));
  s.Cancel(*watchers[1]);
  EXPECT_THAT(lines.Next(), ElementsAre("watch 2 of Foo foo2 stopped",
                                        "xds server server1: sending request: type=Foo version= "
                                        "nonce= subscribe=[] unsubscribe=[foo2]"));
}

TEST(Trace, ShowsSomeNamesAndCountsTheRest) {
  Scenario s(Traced());
  s.Forgive();
  std::vector<std::pair<const gxds_resource_type *, std::string>> wanted;
  wanted.reserve(102);
  for (int i = 0; i < 102; i++) wanted.emplace_back(&kFoo, "foo" + std::to_string(i));
  s.WatchTogether(wanted);
  EXPECT_TRUE(s.Logged("foo98 foo99 and 2 more]"));
}

TEST(Trace, MakesNothingWhileItIsOff) {
  Scenario s;
  s.Forgive();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "7", {"foo1=6"});
  s.Cancel(foo1);
  EXPECT_THAT(s.log(), ElementsAre("xds server server1: ADS stream is up"));
}

}  // namespace
}  // namespace gxds_test
