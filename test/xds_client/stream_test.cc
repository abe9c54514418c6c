// Streams and channels that fail: restart, backoff, and notifications (A57, A88).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

const char kNoResponse[] =
    "UNAVAILABLE: xDS channel for server server1: xDS call failed with no responses received; "
    "status: UNAVAILABLE: gone (node ID:xds_client_test)";
const char kChannelDown[] =
    "UNAVAILABLE: xDS channel for server server1: connection refused (node ID:xds_client_test)";

// foo1 is cached.
struct Connected : Scenario {
  Connected() : foo1(Watch(kFoo, "foo1")) {
    EXPECT_EQ(NextRequest(), "Foo [foo1] node");
    Respond(kFoo, "1", {"foo1=1"});
    EXPECT_EQ(NextRequest(), "Foo [foo1] version=1 nonce=n1");
    EXPECT_EQ(foo1.Next(), "foo1=1");
    TakeTrace();
  }
  Watcher &foo1;
};

TEST(Stream, LostAfterAResponseIsNoError) {  // A57.2
  Connected s;
  s.server().CloseStream();
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_TRUE(s.Logged("xds server server1: ADS stream closed: UNAVAILABLE: gone"));
  s.Advance(s.UntilDeadline());
  EXPECT_THAT(s.TakeTrace(), ElementsAre("OPEN server1", "SEND", "READ"));
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  s.ForgiveTimers();
}

// Otherwise a server that crashes at a request would get requests as fast as the network allows.
TEST(Stream, ThatLivedShorterThanAStepOfTheBackoffWaitsForTheRestOfIt) {
  Scenario s;
  s.Forgive();
  s.Watch(kFoo, "foo1");
  double step = 1;
  for (int i = 0; i < 12; i++) {
    s.Respond(kFoo, "1", {"foo1=1"});
    const gxds_duration lived = i * GXDS_MILLISECOND * 50;
    s.Advance(lived);
    s.server().CloseStream();
    double waited = static_cast<double>(lived + s.UntilDeadline()) / GXDS_SECOND;
    EXPECT_THAT(waited, AllOf(Ge(step * 0.8), Le(step * 1.2))) << "stream " << i;
    s.Advance(s.UntilDeadline());
    EXPECT_EQ(s.server().streams_opened(), static_cast<size_t>(i) + 2);
    step = std::min(step * 1.6, 120.0);
  }
}

TEST(Stream, ThatOutlivedItsStepReopensWithinASecondAndBeginsTheBackoffAnew) {
  Scenario s;
  s.Forgive();
  s.Watch(kFoo, "foo1");
  for (int i = 0; i < 5; i++) {
    s.Respond(kFoo, "1", {"foo1=1"});
    s.server().CloseStream();
    s.Advance(s.UntilDeadline());
  }
  std::set<gxds_duration> waits;
  for (int i = 0; i < 10; i++) {
    s.Respond(kFoo, "1", {"foo1=1"});
    s.Advance(i == 0 ? 20 * GXDS_SECOND : 1200 * GXDS_MILLISECOND);
    s.server().CloseStream();
    EXPECT_LT(s.UntilDeadline(), GXDS_SECOND);
    waits.insert(s.UntilDeadline());
    s.Advance(s.UntilDeadline());
  }
  EXPECT_EQ(waits.size(), 10u);  // the clients of a fleet do not all return at once
}

TEST(Stream, WaitForAConnectionIsNoneOfItsLife) {
  Connected s;
  s.Forgive();
  s.server().HoldSends();
  s.server().RestartStream();
  s.Advance(60 * GXDS_SECOND);  // the stream waits for a connection
  s.server().ReleaseSend();
  s.Respond(kFoo, "2", {"foo1=2"});
  s.server().CloseStream();
  EXPECT_THAT(s.UntilDeadline(), Ge(GXDS_SECOND * 8 / 10));
}

TEST(Stream, LostAfterAResponseWithOkIsNoErrorEither) {
  Connected s;
  s.server().RestartStream(GXDS_OK);
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  s.ForgiveTimers();
}

TEST(Stream, VersionSurvivesARestartAndTheNonceDoesNot) {
  Connected s;
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  s.Respond(kFoo, "2", {"foo1=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=2 nonce=n1");
  EXPECT_EQ(s.foo1.Next(), "foo1=2");
}

/* With its version the server might assume that the client received all of it. */
TEST(Stream, VersionIsNotSentUnlessAllThatIsRequestedIsHeld) {
  Scenario s;
  s.Watch(kFoo, "foo1");
  s.Watch(kBar, "bar1");
  s.Watch(kBar, "bar2");
  s.Respond(kFoo, "f1", {"foo1=1"});
  s.Respond(kBar, "b1", {"bar1=1"});
  s.Forgive();
  s.ForgiveTimers();
  while (s.server().HasRequest()) s.NextRequest();
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=f1 node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1 bar2]");
}

TEST(Stream, VersionIsNotSentForWhatIsWatchedBeforeItIsSent) {
  Connected s;
  s.Watch(kBar, "bar1");
  s.Respond(kBar, "b1", {"bar1=1"});
  s.Forgive();
  s.ForgiveTimers();
  while (s.server().HasRequest()) s.NextRequest();
  s.server().HoldSends();
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  s.Watch(kBar, "bar2");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar1 bar2]");
}

/* The server may return to that version. */
TEST(Stream, VersionIsNotSentWhileAResourceIsInError) {
  Connected s;
  s.Respond(kFoo, "2", {"foo1=bad"});
  EXPECT_THAT(s.NextRequest(), HasSubstr("version=1 nonce=n2 NACK"));
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient"));
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
}

// Otherwise a server with many clients would send everything again to each of them when it is back.
TEST(Stream, VersionsOfAllTypesAreSentAfterAnOutage) {
  Connected s;
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.Respond(kBar, "b1", {"bar1=1"});
  EXPECT_EQ(bar1.Next(), "bar1=1");
  while (s.server().HasRequest()) s.NextRequest();
  s.server().FailChannel("connection refused");
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1] version=b1");
  s.Forgive();
}

TEST(Stream, VersionThatWaitsForAConnectionIsLeftAloneWhenTheChannelFails) {
  Connected s;
  s.server().HoldSends();
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  s.TakeTrace();
  s.server().FailChannel("connection refused");
  EXPECT_EQ(s.foo1.Next(), std::string("ambient ") + kChannelDown);
  EXPECT_THAT(s.TakeTrace(), ElementsAre("NOTIFY"));
  s.server().ReleaseSend();
  s.Respond(kFoo, "2", {"foo1=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=2 nonce=n1");
  EXPECT_EQ(s.foo1.Next(), "ambient OK");
  EXPECT_EQ(s.foo1.Next(), "foo1=2");
}

/* After a claim, a server without news may stay silent forever. */
TEST(Stream, SilenceAfterAVersionEndsAnOutageWhenTheTimeToRespondIsOver) {
  Connected s;
  s.server().FailChannel("connection refused");
  EXPECT_EQ(s.foo1.Next(), std::string("ambient ") + kChannelDown);
  s.server().HoldSends();
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);  // the stream waits for a connection
  s.server().ReleaseSend();
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.Advance(15 * GXDS_SECOND - 1);
  EXPECT_EQ(s.foo1.Next(), "nothing");
  s.Advance(1);
  EXPECT_EQ(s.foo1.Next(), "ambient OK");
  EXPECT_TRUE(s.Logged("xds server server1: ADS stream is up: it has nothing new"));
  EXPECT_EQ(s.Dump(), "Foo foo1 ACKED 1 foo1=1 watchers=1\n");
  s.Respond(kFoo, "2", {"foo1=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=2 nonce=n1");
  EXPECT_EQ(s.foo1.Next(), "foo1=2");
}

TEST(Stream, ThatWasSilentAfterAVersionForTheTimeToRespondEndsWithoutAnError) {  // A57
  Connected s;
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  s.Advance(15 * GXDS_SECOND);
  s.server().RestartStream();
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  s.Advance(15 * GXDS_SECOND - 1);
  s.server().RestartStream();  // the server may have been about to respond
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kNoResponse));
  s.Forgive();
}

TEST(Stream, WithoutAVersionSilenceIsNoResponse) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.Advance(60 * GXDS_SECOND);
  EXPECT_THAT(foo1.Next(), HasSubstr("does not exist"));
  s.server().CloseStream();
  EXPECT_EQ(foo1.Next(), "error " + std::string(kNoResponse));
  s.Forgive();
}

/* The stream works, so there will be a response, or a timeout. */
TEST(Stream, WatchWhileSilenceIsAwaitedIsNotNotifiedOfTheOutage) {
  Connected s;
  s.server().FailChannel("connection refused");
  s.server().RestartStream();
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  EXPECT_EQ(foo2.Next(), "nothing");
  s.server().CloseStream();
  EXPECT_EQ(foo2.Next(), "error " + std::string(kNoResponse));
  s.Forgive();
}

TEST(Stream, RestartRequestsEverythingInOneRequestPerType) {
  Scenario s;
  s.Watch(kBar, "bar2");
  s.Watch(kFoo, "foo1");
  s.Watch(kBar, "bar1");
  s.Watch(kFoo, "foo2");
  s.Respond(kBar, "1", {});
  while (s.server().HasRequest()) s.NextRequest();
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1]");
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.ForgiveTimers();
}

TEST(Stream, WhatWasNotSentIsForgotten) {
  Connected s;
  s.server().HoldSends();
  s.Respond(kFoo, "2", {"foo1=bad"});   // the NACK is on its way
  s.Respond(kFoo, "3", {"foo1=bad3"});  // the NACK waits
  s.server().RestartStream();
  EXPECT_THAT(s.NextRequest(), HasSubstr("NACK"));
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient"));
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient"));
}

TEST(Stream, MessageOfAnOldStreamChangesNothing) {
  Connected s;
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  std::string dump = s.Dump();
  std::string late = Response(kFoo.type_url, "9", "n9", {Bare(kFoo, "foo1=9")});
  gxds_status gone = gxds_status_ok();
  s.TakeTrace();
  s.Together([&] {
    for (gxds_stream_id old = 0; old < 3; old++) {
      gxds_client_on_message(s.client(), old, late.data(), late.size(), s.now());
      gxds_client_on_stream_closed(s.client(), old, &gone, s.now());
      gxds_client_on_sent(s.client(), old, s.now());
    }
  });
  EXPECT_EQ(s.Dump(), dump);
  EXPECT_THAT(s.TakeTrace(), ElementsAre());
  s.ForgiveTimers();
}

TEST(Stream, LostBeforeAnyResponseIsAnErrorForThoseWithoutData) {  // A57.1
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.server().CloseStream();
  EXPECT_EQ(foo1.Next(), "error " + std::string(kNoResponse));
  EXPECT_EQ(bar1.Next(), "error " + std::string(kNoResponse));
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 REQUESTED watchers=1"));
  s.Forgive();
}

TEST(Stream, LostBeforeAnyResponseIsAmbientForThoseWithData) {  // A57.1, A88.6
  Connected s;
  s.server().RestartStream();
  s.server().CloseStream();
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kNoResponse));
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_EQ(s.Dump(), "Foo foo1 ACKED 1 foo1=1 watchers=1\n");
  s.Forgive();
}

TEST(Stream, SameFailureIsReportedOnceAndAnotherAgain) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server().CloseStream();
  s.Advance(2 * GXDS_SECOND);
  s.server().CloseStream();
  EXPECT_EQ(foo1.Next(), "error " + std::string(kNoResponse));
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Advance(3 * GXDS_SECOND);
  s.server().CloseStream(GXDS_UNIMPLEMENTED, "no ADS here");
  EXPECT_THAT(foo1.Next(), HasSubstr("status: UNIMPLEMENTED: no ADS here"));
  s.Forgive();
}

TEST(Stream, BacksOffFurtherWithEachFailure) {  // A57.3
  Scenario s;
  s.Watch(kFoo, "foo1");
  double expected = 1;
  for (int i = 0; i < 15; i++) {
    s.server().CloseStream();
    double wait = static_cast<double>(s.UntilDeadline()) / GXDS_SECOND;
    EXPECT_THAT(wait, AllOf(Ge(expected * 0.8), Le(expected * 1.2))) << "failure " << i;
    s.Advance(s.UntilDeadline());
    EXPECT_EQ(s.server().streams_opened(), static_cast<size_t>(i) + 2);
    expected = std::min(expected * 1.6, 120.0);
  }
  EXPECT_EQ(expected, 120.0);
  s.Forgive();
}

TEST(Stream, ResponseEndsTheBackoffIfItsStreamOutlivesItsStep) {  // A57.4
  Scenario s;
  s.Watch(kFoo, "foo1");
  for (int i = 0; i < 5; i++) {
    s.server().CloseStream();
    s.Advance(s.UntilDeadline());
  }
  s.Respond(kFoo, "1", {"foo1=1"});
  s.server().CloseStream();  // this is the sixth step
  EXPECT_THAT(s.UntilDeadline(), Ge(GXDS_SECOND * 8));
  s.Advance(s.UntilDeadline());
  s.Respond(kFoo, "1", {"foo1=1"});
  s.Advance(25 * GXDS_SECOND);  // longer than the seventh step
  s.server().CloseStream();
  s.Advance(s.UntilDeadline());
  s.server().CloseStream();
  EXPECT_THAT(s.UntilDeadline(), AllOf(Ge(GXDS_SECOND * 8 / 10), Le(GXDS_SECOND * 12 / 10)));
  s.Forgive();
}

TEST(Stream, ResetOfTheBackoffRestartsAtOnce) {
  Scenario s;
  s.Watch(kFoo, "foo1");
  s.server().CloseStream();
  EXPECT_FALSE(s.server().has_stream());
  s.ResetBackoff();
  EXPECT_TRUE(s.server().has_stream());
  s.server().CloseStream();  // the wait starts again
  EXPECT_THAT(s.UntilDeadline(), Le(GXDS_SECOND * 12 / 10));
  s.Forgive();
}

TEST(Stream, NothingIsSentDuringBackoff) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.server().CloseStream();
  EXPECT_EQ(foo1.Next(), "error " + std::string(kNoResponse));
  s.Watch(kFoo, "foo2");
  s.Cancel(foo1);
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.Advance(2 * GXDS_SECOND);
  EXPECT_EQ(s.NextRequest(), "Foo [foo2] node");
  s.Forgive();
}

TEST(Stream, EndOfTheLastWatchDuringBackoffEndsIt) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.server().CloseStream();
  EXPECT_EQ(foo1.Next(), "error " + std::string(kNoResponse));
  s.TakeTrace();
  s.Cancel(foo1);
  EXPECT_THAT(s.TakeTrace(), ElementsAre("DISCONNECT server1"));
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
}

TEST(Channel, FailureIsAnErrorForThoseWithoutDataAndAmbientForOthers) {  // A57.5, A88.6, A88.7
  Connected s;
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.server().FailChannel("connection refused");
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kChannelDown));
  EXPECT_EQ(bar1.Next(), "error " + std::string(kChannelDown));
  EXPECT_TRUE(s.Logged("xDS channel for server server1: connection refused"));
  s.Forgive();
}

TEST(Channel, WatchDuringAFailureGetsTheErrorAtOnce) {  // A57
  Connected s;
  s.server().FailChannel("connection refused");
  EXPECT_EQ(s.Watch(kFoo, "foo2").Next(), "error " + std::string(kChannelDown));
  Watcher &second = s.Watch(kFoo, "foo1");
  EXPECT_EQ(second.Next(), "foo1=1");
  EXPECT_EQ(second.Next(), "ambient " + std::string(kChannelDown));
  s.Forgive();
}

TEST(Channel, ResponseEndsTheErrorForAll) {
  Connected s;
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.server().FailChannel("connection refused");
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kChannelDown));
  EXPECT_EQ(bar1.Next(), "error " + std::string(kChannelDown));
  s.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(s.foo1.Next(), "ambient OK");
  EXPECT_EQ(bar1.Next(), "bar1=1");
  EXPECT_EQ(s.Watch(kFoo, "foo2").Next(), "nothing");
  s.Forgive();
}

TEST(Channel, ErrorOfTheResourceIsReportedAgainWhenTheChannelIsWell) {
  Connected s;
  s.Respond(kFoo, "2", {});
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient NOT_FOUND: resource deleted"));
  s.server().FailChannel("connection refused");
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kChannelDown));
  s.Respond(kBar, "1", {});
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient NOT_FOUND: resource deleted"));
  s.Forgive();
}

TEST(Channel, FailureOfAChannelThatIsGoneIsIgnored) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Cancel(foo1);
  Watcher &foo2 = s.Watch(kFoo, "foo2");  // a watch of another channel
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "late");
  s.Together([&] { gxds_client_on_channel_failed(s.client(), 1, &status, s.now()); });
  gxds_status_fini(&status);
  EXPECT_EQ(foo2.Next(), "nothing");
  s.Forgive();
}

TEST(Channel, TextFromTheNetworkIsEscaped) {
  Connected s;
  s.server().FailChannel("a\nb\x1b");
  EXPECT_THAT(s.foo1.Next(), HasSubstr("server1: a\\x0ab\\x1b (node ID"));
  s.server().CloseStream(GXDS_INTERNAL, "x\ry");  // the scenario checks the log
  EXPECT_TRUE(s.Logged("INTERNAL: x\\x0dy"));
  s.Forgive();
}

TEST(Channel, FailureSaysSinceWhen) {  // A88.18
  ScenarioOptions options;
  options.wall_offset = 1738324800 * GXDS_SECOND - 1000 * GXDS_SECOND;
  Scenario s(options);
  s.Forgive();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Advance(1 * GXDS_SECOND);
  s.server().FailChannel("down");
  EXPECT_EQ(foo1.Next(),
            "error UNAVAILABLE: xDS channel for server server1: down, unreachable since "
            "2025-01-31T12:00:01Z (node ID:xds_client_test)");
  s.Advance(10 * GXDS_SECOND);
  s.server().FailChannel("still down");
  EXPECT_THAT(foo1.Next(), HasSubstr("still down, unreachable since 2025-01-31T12:00:01Z"));
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.server().FailChannel("down again");
  EXPECT_THAT(foo1.Next(), HasSubstr("unreachable since 2025-01-31T12:00:11Z"));
}

TEST(Channel, NodeWithoutAnIdIsNotNamed) {
  ScenarioOptions options;
  options.node_id = "";
  Scenario s(options);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1]");
  s.server().FailChannel("down");
  EXPECT_EQ(foo1.Next(), "error UNAVAILABLE: xDS channel for server server1: down");
  s.Forgive();
}

}  // namespace
}  // namespace gxds_test
