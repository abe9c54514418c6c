// The last known good: the stored resources, and starts from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

struct Keeping : Scenario {
  explicit Keeping(Disk *disk, int servers = 1, bool fail_on_data_errors = false)
      : Scenario(Options(disk, servers, fail_on_data_errors)) {
    Forgive();
  }
  static ScenarioOptions Options(Disk *disk, int servers, bool fail_on_data_errors) {
    ScenarioOptions options;
    options.disk = disk;
    options.servers.clear();
    for (int i = 1; i <= servers; i++) {
      ServerConfig server;
      server.uri = "server" + std::to_string(i);
      server.fail_on_data_errors = fail_on_data_errors;
      options.servers.push_back(server);
    }
    return options;
  }
};

const char kNote[] =
    "ambient UNAVAILABLE: used from the resource cache, as xDS server server1 sent it at "
    "2025-01-31T12:00:00Z, because no xDS server responds";

Disk OneKept() { return {{"server1 Foo foo1", "7 foo1=kept"}}; }

TEST(Kept, IsEveryResourceThatIsAccepted) {
  Disk disk;
  Keeping s(&disk);
  s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}, {&kBar, "bar1"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=bad", "foo3=1"});
  s.Respond(kBar, "4", {"bar1=1"});
  EXPECT_THAT(disk, ElementsAre(Pair("server1 Bar bar1", "4 bar1=1"),
                                Pair("server1 Foo foo1", "1 foo1=1")));
  s.Respond(kFoo, "2", {"foo1=2"});
  EXPECT_EQ(disk["server1 Foo foo1"], "2 foo1=2");
}

TEST(Kept, IsNotWrittenAgainWhenItDidNotChange) {
  Disk disk;
  Keeping s(&disk);
  s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  s.TakeTrace();
  s.Respond(kFoo, "2", {"foo1=1"});
  EXPECT_THAT(s.TakeTrace(), Not(testing::Contains(HasSubstr("PERSIST"))));
}

TEST(Kept, IsPersistedAgainWhenItWasLost) {
  Disk disk;
  Keeping s(&disk, 2);
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}, {&kBar, "bar1"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=2"});
  s.Respond(kBar, "4", {"bar1=1"});
  s.Cancel(*watchers[1]);
  disk = {{"server1 Foo foo1", "0 foo1=old"}};
  s.KeepAll("server2");
  EXPECT_THAT(disk, ElementsAre(Pair("server1 Foo foo1", "0 foo1=old")));
  s.KeepAll("server1");
  EXPECT_THAT(disk, ElementsAre(Pair("server1 Bar bar1", "4 bar1=1"),
                                Pair("server1 Foo foo1", "1 foo1=1")));
}

TEST(Kept, IsForgottenWhenNobodyWatchesItAnyMore) {
  Disk disk;
  Keeping s(&disk);
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=2"});
  s.Cancel(*watchers[1]);
  EXPECT_THAT(disk, ElementsAre(Pair("server1 Foo foo1", "1 foo1=1")));
  s.Cancel(*watchers[0]);  // the last watch: all stored resources stay unchanged now
  EXPECT_THAT(disk, ElementsAre(Pair("server1 Foo foo1", "1 foo1=1")));
}

TEST(Kept, IsForgottenWhenItIsDropped) {
  Disk disk;
  Keeping s(&disk, 1, true);
  s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  s.Respond(kFoo, "2", {});
  EXPECT_THAT(disk, IsEmpty());
}

TEST(Kept, StaysWhenAnErrorIsAmbient) {
  Disk disk;
  Keeping s(&disk);
  s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  s.Respond(kFoo, "2", {});
  EXPECT_EQ(disk["server1 Foo foo1"], "1 foo1=1");
}

TEST(Kept, IsUsedAsSoonAsAllServersHaveFailed) {
  Disk disk = OneKept();
  Keeping s(&disk, 2);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server("server1").FailChannel("down");
  EXPECT_EQ(foo1.Next(), "nothing");
  s.server("server2").FailChannel("down too");
  EXPECT_EQ(foo1.Next(), "foo1=kept");
  EXPECT_EQ(foo1.Next(), std::string(kNote) +
                             ": xDS channel for server server2: down too (node "
                             "ID:xds_client_test)");
  EXPECT_EQ(foo1.Next(), "nothing");
  EXPECT_TRUE(s.Logged("xds server server1: no server responds: starting from the resource cache"));
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 ACKED 7 foo1=kept failed"));
}

TEST(Kept, IsNotUsedBeforeEveryServerWasTried) {
  Disk disk = {{"server1 Foo foo2", "7 foo2=kept"}};
  ScenarioOptions options = Keeping::Options(&disk, 2, false);
  options.resource_timeout = GXDS_SECOND;
  Scenario s(options);
  s.Forgive();
  s.Watch(kFoo, "foo1");
  s.Advance(GXDS_SECOND);  // it does not exist, so there is no reason to fall back (A71)
  s.server("server1").FailChannel("down");
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  EXPECT_TRUE(s.server("server2").connected());
  EXPECT_EQ(foo2.Next(), "nothing");
}

TEST(Kept, IsUsedWhenNoServerRespondsInTime) {
  Disk disk = OneKept();
  Keeping s(&disk, 2);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Advance(GXDS_RESTORE_AFTER - 1);
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Advance(1);
  EXPECT_EQ(foo1.Next(), "foo1=kept");
  EXPECT_EQ(foo1.Next(), std::string(kNote) + " (node ID:xds_client_test)");
  s.Advance(60 * GXDS_SECOND);
  EXPECT_EQ(foo1.Next(), "nothing");
}

TEST(Kept, IsLookedUpForLaterWatchesToo) {
  Disk disk = OneKept();
  disk["server1 Bar bar1"] = "9 bar1=kept";
  Keeping s(&disk);
  s.Watch(kFoo, "foo1");
  s.server().FailChannel("down");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  EXPECT_EQ(bar1.Next(), "bar1=kept");
  Watcher &bar2 = s.Watch(kBar, "bar2");  // it was not stored
  EXPECT_THAT(bar2.Next(), HasSubstr("error UNAVAILABLE: xDS channel for server server1: down"));
}

TEST(Kept, GivesWayToWhatAServerSends) {
  Disk disk = OneKept();
  Keeping s(&disk);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server().FailChannel("down");
  EXPECT_EQ(foo1.Next(), "foo1=kept");
  foo1.Next();
  s.Respond(kFoo, "8", {"foo1=new"});
  EXPECT_EQ(foo1.Next(), "foo1=new");
  EXPECT_EQ(foo1.Next(), "nothing");
  EXPECT_EQ(s.Dump(), "Foo foo1 ACKED 8 foo1=new watchers=1\n");
}

TEST(Kept, IsGoodWhenAServerSendsTheSame) {
  Disk disk = OneKept();
  Keeping s(&disk);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server().FailChannel("down");
  EXPECT_EQ(foo1.Next(), "foo1=kept");
  foo1.Next();
  s.Respond(kFoo, "8", {"foo1=kept"});
  EXPECT_EQ(foo1.Next(), "ambient OK");
  EXPECT_EQ(s.Dump(), "Foo foo1 ACKED 8 foo1=kept watchers=1\n");
}

// For this type an absence in a response means nothing. Only the timeout shows that the resource
// does not exist, as for a client without a cache (A57).
TEST(Kept, ThatServersDoNotHaveIsReportedNotToExistInTime) {
  for (bool fail_on_data_errors : {false, true}) {
    Disk disk = {{"server1 Bar bar1", "7 bar1=kept"}};
    Keeping s(&disk, 1, fail_on_data_errors);
    Watcher &bar1 = s.Watch(kBar, "bar1");
    s.server().FailChannel("down");
    EXPECT_EQ(bar1.Next(), "bar1=kept");
    bar1.Next();
    s.Advance(60 * GXDS_SECOND);  // no timeout while no server responds
    EXPECT_EQ(bar1.Next(), "nothing");
    s.Respond(kBar, "8", {});
    EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
    EXPECT_EQ(bar1.Next(), "nothing");
    s.Advance(15 * GXDS_SECOND);
    EXPECT_THAT(bar1.Next(), HasSubstr(std::string(fail_on_data_errors ? "error" : "ambient") +
                                       " NOT_FOUND: does not exist: the server did not send it"));
    EXPECT_EQ(disk.empty(), fail_on_data_errors);
  }
}

TEST(Kept, IsWaitedForOnALaterStreamToo) {
  Disk disk = {{"server1 Bar bar1", "7 bar1=kept"}};
  Keeping s(&disk);
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.server().FailChannel("down");
  bar1.Next();
  bar1.Next();
  s.Respond(kBar, "8", {});
  s.Advance(GXDS_SECOND);
  s.server().CloseStream();
  s.Advance(GXDS_SECOND);
  s.NextRequest();
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(bar1.Next(), HasSubstr("ambient NOT_FOUND"));
}

// foo2 is watched while no server responds, after the request for foo1 was made. So the first
// response is made before the server knows of foo2.
struct WatchedDuringTheOutage : Keeping {
  explicit WatchedDuringTheOutage(Disk *disk) : Keeping(disk, 1, true) {
    server().HoldSends();
    Watcher &foo1 = Watch(kFoo, "foo1");
    Advance(GXDS_RESTORE_AFTER);
    EXPECT_EQ(foo1.Next(), "foo1=kept");
    foo2 = &Watch(kFoo, "foo2");
    EXPECT_EQ(foo2->Next(), "foo2=kept");
    EXPECT_THAT(foo2->Next(), HasSubstr("ambient UNAVAILABLE: used from the resource cache"));
    EXPECT_EQ(NextRequest(), "Foo [foo1] node");
    server().ReleaseSend();
    EXPECT_EQ(NextRequest(), "Foo [foo1 foo2]");
    Respond(kFoo, "8", {"foo1=new"});
    EXPECT_EQ(foo2->Next(), "nothing");
    server().ReleaseSend();
  }
  Watcher *foo2;
};

Disk TwoKept() {
  return {{"server1 Foo foo1", "7 foo1=kept"}, {"server1 Foo foo2", "7 foo2=kept"}};
}

TEST(Kept, IsNotDeletedByTheResponseToAnEarlierRequest) {
  Disk disk = TwoKept();
  WatchedDuringTheOutage s(&disk);
  s.Respond(kFoo, "8", {"foo1=new", "foo2=new"});
  EXPECT_EQ(s.foo2->Next(), "foo2=new");
}

TEST(Kept, ThatTheServerDoesNotSendThenIsReportedNotToExistInTime) {
  Disk disk = TwoKept();
  WatchedDuringTheOutage s(&disk);
  s.Respond(kFoo, "8", {"foo1=new"});
  EXPECT_EQ(s.foo2->Next(), "nothing");
  s.Advance(15 * GXDS_SECOND);
  EXPECT_THAT(s.foo2->Next(), HasSubstr("error NOT_FOUND: does not exist"));
  EXPECT_EQ(disk.count("server1 Foo foo2"), 0u);
}

TEST(Kept, IsNotUsedOnceAServerResponded) {
  Disk disk = OneKept();
  Keeping s(&disk);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kBar, "1", {});
  EXPECT_EQ(s.UntilDeadline(), 15 * GXDS_SECOND);
  s.server().FailChannel("down");
  EXPECT_THAT(foo1.Next(), HasSubstr("error UNAVAILABLE"));
  EXPECT_EQ(foo1.Next(), "nothing");
}

TEST(Kept, IsOfOneServer) {  // resources of two servers need not fit together (A71)
  Disk disk = {{"server2 Foo foo1", "7 foo1=second"},
               {"server3 Foo foo1", "7 foo1=third"},
               {"server1 Foo foo2", "7 foo2=first"}};
  Keeping s(&disk, 3);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Advance(GXDS_RESTORE_AFTER);
  EXPECT_EQ(foo1.Next(), "foo1=second");
  Watcher &foo2 = s.Watch(kFoo, "foo2");
  EXPECT_EQ(foo2.Next(), "nothing");
}

TEST(Kept, ThatOneResourceLacksIsUsedForTheOthers) {
  Disk disk = {{"server1 Foo foo2", "1 foo2=first"}, {"server2 Foo foo3", "1 foo3=second"}};
  Keeping s(&disk, 2);
  auto w = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}, {&kFoo, "foo3"}});
  s.server("server1").FailChannel("down");
  s.server("server2").FailChannel("down");
  EXPECT_THAT(w[0]->Next(), HasSubstr("error UNAVAILABLE"));
  EXPECT_EQ(w[1]->Next(), "foo2=first");
  EXPECT_THAT(w[2]->Next(), HasSubstr("error UNAVAILABLE"));
}

TEST(Kept, DoesNotKeepTheNextServerFromBeingTried) {
  Disk disk = OneKept();
  Keeping s(&disk, 2);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Advance(GXDS_RESTORE_AFTER);
  EXPECT_EQ(foo1.Next(), "foo1=kept");
  foo1.Next();
  EXPECT_FALSE(s.server("server2").connected());
  s.server("server1").FailChannel("down");
  s.server("server2").Respond(kFoo, "1", {"foo1=fallback"});
  EXPECT_EQ(foo1.Next(), "foo1=fallback");
}

TEST(Kept, ThatIsRefusedIsIgnoredAndLogged) {
  Disk disk = {{"server1 Foo foo1", "7 foo1=bad"}};
  Keeping s(&disk);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server().FailChannel("down");
  EXPECT_THAT(foo1.Next(), HasSubstr("error UNAVAILABLE: xDS channel for server server1: down"));
  EXPECT_TRUE(s.Logged("resource cache: Foo resource foo1 ignored: errors validating Foo"));
}

// No server may send such a version, but anything may be on the disk.
TEST(Kept, ThatHasTooLongAVersionIsIgnoredAndLogged) {
  Disk disk = {{"server1 Foo foo1", std::string(70000, '7') + " foo1=kept"}};
  Keeping s(&disk);
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.server().FailChannel("down");
  EXPECT_THAT(foo1.Next(), HasSubstr("error UNAVAILABLE: xDS channel for server server1: down"));
  EXPECT_TRUE(s.Logged("resource cache: Foo resource foo1 ignored: version too long"));
}

TEST(Kept, IsOfTheAuthorityOfItsName) {
  const std::string name = "xdstp://a/test.v3.Foo/x";
  Disk disk;
  ScenarioOptions options;
  options.disk = &disk;
  options.authorities = {{"a", {ServerConfig{}}}};
  {
    Scenario s(options);
    s.Forgive();
    s.WatchTogether({{&kFoo, name}, {&kFoo, "foo1"}});
    s.Respond(kFoo, "1", {name + "=1", "foo1=1"});
    EXPECT_THAT(disk, ElementsAre(Pair("server1 Foo foo1", "1 foo1=1"),
                                  Pair("server1/a Foo " + name, "1 " + name + "=1")));
  }
  Scenario s(options);
  s.Forgive();
  Watcher &x = s.Watch(kFoo, name);
  s.server().FailChannel("down");
  EXPECT_EQ(x.Next(), name + "=1");
}

TEST(Kept, WatchThatEndsMeanwhileIsNoHarm) {
  Disk disk = OneKept();
  Keeping s(&disk);
  s.Together([&] {
    Watcher &foo1 = s.Watch(kFoo, "foo1");
    s.server();
    s.Cancel(foo1);
  });
  s.Advance(GXDS_RESTORE_AFTER);
}

// Two scopes, 1 and 2, that share an engine.
TEST(KeptByScope, IsWhatTheScopeWatches) {
  Disk disk;
  Keeping s(&disk);
  s.SetScope(1);
  s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "both"}});
  s.SetScope(2);
  s.WatchTogether({{&kFoo, "foo2"}, {&kFoo, "both"}, {&kFoo, "both"}});
  s.TakeTrace();
  s.Respond(kFoo, "1", {"foo1=1", "foo2=1", "both=1"});
  EXPECT_THAT(disk, ElementsAre(Pair("1: server1 Foo both", "1 both=1"),
                                Pair("1: server1 Foo foo1", "1 foo1=1"),
                                Pair("2: server1 Foo both", "1 both=1"),
                                Pair("2: server1 Foo foo2", "1 foo2=1")));
  size_t persisted = 0;  // once for each scope, with any number of watches
  for (const std::string &line : s.TakeTrace()) persisted += line.rfind("PERSIST", 0) == 0;
  EXPECT_EQ(persisted, 4u);
}

TEST(KeptByScope, IsKeptForAScopeThatComesLater) {
  Disk disk;
  Keeping s(&disk);
  s.SetScope(1);
  s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  s.SetScope(2);
  s.Watch(kFoo, "foo1");
  EXPECT_THAT(disk, ElementsAre(Pair("1: server1 Foo foo1", "1 foo1=1"),
                                Pair("2: server1 Foo foo1", "1 foo1=1")));
}

TEST(KeptByScope, IsForgottenByTheScopeThatDoesNotWatchItAnyMore) {
  Disk disk;
  Keeping s(&disk);
  s.SetScope(1);
  s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.SetScope(2);
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=1"});
  s.Cancel(*watchers[0]);
  EXPECT_EQ(disk.size(), 4u);  // another watch of the scope remains
  s.Cancel(*watchers[1]);
  EXPECT_EQ(disk.count("2: server1 Foo foo1"), 0u);
  EXPECT_EQ(disk.size(), 3u);
  // The last watch of the scope ends. Its stored resources stay unchanged, and the other scope goes
  // on.
  s.Cancel(*watchers[2]);
  EXPECT_EQ(disk.count("2: server1 Foo foo2"), 1u);
  EXPECT_EQ(disk.size(), 3u);
}

TEST(KeptByScope, OfAScopeThatEndsAtOnceStaysForItsNextStart) {
  Disk disk;
  Keeping s(&disk);
  s.SetScope(1);
  s.Watch(kFoo, "foo1");
  s.SetScope(2);
  auto watchers = s.WatchTogether({{&kFoo, "foo2"}, {&kFoo, "foo3"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=1", "foo3=1"});
  s.Together([&] {
    for (Watcher *w : watchers) s.Cancel(*w);
  });
  EXPECT_EQ(disk.count("2: server1 Foo foo2") + disk.count("2: server1 Foo foo3"), 2u);
}

TEST(KeptByScope, IsLookedForWithEachScopeThatWatches) {
  Disk disk = {{"2: server1 Foo foo1", "7 foo1=of2"}, {"3: server1 Foo foo2", "7 foo2=of3"}};
  Keeping s(&disk);
  s.SetScope(1);
  Watcher &one = s.Watch(kFoo, "foo1");
  s.SetScope(2);
  Watcher &two = s.Watch(kFoo, "foo1");
  Watcher &other = s.Watch(kFoo, "foo2");
  s.server().FailChannel("down");
  EXPECT_EQ(one.Next(), "foo1=of2");
  EXPECT_EQ(two.Next(), "foo1=of2");
  EXPECT_THAT(other.Next(), HasSubstr("error UNAVAILABLE"));
  s.SetScope(3);  // a scope that starts while the others use stored resources
  Watcher &late = s.Watch(kFoo, "foo2");
  // The current state, as the others got it.
  EXPECT_THAT(late.Next(), HasSubstr("error UNAVAILABLE"));
  EXPECT_EQ(late.Next(), "foo2=of3");
  EXPECT_EQ(other.Next(), "foo2=of3");
}

TEST(KeptByScope, IsKeptForAllOnceAServerSendsTheSame) {
  Disk disk = {{"1: server1 Foo foo1", "7 foo1=kept"}};
  Keeping s(&disk);
  s.SetScope(1);
  s.Watch(kFoo, "foo1");
  s.SetScope(2);
  s.Watch(kFoo, "foo1");
  s.server().FailChannel("down");
  EXPECT_EQ(disk.size(), 1u);  // for the other scope no server has sent it
  s.Respond(kFoo, "8", {"foo1=kept"});
  EXPECT_EQ(disk["2: server1 Foo foo1"], "8 foo1=kept");
}

TEST(KeptByScope, IsPersistedAgainForTheScopeThatLostIt) {
  Disk disk;
  Keeping s(&disk);
  s.SetScope(1);
  s.Watch(kFoo, "foo1");
  s.SetScope(2);
  s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}});
  s.Respond(kFoo, "1", {"foo1=1", "foo2=1"});
  disk.clear();
  s.KeepAll("server1", 1);
  EXPECT_THAT(disk, ElementsAre(Pair("1: server1 Foo foo1", "1 foo1=1")));
}

}  // namespace
}  // namespace gxds_test
