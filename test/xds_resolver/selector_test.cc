#include "xds_resolver/selector.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "test/xds_resolver/selector_fixture.h"

namespace made_up {
namespace {

class Selector : public SelectorTest {
 protected:
  struct Selection : gxds_selection {
    gxds_str error = {};  // empty: the RPC is routed
  };

  Selection Select(const gxds_selector *s, const char *path) {
    gxds_route_request request = {Z(path), [](void *, gxds_str, gxds_str *) { return false; },
                                  nullptr, nullptr,
                                  nullptr, nullptr};
    Selection out = {};
    const bool routed = gxds_selector_select(s, &request, &out, &out.error);
    EXPECT_EQ(routed, out.error.size == 0);
    return out;
  }
};

TEST_F(Selector, GivesEachRpcAHoldOfItsOwn) {  // A31.1
  const gxds_config *config = Config({{GXDS_PATH_PREFIX, "/s/", {{"a", 1}}}});
  const gxds_cluster_set *clusters = Hold(config);
  const gxds_selector *s = gxds_selector_create(config, clusters, &host_);
  gxds_config_unref(config);  // the selector holds what it needs
  gxds_cluster_set_unref(clusters);
  const Selection selection = Select(s, "/s/m");
  ASSERT_EQ(Str(selection.error), "");
  EXPECT_EQ(Str(gxds_cluster_ref_name(selection.cluster)), "a");
  EXPECT_EQ(selection.target->method_config, GXDS_NO_METHOD_CONFIG);
  gxds_selector_destroy(s);
  EXPECT_EQ(MailCount(), 0u);
  gxds_cluster_ref_release(selection.cluster);
  EXPECT_EQ(MailCount(), 1u);
}

TEST_F(Selector, StatusSaysWhyAnRpcCannotBeRouted) {  // A28.12, A31.2
  Route other = {GXDS_PATH_PREFIX, "/other/", {}};
  other.action = GXDS_ROUTE_NON_FORWARDING;
  const gxds_config *config = Config({{GXDS_PATH_PREFIX, "/s/", {{"a", 1}}}, other});
  const gxds_cluster_set *clusters = Hold(config);
  const gxds_selector *s = gxds_selector_create(config, clusters, &host_);
  EXPECT_EQ(Str(Select(s, "/t/m").error),
            "No matching route found in xDS route config: RDS resource rc (node ID:n)");
  EXPECT_EQ(Str(Select(s, "/other/m").error),
            "Matching route has inappropriate action: RDS resource rc (node ID:n)");
  gxds_selector_destroy(s);
  gxds_cluster_set_unref(clusters);
  gxds_config_unref(config);
}

gxds_duration g_distance = 0;

// The host ends an RPC too early by the distance of its clocks.
TEST_F(Selector, TheTimeoutIsLongerByTheDistanceOfTheHostsClocks) {  // A31.13, A31.16
  constexpr gxds_duration kMs = GXDS_MILLISECOND;
  Route timed = {GXDS_PATH_PREFIX, "/timed/", {{"a", 1}}};
  timed.max_stream_duration = 500 * kMs;
  Route endless = {GXDS_PATH_PREFIX, "/endless/", {{"a", 1}}};
  endless.max_stream_duration = INT64_MAX;
  Route zero = {GXDS_PATH_PREFIX, "/zero/", {{"a", 1}}};
  zero.max_stream_duration = 0;
  const gxds_config *config =
      Config({timed, endless, zero, {GXDS_PATH_PREFIX, "/none/", {{"a", 1}}}});
  const gxds_cluster_set *clusters = Hold(config);
  const gxds_selector *s = gxds_selector_create(config, clusters, &host_);
  auto timeout = [&](const char *path) {
    const Selection selection = Select(s, path);
    gxds_cluster_ref_release(selection.cluster);
    return selection.timeout;
  };
  EXPECT_EQ(timeout("/timed/m"), 500 * kMs) << "a host of one clock";
  host_.clock_distance = [] { return g_distance; };
  struct Case {
    gxds_duration distance, timeout;
  };
  for (const Case &c : std::initializer_list<Case>{{0, 500 * kMs},
                                                   {1500 * kMs, 2000 * kMs},
                                                   {-200 * kMs, 300 * kMs},
                                                   {-3000 * kMs, -2500 * kMs},
                                                   {-500 * kMs, kMs}}) {  // zero would be no limit
    g_distance = c.distance;
    EXPECT_EQ(timeout("/timed/m"), c.timeout) << c.distance;
    EXPECT_EQ(timeout("/zero/m"), 0) << c.distance;
    EXPECT_EQ(timeout("/none/m"), 0) << c.distance;
    EXPECT_GT(timeout("/endless/m"), INT64_MAX - 3001 * kMs) << c.distance;
  }
  gxds_selector_destroy(s);
  gxds_cluster_set_unref(clusters);
  gxds_config_unref(config);
}

TEST_F(Selector, FitsAsLongAsItWouldChooseTheSame) {
  const gxds_route_config *rc = RoutesTo({"a"});
  const gxds_http_filter one = {Z("f"), GXDS_HTTP_FILTER_FAULT, Z("{}"), {}};
  const gxds_http_filter other = {Z("f"), GXDS_HTTP_FILTER_FAULT, Z("{\"maxFaults\":1}"), {}};
  auto listener = [&](gxds_duration timeout, const gxds_http_filter *filter) {
    gxds_resource_ref(&rc->base);
    auto *l = reinterpret_cast<Listener *>(const_cast<gxds_listener *>(InlineListener(rc)));
    l->l.max_stream_duration = timeout;
    l->l.filters = filter;
    l->l.filter_count = 1;
    return &l->l;
  };
  const gxds_config *config = Config(listener(GXDS_SECOND, &one));
  const gxds_config *same = Config(listener(GXDS_SECOND, &one));
  const gxds_config *timed = Config(listener(2 * GXDS_SECOND, &one));
  const gxds_config *filtered = Config(listener(GXDS_SECOND, &other));
  const gxds_config *routed = Config({{GXDS_PATH_PREFIX, "/a", {{"a", 1}}}});
  const gxds_cluster_set *clusters = Hold(config);
  const gxds_cluster_set *others = Hold(config);
  const gxds_selector *s = gxds_selector_create(config, clusters, &host_);
  EXPECT_TRUE(gxds_selector_fits(s, config, clusters));
  EXPECT_TRUE(gxds_selector_fits(s, same, clusters));
  EXPECT_FALSE(gxds_selector_fits(s, timed, clusters));
  EXPECT_FALSE(gxds_selector_fits(s, filtered, clusters));
  EXPECT_FALSE(gxds_selector_fits(s, routed, clusters));
  EXPECT_FALSE(gxds_selector_fits(s, config, others));
  size_t count = 0;
  EXPECT_EQ(gxds_selector_filters(s, &count)[0].kind, GXDS_HTTP_FILTER_FAULT);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(gxds_method_configs_count(gxds_selector_method_configs(s)), 1u);
  gxds_selector_destroy(s);
  for (auto *c : {config, same, timed, filtered, routed}) gxds_config_unref(c);
  for (auto *c : {clusters, others}) gxds_cluster_set_unref(c);
  made_up::Unref(rc);
}

}  // namespace
}  // namespace made_up
