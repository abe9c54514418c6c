// Incremental xDS: subscriptions, and the effects of responses.
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

TEST(DeltaSubscription, RequestsHaveDifferences) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.Watch(kFoo, "foo2");
  EXPECT_EQ(s.NextRequest(), "Foo +foo2");
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1");
  s.Cancel(foo1);
  EXPECT_EQ(s.NextRequest(), "Foo -foo1");
  EXPECT_TRUE(s.server().speaks_delta());
  s.ForgiveTimers();
}

TEST(DeltaSubscription, ChangesOfOneTurnAreOneRequestPerType) {
  Scenario s(Delta());
  std::vector<Watcher *> w =
      s.WatchTogether({{&kFoo, "foo1"}, {&kBar, "bar1"}, {&kFoo, "foo2"}, {&kBar, "bar2"}});
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1 +bar2");
  s.Together([&] {
    s.Cancel(*w[0]);
    s.Cancel(*w[3]);
    s.Watch(kFoo, "foo3");
    s.Watch(kFoo, "foo4");
  });
  EXPECT_EQ(s.NextRequest(), "Foo +foo3 +foo4 -foo1");
  EXPECT_EQ(s.NextRequest(), "Bar -bar2");
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.ForgiveTimers();
}

TEST(DeltaSubscription, OnlyAcksCarryANonceAndEachResponseGetsOne) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=6"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=6");
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  EXPECT_EQ(s.NextRequest(), "Foo +foo2");
  s.server().RespondDelta(kFoo, {{"foo2", "7", "foo2=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  EXPECT_EQ(foo2.Next(), "foo2=1");
  EXPECT_EQ(s.Dump(), "Foo foo1 ACKED 1 foo1=6 watchers=1\nFoo foo2 ACKED 7 foo2=1 watchers=1\n");
}

TEST(DeltaSubscription, ResponsesReadWhileARequestIsOnItsWayAllGetAnAck) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().HoldSends();
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  s.server().RespondDelta(kFoo, {{"foo1", "2", "foo1=bad"}});
  s.server().RespondDelta(kFoo, {{"foo1", "3", "foo1=3"}});
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.server().ReleaseSend();
  EXPECT_THAT(s.NextRequest(), HasSubstr("Foo nonce=n2 NACK 3: "));
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n3");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_THAT(foo1.Next(), HasSubstr("ambient UNAVAILABLE"));
  EXPECT_EQ(foo1.Next(), "foo1=3");
}

// Istio ignores a request with a stale nonce, and every NACK, together with its names.
TEST(DeltaSubscription, AcksAndNacksCarryNoNamesAndNamesNoNonce) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().HoldSends();
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  s.server().RespondDelta(kFoo, {{"foo1", "2", "foo1=bad"}});
  s.Watch(kFoo, "foo2");  // all three wait until the request on its way is sent
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo +foo2");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  s.Cancel(foo1);
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo -foo1");
  s.server().ReleaseSend();
  EXPECT_THAT(s.NextRequest(), HasSubstr("Foo nonce=n2 NACK 3: "));
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.Forgive();
}

TEST(DeltaSubscription, ServerThatReadsNoAcksIsNotReadFromForEver) {
  Scenario s(Delta());
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().HoldSends();
  int read = 0;
  for (; s.server().wants_message() && read < 1000; read++) {
    s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  }
  EXPECT_EQ(read, 101);  // one ACK is on its way, and a hundred wait
  s.server().ReleaseSend();
  EXPECT_TRUE(s.server().wants_message());
  s.Forgive();
}

TEST(DeltaSubscription, NameUnsubscribedAndSubscribedAgainAtOnceIsNotSent) {
  Scenario s(Delta());
  Watcher &first = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=6"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(first.Next(), "foo1=6");
  s.Together([&] {
    s.Cancel(first);
    EXPECT_EQ(gxds_client_watch_count(s.client()), 0u);
    s.Watch(kFoo, "other");
    s.Watch(kFoo, "foo1");
  });
  EXPECT_EQ(s.NextRequest(), "Foo +other");
  s.Forgive();
}

TEST(DeltaSubscription, WhatIsWaitedForIsSubscribedAgainSoThatItsTimeStarts) {
  Scenario s(Delta());
  Watcher &first = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.Advance(10 * GXDS_SECOND);
  s.Together([&] {
    s.Cancel(first);
    s.Watch(kFoo, "foo1");
  });
  EXPECT_EQ(s.NextRequest(), "Foo +foo1");
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.ForgiveTimers();
}

TEST(DeltaSubscription, WhatIsKnownNotToExistIsNotSubscribedTwice) {
  Scenario s(Delta());
  Watcher &first = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {}, {"foo1"});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_THAT(first.Next(), HasSubstr("error NOT_FOUND"));
  Watcher *second = nullptr;
  s.Together([&] {
    s.Cancel(first);
    second = &s.Watch(kFoo, "foo1");
  });
  EXPECT_THAT(second->Next(), HasSubstr("error NOT_FOUND"));
  EXPECT_EQ(s.NextRequest(), "nothing");
}

// In one request, unsubscribing and subscribing would have no effect. A server that remembers what
// it sent would not send the resource again without an unsubscription.
TEST(DeltaSubscription, NameIsUnsubscribedBeforeItIsSubscribedAgain) {
  ScenarioOptions options = Delta();
  options.servers.push_back(ServerConfig{"server2"});
  options.servers[1].delta = true;
  options.authorities["a"] = {options.servers[1]};
  Scenario s(options);
  Server &second = s.server("server2");
  s.Watch(kFoo, "xdstp://a/test.v3.Foo/x");
  EXPECT_EQ(second.NextRequest(), "Foo +xdstp://a/test.v3.Foo/x node");
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().FailChannel("refused");
  EXPECT_EQ(second.NextRequest(), "Foo +foo1");
  second.HoldSends();
  s.Watch(kBar, "xdstp://a/test.v3.Bar/y");
  EXPECT_EQ(second.NextRequest(), "Bar +xdstp://a/test.v3.Bar/y");
  s.server().RespondDelta(kFoo, {{"other", "1", "other=1"}});  // the first server works again
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  s.server().FailChannel("refused");  // it fails again before the request to the second is sent
  second.ReleaseSend();
  EXPECT_EQ(second.NextRequest(), "Foo -foo1");
  second.ReleaseSend();
  EXPECT_EQ(second.NextRequest(), "Foo +foo1");
  second.ReleaseSend();
  EXPECT_EQ(second.NextRequest(), "nothing");
  s.Forgive();
}

TEST(DeltaSubscription, NameThatCameBackWhileNothingCouldBeSentIsNotSent) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.server().HoldSends();
  s.Watch(kFoo, "foo2");
  EXPECT_EQ(s.NextRequest(), "Foo +foo2");
  s.Cancel(foo1);
  Watcher &again = s.Watch(kFoo, "foo1");
  EXPECT_EQ(again.Next(), "foo1=1");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 ACKED 1 foo1=1 watchers=1\n"));
  s.Forgive();
}

TEST(DeltaSubscription, TheWildcardIsNeverSubscribed) {
  Scenario s(Delta());
  Watcher &star = s.Watch(kFoo, "*");
  EXPECT_THAT(star.Next(), HasSubstr("would ask an xDS server for everything"));
  EXPECT_EQ(s.NextRequest(), "nothing");
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1");
  s.Cancel(foo1);
  EXPECT_EQ(s.NextRequest(), "Foo -foo1");
  s.server().CloseStream();
  s.Advance(2 * GXDS_SECOND);
  // No request for Foo, which without names would request everything.
  EXPECT_EQ(s.NextRequest(), "Bar +bar1 node");
  s.Forgive();
}

TEST(DeltaSubscription, FederatedNamesAreCanonicalWhereverTheyComeFrom) {  // A47
  ScenarioOptions options = Delta();
  ServerConfig other;
  other.uri = "server2";
  other.delta = true;
  options.authorities["a"] = {other};
  Scenario s(options);
  Watcher &w = s.Watch(kFoo, "xdstp://a/test.v3.Foo/x?b=2&a=1");
  Server &server = s.server("server2");
  EXPECT_EQ(server.NextRequest(), "Foo +xdstp://a/test.v3.Foo/x?a=1&b=2 node");
  server.RespondDelta(kFoo,
                      {{"xdstp://a/test.v3.Foo/x?b=2&a=1", "1", "xdstp://a/test.v3.Foo/x=1"}});
  EXPECT_EQ(server.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(w.Next(), "xdstp://a/test.v3.Foo/x=1");
  server.RespondDelta(kFoo, {}, {"xdstp://a/test.v3.Foo/x?b=2&a=1"});
  EXPECT_EQ(server.NextRequest(), "Foo nonce=n2");
  EXPECT_THAT(w.Next(), HasSubstr("ambient NOT_FOUND"));
}

TEST(DeltaResponse, NackHasAllErrorsAndGoodResourcesAreUsed) {  // A46
  Scenario s(Delta());
  std::vector<Watcher *> w =
      s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}, {&kFoo, "foo3"}, {&kFoo, "foo4"}});
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2 +foo3 +foo4 node");
  s.server().RespondDelta(
      kFoo, {{"foo1", "1", "foo1=bad"}, {"foo2", "1", "foo2=7"}, {"foo3", "1", "?"}}, {"foo4"});
  EXPECT_EQ(s.NextRequest(),
            "Foo nonce=n1 NACK 3: xDS response validation errors: [resource index 0: foo1: "
            "INVALID_ARGUMENT: errors validating Foo resource: [field:value error:bad]; resource "
            "index 2: foo3: INVALID_ARGUMENT: Can't parse Foo resource.]");
  EXPECT_THAT(w[0]->Next(), HasSubstr("error UNAVAILABLE: invalid resource"));
  EXPECT_EQ(w[1]->Next(), "foo2=7");
  EXPECT_THAT(w[2]->Next(), HasSubstr("Can't parse Foo resource."));
  EXPECT_THAT(w[3]->Next(), HasSubstr("error NOT_FOUND: does not exist"));
  s.server().RespondDelta(kFoo, {{"foo1", "2", "foo1=1"}, {"foo3", "2", "foo3=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  EXPECT_EQ(w[0]->Next(), "foo1=1");
  EXPECT_EQ(w[2]->Next(), "foo3=1");
}

TEST(DeltaResponse, AbsenceDeletesNothing) {
  Scenario s(Delta());
  std::vector<Watcher *> w = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 +foo2 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}, {"foo2", "1", "foo2=1"}});
  s.server().RespondDelta(kFoo, {{"foo2", "2", "foo2=2"}});
  s.server().RespondDelta(kFoo, {});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n3");
  EXPECT_EQ(w[0]->Next(), "foo1=1");
  EXPECT_EQ(w[1]->Next(), "foo2=1");
  EXPECT_EQ(w[1]->Next(), "foo2=2");
}

TEST(DeltaResponse, RemovalIsAnAmbientErrorForEveryType) {  // A53, A88
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  s.server().RespondDelta(kBar, {{"bar1", "1", "bar1=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(s.NextRequest(), "Bar nonce=n2");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_EQ(bar1.Next(), "bar1=1");
  s.server().RespondDelta(kFoo, {}, {"foo1"});
  s.server().RespondDelta(kBar, {}, {"bar1", "nobody", ""});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n3");
  EXPECT_EQ(s.NextRequest(), "Bar nonce=n4");
  EXPECT_THAT(foo1.Next(), HasSubstr("ambient NOT_FOUND: resource deleted (xDS server server1)"));
  EXPECT_THAT(bar1.Next(), HasSubstr("ambient NOT_FOUND: resource deleted (xDS server server1)"));
  EXPECT_TRUE(s.Logged("xds server server1: deleted: Bar bar1"));
  s.server().RespondDelta(kBar, {{"bar1", "1", "bar1=1"}});  // it returns with the same contents
  EXPECT_EQ(s.NextRequest(), "Bar nonce=n5");
  EXPECT_EQ(bar1.Next(), "ambient OK");
}

TEST(DeltaResponse, RemovalDropsTheResourceWhereDataErrorsFail) {  // A88
  ScenarioOptions options = Delta();
  options.servers[0].fail_on_data_errors = true;
  Scenario s(options);
  Watcher &bar1 = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar +bar1 node");
  s.server().RespondDelta(kBar, {{"bar1", "1", "bar1=1"}});
  s.server().RespondDelta(kBar, {}, {"bar1"});
  EXPECT_EQ(s.NextRequest(), "Bar nonce=n1");
  EXPECT_EQ(s.NextRequest(), "Bar nonce=n2");
  EXPECT_EQ(bar1.Next(), "bar1=1");
  EXPECT_THAT(bar1.Next(), HasSubstr("error NOT_FOUND: resource deleted"));
}

TEST(DeltaResponse, RemovalOfWhatNeverCameEndsTheWaitForIt) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  // For servers that do not report missing resources.
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.server().RespondDelta(kFoo, {}, {"foo1"});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_THAT(foo1.Next(), HasSubstr("error NOT_FOUND: does not exist"));
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 DOES_NOT_EXIST failed"));
  s.server().RespondDelta(kFoo, {}, {"foo1"});  // removed twice, notified once
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n3");
  EXPECT_EQ(foo1.Next(), "foo1=1");
}

// The protocol: "a Resource whose name field matches the name that the client subscribed to and
// whose resource field is unset".
TEST(DeltaResponse, AResourceWithoutContentsDoesNotExist) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "", ""}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_THAT(foo1.Next(), HasSubstr("error NOT_FOUND: does not exist"));
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  EXPECT_EQ(foo1.Next(), "foo1=1");
}

TEST(DeltaResponse, RemovedAndAddedInOneBreathIsThere) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}}, {"foo1"});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.server().RespondDelta(kFoo, {{"foo1", "2", "foo1=2"}}, {"foo1"});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  EXPECT_EQ(foo1.Next(), "foo1=2");
}

TEST(DeltaResponse, ResendsAreTolerated) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  EXPECT_EQ(s.NextRequest(), "Foo +foo2");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}, {"foo2", "1", "foo2=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_EQ(foo2.Next(), "foo2=1");
  size_t decoded = g_decode_count;
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});  // a known resource
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  EXPECT_EQ(g_decode_count, decoded);
  s.Cancel(foo2);
  EXPECT_EQ(s.NextRequest(), "Foo -foo2");
  // A resource that was just unsubscribed.
  s.server().RespondDelta(kFoo, {{"foo2", "2", "foo2=2"}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n3");
  s.server().RespondDelta(kFoo, {}, {"foo2"});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n4");
}

TEST(DeltaResponse, ResourceIsFoundByItsAliases) {
  Scenario s(Delta());
  std::vector<Watcher *> w = s.WatchTogether({{&kFoo, "alias1"}, {&kFoo, "alias2"}});
  EXPECT_EQ(s.NextRequest(), "Foo +alias1 +alias2 node");
  s.server().RespondDelta(kFoo, {{"real", "1", "real=1", 0, {"alias1", "alias2", "nobody"}}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(w[0]->Next(), "real=1");
  EXPECT_EQ(w[1]->Next(), "real=1");
  s.server().RespondDelta(kFoo, {{"real", "2", "real=bad", 0, {"alias1", "alias2"}}});
  EXPECT_THAT(s.NextRequest(), HasSubstr("Foo nonce=n2 NACK 3: "));
  EXPECT_THAT(w[0]->Next(), HasSubstr("ambient UNAVAILABLE: invalid resource"));
  EXPECT_THAT(w[1]->Next(), HasSubstr("ambient UNAVAILABLE: invalid resource"));
  s.server().RespondDelta(kFoo, {{"real", "3", "real=3", 0, {"alias1"}}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n3");
  EXPECT_EQ(w[0]->Next(), "real=3");
  s.server().RespondDelta(kFoo, {}, {"real"});  // it is removed under all names
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n4");
  EXPECT_THAT(w[0]->Next(), HasSubstr("ambient NOT_FOUND"));
  EXPECT_THAT(w[1]->Next(), HasSubstr("ambient NOT_FOUND"));
}

TEST(DeltaResponse, ResourceUnderItsOwnNameIsNoAliasAnyMore) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"real", "1", "real=1", 0, {"foo1"}}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "real=1");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "real=1"}});  // the same bytes
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  s.server().RespondDelta(kFoo, {}, {"real"});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n3");
  EXPECT_EQ(foo1.Next(), "nothing");
  s.server().RespondDelta(kFoo, {}, {"foo1"});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n4");
  EXPECT_THAT(foo1.Next(), HasSubstr("ambient NOT_FOUND"));
}

TEST(DeltaResponse, TooManyAliasesAreRefused) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  std::vector<std::string> aliases;
  for (int i = 0; i < 101; i++) aliases.push_back("alias" + std::to_string(i));
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1", 0, aliases}});
  EXPECT_EQ(s.NextRequest(),
            "Foo nonce=n1 NACK 3: xDS response validation errors: [resource index 0: foo1: more "
            "than 100 aliases]");
  EXPECT_THAT(foo1.Next(), HasSubstr("invalid resource: more than 100 aliases"));
}

TEST(DeltaResponse, NackFitsIntoWhatServersTake) {
  Scenario s(Delta());
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  std::vector<Item> items;
  for (int i = 0; i < 100; i++) {
    items.push_back({std::to_string(i) + std::string(7000, 1), "1", "x=bad"});
  }
  s.server().RespondDelta(kFoo, items);
  std::string nack = s.NextRequest();
  EXPECT_LT(nack.size(), 2000000u);
  EXPECT_THAT(nack, HasSubstr(" more]"));
  s.ForgiveTimers();
}

TEST(DeltaResponse, VersionThatIsTooLongIsRefused) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", std::string(20000, 'v'), "foo1=1"}});
  EXPECT_EQ(s.NextRequest(),
            "Foo nonce=n1 NACK 3: xDS response validation errors: [resource index 0: foo1: version "
            "too long]");
  EXPECT_THAT(foo1.Next(), HasSubstr("invalid resource: version too long"));
}

TEST(DeltaResponse, BytesThatAreNoResponseAreIgnored) {
  Scenario s(Delta());
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().SendRaw("\x0a\xff nonsense");
  EXPECT_TRUE(s.Logged("Can't decode DeltaDiscoveryResponse."));
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_TRUE(s.server().wants_message());
  s.ForgiveTimers();
}

TEST(DeltaResponse, ErrorOfOneResourceIsReported) {  // xRFC TP3
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().SendRaw(DeltaResponse(kFoo, "n1", {}) +
                     Field(9, Render(ResourceError{"foo1", GXDS_PERMISSION_DENIED, "not yours"})));
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_THAT(foo1.Next(), HasSubstr("error PERMISSION_DENIED: xDS server server1 reports: not "
                                     "yours"));
}

TEST(DeltaResponse, ResourceOfAnotherTypeIsInvalidForItsAliasesToo) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"real", "1", "real=1", 0, {"foo1"}, &kBar}});
  EXPECT_EQ(s.NextRequest(),
            "Foo nonce=n1 NACK 3: xDS response validation errors: [resource index 0: real: "
            "incorrect resource type test.v3.Bar (should be test.v3.Foo)]");
  EXPECT_THAT(foo1.Next(), HasSubstr("invalid resource: incorrect resource type test.v3.Bar"));
}

}  // namespace
}  // namespace gxds_test
