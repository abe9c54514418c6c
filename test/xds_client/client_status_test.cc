// The messages of the client status discovery service.
#include "xds_client/client_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/client_status.h"
#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::HasSubstr;

// The time at which the clients' clock was zero.
constexpr int64_t kEpoch = 1700000000 * int64_t{1000000000};

std::string Take(gxds_str s) {
  std::string out = String(s);
  gxds_str_free(&s);
  return out;
}

std::string Merged(const std::vector<gxds_status_source> &sources, const std::string &host = "") {
  return Take(gxds_client_status_merge(sources.data(), sources.size(), Str(host), kEpoch));
}

StatusOfClient StatusOf(Scenario &s) {
  return ParseClientConfig(Merged({{s.client(), {}, nullptr, 0}}));
}

struct Watching : Scenario {
  explicit Watching(ScenarioOptions options = {}) : Scenario(std::move(options)) {
    Watch(kFoo, "foo1");
    Forgive();
    ForgiveTimers();
  }
};

TEST(ClientStatus, WhatDidNotComeIsRequested) {  // A40.1
  Watching s;
  StatusOfResource foo = StatusOf(s).Find("Foo", "foo1");
  EXPECT_EQ(foo.state, "REQUESTED");
  EXPECT_EQ(foo.config_type, "");
  EXPECT_EQ(foo.version, "");
  EXPECT_EQ(foo.updated, 0);
  EXPECT_FALSE(foo.has_error);
}

TEST(ClientStatus, AResourceInUseIsShownWithItsVersionAndTime) {  // A40.2
  Watching s;
  s.Advance(2 * GXDS_SECOND);
  const gxds_time accepted = s.now();
  s.Respond(kFoo, "7", {"foo1=1"});
  s.Advance(GXDS_SECOND);
  StatusOfResource foo = StatusOf(s).Find("Foo", "foo1");
  EXPECT_EQ(foo.state, "ACKED");
  EXPECT_EQ(foo.version, "7");
  EXPECT_EQ(foo.config, "foo1=1");
  EXPECT_EQ(foo.config_type, foo.type);
  EXPECT_EQ(foo.updated, kEpoch + accepted);
  EXPECT_FALSE(foo.has_error);
}

TEST(ClientStatus, ARejectedOneHasItsErrorAndTheLastGoodResource) {  // A40.3
  Watching s;
  s.Respond(kFoo, "1", {"foo1=1"});
  s.Advance(GXDS_SECOND);
  const gxds_time rejected = s.now();
  s.Respond(kFoo, "2", {"foo1=bad"});
  StatusOfResource foo = StatusOf(s).Find("Foo", "foo1");
  EXPECT_EQ(foo.state, "NACKED");
  EXPECT_EQ(foo.version, "1");
  EXPECT_EQ(foo.config, "foo1=1");
  EXPECT_THAT(foo.error, HasSubstr("invalid resource"));
  EXPECT_EQ(foo.failed_version, "2");
  EXPECT_EQ(foo.failed, kEpoch + rejected);
}

TEST(ClientStatus, ADeletedOneNamesWhoDeletedItAndStaysInUse) {  // A88
  Watching s;
  s.Respond(kFoo, "1", {"foo1=1"});
  s.Respond(kFoo, "2", {});
  StatusOfResource foo = StatusOf(s).Find("Foo", "foo1");
  EXPECT_EQ(foo.state, "DOES_NOT_EXIST");
  EXPECT_EQ(foo.config, "foo1=1");
  EXPECT_THAT(foo.error, HasSubstr("resource deleted (xDS server server1)"));
}

TEST(ClientStatus, ATransientTimeoutIsReportedAsOne) {  // A88
  ScenarioOptions options;
  options.servers[0].resource_timer_is_transient_error = true;
  Watching s(options);
  s.Advance(40 * GXDS_SECOND);
  EXPECT_EQ(StatusOf(s).Find("Foo", "foo1").state, "TIMEOUT");
}

TEST(ClientStatus, AllClientsAndTheHostsAreOneConfig) {  // A40
  ScenarioOptions options;
  options.node_id = "host";
  Watching host(options);
  host.Watch(kBar, "bar2");
  Watching two;
  two.Watch(kBar, "bar1");
  Watching one;
  one.Respond(kFoo, "1", {"foo1=1"});
  StatusOfClient all =
      ParseClientConfig(Merged({{one.client(), {}, nullptr, 0}, {two.client(), {}, nullptr, 0}},
                               Merged({{host.client(), {}, nullptr, 0}})));
  ASSERT_TRUE(all.parsed);
  EXPECT_EQ(all.node_id, "xds_client_test");
  EXPECT_EQ(all.scope, "");
  ASSERT_EQ(all.resources.size(), 5u);
  EXPECT_EQ(all.resources[0].state, "ACKED");
  EXPECT_EQ(all.resources[1].state, "REQUESTED");
  EXPECT_EQ(all.resources[2].name, "bar1");
  EXPECT_EQ(all.resources[3].name, "foo1");
  EXPECT_EQ(all.resources[4].name, "bar2");
}

TEST(ClientStatus, WithoutClientsTheHostsIsLeft) {
  Watching host;
  StatusOfClient all = ParseClientConfig(Merged({}, Merged({{host.client(), {}, nullptr, 0}})));
  EXPECT_EQ(all.node_id, "xds_client_test");
  EXPECT_EQ(all.resources.size(), 1u);
}

TEST(ClientStatus, AHostsThatCannotBeParsedCountsAsEmpty) {
  Watching s;
  StatusOfClient all = ParseClientConfig(Merged({{s.client(), {}, nullptr, 0}}, "\xff"));
  ASSERT_TRUE(all.parsed);
  EXPECT_EQ(all.resources.size(), 1u);
  EXPECT_EQ(Merged({}), "");
}

TEST(ClientStatus, EachClientIsShownWithItsScope) {  // A71
  Watching one, two;
  const std::string long_scope(300, 'x');
  const gxds_status_source sources[] = {{one.client(), gxds_str_z("xds:///a"), nullptr, 0},
                                        {two.client(), gxds_str_z(long_scope.c_str()), nullptr, 0}};
  const std::string bytes = Take(gxds_client_status_each(sources, 2, kEpoch));
  auto each = ParseClientStatusResponse(bytes);
  ASSERT_EQ(each.size(), 2u);
  EXPECT_TRUE(each[0].parsed);
  EXPECT_EQ(each[0].scope, "xds:///a");
  EXPECT_EQ(each[0].Find("Foo", "foo1").state, "REQUESTED");
  EXPECT_TRUE(each[1].parsed);
  EXPECT_THAT(bytes, HasSubstr(long_scope));
  EXPECT_TRUE(ParseClientStatusResponse(Take(gxds_client_status_each(nullptr, 0, kEpoch))).empty());
}

TEST(ClientStatus, AScopeOfASharedClientShowsWhatItWatches) {  // A71.9
  Scenario s;
  s.Forgive();
  s.ForgiveTimers();
  const gxds_watch_id a[] = {s.Watch(kFoo, "both").id(), s.Watch(kFoo, "a").id(),
                             s.Watch(kFoo, "both").id()};
  const gxds_watch_id b[] = {s.Watch(kFoo, "both").id(), s.Watch(kBar, "b").id(), 12345};
  const gxds_status_source sources[] = {{s.client(), gxds_str_z("xds:///a"), a, 3},
                                        {s.client(), gxds_str_z("xds:///b"), b, 3},
                                        {s.client(), gxds_str_z("xds:///none"), b, 0}};
  auto each = ParseClientStatusResponse(Take(gxds_client_status_each(sources, 3, kEpoch)));
  ASSERT_EQ(each.size(), 3u);
  EXPECT_EQ(each[0].resources.size(), 2u);  // each once, with any number of watches
  EXPECT_EQ(each[0].Find("Foo", "a").state, "REQUESTED");
  EXPECT_EQ(each[0].Find("Foo", "both").state, "REQUESTED");
  EXPECT_EQ(each[1].resources.size(), 2u);
  EXPECT_EQ(each[1].Find("Bar", "b").state, "REQUESTED");
  EXPECT_EQ(each[1].Find("Foo", "both").state, "REQUESTED");
  EXPECT_TRUE(each[2].resources.empty());
}

}  // namespace
}  // namespace gxds_test
