// Time to live: resources that a server does not renew end, in both protocols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

ScenarioOptions Delta() {
  ScenarioOptions options;
  options.servers[0].delta = true;
  return options;
}

TEST(Ttl, ResourceThatIsNotRenewedEnds) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1", 2.5}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_EQ(s.UntilDeadline(), 2500 * GXDS_MILLISECOND);
  s.Advance(2 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Advance(GXDS_SECOND);
  EXPECT_THAT(foo1.Next(),
              HasSubstr("error NOT_FOUND: does not exist: its ttl ended, the server did "
                        "not renew it (xDS server server1)"));
  EXPECT_TRUE(s.Logged("xds server server1: ttl ended: Foo foo1"));
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 DOES_NOT_EXIST failed 1"));
}

TEST(Ttl, HeartbeatRenewsWithoutTheResource) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1", 2}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  for (int i = 2; i < 5; i++) {
    s.Advance(GXDS_SECOND);
    s.server().RespondDelta(kFoo, {{"foo1", "1", "", 2}});
    EXPECT_EQ(s.NextRequest(), "Foo nonce=n" + std::to_string(i));
    EXPECT_EQ(s.UntilDeadline(), 2 * GXDS_SECOND);
  }
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1"}});  // without a TTL it stays
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n5");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
}

TEST(Ttl, HeartbeatRenewsWhatCameByAnAlias) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"real", "1", "real=1", 2, {"foo1"}}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "real=1");
  s.Advance(GXDS_SECOND);
  s.server().RespondDelta(kFoo, {{"real", "1", "", 2, {"foo1"}}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n2");
  EXPECT_EQ(s.UntilDeadline(), 2 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), "nothing");
  s.ForgiveTimers();
}

TEST(Ttl, HeartbeatOfAnotherVersionIsRefused) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1", 2}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.server().RespondDelta(kFoo, {{"foo1", "2", "", 2}, {"nobody", "1", "", 2}});
  EXPECT_EQ(s.NextRequest(),
            "Foo nonce=n2 NACK 3: xDS response validation errors: [resource index 0: foo1: "
            "resource: must be set, since version \"2\" is not the one in use]");
  s.ForgiveTimers();
}

/* Otherwise the server would be told that the client holds a resource that has ended, and send
 * nothing. */
TEST(Ttl, EndTakesBackAVersionThatIsNotYetOnItsWay) {
  for (bool delta : {false, true}) {
    Scenario s(delta ? Delta() : ScenarioOptions());
    s.Forgive();
    s.Watch(kFoo, "foo1");
    EXPECT_EQ(s.NextRequest(), delta ? "Foo +foo1 node" : "Foo [foo1] node");
    if (delta) s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1", 2}});
    if (!delta) s.server().Send(kFoo.type_url, "1", {Wrapped(kFoo, Item{"foo1", "", "foo1=1", 2})});
    s.NextRequest();
    s.server().HoldSends();
    s.server().RestartStream();
    EXPECT_EQ(s.NextRequest(), delta ? "Foo +foo1@1 node" : "Foo [foo1] version=1 node");
    s.Advance(2 * GXDS_SECOND);
    EXPECT_EQ(s.NextRequest(), delta ? "Foo +foo1 node" : "Foo [foo1] node");
  }
}

/* The claims of an ended stream are not claims of the next one. */
TEST(Ttl, EndWithoutAStreamTakesNoVersionBack) {
  Scenario s;
  s.Forgive();
  s.Watch(kFoo, "foo1");
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
  s.server().Send(kFoo.type_url, "1", {Bare(kFoo, "foo1=1")});
  s.server().Send(kBar.type_url, "1", {Wrapped(kBar, Item{"bar1", "", "bar1=1", 0.5})});
  s.NextRequest();
  s.NextRequest();
  s.server().RestartStream();
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1] version=1");
  s.server().CloseStream();
  s.Advance(GXDS_SECOND / 2);
  s.server().HoldSends();
  s.Advance(2 * GXDS_SECOND);
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 node");
  s.server().ReleaseSend();
  EXPECT_EQ(s.NextRequest(), "Bar [bar1]");
}

TEST(Ttl, MustBePositive) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1", -2}});
  EXPECT_EQ(s.NextRequest(),
            "Foo nonce=n1 NACK 3: xDS response validation errors: [resource index 0: foo1: ttl: "
            "must be a positive duration]");
  EXPECT_THAT(foo1.Next(), HasSubstr("invalid resource: ttl: must be a positive duration"));
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);  // no timer, since the resource was sent
}

TEST(Ttl, BeyondTheClockIsForEver) {
  Scenario s(Delta());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo +foo1 node");
  s.server().RespondDelta(kFoo, {{"foo1", "1", "foo1=1", 3e11}});
  EXPECT_EQ(s.NextRequest(), "Foo nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
}

TEST(Ttl, StateOfTheWorldHasItInItsWrapper) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2]");
  s.server().Send(kFoo.type_url, "1",
                  {Wrapped(kFoo, Item{"foo1", "", "foo1=1", 2}), Bare(kFoo, "foo2=1")});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=1 nonce=n1");
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_EQ(foo2.Next(), "foo2=1");
  s.Advance(GXDS_SECOND);
  // A response with only heartbeats is no state of the world, so foo2 still exists.
  s.server().Send(kFoo.type_url, "1", {Wrapped(kFoo, Item{"foo1", "1", "", 2})});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=1 nonce=n2");
  EXPECT_EQ(s.UntilDeadline(), 2 * GXDS_SECOND);
  s.Advance(3 * GXDS_SECOND);
  EXPECT_THAT(foo1.Next(), HasSubstr("its ttl ended"));
}

// ---- heartbeats in state of the world ----

// One resource with a TTL of some seconds, in a wrapper with that version. An absence means nothing
// for its type.
struct World : Scenario {
  explicit World(const std::string &version, int ttl = 2) : ttl(ttl), bar1(Watch(kBar, "bar1")) {
    Watch(kBar, "bar2");
    Forgive();
    Send("1", {Lives("bar1", version, "bar1=1")});
    EXPECT_EQ(bar1.Next(), "bar1=1");
  }
  // No bytes: a heartbeat.
  Item Lives(const std::string &name, const std::string &version, const std::string &bytes = "") {
    return {name, version, bytes, double(ttl)};
  }
  void Send(const std::string &version, const std::vector<Item> &items) {
    std::vector<Any> resources;
    for (const Item &item : items) resources.push_back(Wrapped(kBar, item));
    while (server().HasRequest()) NextRequest();
    server().Send(kBar.type_url, version, resources);
  }
  // Half the TTL later this response arrives, with a heartbeat that is accepted.
  void ExpectRenewed(const std::string &version, const std::vector<Item> &items) {
    Advance(ttl * GXDS_SECOND / 2);
    Send(version, items);
    EXPECT_THAT(NextRequest(), Not(HasSubstr("NACK")));
    EXPECT_THAT(Dump(), HasSubstr("Bar bar1 ACKED"));
    Advance(ttl * GXDS_SECOND - 1);
    EXPECT_EQ(bar1.Next(), "nothing");
    Advance(1);
    EXPECT_THAT(bar1.Next(), HasSubstr("its ttl ended"));
  }
  void ExpectRefused(const std::string &version, const std::vector<Item> &items,
                     const std::string &said, int times = 1) {
    Advance(ttl * GXDS_SECOND / 2);
    for (int i = 0; i < times; i++) {
      Send(version, items);
      EXPECT_THAT(NextRequest(),
                  HasSubstr("NACK 3: xDS response validation errors: [resource index 0: bar1: "
                            "resource: must be set, since version \"" +
                            said + "\" is not the one in use]"));
    }
    Advance(ttl * GXDS_SECOND / 2);
    EXPECT_THAT(bar1.Next(), HasSubstr("its ttl ended"));
  }
  int ttl;
  Watcher &bar1;
};

TEST(TtlOfTheWorld, HeartbeatHasTheVersionOfItsWrapper) {
  World s("a");
  s.ExpectRenewed("1", {s.Lives("bar1", "a")});
}

TEST(TtlOfTheWorld, HeartbeatNeedsNoVersionOfItsOwn) {
  World s("a");
  s.ExpectRenewed("1", {s.Lives("bar1", "")});
}

TEST(TtlOfTheWorld, HeartbeatIsOfTheNewestResponseThoughTheResourceCameWithAnOlder) {
  for (const char *version : {"", "a"}) {
    World s(version);
    s.Send("2", {{"bar2", "", "bar2=2"}});
    s.ExpectRenewed("2", {s.Lives("bar1", version)});
  }
}

TEST(TtlOfTheWorld, HeartbeatMayNameTheResponseThatTheResourceCameWith) {
  World s("");
  s.Send("2", {{"bar2", "", "bar2=2"}});
  s.ExpectRenewed("2", {s.Lives("bar1", "1")});
}

TEST(TtlOfTheWorld, HeartbeatOfTheResourceComesWithUpdatesOfOthers) {
  World s("a");
  s.ExpectRenewed("2", {s.Lives("bar1", "a"), s.Lives("bar2", "b", "bar2=2")});
}

// The error of the last response does not concern the heartbeat.
TEST(TtlOfTheWorld, HeartbeatIsTakenAfterAResponseThatWasRefused) {
  World s("");
  s.Send("2", {{"bar2", "", "bar2=bad"}});
  s.ExpectRenewed("2", {s.Lives("bar1", "")});
}

TEST(TtlOfTheWorld, HeartbeatIsTakenAfterAStreamThatWasOpenedAnew) {
  World s("", 60);
  s.Send("2", {{"bar2", "", "bar2=2"}});
  s.server().CloseStream();
  s.ExpectRenewed("2", {s.Lives("bar1", "")});
}

TEST(TtlOfTheWorld, RenewedResourceKeepsItsVersion) {
  World s("a");
  s.Send("2", {s.Lives("bar1", "a")});
  EXPECT_THAT(s.Dump(), HasSubstr("Bar bar1 ACKED 1 bar1=1"));
  s.Send("3", {s.Lives("bar1", "a")});
  EXPECT_THAT(s.Dump(), HasSubstr("Bar bar1 ACKED 1 bar1=1"));
}

TEST(TtlOfTheWorld, SameBytesInAnotherVersionAreOfThatVersion) {
  World s("a");
  s.Send("2", {s.Lives("bar1", "b", "bar1=1")});
  s.ExpectRenewed("2", {s.Lives("bar1", "b")});
}

TEST(TtlOfTheWorld, HeartbeatOfAnotherWrapperIsRefused) {
  World s("a");
  s.ExpectRefused("1", {s.Lives("bar1", "b")}, "b");
}

TEST(TtlOfTheWorld, HeartbeatOfAnEarlierWrapperIsRefused) {
  World s("a");
  s.Send("2", {s.Lives("bar1", "b", "bar1=1")});
  s.ExpectRefused("2", {s.Lives("bar1", "a")}, "a");
}

TEST(TtlOfTheWorld, HeartbeatOfAResponseThatNeverCameIsRefused) {
  World s("a");
  s.ExpectRefused("2", {s.Lives("bar1", "")}, "2", 2);
}

TEST(TtlOfTheWorld, HeartbeatOfWhatWasRefusedIsRefused) {
  World s("");
  s.Send("2", {s.Lives("bar1", "", "bar1=bad")});
  EXPECT_THAT(s.bar1.Next(), HasSubstr("ambient UNAVAILABLE: invalid resource"));
  s.ExpectRefused("2", {s.Lives("bar1", "")}, "2");
}

// ---- stored resources ----

struct Keeping : Scenario {
  explicit Keeping(Disk *disk) : Scenario(Options(disk)), bar1(Watch(kBar, "bar1")) { Forgive(); }
  static ScenarioOptions Options(Disk *disk) {
    ScenarioOptions options;
    options.disk = disk;
    return options;
  }
  void Send(const std::string &version, const Item &item) {
    server().Send(kBar.type_url, version, {Wrapped(kBar, item)});
  }
  Watcher &bar1;
};

TEST(KeptTtl, ResourceThatIsToEndIsNotKept) {
  Disk disk;
  Keeping s(&disk);
  s.Send("1", {"bar1", "", "bar1=1", 10});
  EXPECT_THAT(disk, IsEmpty());
  s.Send("2", {"bar1", "", "", 10});
  s.KeepAll("server1");  // stores lost resources again, of which this is none
  EXPECT_THAT(disk, IsEmpty());
}

TEST(KeptTtl, WhatWasKeptBeforeIsNotAnyMore) {
  Disk disk;
  Keeping s(&disk);
  s.Send("1", {"bar1", "", "bar1=1"});
  EXPECT_THAT(disk, ElementsAre(Pair("server1 Bar bar1", "1 bar1=1")));
  s.Send("2", {"bar1", "", "bar1=override", 10});
  EXPECT_THAT(disk, IsEmpty());
}

TEST(KeptTtl, WhatGetsATimeToLiveIsNotKeptAnyMore) {
  Disk disk;
  Keeping s(&disk);
  s.Send("1", {"bar1", "", "bar1=1"});
  s.Send("1", {"bar1", "", "", 10});  // by a heartbeat
  EXPECT_THAT(disk, IsEmpty());
  s.Send("2", {"bar1", "", "bar1=1"});
  EXPECT_THAT(disk, ElementsAre(Pair("server1 Bar bar1", "2 bar1=1")));
  s.Send("3", {"bar1", "", "bar1=1", 10});  // or by the same bytes
  EXPECT_THAT(disk, IsEmpty());
}

TEST(KeptTtl, WhatIsNotToEndAnyMoreIsKept) {
  for (const char *bytes : {"bar1=1", "bar1=2"}) {
    Disk disk;
    Keeping s(&disk);
    s.Send("1", {"bar1", "", "bar1=1", 10});
    s.Send("2", {"bar1", "", bytes});
    EXPECT_THAT(disk, ElementsAre(Pair("server1 Bar bar1", std::string("2 ") + bytes)));
  }
}

TEST(KeptTtl, OneBeyondTheClockIsKept) {
  Disk disk;
  Keeping s(&disk);
  s.Send("1", {"bar1", "", "bar1=1", 3e11});
  EXPECT_THAT(disk, ElementsAre(Pair("server1 Bar bar1", "1 bar1=1")));
}

TEST(KeptTtl, StartFromWhatWasKeptIsForgottenWhenItGetsATimeToLive) {
  Disk disk = {{"server1 Bar bar1", "1 bar1=1"}};
  Keeping s(&disk);
  s.server().FailChannel("down");
  EXPECT_EQ(s.bar1.Next(), "bar1=1");
  s.Send("1", {"bar1", "", "bar1=1", 10});
  EXPECT_THAT(disk, IsEmpty());
  s.Advance(10 * GXDS_SECOND);
  EXPECT_THAT(s.Dump(), HasSubstr("Bar bar1 DOES_NOT_EXIST"));
}

TEST(KeptTtl, RenewalWritesNothing) {
  Disk disk;
  Keeping s(&disk);
  s.Send("1", {"bar1", "", "bar1=1", 10});
  s.TakeTrace();
  s.Send("1", {"bar1", "", "", 10});
  s.Send("2", {"bar1", "", "bar1=1", 10});
  EXPECT_THAT(s.TakeTrace(), Not(testing::Contains(HasSubstr("server1 Bar"))));
}

// ---- fallback ----

// Two servers. The first one sent a resource with a TTL of two seconds, of a type whose absence is
// a deletion, or is not.
struct FallingBack : Scenario {
  explicit FallingBack(const gxds_resource_type &type = kBar, bool delta = false)
      : Scenario(Options(delta)), type(type), watcher(Watch(type, "x")) {
    Forgive();
    Item item{"x", "1", "x=1", 2};
    if (delta) {
      first.RespondDelta(type, {item});
    } else {
      first.Send(type.type_url, "1", {Wrapped(type, item)});
    }
    EXPECT_EQ(watcher.Next(), "x=1");
  }
  static ScenarioOptions Options(bool delta) {
    ScenarioOptions options;
    options.servers.resize(2);
    options.servers[0].delta = delta;
    options.servers[1].uri = "server2";
    return options;
  }
  const gxds_resource_type &type;
  Watcher &watcher;
  Server &first = server("server1");
  Server &second = server("server2");
};

TEST(TtlFallback, ResourceThatEndsWhileItsServerIsOutOfReachIsRequestedFromTheNext) {  // A71.3
  FallingBack s;
  s.first.FailChannel("down");
  EXPECT_FALSE(s.second.connected());  // the resource is cached
  EXPECT_THAT(s.watcher.Next(), HasSubstr("ambient UNAVAILABLE"));
  s.Advance(2 * GXDS_SECOND);
  EXPECT_THAT(s.watcher.Next(), HasSubstr("its ttl ended"));
  ASSERT_TRUE(s.second.connected());
  s.second.Respond(s.type, "7", {"x=fallback"});
  EXPECT_EQ(s.watcher.Next(), "x=fallback");
}

TEST(TtlFallback, ServerThatFailsAfterTheResourceEndedIsFallenBackFrom) {
  FallingBack s;
  s.Advance(2 * GXDS_SECOND);
  EXPECT_THAT(s.watcher.Next(), HasSubstr("its ttl ended"));
  EXPECT_FALSE(s.second.connected());  // the first server works
  s.first.FailChannel("down");
  EXPECT_TRUE(s.second.connected());
}

TEST(TtlFallback, WhatAlsoTheNextServerLacksIsKnownNotToExist) {
  FallingBack s;
  s.first.FailChannel("down");
  s.Advance(2 * GXDS_SECOND);
  s.second.Respond(s.type, "7", {});
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(s.Dump(),
              HasSubstr("DOES_NOT_EXIST failed  NOT_FOUND: does not exist: the server did "
                        "not send it (xDS server server2)"));
}

TEST(TtlFallback, WhatTheServerDeletedIsNotRequestedFromTheNext) {  // A71.4
  FallingBack s(kFoo);
  s.Advance(2 * GXDS_SECOND);
  EXPECT_THAT(s.watcher.Next(), HasSubstr("its ttl ended"));
  s.first.Respond(kFoo, "2", {});
  EXPECT_THAT(s.watcher.Next(), HasSubstr("error NOT_FOUND: does not exist: the server does not"));
  s.first.FailChannel("down");
  EXPECT_FALSE(s.second.connected());
}

TEST(TtlFallback, WhatIsRemovedIsNotRequestedFromTheNext) {
  FallingBack s(kBar, true);
  s.Advance(2 * GXDS_SECOND);
  EXPECT_THAT(s.watcher.Next(), HasSubstr("its ttl ended"));
  s.first.RespondDelta(kBar, {}, {"x"});
  EXPECT_THAT(s.watcher.Next(), HasSubstr("error NOT_FOUND: does not exist: the server does not"));
  s.first.FailChannel("down");
  EXPECT_FALSE(s.second.connected());
}

}  // namespace
}  // namespace gxds_test
