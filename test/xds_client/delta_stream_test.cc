// Incremental xDS: the state that outlives a stream, and servers without incremental xDS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ScenarioOptions Delta() {
  ScenarioOptions options;
  options.servers[0].delta = true;
  return options;
}

// A server that sent foo1 and foo2, and bar1.
struct Served : Scenario {
  explicit Served(ScenarioOptions options = Delta()) : Scenario(std::move(options)) {
    std::vector<Watcher *> w = WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}, {&kBar, "bar1"}});
    foo1 = w[0];
    foo2 = w[1];
    bar1 = w[2];
    EXPECT_EQ(NextRequest(), "Foo +foo1 +foo2 node");
    EXPECT_EQ(NextRequest(), "Bar +bar1");
    server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}, {"foo2", "2", "foo2=2"}});
    server().RespondDelta(kBar, {{"bar1", "3", "bar1=3"}});
    EXPECT_EQ(NextRequest(), "Foo nonce=n1");
    EXPECT_EQ(NextRequest(), "Bar nonce=n2");
    EXPECT_EQ(foo1->Next(), "foo1=1");
    EXPECT_EQ(foo2->Next(), "foo2=2");
    EXPECT_EQ(bar1->Next(), "bar1=3");
  }
  Watcher *foo1;
  Watcher *foo2;
  Watcher *bar1;
};

TEST(DeltaStream, BeginsWithTheVersionsOfWhatIsHeld) {
  Served s;
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +foo1@1 +foo2@2 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1@3");
  // Only the resource that changed meanwhile.
  s.server().RespondDelta(kFoo, {{"foo2", "9", "foo2=9"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(s.foo2->Next(), "foo2=9");
  s.Watch(kFoo, "foo3");
  EXPECT_EQ(s.NextRequest(), "Foo +foo3");
  s.ForgiveTimers();
}

TEST(DeltaStream, VersionOfWhatIsNotInUseAsItCameIsNotSent) {
  Served s;
  s.server().RespondDelta(kFoo, {{"foo1", "4", "foo1=bad"}}, {"foo2"});
  EXPECT_THAT(s.NextRequest(), HasSubstr("Foo nonce=n3 NACK 3: "));
  EXPECT_THAT(s.foo1->Next(), HasSubstr("ambient UNAVAILABLE"));
  EXPECT_THAT(s.foo2->Next(), HasSubstr("ambient NOT_FOUND"));
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1@3");
  s.Forgive();
}

TEST(DeltaStream, VersionOfWhatCameUnderAnAliasIsNotSent) {
  Scenario s(Delta());
  Watcher &w = s.Watch(kFoo, "alias");
  EXPECT_EQ(s.NextRequest(), "Foo +alias node");
  s.server().RespondDelta(kFoo, {{"real", "1", "real=1", 0, {"alias"}}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(w.Next(), "real=1");
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +alias node");  // the server has no version under that name
}

TEST(DeltaStream, ThatIsSilentForTheTimeToRespondAfterAllVersionsIsNoOutage) {  // A57
  Served s;
  s.server().RestartStream();
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(s.NextRequest(), "Foo +foo1@1 +foo2@2 node");
    EXPECT_EQ(s.NextRequest(), "Bar +bar1@3");
    s.Advance(15 * GXDS_SECOND);
    s.server().RestartStream();  // because of its age; there was no news
    for (Watcher *w : {s.foo1, s.foo2, s.bar1}) EXPECT_EQ(w->Next(), "nothing");
  }
  s.Forgive();
}

TEST(DeltaStream, NameWatchedAgainAndGivenUpBeforeARequestIsUnsubscribed) {
  Scenario s(Delta());
  s.server().HoldSends();
  std::vector<Watcher *> w = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2 node");
  s.Cancel(*w[0]);
  Watcher &again = s.Watch(kFoo, "foo1");
  s.Cancel(again);
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo -foo1");
  s.Forgive();
}

// The first server has sent foo1, and its stream goes on while its channel fails. There is a second
// server to fall back to. foo1 and foo2 are requested from both.
struct FellBack : Scenario {
  FellBack() : Scenario(WithFallback()), foo1(Watch(kFoo, "foo1")) {
    EXPECT_EQ(NextRequest(), "Foo +foo1 node");
    server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
    EXPECT_EQ(foo1.Next(), "foo1=1");
    EXPECT_EQ(NextRequest(), "Foo nonce=n1");
    server().FailChannel("draining");
    EXPECT_THAT(foo1.Next(), HasSubstr("ambient UNAVAIL"));
    foo2 = &Watch(kFoo, "foo2");
    EXPECT_EQ(NextRequest(), "Foo +foo2");
    EXPECT_EQ(foo1.Next(), "ambient OK");
    EXPECT_EQ(fallback().NextRequest(), "Foo +foo1 +foo2 node");
  }
  static ScenarioOptions WithFallback() {
    ScenarioOptions options = Delta();
    ServerConfig second;
    second.uri = "server2";
    second.delta = true;
    options.servers.push_back(second);
    return options;
  }
  Server &fallback() { return server("server2"); }

  Watcher &foo1;
  Watcher *foo2;
};

// The first server assumes that the client still has what it sent before.
TEST(DeltaStream, WhatAnotherServerSentIsRequestedAgainAfterTheReturn) {  // A71
  FellBack s;
  s.fallback().RespondDelta(kFoo, {{"foo1", "1", "foo1=8"}, {"foo2", "1", "foo2=8"}});
  EXPECT_EQ(s.foo1.Next(), "foo1=8");
  EXPECT_EQ(s.foo2->Next(), "foo2=8");
  s.server().RespondDelta(kFoo, {{"foo2", "9", "foo2=9"}});
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2@9 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  s.Forgive();
}

TEST(DeltaStream, WhatAnotherServerDeletedIsRequestedAgainAfterTheReturn) {  // A71
  FellBack s;
  s.fallback().RespondDelta(kFoo, {{"foo2", "1", "foo2=8"}}, {"foo1"});
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient NOT_FOUND"));
  s.server().RespondDelta(kFoo, {{"foo2", "9", "foo2=9"}});
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2@9 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  EXPECT_EQ(s.foo1.Next(), "ambient OK");
  s.Forgive();
}

TEST(DeltaStream, WhatAnotherServerBrokeIsRequestedAgainAfterTheReturn) {  // A71
  FellBack s;
  s.fallback().RespondDelta(kFoo, {{"foo1", "7", "foo1=bad"}, {"foo2", "1", "foo2=8"}});
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient UNAVAIL"));
  s.server().RespondDelta(kFoo, {{"foo2", "9", "foo2=9"}});
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2@9 node");
  s.Forgive();
}

// The first server will still send the resources that the client has not received from it.
TEST(DeltaStream, WhatItsServerHasYetToSendIsNotRequestedAgainAfterTheReturn) {  // A71
  FellBack s;
  s.fallback().RespondDelta(kFoo, {{"foo2", "1", "foo2=8"}});
  EXPECT_EQ(s.foo2->Next(), "foo2=8");
  s.server().RespondDelta(kFoo, {{"foo1", "9", "foo1=9"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  s.Forgive();
}

TEST(DeltaStream, ResponseOfATypeThatWasNeverRequestedGetsNoAck) {
  Scenario s(Delta());
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  // An ACK without names would subscribe to everything.
  s.server().RespondDelta(kBar, {{"bar1", "1", "bar1=1"}});
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.ForgiveTimers();
}

TEST(DeltaStream, AllVersionsAreSentAfterAnOutageWhichSilenceEnds) {
  Served s;
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +foo1@1 +foo2@2 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1@3");
  s.server().RestartStream();  // without a response
  for (Watcher *w : {s.foo1, s.foo2, s.bar1}) EXPECT_THAT(w->Next(), HasSubstr("ambient UNAVAIL"));
  EXPECT_EQ(s.NextRequest(), "Foo +foo1@1 +foo2@2 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1@3");
  s.Advance(15 * GXDS_SECOND);
  for (Watcher *w : {s.foo1, s.foo2, s.bar1}) EXPECT_EQ(w->Next(), "ambient OK");
}

TEST(DeltaStream, NoVersionIsSentToAServerThatAnotherStandsInFor) {  // A71
  ScenarioOptions options = Delta();
  ServerConfig second;
  second.uri = "server2";
  second.delta = true;
  options.servers.push_back(second);
  Served s(options);
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +foo1@1 +foo2@2 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1@3");
  s.server().FailChannel("refused");
  EXPECT_EQ(s.NextRequest(), "nothing");  // no request was sent so far
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +foo1@1 +foo2@2 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1@3");
  Watcher &foo3 = s.Watch(kFoo, "foo3");
  EXPECT_EQ(s.NextRequest(), "Foo +foo3");  // on a working stream
  EXPECT_FALSE(s.server("server2").connected());
  s.server().FailChannel("refused again");  // the claims are withdrawn
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2 +foo3 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1");
  Server &fallback = s.server("server2");
  // Versions of the other server are not claimed.
  EXPECT_EQ(fallback.NextRequest(), "Foo +foo1 +foo2 +foo3 node");
  EXPECT_EQ(fallback.NextRequest(), "Bar +bar1");
  fallback.RespondDelta(kFoo, {{"foo3", "1", "foo3=1"}});
  EXPECT_EQ(foo3.Next(), "foo3=1");
  s.Forgive();
}

TEST(DeltaStream, ServerThatDoesNotKnowItGetsStateOfTheWorld) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1");
  s.server().CloseStream(GXDS_UNIMPLEMENTED, "no such method");
  EXPECT_FALSE(s.server().speaks_delta());
  EXPECT_TRUE(s.Logged("xds server server1: it does not know incremental xDS"));
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.Respond(kFoo, "1", {"foo1=1"});
  s.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 nonce=n1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1] version=1 nonce=n2");
  EXPECT_EQ(foo1.Next(), "foo1=1");  // without any error
  EXPECT_EQ(bar1.Next(), "bar1=1");
  s.server().RestartStream();
  EXPECT_FALSE(s.server().speaks_delta());
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1] version=1");
  s.Cancel(foo1);
  s.Cancel(bar1);  // the result is remembered even if the server is not used for a while
  s.Watch(kFoo, "foo1");
  EXPECT_FALSE(s.server().speaks_delta());
  s.Forgive();
}

TEST(DeltaStream, ServerThatForgotItGivesAllAgainInStateOfTheWorld) {
  Served s;
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +foo1@1 +foo2@2 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1@3");
  s.server().CloseStream(GXDS_UNIMPLEMENTED, "an older release");
  // No version that the server could mistake for its own.
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.Respond(kFoo, "1", {"foo1=1", "foo2=5"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=1 nonce=n1");
  EXPECT_EQ(s.foo2->Next(), "foo2=5");
}

TEST(DeltaStream, EachServerGetsItsOwnVariant) {
  ScenarioOptions options;
  ServerConfig other;
  other.uri = "server2";
  other.delta = true;
  options.authorities["a"] = {other};
  Scenario s(options);
  s.Watch(kFoo, "foo1");
  s.Watch(kFoo, "xdstp://a/test.v3.Foo/x");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.server("server2").NextRequest(), "Foo +xdstp://a/test.v3.Foo/x node");
  s.ForgiveTimers();
}

TEST(DeltaStream, ResponseToARequestOnAnEarlierStreamGetsNoAck) {
  Served s;
  s.server().HoldSends();
  s.server().RespondDelta(kFoo, {{"foo1", "4", "foo1=4"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n3");
  s.server().RespondDelta(kFoo, {{"foo1", "5", "foo1=5"}});  // its ACK waits
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +foo1@5 +foo2@2 node");
  s.Forgive();
}

TEST(DeltaStream, NamesAndVersionsAreSplitToFitAServersLimit) {
  Scenario s(Delta());
  s.ValidateSeldom();
  std::vector<std::pair<const gxds_resource_type *, std::string>> wanted;
  std::vector<Item> items;
  for (int i = 0; i < 600; i++) {
    std::string name = std::to_string(i) + std::string(8000, 'x');
    wanted.push_back({&kFoo, name});
    items.push_back({name, "version", name + "=1"});
  }
  s.WatchTogether(wanted);
  for (int round = 0; round < 2; round++) {
    size_t names = 0;
    size_t claims = 0;
    int requests = 0;
    for (; s.server().HasRequest(); requests++) {
      std::string request = s.NextRequest();
      EXPECT_LE(request.size(), 4u << 20);
      for (char c : request) {
        names += c == '+';
        claims += c == '@';
      }
    }
    EXPECT_EQ(names, 600u);
    EXPECT_EQ(claims, round == 0 ? 0u : 600u);
    EXPECT_EQ(requests, round == 0 ? 2 : 3);
    EXPECT_LE(s.server().request_bytes(), 4000000u);
    if (round > 0) break;
    s.server().RespondDelta(kFoo, items);
    EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
    s.server().RestartStream();
  }
  s.Forgive();
}

TEST(DeltaStream, NamesGivenUpAreSplitToFitAServersLimit) {
  Scenario s(Delta());
  s.ValidateSeldom();
  std::vector<std::pair<const gxds_resource_type *, std::string>> wanted;
  for (int i = 0; i < 600; i++) {
    wanted.push_back({&kFoo, std::to_string(i) + std::string(8000, 'x')});
  }
  std::vector<Watcher *> watchers = s.WatchTogether(wanted);
  s.Watch(kFoo, "stays");
  while (s.server().HasRequest()) s.NextRequest();
  s.Together([&] {
    for (Watcher *w : watchers) s.Cancel(*w);
  });
  size_t names = 0;
  for (; s.server().HasRequest();) {
    for (char c : s.NextRequest()) names += c == '-';
    EXPECT_LE(s.server().request_bytes(), 4000000u);
  }
  EXPECT_EQ(names, 600u);
  s.Forgive();
}

TEST(DeltaStream, TtlOutlivesTheStream) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1", 20}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo +foo1@1 node");
  s.server().HoldSends();
  s.server().RestartStream();
  EXPECT_THAT(foo1.Next(), HasSubstr("ambient UNAVAILABLE"));
  s.Advance(19 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Advance(2 * GXDS_SECOND);
  // The outage, now that there is no resource.
  EXPECT_THAT(foo1.Next(), HasSubstr("error UNAVAILABLE"));
  s.Forgive();
}

}  // namespace
}  // namespace gxds_test
