// Fallback to lower-priority servers (A71).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ScenarioOptions Servers(int count) {
  ScenarioOptions options;
  options.servers.clear();
  for (int i = 1; i <= count; i++) {
    ServerConfig server;
    server.uri = "server" + std::to_string(i);
    options.servers.push_back(server);
  }
  return options;
}

struct TwoServers : Scenario {
  TwoServers() : Scenario(Servers(2)), primary(server("server1")), secondary(server("server2")) {
    Forgive();
  }
  Server &primary;
  Server &secondary;
};

TEST(Fallback, OnlyTheFirstServerIsUsedWhileItIsWell) {  // A71.2
  TwoServers s;
  s.Watch(kFoo, "foo1");
  EXPECT_TRUE(s.primary.connected());
  EXPECT_FALSE(s.secondary.connected());
}

TEST(Fallback, HappensWhenTheChannelFailsAndAResourceIsMissing) {  // A71.3, A71.5, A71.7
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.FailChannel("down");
  EXPECT_EQ(foo1.Next(), "nothing");  // A71: notified only when all servers are unreachable
  EXPECT_EQ(s.secondary.NextRequest(), "Foo [foo1] node");
  s.secondary.Respond(kFoo, "1", {"foo1=fallback"});
  EXPECT_EQ(foo1.Next(), "foo1=fallback");
  EXPECT_TRUE(s.primary.has_stream());  // the client still tries it
  EXPECT_TRUE(s.Logged("xds server server1: falling back to server2"));
}

TEST(Fallback, HappensWhenTheStreamFailsWithoutAResponse) {  // A71.3
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.CloseStream();
  EXPECT_EQ(foo1.Next(), "nothing");
  EXPECT_EQ(s.secondary.NextRequest(), "Foo [foo1] node");
}

TEST(Fallback, DoesNotHappenWhenAStreamEndsAfterAResponse) {
  TwoServers s;
  s.Watch(kFoo, "foo1");
  s.primary.Respond(kBar, "1", {});
  s.primary.CloseStream();
  EXPECT_FALSE(s.secondary.connected());
}

TEST(Fallback, DoesNotHappenWhileEverythingIsCached) {  // A71.3
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.Respond(kFoo, "1", {"foo1=1"});
  s.primary.FailChannel("down");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_THAT(foo1.Next(), HasSubstr("ambient UNAVAILABLE: xDS channel for server server1: down"));
  EXPECT_FALSE(s.secondary.connected());
}

TEST(Fallback, ResourceKnownNotToExistCountsAsCached) {  // A71.4
  TwoServers s;
  s.Watch(kFoo, "foo1");
  s.Advance(15 * GXDS_SECOND);
  s.primary.FailChannel("down");
  EXPECT_FALSE(s.secondary.connected());
}

TEST(Fallback, HappensWhenAMissingResourceIsWatchedDuringAFailure) {
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.Respond(kFoo, "1", {"foo1=1"});
  s.primary.FailChannel("down");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_THAT(foo1.Next(), HasSubstr("ambient UNAVAILABLE"));
  Watcher &bar1 = s.Watch(kBar, "bar1");
  EXPECT_EQ(bar1.Next(), "nothing");
  EXPECT_EQ(foo1.Next(), "ambient OK");                     // the secondary may still respond
  EXPECT_EQ(s.secondary.NextRequest(), "Foo [foo1] node");  // all watched names
  EXPECT_EQ(s.secondary.NextRequest(), "Bar [bar1]");
  s.secondary.Respond(kFoo, "1", {"foo1=fallback"});
  EXPECT_EQ(foo1.Next(), "foo1=fallback");
}

TEST(Fallback, EndsWithTheFirstResponseOfThePrimary) {  // A71.8
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.FailChannel("down");
  s.secondary.Respond(kFoo, "1", {"foo1=fallback"});
  EXPECT_EQ(foo1.Next(), "foo1=fallback");
  s.TakeTrace();
  s.primary.Respond(kFoo, "7", {"foo1=primary"});
  EXPECT_EQ(foo1.Next(), "foo1=primary");
  EXPECT_FALSE(s.secondary.connected());
  EXPECT_THAT(s.TakeTrace(),
              ElementsAre("NOTIFY", "SEND", "CLOSE server2", "DISCONNECT server2", "READ"));
}

/* The primary's silence may mean that it has no news, or that it is down. */
TEST(Fallback, DoesNotEndWithTheSilenceOfThePrimary) {  // A71.8
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.Respond(kFoo, "1", {"foo1=primary"});
  EXPECT_EQ(foo1.Next(), "foo1=primary");
  s.primary.FailChannel("down");
  s.Watch(kBar, "bar1");  // the primary did not send it
  EXPECT_TRUE(s.secondary.connected());
  while (s.primary.HasRequest()) s.primary.NextRequest();
  s.primary.RestartStream();
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1] node");  // the primary must respond
  s.Advance(60 * GXDS_SECOND);
  EXPECT_TRUE(s.secondary.connected());
  s.primary.Respond(kFoo, "1", {"foo1=primary"});
  EXPECT_FALSE(s.secondary.connected());
}

/* With a claim the primary would assume that the client has its resources, and the client would
 * keep the other server's. */
TEST(Fallback, NoVersionOfThePrimaryIsSentForWhatAnotherServerSent) {
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.Respond(kFoo, "p1", {"foo1=primary"});
  EXPECT_EQ(foo1.Next(), "foo1=primary");
  s.primary.HoldSends();
  s.primary.RestartStream();  // the next stream starts with p1, and waits for a connection
  while (s.primary.HasRequest()) s.primary.NextRequest();
  s.primary.FailChannel("down");
  s.Watch(kFoo, "foo2");
  s.secondary.Respond(kFoo, "s1", {"foo1=fallback", "foo2=fallback"});
  EXPECT_EQ(foo1.Next(),
            "ambient UNAVAILABLE: xDS channel for server server1: down (node "
            "ID:xds_client_test)");
  EXPECT_EQ(foo1.Next(), "ambient OK");
  EXPECT_EQ(foo1.Next(), "foo1=fallback");
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1 foo2] node");
}

// The server would not send the resource again on the same stream.
TEST(Fallback, WhatAnotherServerBrokeIsRequestedAgainAfterTheReturn) {
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1] node");
  s.primary.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1] version=1 nonce=n1");
  s.primary.FailChannel("draining");
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.primary.NextRequest(), "Bar [bar1]");
  s.secondary.Respond(kFoo, "7", {"foo1=bad"});
  s.primary.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.primary.NextRequest(), "Bar [bar1] version=1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
}

TEST(Fallback, WhatIsWatchedAgainAtTheReturnIsRequestedAgainToo) {
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1] node");
  s.primary.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1] version=1 nonce=n1");
  s.primary.FailChannel("draining");
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.primary.NextRequest(), "Bar [bar1]");
  s.secondary.Respond(kFoo, "7", {"foo1=2"});
  s.Together([&] {
    s.Cancel(foo1);
    s.primary.Respond(kBar, "1", {"bar1=1"});
    s.Watch(kFoo, "foo1");
  });
  EXPECT_EQ(s.primary.NextRequest(), "Bar [bar1] version=1 node");
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1]");
}

TEST(Fallback, WatchersGetAnErrorWhenAllServersFail) {  // A71.6
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.FailChannel("down");
  EXPECT_EQ(foo1.Next(), "nothing");
  s.secondary.FailChannel("down too");
  EXPECT_THAT(foo1.Next(),
              HasSubstr("error UNAVAILABLE: xDS channel for server server2: down too"));
  s.secondary.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
}

TEST(Fallback, GoesOnToTheThirdServerAndBackToTheSecond) {
  Scenario s(Servers(3));
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server("server1").FailChannel("down");
  s.server("server2").FailChannel("down");
  EXPECT_EQ(s.server("server3").NextRequest(), "Foo [foo1] node");
  s.server("server3").Respond(kFoo, "1", {"foo1=3"});
  EXPECT_EQ(foo1.Next(), "foo1=3");
  s.server("server2").Respond(kFoo, "1", {"foo1=2"});
  EXPECT_EQ(foo1.Next(), "foo1=2");
  EXPECT_FALSE(s.server("server3").connected());
  EXPECT_TRUE(s.server("server1").has_stream());
  s.Forgive();
}

// The secondary is in use for the authority a, which has a resource x. The primary sent foo1.
struct SharedSecondary : Scenario {
  explicit SharedSecondary(bool fail_on_data_errors = false)
      : Scenario(Options(fail_on_data_errors)),
        secondary(server("server2")),
        foo1(Watch(kFoo, "foo1")) {
    Forgive();
    ForgiveTimers();
    Respond(kFoo, "1", {"foo1=1"});
    EXPECT_EQ(foo1.Next(), "foo1=1");
    Watch(kFoo, "xdstp://a/test.v3.Foo/x");
  }
  static ScenarioOptions Options(bool fail_on_data_errors) {
    ScenarioOptions options = Servers(2);
    options.servers[1].fail_on_data_errors = fail_on_data_errors;
    options.authorities["a"] = {options.servers[1]};
    return options;
  }
  Server &secondary;
  Watcher &foo1;
};

// The response was made when only names of xdstp://a/ were requested.
TEST(Fallback, AbsenceDeletesNothingThatTheStreamHasNotRequested) {
  SharedSecondary s;
  EXPECT_EQ(s.secondary.NextRequest(), "Foo [xdstp://a/test.v3.Foo/x] node");
  s.secondary.HoldSends();
  s.Watch(kBar, "xdstp://a/test.v3.Bar/y");  // its SEND is outstanding
  EXPECT_EQ(s.secondary.NextRequest(), "Bar [xdstp://a/test.v3.Bar/y]");
  s.Watch(kFoo, "foo2");
  s.server().FailChannel("down");  // falls back, because foo2 is missing
  EXPECT_EQ(s.foo1.Next(), "nothing");
  s.secondary.Respond(kFoo, "1", {"xdstp://a/test.v3.Foo/x=1"});
  EXPECT_EQ(s.foo1.Next(), "nothing");
  s.secondary.ReleaseSend();
  EXPECT_EQ(s.secondary.NextRequest(),
            "Foo [xdstp://a/test.v3.Foo/x foo1 foo2] version=1 nonce=n1");
  s.secondary.ReleaseSend();
  s.secondary.Respond(kFoo, "2", {"xdstp://a/test.v3.Foo/x=1"});
  EXPECT_EQ(s.foo1.Next(), "nothing");  // this response may be to an earlier request too
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient NOT_FOUND: does not exist"));
}

TEST(Fallback, ResponseToAnEarlierRequestDeletesNothingOfThePrimary) {
  SharedSecondary s(true);
  s.Watch(kBar, "bar1");
  s.server().FailChannel("down");  // falls back, because bar1 is missing
  s.secondary.Respond(kFoo, "1", {"xdstp://a/test.v3.Foo/x=1"});  // crossed the request for foo1
  EXPECT_EQ(s.foo1.Next(), "nothing");
  s.secondary.Respond(kFoo, "1", {"xdstp://a/test.v3.Foo/x=1", "foo1=2"});
  EXPECT_EQ(s.foo1.Next(), "foo1=2");
}

// The primary's first request has only foo1. Another name was watched after it, and the secondary
// sent both. The name can be one of type Bar, whose responses need not be complete.
struct WatchedInFallback : TwoServers {
  explicit WatchedInFallback(bool of_bar = false) {
    primary.HoldSends();
    Watch(kFoo, "foo1");
    primary.FailChannel("down");
    watcher = &Watch(of_bar ? kBar : kFoo, of_bar ? "bar1" : "foo2");
    secondary.Respond(kFoo, "1", {"foo1=1", "foo2=1"});
    secondary.Respond(kBar, "1", {"bar1=1"});
    EXPECT_EQ(watcher->Next(), of_bar ? "bar1=1" : "foo2=1");
  }
  // The primary responds to its first request.
  void Return() {
    primary.ReleaseSend();
    primary.Respond(kFoo, "1", {"foo1=7"});
    EXPECT_EQ(watcher->Next(), "nothing");
  }
  // From the primary's second request on.
  void ExpectNotFoundInTime() {
    primary.ReleaseSend();
    Advance(15 * GXDS_SECOND - 1);
    EXPECT_EQ(watcher->Next(), "nothing");
    Advance(1);
    EXPECT_THAT(watcher->Next(), HasSubstr("ambient NOT_FOUND: does not exist"));
  }
  Watcher *watcher;
};

TEST(Fallback, ResponseToAnEarlierRequestDeletesNothingOfTheOtherServer) {
  WatchedInFallback s;
  s.Return();
  EXPECT_FALSE(s.secondary.connected());
  s.primary.ReleaseSend();
  s.primary.Respond(kFoo, "2", {"foo1=7", "foo2=7"});
  EXPECT_EQ(s.watcher->Next(), "foo2=7");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
}

// A57: the primary has its time to send what the other server sent, from its request on.
TEST(Fallback, WhatThePrimaryDoesNotSendAfterItsReturnDoesNotExist) {
  for (bool of_bar : {false, true}) {
    WatchedInFallback s(of_bar);
    s.Return();
    EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER) << "the request waits";
    s.ExpectNotFoundInTime();
  }
}

// Its request was sent before the return.
TEST(Fallback, WhatIsRequestedAtTheReturnGetsItsTimerThen) {
  TwoServers s;
  s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.primary.FailChannel("down");
  s.secondary.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(bar1.Next(), "bar1=1");
  s.primary.Respond(kFoo, "1", {"foo1=7"});
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(bar1.Next(), HasSubstr("ambient NOT_FOUND: does not exist"));
}

TEST(Fallback, WhatTheOtherServerMadeInvalidGetsItsTimerToo) {
  for (bool of_bar : {false, true}) {
    WatchedInFallback s(of_bar);
    s.secondary.Respond(kFoo, "2", {"foo1=1", "foo2=bad"});
    s.secondary.Respond(kBar, "2", {"bar1=bad"});
    EXPECT_THAT(s.watcher->Next(), HasSubstr("ambient UNAVAILABLE: invalid resource"));
    s.Return();
    s.ExpectNotFoundInTime();
  }
}

// The secondary's resource ended the primary's timer.
TEST(Fallback, WhatWasNeverValidGetsItsTimerToo) {
  TwoServers s;
  s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.primary.FailChannel("draining");
  s.secondary.Respond(kBar, "1", {"bar1=bad"});
  EXPECT_THAT(bar1.Next(), HasSubstr("error UNAVAILABLE: invalid resource"));
  s.primary.Respond(kFoo, "1", {"foo1=7"});
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(bar1.Next(), HasSubstr("error NOT_FOUND: does not exist"));
}

TEST(Fallback, WhatTheOtherServerHadAnErrorForGetsItsTimerToo) {
  TwoServers s;
  s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.primary.FailChannel("draining");
  s.secondary.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(bar1.Next(), "bar1=1");
  s.secondary.RespondWithErrors(kBar, "2", {}, {{"bar1", GXDS_PERMISSION_DENIED, "no"}});
  EXPECT_THAT(bar1.Next(), HasSubstr("ambient PERMISSION_DENIED"));
  s.primary.Respond(kFoo, "1", {"foo1=7"});
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(bar1.Next(), HasSubstr("ambient NOT_FOUND: does not exist"));
}

TEST(Fallback, WhatTheOtherServerDoesNotFindGetsNoTimer) {  // xRFC TP3
  for (bool sent : {false, true}) {
    TwoServers s;
    s.Watch(kFoo, "foo1");
    Watcher &bar1 = s.Watch(kBar, "bar1");
    s.primary.FailChannel("draining");
    if (sent) s.secondary.Respond(kBar, "1", {"bar1=1"});
    EXPECT_EQ(bar1.Next(), sent ? "bar1=1" : "nothing");
    s.secondary.RespondWithErrors(kBar, "2", {}, {{"bar1", GXDS_NOT_FOUND, "no"}});
    EXPECT_THAT(bar1.Next(), HasSubstr("NOT_FOUND"));
    s.primary.Respond(kFoo, "1", {"foo1=7"});
    EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  }
}

// The primary's timer for bar1 fired before the outage, on the stream that is still open.
TEST(Fallback, WhatThePrimaryDidNotSendBeforeTheOutageGetsItsTimerAgain) {
  TwoServers s;
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(bar1.Next(), HasSubstr("error NOT_FOUND: does not exist"));
  s.primary.FailChannel("draining");
  s.Watch(kFoo, "foo1");
  EXPECT_THAT(bar1.Next(), HasSubstr("error UNAVAILABLE"));
  EXPECT_THAT(bar1.Next(), HasSubstr("error NOT_FOUND: does not exist"));
  s.secondary.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(bar1.Next(), "bar1=1");
  s.primary.Respond(kFoo, "1", {"foo1=7"});
  EXPECT_FALSE(s.secondary.connected());
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(bar1.Next(), HasSubstr("ambient NOT_FOUND: does not exist"));
}

TEST(Fallback, TimerOfTheReturnEndsWithTheWatch) {
  for (bool delta : {false, true}) {
    ScenarioOptions options = Servers(2);
    options.servers[0].delta = delta;
    Scenario s(options);
    s.Forgive();
    s.Watch(kFoo, "foo1");
    Watcher &bar1 = s.Watch(kBar, "bar1");
    s.server().FailChannel("draining");
    s.server("server2").Respond(kBar, "1", {"bar1=1"});
    EXPECT_EQ(bar1.Next(), "bar1=1");
    if (delta) s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=7"}});
    if (!delta) s.Respond(kFoo, "1", {"foo1=7"});
    EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
    s.Advance(5 * GXDS_SECOND);
    Watcher *again = nullptr;
    s.Together([&] {
      s.Cancel(bar1);
      again = &s.Watch(kBar, "bar1");
    });
    EXPECT_EQ(again->Next(), "bar1=1");
    EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
    s.Cancel(*again);
    EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  }
}

TEST(Fallback, TimerOfTheReturnEndsWithTheStream) {
  for (bool fail_on_data_errors : {false, true}) {
    ScenarioOptions options = Servers(3);
    options.servers[0].fail_on_data_errors = fail_on_data_errors;
    Scenario s(options);
    s.Forgive();
    s.ForgiveTimers();
    Server &one = s.server("server1");
    s.Watch(kFoo, "foo1");
    Watcher &bar1 = s.Watch(kBar, "bar1");
    one.FailChannel("draining");
    s.server("server2").FailChannel("down");
    s.server("server3").Respond(kBar, "1", {"bar1=1"});
    EXPECT_EQ(bar1.Next(), "bar1=1");
    one.Respond(kFoo, "1", {"foo1=7"});
    EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
    one.RestartStream();
    one.FailChannel("down again");
    s.Watch(kFoo, "foo9");
    s.server("server2").FailChannel("down");
    s.server("server3").Respond(kBar, "1", {"bar1=1"});
    s.Advance(60 * GXDS_SECOND);
    EXPECT_THAT(s.Dump(), HasSubstr("Bar bar1 ACKED"));
    one.Respond(kFoo, "1", {"foo1=7"});
    s.Advance(60 * GXDS_SECOND);
    EXPECT_THAT(s.Dump(), HasSubstr("Bar bar1 DOES_NOT_EXIST"));
  }
}

TEST(Fallback, SameBytesOfAnotherServerAreDecodedAgain) {  // the meaning of lrs_server "self"
                                                           // depends on the server
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.FailChannel("down");
  s.secondary.Respond(kFoo, "1", {"foo1=self"});
  EXPECT_EQ(foo1.Next(), "foo1=self@server2");
  s.primary.Respond(kFoo, "1", {"foo1=self"});
  EXPECT_EQ(foo1.Next(), "foo1=self@server1");
}

TEST(Fallback, TimerOfAServerThatIsLeftEnds) {
  TwoServers s;
  s.primary.HoldSends();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.FailChannel("down");
  // The secondary's timer; the primary's request waits.
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.primary.Respond(kBar, "1", {});
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_EQ(foo1.Next(), "nothing");
}

TEST(Fallback, ResourceFromOneServerStopsTheTimerOfTheOther) {
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.FailChannel("down");
  s.secondary.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_EQ(foo1.Next(), "foo1=1");
}

// The first server is down, and its request waits for a connection. The second one sent foo1 and
// foo2. Then foo2 was unsubscribed there, so the client does not receive its changes any more.
struct GivenUpInFallback : TwoServers {
  GivenUpInFallback() : foo1(Watch(kFoo, "foo1")) {
    primary.HoldSends();
    Watcher &foo2 = Watch(kFoo, "foo2");
    primary.RestartStream();
    secondary.Respond(kFoo, "1", {"foo1=1", "foo2=1"});
    EXPECT_EQ(foo2.Next(), "foo2=1");
    while (secondary.HasRequest()) secondary.NextRequest();
    Cancel(foo2);
    EXPECT_EQ(secondary.NextRequest(), "Foo [foo1] version=1 nonce=n1");
  }
  Watcher &foo1;
};

TEST(Fallback, ResourceThatWasUnsubscribedIsNotCachedAnyMore) {
  GivenUpInFallback s;
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  EXPECT_EQ(foo2.Next(), "nothing");
  EXPECT_EQ(s.secondary.NextRequest(), "Foo [foo1 foo2] version=1 nonce=n1");
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(foo2.Next(), HasSubstr("error NOT_FOUND: does not exist"));
}

TEST(Fallback, ResourceThatWasUnsubscribedIsNotHeldUntilThePrimaryReturns) {
  GivenUpInFallback s;
  EXPECT_EQ(g_live_resources, 1u);  // foo1
  s.primary.ReleaseSend();
  while (s.primary.HasRequest()) s.primary.NextRequest();
  s.primary.Respond(kFoo, "1", {"foo1=1", "foo2=2"});
  s.primary.ReleaseSend();
  EXPECT_EQ(s.primary.NextRequest(), "Foo [foo1] version=1 nonce=n1");
}

TEST(Fallback, EndOfTheLastWatchClosesAllServers) {
  TwoServers s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.primary.FailChannel("down");
  s.Cancel(foo1);
  EXPECT_FALSE(s.primary.connected());
  EXPECT_FALSE(s.secondary.connected());
}

TEST(Fallback, ServerListedTwiceIsOneServer) {
  ScenarioOptions options = Servers(2);
  options.servers[1].uri = "server1";
  Scenario s(options);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server().FailChannel("down");
  EXPECT_THAT(foo1.Next(), HasSubstr("server1: down"));
  s.Forgive();
}

TEST(Fallback, MayHappenThoughEverythingIsCached) {  // A95.1
  ScenarioOptions options;
  options.authorities["x"] = Servers(2).servers;
  options.fallback_on_reachability_only = true;
  Scenario s(options);
  s.Forgive();
  Watcher &foo1 = s.Watch(kFoo, "xdstp://x/test.v3.Foo/foo1");
  s.server("server1").Respond(kFoo, "1", {"xdstp://x/test.v3.Foo/foo1=primary"});
  EXPECT_EQ(foo1.Next(), "xdstp://x/test.v3.Foo/foo1=primary");
  s.server("server1").FailChannel("down");
  EXPECT_EQ(foo1.Next(), "nothing");
  s.server("server2").Respond(kFoo, "7", {"xdstp://x/test.v3.Foo/foo1=fallback"});
  EXPECT_EQ(foo1.Next(), "xdstp://x/test.v3.Foo/foo1=fallback");
  s.server("server1").Respond(kFoo, "1", {"xdstp://x/test.v3.Foo/foo1=primary"});
  EXPECT_EQ(foo1.Next(), "xdstp://x/test.v3.Foo/foo1=primary");
  EXPECT_FALSE(s.server("server2").connected());
}

TEST(Fallback, OnReachabilityAloneIsOfItsAuthority) {  // A95.2
  ScenarioOptions options = Servers(2);
  options.authorities["x"] = options.servers;
  options.fallback_on_reachability_only = true;
  Scenario s(options);
  s.Forgive();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server("server1").Respond(kFoo, "1", {"foo1=1"});
  s.server("server1").FailChannel("down");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_FALSE(s.server("server2").connected());
}

TEST(Fallback, IsPerAuthority) {  // A71.12
  ScenarioOptions options = Servers(2);
  ServerConfig alone;
  alone.uri = "server1";
  options.authorities["alone.com"] = {alone};
  Scenario s(options);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &other = s.Watch(kFoo, "xdstp://alone.com/test.v3.Foo/foo1");
  s.server("server1").FailChannel("down");
  EXPECT_EQ(foo1.Next(), "nothing");
  EXPECT_THAT(other.Next(), HasSubstr("server1: down"));
  EXPECT_EQ(s.server("server2").NextRequest(), "Foo [foo1] node");
  s.Forgive();
}

}  // namespace
}  // namespace gxds_test
