#include "xds_resolver/xds_config_selector.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "test/host/memory_resolver.h"
#include "test/xds_resolver/selector_fixture.h"

namespace made_up {
namespace {

using memory::RoutedRpc;

class ConfigSelector : public SelectorTest {
 protected:
  void TearDown() override {
    for (auto *s : made_) gxds_config_selector_unref(s);
    for (auto *c : sets_) gxds_cluster_set_unref(c);
    for (auto *c : configs_) gxds_config_unref(c);
    SelectorTest::TearDown();
  }

  gxds_config_selector *Make(const gxds_config *config) {
    configs_.push_back(config);
    sets_.push_back(Hold(config));
    const gxds_route_channel channel = {1, Z("channel.example")};
    made_.push_back(gxds_xds_config_selector_create(config, sets_.back(), &channel, &host_));
    return made_.back();
  }
  gxds_config_selector *Make(std::vector<Route> routes) { return Make(Config(std::move(routes))); }
  // Makes a selector with these filters in the listener. filters are borrowed: valid as long as the
  // config.
  gxds_config_selector *Make(std::vector<Route> routes,
                             const std::vector<gxds_http_filter> &filters) {
    auto *l = reinterpret_cast<Listener *>(const_cast<gxds_listener *>(
        InlineListener(NewRouteConfig("rc", {{{"*"}, std::move(routes)}}))));
    l->l.filters = filters.data();
    l->l.filter_count = filters.size();
    return Make(Config(&l->l));
  }
  // Releases all holds on clusters except those of RPCs.
  void DropAll() {
    for (auto *s : std::exchange(made_, {})) gxds_config_selector_unref(s);
    for (auto *c : std::exchange(sets_, {})) gxds_cluster_set_unref(c);
  }

  std::vector<const gxds_config *> configs_;
  std::vector<const gxds_cluster_set *> sets_;
  std::vector<gxds_config_selector *> made_;
};

Route To(const char *prefix, gxds_duration timeout = -1) {
  Route r = {GXDS_PATH_PREFIX, prefix, {{"a", 1}}};
  r.max_stream_duration = timeout;
  return r;
}

TEST_F(ConfigSelector, LeavesTheClusterWithTheRpcBehindTheAttributesOfPickers) {  // A31.1
  gxds_config_selector *s = Make({To("/s/")});
  RoutedRpc rpc(s, "/s/m");
  EXPECT_EQ(rpc.Text(), "a");
  gxds_cluster_ref *held = gxds_cluster_set_hold(sets_[0], 0);
  EXPECT_EQ(rpc.routed().cluster_id, gxds_cluster_ref_id(held));
  gxds_cluster_ref_release(held);
  EXPECT_FALSE(rpc.routed().has_hash);
  EXPECT_EQ(rpc.method_config(), GXDS_CALL_NO_METHOD_CONFIG);
  EXPECT_EQ(rpc.timeout(), 0);
  EXPECT_EQ(rpc.allocations, 1u);
  rpc.Commit();
}

TEST_F(ConfigSelector, AnRpcHoldsItsClusterUntilItIsCommitted) {  // A31.7
  RoutedRpc rpc(Make({To("/s/")}), "/s/m");
  DropAll();
  EXPECT_EQ(MailCount(), 0u);
  EXPECT_EQ(rpc.Text(), "a") << "as long as the RPC";
  rpc.Commit();
  EXPECT_EQ(MailCount(), 1u);
}

TEST_F(ConfigSelector, AnRpcIsCommittedOnceWhoeverReportsIt) {
  gxds_config_selector *s = Make({To("/s/")});
  RoutedRpc other(s, "/s/m");  // a second commit of the first RPC would release its hold
  RoutedRpc rpc(s, "/s/m");
  DropAll();
  std::thread one([&] { rpc.Commit(); });
  std::thread two([&] { rpc.Commit(); });
  one.join();
  two.join();
  rpc.Commit();
  EXPECT_EQ(MailCount(), 0u);
  other.Commit();
  EXPECT_EQ(MailCount(), 1u);
}

TEST_F(ConfigSelector, AnRpcWithoutARouteFailsAndTakesNothing) {  // A31.2
  RoutedRpc rpc(Make({To("/s/")}), "/t/m");
  EXPECT_TRUE(rpc.failed());
  EXPECT_EQ(rpc.Text(), "No matching route found in xDS route config: RDS resource rc (node ID:n)");
  EXPECT_EQ(rpc.allocations, 0u);
}

TEST_F(ConfigSelector, RoutesThatWantTheSameShareAMethodConfig) {
  gxds_config_selector *s = Make({To("/one/", GXDS_SECOND), To("/two/", GXDS_SECOND),
                                  To("/three/", 2 * GXDS_SECOND), To("/none/")});
  ASSERT_EQ(s->method_config_count, 2u);
  EXPECT_EQ(Str(s->method_configs[0]),
            "{\"methodConfig\":[{\"name\":[{}],\"timeout\":\"1.000000000s\"}]}");
  RoutedRpc one(s, "/one/m"), two(s, "/two/m"), three(s, "/three/m"), none(s, "/none/m");
  EXPECT_EQ(one.method_config(), 0u);
  EXPECT_EQ(two.method_config(), 0u);
  EXPECT_EQ(three.method_config(), 1u);
  EXPECT_EQ(none.method_config(), GXDS_CALL_NO_METHOD_CONFIG);
  EXPECT_EQ(three.timeout(), 2 * GXDS_SECOND);
  for (auto *rpc : {&one, &two, &three, &none}) rpc->Commit();
}

TEST_F(ConfigSelector, TheNextSelectorsTextsAreFoundInTheOneBefore) {
  gxds_config_selector *before = Make({To("/s/", GXDS_SECOND), To("/t/", 2 * GXDS_SECOND)});
  gxds_config_selector *after = Make({To("/t/", 2 * GXDS_SECOND), To("/u/", 3 * GXDS_SECOND)});
  ASSERT_EQ(after->method_config_count, 2u);
  EXPECT_EQ(before->ops->find(before, after->method_configs[0]), 1u);
  EXPECT_EQ(before->ops->find(before, after->method_configs[1]), GXDS_CALL_NO_METHOD_CONFIG);
}

TEST_F(ConfigSelector, AMethodConfigThatTheHostRefusesFailsTheRpcsOfItsRoutes) {
  gxds_config_selector *s = Make({To("/s/", GXDS_SECOND), To("/t/", 2 * GXDS_SECOND), To("/u/")});
  s->ops->refuse(s, 0, Z("no such thing"));
  RoutedRpc refused(s, "/s/m"), read(s, "/t/m"), none(s, "/u/m");
  EXPECT_TRUE(refused.failed());
  EXPECT_EQ(refused.Text(), "the route's method config: no such thing");
  EXPECT_EQ(refused.allocations, 0u);
  EXPECT_EQ(read.Text(), "a");
  EXPECT_EQ(none.Text(), "a");
  read.Commit();
  none.Commit();
  DropAll();
  EXPECT_EQ(MailCount(), 1u) << "the refused one holds nothing";
}

const gxds_http_filter kRouter = {Z("router"), GXDS_HTTP_FILTER_ROUTER, Z(""), {}};
const gxds_http_filter kFault = {Z("fault"), GXDS_HTTP_FILTER_FAULT, Z("{}"), {}};
const gxds_http_filter kOtherFault = {Z("other"), GXDS_HTTP_FILTER_FAULT, Z("{}"), {}};

TEST_F(ConfigSelector, NamesTheHostsFiltersAsOftenAsTheListenerDoes) {  // A39.6
  EXPECT_EQ(Make({To("/s/")}, {kRouter})->filter_count, 0u);
  gxds_config_selector *s = Make({To("/s/")}, {kFault, kOtherFault, kRouter});
  ASSERT_EQ(s->filter_count, 2u);
  EXPECT_EQ(s->filters[0], GXDS_CALL_FILTER_FAULT);
  EXPECT_EQ(s->filters[1], GXDS_CALL_FILTER_FAULT);
}

TEST_F(ConfigSelector, AbortsMayBeRequestedByThePercentagesOtherName) {  // A33.7
  constexpr char kOurs[] = GXDS_ABORT_PERCENTAGE_HEADER;
  constexpr char kHosts[] = "x-envoy-fault-abort-percentage";
  gxds_config_selector *faults = Make({To("/s/")}, {kFault, kRouter});
  gxds_config_selector *none = Make({To("/s/")}, {kRouter});
  struct Case {
    gxds_config_selector *selector;
    memory::Headers with, after;
  };
  for (const Case &c : std::vector<Case>{
           {faults, {{kHosts, "7"}}, {{kHosts, "7"}, {kOurs, "7"}}},
           {faults, {{kHosts, "7"}, {kOurs, "8"}}, {{kHosts, "7"}, {kOurs, "8"}}},
           {faults, {{kOurs, "8"}}, {{kOurs, "8"}}},
           {faults, {}, {}},
           {none, {{kHosts, "7"}}, {{kHosts, "7"}}},
       }) {
    RoutedRpc rpc(c.selector, "/s/m", c.with);
    EXPECT_EQ(rpc.headers, c.after);
    rpc.Commit();
  }
}

TEST_F(ConfigSelector, AbortsMayBeRequestedByAnHttpStatus) {  // A33.12
  constexpr char kCode[] = GXDS_ABORT_CODE_HEADER;
  constexpr char kStatus[] = GXDS_ABORT_HTTP_STATUS_HEADER;
  gxds_config_selector *faults = Make({To("/s/")}, {kFault, kRouter});
  gxds_config_selector *none = Make({To("/s/")}, {kRouter});
  struct Case {
    gxds_config_selector *selector;
    memory::Headers with, after;
  };
  for (const Case &c : std::vector<Case>{
           {faults, {{kStatus, "503"}}, {{kStatus, "503"}, {kCode, "14"}}},
           {faults, {{kStatus, "200"}}, {{kStatus, "200"}, {kCode, "2"}}},
           {faults, {{kStatus, "503"}, {kCode, "10"}}, {{kStatus, "503"}, {kCode, "10"}}},
           {faults, {{kStatus, "199"}}, {{kStatus, "199"}}},
           {faults, {{kStatus, "600"}}, {{kStatus, "600"}}},
           {faults, {{kStatus, "abc"}}, {{kStatus, "abc"}}},
           {faults, {{kStatus, ""}}, {{kStatus, ""}}},
           {none, {{kStatus, "503"}}, {{kStatus, "503"}}},
       }) {
    RoutedRpc rpc(c.selector, "/s/m", c.with);
    EXPECT_EQ(rpc.headers, c.after);
    rpc.Commit();
  }
}

Route Rewriting(const char *prefix, gxds_host_rewrite rewrite) {
  Route r = To(prefix);
  r.host_rewrite = rewrite;
  return r;
}

TEST_F(ConfigSelector, PickersKnowWhetherTheEndpointsHostnameIsWanted) {  // A81.7
  gxds_config_selector *s = Make({Rewriting("/auto/", {GXDS_HOST_REWRITE_AUTO, Z("")}), To("/")});
  RoutedRpc wanted(s, "/auto/m"), not_wanted(s, "/s/m");
  EXPECT_TRUE(wanted.routed().auto_host_rewrite);
  EXPECT_TRUE(wanted.headers.empty());
  EXPECT_FALSE(not_wanted.routed().auto_host_rewrite);
  wanted.Commit();
  not_wanted.Commit();
}

TEST_F(ConfigSelector, TheMetadataThatARouteWantsIsTheRpcsOwn) {  // E5.2, E5.3
  std::string text = R"({"v":"1"})", other = R"({"longer":"than a word","v":"2"})";
  const gxds_metadata_match of_route = {gxds_str_of(text.data(), text.size()), 7};
  const gxds_metadata_match of_cluster = {gxds_str_of(other.data(), other.size()), 8};
  Route by_route = To("/route/"), by_cluster = To("/cluster/");
  by_route.metadata_match = by_cluster.metadata_match = &of_route;
  by_cluster.first_cluster_metadata_match = &of_cluster;
  gxds_config_selector *s = Make({by_route, by_cluster, To("/")});
  RoutedRpc route(s, "/route/m"), cluster(s, "/cluster/m"), none(s, "/s/m");
  for (std::string *gone : {&text, &other}) gone->assign(gone->size(), 'x');
  ASSERT_NE(route.routed().match, nullptr);
  ASSERT_NE(cluster.routed().match, nullptr);
  EXPECT_EQ(memory::Text(route.routed().match->text), R"({"v":"1"})");
  EXPECT_EQ(route.routed().match->hash, 7u);
  EXPECT_EQ(memory::Text(cluster.routed().match->text), R"({"longer":"than a word","v":"2"})");
  EXPECT_EQ(cluster.routed().match->hash, 8u);
  EXPECT_EQ(none.routed().match, nullptr);
  for (RoutedRpc *rpc : {&route, &cluster, &none}) {
    EXPECT_EQ(rpc->Text(), "a");
    EXPECT_EQ(rpc->allocations, 1u);
    rpc->Commit();
  }
}

gxds_http_filter Sessions(const char *cookie) {
  return {Z("sessions"), GXDS_HTTP_FILTER_STATEFUL_SESSION, Z(cookie), {Z(cookie), Z("/s"), 0}};
}

TEST_F(ConfigSelector, LeavesTheSessionWithTheRpcInItsOwnMemory) {  // A55.1, A55.2, A60.4
  std::string name = "session";
  gxds_http_filter filter = Sessions(name.c_str());
  const gxds_metadata_match match = {Z(R"({"v":"1"})"), 7};
  Route route = To("/");
  route.metadata_match = &match;
  const std::vector<gxds_http_filter> filters = {kFault, filter, kRouter};
  gxds_config_selector *s = Make({route}, filters);
  ASSERT_EQ(s->filter_count, 2u);
  EXPECT_EQ(s->filters[0], GXDS_CALL_FILTER_FAULT);
  EXPECT_EQ(s->filters[1], GXDS_CALL_FILTER_RESPONSE);
  RoutedRpc rpc(s, "/s/m", {{"cookie", "session=MS4yLjMuNDo4MDtjbHVzdGVyOmE="}}), first(s, "/s/m"),
      other(s, "/other/m", {{"cookie", "session=MS4yLjMuNDo4MDtjbHVzdGVyOmE="}});
  name.assign(name.size(), 'x');
  DropAll();
  ASSERT_NE(rpc.routed().session, nullptr);
  EXPECT_EQ(memory::Text(rpc.routed().session->wanted), "1.2.3.4:80");
  EXPECT_EQ(rpc.routed().match->hash, 7u);
  ASSERT_NE(first.routed().session, nullptr);
  EXPECT_EQ(first.routed().session->wanted.size, 0u);
  EXPECT_EQ(other.routed().session, nullptr) << "of another path";
  for (RoutedRpc *r : {&rpc, &first, &other}) {
    EXPECT_EQ(r->Text(), "a");
    EXPECT_EQ(r->allocations, 1u);
    r->Commit();
  }
}

TEST_F(ConfigSelector, ALiteralAuthorityGoesIntoTheHeadersUnlessTheRpcHasOne) {  // E2.1, E2.4
  gxds_config_selector *s =
      Make({Rewriting("/", {GXDS_HOST_REWRITE_LITERAL, Z("literal.example")})});
  RoutedRpc rpc(s, "/s/m"), own(s, "/s/m", {{":authority", "own.example"}});
  EXPECT_EQ(rpc.headers, (memory::Headers{{":authority", "literal.example"}}));
  EXPECT_EQ(own.headers, (memory::Headers{{":authority", "own.example"}}));
  EXPECT_FALSE(rpc.routed().auto_host_rewrite);
  rpc.Commit();
  own.Commit();
}

TEST_F(ConfigSelector, RoutesMatchTheHeadersOfTheRpcAndTheChannelsAuthority) {  // A31.1
  Route by_header = To("/");
  by_header.clusters = {{"b", 1}};
  Header h;
  h.name = "key";
  h.text = "b";
  by_header.headers = {h};
  Route by_authority = To("/");
  by_authority.clusters = {{"c", 1}};
  h.name = ":authority";
  h.text = "channel.example";
  by_authority.headers = {h};
  gxds_config_selector *s = Make({by_header, by_authority, To("/")});
  RoutedRpc b(s, "/s/m", {{"key", "b"}}), c(s, "/s/m"),
      a(s, "/s/m", {{":authority", "other.example"}});
  EXPECT_EQ(b.Text(), "b");
  EXPECT_EQ(c.Text(), "c");
  EXPECT_EQ(a.Text(), "a");
  for (auto *rpc : {&a, &b, &c}) rpc->Commit();
}

TEST_F(ConfigSelector, FitsAsLongAsItsSelectorDoes) {
  gxds_config_selector *s = Make({To("/s/")});
  gxds_config_selector *other = Make({To("/t/")});
  EXPECT_TRUE(gxds_xds_config_selector_fits(s, configs_[0], sets_[0]));
  EXPECT_FALSE(gxds_xds_config_selector_fits(s, configs_[0], sets_[1]));
  EXPECT_FALSE(gxds_xds_config_selector_fits(other, configs_[0], sets_[1]));
}

}  // namespace
}  // namespace made_up
