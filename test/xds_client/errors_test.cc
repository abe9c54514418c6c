// Does-not-exist timers (A57, A88), and names that cannot be watched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"
#include "xds_client/resource_name.h"

namespace gxds_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const char kDoesNotExist[] =
    "error NOT_FOUND: does not exist: the server did not send it (xDS server server1) "
    "(node ID:xds_client_test)";

TEST(Timer, ResourceThatDoesNotComeDoesNotExist) {  // A57.8, A88.15
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.Advance(15 * GXDS_SECOND - 1);
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Advance(1);
  EXPECT_EQ(foo1.Next(), kDoesNotExist);
  EXPECT_EQ(s.Dump(), "Foo foo1 DOES_NOT_EXIST failed  " + std::string(kDoesNotExist).substr(6) +
                          " watchers=1\n");
  EXPECT_TRUE(s.Logged("timeout obtaining resource: Foo foo1"));
}

TEST(Timer, LaterWatchIsNotifiedAtOnceThatItDoesNotExist) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), kDoesNotExist);
  EXPECT_EQ(s.Watch(kFoo, "foo1").Next(), kDoesNotExist);
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
}

TEST(Timer, TimeoutIsAnOption) {
  ScenarioOptions options;
  options.resource_timeout = 3 * GXDS_SECOND;
  options.servers[0].resource_timer_is_transient_error = true;
  Scenario s(options);
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.UntilDeadline(), 3 * GXDS_SECOND);
  s.Forgive();
}

TEST(Timer, StartsWhenTheRequestIsOnItsWay) {  // A57.9
  Scenario s;
  s.server().HoldSends();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  s.Advance(3600 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), "nothing");
  s.server().ReleaseSend();
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.ForgiveTimers();
}

TEST(Timer, OfWhatTheNextRequestAddsStartsWithThatRequest) {
  Scenario s;
  s.server().HoldSends();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  s.server().ReleaseSend();  // sends the request for foo1 only; the request for both is next
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), kDoesNotExist);
  EXPECT_EQ(foo2.Next(), "nothing");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  s.server().ReleaseSend();
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(foo2.Next(), kDoesNotExist);
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2]");
}

TEST(Timer, LaterRequestDoesNotRestartIt) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Advance(10 * GXDS_SECOND);
  s.Watch(kFoo, "foo2");
  EXPECT_EQ(s.UntilDeadline(), 5 * GXDS_SECOND);
  s.Advance(5 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), kDoesNotExist);
  EXPECT_EQ(s.UntilDeadline(), 10 * GXDS_SECOND);
  s.Forgive();
}

TEST(Timer, IsStoppedByTheResource) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.Forgive();
}

TEST(Timer, IsStoppedByABadResourceToo) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=bad"});
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_THAT(foo1.Next(), HasSubstr("invalid resource"));
  s.Forgive();
}

TEST(Timer, IsNotStoppedByOtherResources) {
  Scenario s;
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.Respond(kFoo, "1", {"foo1=1"});
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(watchers[1]->Next(), kDoesNotExist);
  EXPECT_EQ(watchers[0]->Next(), "foo1=1");
  s.Forgive();
}

TEST(Timer, ResourceThatCameBeforeItsRequestWasSentGetsNone) {
  Scenario s;
  s.server().HoldSends();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  s.server().ReleaseSend();
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.Forgive();
}

TEST(Timer, EndsWithTheWatch) {
  Scenario s;
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kBar, "bar1"}});
  s.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(watchers[1]->Next(), "bar1=1");
  s.Together([&] {
    s.Cancel(*watchers[0]);
    EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  });
  s.Forgive();
}

TEST(Timer, StopsWithTheStreamAndStartsWithTheNextOne) {  // A57.11
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.Advance(14 * GXDS_SECOND);
  s.Respond(kBar, "1", {"bar1=1"});
  s.server().HoldSends();
  s.server().RestartStream();
  EXPECT_EQ(s.server().streams_opened(), 2u);
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  s.server().ReleaseSend();
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.server().ReleaseSend();  // bar1 is cached: no timer
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), kDoesNotExist);
  EXPECT_EQ(bar1.Next(), "bar1=1");
  EXPECT_EQ(bar1.Next(), "nothing");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  s.Forgive();
}

TEST(Timer, CachedResourceGetsNoneOnTheNextStream) {  // A57.10
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.server().RestartStream();
  EXPECT_EQ(s.server().streams_opened(), 2u);
  s.Advance(3600 * GXDS_SECOND);
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Forgive();
}

TEST(Timer, DeletedResourceGetsNone) {  // a timer would contradict the notification
  ScenarioOptions options;
  options.servers[0].fail_on_data_errors = true;
  Scenario s(options);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.Forgive();
  s.server().HoldSends();
  s.server().RestartStream();  // the first request of the next stream is not on its way yet
  s.Respond(kFoo, "2", {});
  EXPECT_THAT(foo1.Next(), HasSubstr("NOT_FOUND: resource deleted (xDS server server1)"));
  s.server().ReleaseSend();
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
}

TEST(Timer, ResourceThatComesLateIsUsed) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), kDoesNotExist);
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_EQ(s.Dump(), "Foo foo1 ACKED 1 foo1=1 watchers=1\n");
  s.Forgive();
}

TEST(Timer, SecondTimeoutOfAResourceIsNotReported) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(bar1.Next(), "bar1=1");
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), kDoesNotExist);
  s.server().RestartStream();
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Forgive();
}

TEST(Timer, MayBeATransientErrorOfTheServer) {  // A88.16
  ScenarioOptions options;
  options.servers[0].resource_timer_is_transient_error = true;
  Scenario s(options);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.UntilDeadline(), 30 * GXDS_SECOND);
  s.Advance(30 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(),
            "error UNAVAILABLE: timeout obtaining resource (xDS server server1) "
            "(node ID:xds_client_test)");
  EXPECT_THAT(s.Dump(), StartsWith("Foo foo1 TIMEOUT failed "));
  s.Forgive();
}

TEST(Timer, SeveralFireInTheOrderOfTheirNames) {
  Scenario s;
  auto watchers = s.WatchTogether({{&kFoo, "foo2"}, {&kFoo, "foo1"}, {&kFoo, "foo3"}});
  std::string order;
  for (int i = 0; i < 3; i++) {
    s.WhenNotified(*watchers[i], [&order, i] { order += std::to_string(i); });
  }
  s.Advance(15 * GXDS_SECOND);
  EXPECT_EQ(order, "012");
  EXPECT_TRUE(s.Logged("Foo foo2 and 2 more"));
  s.Forgive();
}

TEST(Timer, EarlyDeadlineCallsAreHarmless) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Together([&] {
    gxds_client_on_deadline(s.client(), s.now());
    gxds_client_on_deadline(s.client(), s.now() + GXDS_SECOND);
  });
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Forgive();
}

TEST(Watch, OfANameThatCanNotBeParsedIsAnError) {
  Scenario s;
  EXPECT_EQ(s.Watch(kFoo, "xdstp://auth/wrong.Type/foo1").Next(),
            "error UNAVAILABLE: Unable to parse resource name xdstp://auth/wrong.Type/foo1 "
            "(node ID:xds_client_test)");
  EXPECT_EQ(s.Watch(kFoo, "").Next(),
            "error UNAVAILABLE: Unable to parse resource name  (node ID:xds_client_test)");
  EXPECT_EQ(s.TakeTrace(), (std::vector<std::string>{"NOTIFY", "NOTIFY"}));
  EXPECT_EQ(s.Dump(), "");
  EXPECT_EQ(gxds_client_watch_count(s.client()), 2u);
}

TEST(Watch, OfAnOverlongNameIsAnError) {
  Scenario s;
  Watcher &watcher = s.Watch(kFoo, std::string(GXDS_RESOURCE_NAME_BYTES_MAX + 1, 'x'));
  EXPECT_THAT(watcher.Next(), StartsWith("error UNAVAILABLE: Unable to parse resource name x"));
}

TEST(Watch, OfANameThatIsNotUtf8IsAnErrorThatIs) {
  Scenario s;
  EXPECT_EQ(
      s.Watch(kFoo, "foo\xff\n").Next(),
      "error UNAVAILABLE: Unable to parse resource name foo\\xff\\x0a (node ID:xds_client_test)");
}

TEST(Watch, OfAnUnknownAuthorityIsAnError) {
  Scenario s;
  EXPECT_EQ(s.Watch(kFoo, "xdstp://nowhere/test.v3.Foo/foo1").Next(),
            "error UNAVAILABLE: authority \"nowhere\" not present in bootstrap config (node "
            "ID:xds_client_test)");
}

TEST(Watch, ThatWasRefusedCanBeEnded) {
  Scenario s;
  Watcher &watcher = s.Watch(kFoo, "");
  EXPECT_THAT(watcher.Next(), StartsWith("error"));
  s.Cancel(watcher);
  EXPECT_EQ(gxds_client_watch_count(s.client()), 0u);
}

}  // namespace
}  // namespace gxds_test
