// Authorities and xdstp names (A47).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ScenarioOptions Federated() {
  ScenarioOptions options;
  ServerConfig other;
  other.uri = "server2";
  options.authorities["other.com"] = {other};
  options.authorities["same.com"] = {options.servers[0]};
  options.authorities[""] = {other};
  return options;
}

TEST(Federation, NameGoesToTheServerOfItsAuthority) {  // A47.8
  Scenario s(Federated());
  Watcher &old_style = s.Watch(kFoo, "foo1");
  Watcher &other = s.Watch(kFoo, "xdstp://other.com/test.v3.Foo/foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  EXPECT_EQ(s.server("server2").NextRequest(), "Foo [xdstp://other.com/test.v3.Foo/foo1] node");
  s.server("server2").Send(kFoo.type_url, "1",
                           {Wrapped(kFoo, "xdstp://other.com/test.v3.Foo/foo1",
                                    "xdstp://other.com/test.v3.Foo/foo1=2")});
  EXPECT_EQ(other.Next(), "xdstp://other.com/test.v3.Foo/foo1=2");
  EXPECT_EQ(old_style.Next(), "nothing");
  s.Forgive();
}

TEST(Federation, AuthoritiesOfOneServerShareItsStream) {  // A47.10
  Scenario s(Federated());
  s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "xdstp://same.com/test.v3.Foo/foo1"}});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 xdstp://same.com/test.v3.Foo/foo1] node");
  EXPECT_EQ(s.server().streams_opened(), 1u);
  s.Forgive();
}

TEST(Federation, EmptyAuthorityIsOneOfTheMap) {  // A47.9
  Scenario s(Federated());
  s.Watch(kFoo, "xdstp:///test.v3.Foo/foo1");
  EXPECT_EQ(s.server("server2").NextRequest(), "Foo [xdstp:///test.v3.Foo/foo1] node");
  s.Forgive();
}

TEST(Federation, TwoSpellingsOfANameAreOneResource) {  // A47.14
  Scenario s(Federated());
  s.Watch(kFoo, "xdstp://other.com/test.v3.Foo/foo?b=2&a=1");
  s.Watch(kFoo, "xdstp://other.com/test.v3.Foo/foo?a=1&b=2#fragment");
  Server &server = s.server("server2");
  EXPECT_EQ(server.NextRequest(), "Foo [xdstp://other.com/test.v3.Foo/foo?a=1&b=2] node");
  EXPECT_EQ(server.NextRequest(), "nothing");
  EXPECT_EQ(s.Dump(), "Foo xdstp://other.com/test.v3.Foo/foo?a=1&b=2 REQUESTED watchers=2\n");
  s.Forgive();
}

TEST(Federation, ResourceIsKnownByAnotherSpellingOfItsName) {
  Scenario s(Federated());
  Watcher &watcher = s.Watch(kFoo, "xdstp://other.com/test.v3.Foo/foo?a=1&b=2");
  s.server("server2").Send(kFoo.type_url, "1",
                           {Wrapped(kFoo, "xdstp://other.com/test.v3.Foo/foo?b=2&a=1", "x=1")});
  EXPECT_EQ(watcher.Next(), "x=1");
  s.Forgive();
}

TEST(Federation, ServerOfAnotherAuthorityIsNotBelieved) {  // A47.13
  Scenario s(Federated());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &other = s.Watch(kFoo, "xdstp://other.com/test.v3.Foo/foo1");
  s.server("server2").Respond(kFoo, "1", {"foo1=forged"});
  EXPECT_EQ(foo1.Next(), "nothing");
  EXPECT_EQ(other.Next(), "nothing");
  s.Forgive();
}

TEST(Federation, AbsenceFromOneServerDeletesNothingOfAnother) {  // A47.13
  Scenario s(Federated());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Watch(kFoo, "xdstp://other.com/test.v3.Foo/foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.server("server2").Respond(kFoo, "1", {});
  EXPECT_EQ(foo1.Next(), "nothing");
  s.Forgive();
}

TEST(Federation, FailureOfOneServerConcernsItsAuthoritiesOnly) {  // A47.15
  Scenario s(Federated());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &same = s.Watch(kFoo, "xdstp://same.com/test.v3.Foo/foo1");
  Watcher &other = s.Watch(kFoo, "xdstp://other.com/test.v3.Foo/foo1");
  s.server().FailChannel("down");
  EXPECT_THAT(foo1.Next(), HasSubstr("down"));
  EXPECT_THAT(same.Next(), HasSubstr("down"));
  EXPECT_EQ(other.Next(), "nothing");
  s.Forgive();
}

TEST(Federation, ServerGoesWithTheLastOfItsAuthorities) {  // A47.12
  Scenario s(Federated());
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &same = s.Watch(kFoo, "xdstp://same.com/test.v3.Foo/foo1");
  Watcher &other = s.Watch(kFoo, "xdstp://other.com/test.v3.Foo/foo1");
  s.TakeTrace();
  s.Cancel(foo1);
  EXPECT_THAT(s.TakeTrace(), ElementsAre("SEND"));
  s.Cancel(same);
  EXPECT_THAT(s.TakeTrace(), ElementsAre("CLOSE server1", "DISCONNECT server1"));
  s.Cancel(other);
  EXPECT_THAT(s.TakeTrace(), ElementsAre("CLOSE server2", "DISCONNECT server2"));
  s.Forgive();
}

}  // namespace
}  // namespace gxds_test
