// Flow control: when the next message is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;

TEST(Flow, ReadComesAfterAllThatAMessageCaused) {
  Scenario s;
  auto watchers = s.WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}, {&kFoo, "foo1"}});
  s.TakeTrace();
  s.Respond(kFoo, "1", {"foo1=1", "foo2=2"});
  EXPECT_THAT(s.TakeTrace(), ElementsAre("NOTIFY", "NOTIFY", "NOTIFY", "SEND", "READ"));
  s.Forgive();
}

TEST(Flow, ReadComesAfterWhatTheWatchersDidAboutIt) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  Watcher &bar1 = s.Watch(kBar, "bar1");
  s.Respond(kBar, "1", {"bar1=1"});
  s.TakeTrace();
  s.WhenNotified(foo1, [&] { s.Watch(kBar, "bar1"); });  // notified at once, from the cache
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_THAT(s.TakeTrace(), ElementsAre("NOTIFY", "NOTIFY", "SEND", "READ"));
  EXPECT_EQ(bar1.Next(), "bar1=1");
  s.Forgive();
}

TEST(Flow, ReadDoesNotWaitForASend) {
  Scenario s;
  s.server().HoldSends();
  s.Watch(kFoo, "foo1");
  EXPECT_TRUE(s.server().wants_message());
  s.Respond(kFoo, "1", {});
  EXPECT_TRUE(s.server().wants_message());
  s.Forgive();
}

TEST(Flow, OneReadIsOutstandingAtMost) {
  Scenario s;  // fails at a second READ
  s.Watch(kFoo, "foo1");
  s.Watch(kFoo, "foo2");
  s.Advance(15 * GXDS_SECOND);
  EXPECT_TRUE(s.server().wants_message());
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_TRUE(s.server().wants_message());
  s.Forgive();
}

TEST(Flow, ActionsOfAStreamThatClosedBeforeTheDrainAreDropped) {
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
  s.WhenNotified(foo1, [&] { s.Cancel(foo1); });
  s.TakeTrace();
  s.Respond(kFoo, "2", {"foo1=2"});
  EXPECT_THAT(s.TakeTrace(), ElementsAre("NOTIFY", "CLOSE server1", "DISCONNECT server1"));
  s.Forgive();
}

}  // namespace
}  // namespace gxds_test
