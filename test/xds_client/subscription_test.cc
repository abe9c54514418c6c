// Subscriptions: requests, their contents and their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Subscription, ClientWithoutWatchesDoesNothing) {
  Scenario s;
  s.Together([] {});
  EXPECT_THAT(s.TakeTrace(), IsEmpty());
  EXPECT_EQ(s.Dump(), "");
  EXPECT_EQ(gxds_client_watch_count(s.client()), 0u);
}

TEST(Subscription, FirstWatchConnectsOpensRequestsAndReads) {
  Scenario s;
  s.Watch(kFoo, "foo1");
  EXPECT_THAT(s.TakeTrace(), ElementsAre("CONNECT server1", "OPEN server1", "SEND", "READ"));
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.Dump(), "Foo foo1 REQUESTED watchers=1\n");
  s.ForgiveTimers();
}

TEST(Subscription, OnlyTheFirstRequestOfAStreamCarriesTheNode) {  // A27.13
  Scenario s;
  s.Watch(kFoo, "foo1");
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.server().CloseStream();
  s.Advance(2 * GXDS_SECOND);
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.Forgive();
}

TEST(Subscription, AckCarriesVersionAndNonce) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.Respond(kFoo, "v1", {"foo1=6"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=v1 nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=6");
  s.Respond(kFoo, "v2", {"foo1=7"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=v2 nonce=n2");
  EXPECT_EQ(foo1.Next(), "foo1=7");
  EXPECT_EQ(s.Dump(), "Foo foo1 ACKED v2 foo1=7 watchers=1\n");
}

// The cost of an ACK does not grow with the number of subscribed names.
TEST(Subscription, AnAckHasTheListOfNamesOfTheRequestBeforeItUncopied) {
  Scenario s;
  s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] node");
  const gxds_block *names = s.server().request_rest();
  ASSERT_NE(names, nullptr);
  for (const char *nonce : {"n1", "n2"}) {
    s.Respond(kFoo, "v1", {"foo1=6", "foo2=7"});
    EXPECT_EQ(s.NextRequest(), std::string("Foo [foo1 foo2] version=v1 nonce=") + nonce);
    EXPECT_EQ(s.server().request_rest(), names);
  }
  s.Forgive();
}

TEST(Subscription, TheHeadOfAnAckHasNoNames) {
  size_t sizes[2];
  for (int i : {0, 1}) {
    Scenario s;
    std::vector<std::pair<const gxds_resource_type *, std::string>> wanted;
    for (int n = 0; n < (i == 0 ? 1 : 1000); n++) wanted.push_back({&kFoo, std::to_string(n)});
    s.WatchTogether(wanted);
    s.Respond(kFoo, "v1", {"0=6"});
    sizes[i] = s.server().request_head_bytes();
    s.Forgive();
  }
  EXPECT_EQ(sizes[0], sizes[1]);
}

TEST(Subscription, AListOfNamesThatIsStillHeldIsNeverChanged) {
  Scenario s;
  s.Watch(kFoo, "foo1");
  const gxds_block *names = gxds_block_ref(s.server().request_rest());
  const std::string bytes = String(gxds_block_str(names));
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  EXPECT_NE(s.server().request_rest(), names);
  s.Cancel(foo2);
  EXPECT_NE(s.server().request_rest(), names);
  EXPECT_EQ(String(gxds_block_str(names)), bytes);
  gxds_block_unref(names);
  s.Forgive();
}

TEST(Subscription, VersionAndNonceAreThoseOfTheType) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.Respond(kFoo, "f1", {"foo1=1"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=f1 nonce=n1");
  s.Respond(kBar, "b1", {"bar1=1"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar1] version=b1 nonce=n2");
  s.Watch(kFoo, "foo2");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=f1 nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_EQ(bar1.Next(), "bar1=1");
  s.ForgiveTimers();
}

TEST(Subscription, WatchesMadeTogetherGoOutInOneRequestPerType) {
  Scenario s;
  s.WatchTogether({{&kBar, "bar1"}, {&kFoo, "foo1"}, {&kBar, "bar2"}, {&kFoo, "foo2"}});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] node");  // the types in their fixed order
  EXPECT_EQ(s.NextRequest(), "Bar [bar1 bar2]");
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.ForgiveTimers();
}

TEST(Subscription, NamesAreInTheOrderOfSubscription) {  // A28.35
  Scenario s;
  s.WatchTogether({{&kFoo, "zebra"}, {&kFoo, "ape"}, {&kFoo, "mole"}});
  EXPECT_EQ(s.NextRequest(), "Foo [zebra ape mole] node");
  s.ForgiveTimers();
}

TEST(Subscription, SecondWatchOfAResourceSendsNothing) {  // A28.34, A37.8
  Scenario s;
  s.Watch(kFoo, "foo1");
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_EQ(s.Dump(), "Foo foo1 REQUESTED watchers=2\n");
  EXPECT_EQ(gxds_client_watch_count(s.client()), 2u);
  s.ForgiveTimers();
}

TEST(Subscription, LaterWatchGetsWhatIsCachedAtOnce) {  // A28.34
  Scenario s;
  Watcher &first = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.Respond(kFoo, "1", {"foo1=6"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 nonce=n1");
  EXPECT_EQ(first.Next(), "foo1=6");
  Watcher &second = s.Watch(kFoo, "foo1");
  EXPECT_EQ(second.Next(), "foo1=6");
  EXPECT_EQ(s.NextRequest(), "nothing");
}

TEST(Subscription, SameNameOfTwoTypesIsTwoResources) {  // A27.1
  Scenario s;
  Watcher &foo = s.Watch(kFoo, "same");
  Watcher &bar = s.Watch(kBar, "same");
  EXPECT_EQ(s.NextRequest(), "Foo [same] node");
  EXPECT_EQ(s.NextRequest(), "Bar [same]");
  s.Respond(kFoo, "1", {"same=foo"});
  s.Respond(kBar, "1", {"same=bar"});
  EXPECT_EQ(foo.Next(), "same=foo");
  EXPECT_EQ(bar.Next(), "same=bar");
  s.Forgive();
}

TEST(Subscription, EndOfOneOfTwoWatchesSendsNothing) {  // A28.37
  Scenario s;
  Watcher &first = s.Watch(kFoo, "foo1");
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.Cancel(first);
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_EQ(s.Dump(), "Foo foo1 REQUESTED watchers=1\n");
  s.ForgiveTimers();
}

TEST(Subscription, EndOfAResourceRequestsTheRest) {  // A28.38
  Scenario s;
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] node");
  s.Cancel(*watchers[0]);
  EXPECT_EQ(s.NextRequest(), "Foo [foo2]");
  EXPECT_EQ(s.Dump(), "Foo foo2 REQUESTED watchers=1\n");
  s.ForgiveTimers();
}

TEST(Subscription, EndOfTheLastResourceOfATypeSendsAnEmptyList) {  // A28.39
  Scenario s;
  s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.Cancel(bar1);
  EXPECT_EQ(s.NextRequest(), "Bar []");
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.ForgiveTimers();
}

TEST(Subscription, TypeNeverStartsWithAnEmptyList) {
  Scenario s;
  s.server().HoldSends();
  s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.Cancel(bar1);
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.ForgiveTimers();
}

TEST(Subscription, ReconnectDoesNotStartATypeWithAnEmptyList) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 nonce=n1");
  s.Cancel(bar1);
  EXPECT_EQ(s.NextRequest(), "Bar []");
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.ForgiveTimers();
}

TEST(Subscription, ResponseOfATypeThatWasNotRequestedGetsNoAck) {
  Scenario s;
  s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.Respond(kBar, "1", {"bar1=1"});
  EXPECT_EQ(s.NextRequest(), "nothing");  // an ACK would request every Bar
  EXPECT_TRUE(s.server().wants_message());
  s.ForgiveTimers();
}

TEST(Subscription, EndOfTheLastWatchClosesStreamAndChannel) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.TakeTrace();
  s.Cancel(foo1);
  EXPECT_THAT(s.TakeTrace(), ElementsAre("CLOSE server1", "DISCONNECT server1"));
  EXPECT_EQ(s.Dump(), "");
  s.Watch(kFoo, "foo1");
  EXPECT_THAT(s.TakeTrace(), ElementsAre("CONNECT server1", "OPEN server1", "SEND", "READ"));
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.ForgiveTimers();
}

TEST(Subscription, WatchThatEndsBeforeTheDrainLeavesNoTrace) {
  Scenario s;
  s.Together([&] { s.Cancel(s.Watch(kFoo, "foo1")); });
  EXPECT_THAT(s.TakeTrace(), IsEmpty());
}

TEST(Subscription, LastWatchReplacedBeforeTheDrainKeepsTheStream) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.TakeTrace();
  s.Together([&] {
    s.Cancel(foo1);
    s.Watch(kFoo, "foo2");
  });
  EXPECT_THAT(s.TakeTrace(), ElementsAre("SEND"));
  EXPECT_EQ(s.NextRequest(), "Foo [foo2]");
  s.ForgiveTimers();
}

// In one request nothing would change for the server, so it would not send the resource again.
TEST(Subscription, ResourceWatchedAgainBeforeTheDrainIsStillCached) {
  Scenario s;
  Watcher &first = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.Respond(kFoo, "1", {"foo1=6"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 nonce=n1");
  EXPECT_EQ(first.Next(), "foo1=6");
  Watcher *second = nullptr;
  s.Together([&] {
    s.Cancel(first);
    EXPECT_EQ(s.Dump(), "");
    second = &s.Watch(kFoo, "foo1");
  });
  EXPECT_EQ(second->Next(), "foo1=6");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 nonce=n1");
}

TEST(Subscription, ResourceWatchedAgainBeforeItsEndWasSentIsStillCached) {
  Scenario s;
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] node");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=1 nonce=n1");
  EXPECT_EQ(watchers[0]->Next(), "foo1=1");
  EXPECT_EQ(watchers[1]->Next(), "foo2=2");
  s.server().HoldSends();
  Watcher &foo3 = s.Watch(kFoo, "foo3");  // its SEND is outstanding now
  s.Cancel(*watchers[0]);
  Watcher &again = s.Watch(kFoo, "foo1");
  EXPECT_EQ(again.Next(), "foo1=1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2 foo3] version=1 nonce=n1");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo [foo2 foo3 foo1] version=1 nonce=n1");
  s.Cancel(foo3);
  s.Forgive();
}

TEST(Subscription, ResourceWatchedAgainAfterItsEndWasSentIsRequestedAgain) {  // A28.40
  Scenario s;
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] node");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=1 nonce=n1");
  EXPECT_EQ(watchers[0]->Next(), "foo1=1");
  EXPECT_EQ(watchers[1]->Next(), "foo2=2");
  s.Cancel(*watchers[0]);
  EXPECT_EQ(s.NextRequest(), "Foo [foo2] version=1 nonce=n1");
  Watcher &again = s.Watch(kFoo, "foo1");
  EXPECT_EQ(again.Next(), "nothing");
  EXPECT_EQ(s.NextRequest(), "Foo [foo2 foo1] version=1 nonce=n1");
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.ForgiveTimers();
}

// bar1 was received and unsubscribed, and the server got the request without it.
struct GivenUp : Scenario {
  GivenUp() {
    Forgive();
    ForgiveTimers();
    auto watchers = WatchTogether({{&kBar, "bar1"}, {&kBar, "bar2"}});
    Respond(kBar, "1", {"bar1=1", "bar2=2"});
    EXPECT_EQ(NextRequest(), "Bar [bar1 bar2] node");
    EXPECT_EQ(NextRequest(), "Bar [bar1 bar2] version=1 nonce=n1");
    Cancel(*watchers[0]);
    EXPECT_EQ(NextRequest(), "Bar [bar2] version=1 nonce=n1");
  }
};

// A server that sent n2 before it received the request with n1 ignores that request. It would
// assume that the client has had bar1 all the time.
TEST(Subscription, NameRequestedAgainIsLeftOutOfTheAckOfWhatCrossedIt) {
  GivenUp s;
  Watcher &again = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=1 nonce=n1");
  s.Respond(kBar, "2", {"bar2=3"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2] version=2 nonce=n2");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=2 nonce=n2");
  s.Respond(kBar, "2", {"bar1=1"});
  EXPECT_EQ(again.Next(), "bar1=1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=2 nonce=n3");
  s.Respond(kBar, "3", {"bar2=4"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=3 nonce=n4");
  EXPECT_EQ(s.NextRequest(), "nothing");
}

TEST(Subscription, NameRequestedAgainHasNoMoreTimeThanOthers) {  // A57
  GivenUp s;
  Watcher &again = s.Watch(kBar, "bar1");
  for (int i = 1; i <= 7; i++) {
    s.Advance(2 * GXDS_SECOND);
    s.Respond(kBar, "2", {"bar2=" + std::to_string(i)});
  }
  EXPECT_EQ(again.Next(), "nothing");
  s.Advance(GXDS_SECOND);
  EXPECT_THAT(again.Next(), HasSubstr("NOT_FOUND: does not exist"));
  while (s.server().HasRequest()) s.NextRequest();
  s.Respond(kBar, "3", {"bar2=8"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=3 nonce=n9");
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
}

// Its time ends before the second request is sent. The watcher is notified after that.
TEST(Subscription, NameRequestedAgainDuringASendDoesNotFailBeforeItsRequest) {  // A57
  GivenUp s;
  Watcher &again = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=1 nonce=n1");
  s.server().HoldSends();
  s.Watch(kFoo, "foo1");
  s.Respond(kBar, "2", {"bar2=3"});
  s.Advance(20 * GXDS_SECOND);
  EXPECT_EQ(s.NextRequest(), "Foo [foo1]");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2] version=2 nonce=n2");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=2 nonce=n2");
  EXPECT_EQ(again.Next(), "nothing");
  s.server().ReleaseSend();
  s.Advance(0);
  EXPECT_THAT(again.Next(), HasSubstr("NOT_FOUND: does not exist"));
}

// The same, if its time ends while that request is being sent.
TEST(Subscription, NameRequestedAgainDoesNotFailWhileItsRequestIsSent) {  // A57
  GivenUp s;
  Watcher &again = s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=1 nonce=n1");
  s.server().HoldSends();
  s.Respond(kBar, "2", {"bar2=3"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2] version=2 nonce=n2");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=2 nonce=n2");
  s.Advance(20 * GXDS_SECOND);
  EXPECT_EQ(again.Next(), "nothing");
  s.server().ReleaseSend();
  s.Advance(0);
  EXPECT_THAT(again.Next(), HasSubstr("NOT_FOUND: does not exist"));
}

// Like Istio, which responds to each request that adds a name; here it does not have the resource.
TEST(Subscription, NameRequestedAgainIsSentOnceMoreToAServerThatResponds) {
  GivenUp s;
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=1 nonce=n1");
  s.Respond(kBar, "2", {"bar2=2"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2] version=2 nonce=n2");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=2 nonce=n2");
  s.Respond(kBar, "3", {"bar2=2"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=3 nonce=n3");
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.Respond(kBar, "4", {});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=4 nonce=n4");
  EXPECT_EQ(s.NextRequest(), "nothing");
}

TEST(Subscription, OrderOfAResponseIsNoChangeToANameRequestedAgain) {
  GivenUp s;
  s.Watch(kBar, "bar1");
  s.Watch(kBar, "bar3");
  s.Respond(kBar, "2", {"bar2=2", "bar3=3"});
  while (s.server().HasRequest()) s.NextRequest();
  s.Respond(kBar, "2", {"bar3=3", "bar2=2"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar3 bar1] version=2 nonce=n3");
  EXPECT_EQ(s.NextRequest(), "nothing");
}

// Each response has other bytes. It might have crossed the request, but not forever.
TEST(Subscription, NameRequestedAgainIsSentTenTimesAtMost) {
  GivenUp s;
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=1 nonce=n1");
  for (int i = 0; i < 10; i++) {
    s.Respond(kBar, "2", {"bar2=" + std::to_string(i)});
    EXPECT_THAT(s.NextRequest(), StartsWith("Bar [bar2] version=2 ")) << i;
    EXPECT_THAT(s.NextRequest(), StartsWith("Bar [bar2 bar1] version=2 ")) << i;
  }
  s.Respond(kBar, "2", {"bar2=10"});
  EXPECT_THAT(s.NextRequest(), StartsWith("Bar [bar2 bar1] version=2 "));
  EXPECT_EQ(s.NextRequest(), "nothing");
}

TEST(Subscription, NameRequestedAgainBeforeAnAckIsSentAfterIt) {
  GivenUp s;
  s.server().HoldSends();
  s.Watch(kFoo, "foo1");
  s.Respond(kBar, "2", {"bar1=5"});  // this crossed the request that ended bar1
  s.Watch(kBar, "bar1");
  s.Watch(kBar, "bar3");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1]");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2] version=2 nonce=n2");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1 bar3] version=2 nonce=n2");
}

// The watch that ended without a request in between does not change what the server believes.
TEST(Subscription, NameWatchedAgainTwiceBeforeARequestIsLeftOutOfTheAckToo) {
  GivenUp s;
  s.server().HoldSends();
  s.Watch(kFoo, "foo1");
  s.Cancel(s.Watch(kBar, "bar1"));
  EXPECT_EQ(s.NextRequest(), "Foo [foo1]");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2] version=1 nonce=n1");
  s.Respond(kBar, "2", {"bar1=5"});  // this crossed both requests without bar1
  s.Watch(kBar, "bar1");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2] version=2 nonce=n2");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=2 nonce=n2");
}

TEST(Subscription, NameRequestedAgainOnANewStreamIsRequestedAsAnyOther) {
  GivenUp s;
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Bar [bar2] version=1 node");
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=1");
  s.Respond(kBar, "2", {"bar2=3"});
  EXPECT_EQ(s.NextRequest(), "Bar [bar2 bar1] version=2 nonce=n1");
  EXPECT_EQ(s.NextRequest(), "nothing");
}

TEST(Subscription, ChangesDuringASendGoOutAsOneRequestAfterIt) {
  Scenario s;
  s.server().HoldSends();
  s.Watch(kFoo, "foo1");
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  s.Watch(kFoo, "foo3");
  s.Cancel(foo2);
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo3]");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.ForgiveTimers();
}

TEST(Subscription, AckAndNewNamesAreOneRequest) {
  Scenario s;
  s.server().HoldSends();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.Respond(kFoo, "1", {"foo1=6"});
  s.Watch(kFoo, "foo2");
  EXPECT_EQ(s.NextRequest(), "nothing");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=1 nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=6");
  s.server().ReleaseSend();
  s.ForgiveTimers();
}

TEST(Subscription, TwoResponsesDuringASendAreOneAckOfTheNewer) {
  Scenario s;
  s.server().HoldSends();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.Respond(kFoo, "1", {"foo1=bad"});
  s.Respond(kFoo, "2", {"foo1=6"});
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=2 nonce=n2");  // no NACK of the older response
  s.server().ReleaseSend();
  EXPECT_THAT(foo1.Next(), ::testing::StartsWith("error UNAVAILABLE: invalid resource: "));
  EXPECT_EQ(foo1.Next(), "foo1=6");
}

TEST(Subscription, BusyTypeStarvesNoOther) {
  Scenario s;
  s.server().HoldSends();
  s.Watch(kFoo, "foo1");
  s.Watch(kBar, "bar1");
  s.Watch(kFoo, "foo2");
  s.server().ReleaseSend();
  s.Watch(kFoo, "foo3");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2 foo3]");
  s.server().ReleaseSend();
  s.ForgiveTimers();
}

TEST(Subscription, WhatANotifiedWatcherWatchesGoesOutWithTheAck) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.WhenNotified(foo1, [&] {
    s.Watch(kFoo, "foo2");
    s.Watch(kBar, "bar1");
  });
  s.TakeTrace();
  s.Respond(kFoo, "1", {"foo1=6"});
  EXPECT_THAT(s.TakeTrace(), ElementsAre("NOTIFY", "SEND", "READ", "SEND"));
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=1 nonce=n1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  EXPECT_EQ(foo1.Next(), "foo1=6");
  s.ForgiveTimers();
}

TEST(Subscription, EndedWatchIsNotNotifiedOfWhatWasQueued) {
  Scenario s;
  Watcher &first = s.Watch(kFoo, "foo1");
  Watcher &second = s.Watch(kFoo, "foo1");
  s.WhenNotified(first, [&] { s.Cancel(second); });
  s.Respond(kFoo, "1", {"foo1=6"});
  EXPECT_EQ(first.Next(), "foo1=6");
  EXPECT_EQ(second.Next(), "nothing");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 nonce=n1");
}

TEST(Subscription, WatchThatTakesThePlaceOfAnEndedOneIsAnother) {
  Scenario s;
  Watcher &first = s.Watch(kFoo, "foo1");
  Watcher &second = s.Watch(kFoo, "foo1");
  s.Cancel(first);
  Watcher &third = s.Watch(kFoo, "foo1");
  s.Cancel(second);
  s.Respond(kFoo, "1", {"foo1=6"});
  EXPECT_EQ(third.Next(), "foo1=6");
  EXPECT_EQ(first.Next(), "nothing");
  EXPECT_EQ(second.Next(), "nothing");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 nonce=n1");
}

TEST(Subscription, UnknownIdsAreIgnored) {
  Scenario s;
  gxds_client_unwatch(s.client(), 0, s.now());
  gxds_client_unwatch(s.client(), 77, s.now());
  gxds_status gone = gxds_status_ok();
  gxds_client_on_sent(s.client(), 0, s.now());
  gxds_client_on_sent(s.client(), 77, s.now());
  gxds_client_on_message(s.client(), 77, "", 0, s.now());
  gxds_client_on_stream_closed(s.client(), 0, &gone, s.now());
  gxds_client_on_channel_failed(s.client(), 77, &gone, s.now());
  s.Together([] {});
  EXPECT_THAT(s.TakeTrace(), IsEmpty());
}

TEST(Subscription, ClientEndsWithEverythingUnderWay) {
  Scenario s;
  s.server().HoldSends();
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Watch(kFoo, "");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.Watch(kBar, "bar1");
  gxds_client_watch(s.client(), &kFoo, gxds_str_z("foo1"), {nullptr, 0, 0}, s.now());
  s.Forgive();  // the test ends without a drain, with a queued action that holds a resource
}

}  // namespace
}  // namespace gxds_test
