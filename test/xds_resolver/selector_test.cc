#include "xds_resolver/selector.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "test/xds_resolver/made_up_routes.h"

namespace made_up {
namespace {

class Selector : public ::testing::Test {
 protected:
  void SetUp() override {
    g_alive = 0;
    mailbox_ = gxds_mailbox_create({[](void *, gxds_mailbox *) {}, nullptr, nullptr});
    refs_ = gxds_cluster_refs_create(mailbox_);
  }
  void TearDown() override {
    gxds_cluster_refs_destroy(refs_);
    gxds_mailbox_unref(mailbox_);
    EXPECT_EQ(g_alive, 0);
  }

  // Takes the listener's reference.
  const gxds_config *Config(const gxds_listener *listener) {
    const gxds_route_config *rc = listener->route_config;
    gxds_resource_ref(&rc->base);
    const gxds_virtual_host *vh = &rc->virtual_hosts[0];
    return gxds_config_create(listener, rc, vh, nullptr, gxds_route_cluster_names(vh), nullptr,
                              nullptr, gxds_str_dup(Z("RDS resource rc (node ID:n)")));
  }
  const gxds_config *Config(std::vector<Route> routes) {
    return Config(InlineListener(NewRouteConfig("rc", {{{"*"}, std::move(routes)}})));
  }
  const gxds_cluster_set *Hold(const gxds_config *config) {
    return gxds_cluster_refs_hold(
        refs_, config->roots, [](void *, gxds_str) {}, nullptr);
  }
  gxds_selection Select(const gxds_selector *s, const char *path) {
    gxds_route_request request = {Z(path), [](void *, gxds_str, gxds_str *) { return false; },
                                  nullptr, nullptr, nullptr};
    return gxds_selector_select(s, &request);
  }
  size_t MailCount() {
    size_t count = 0;
    for (gxds_mail *mail = gxds_mailbox_take(mailbox_); mail; count++) {
      gxds_mail *next = mail->next;
      gxds_mail_destroy(mail);
      mail = next;
    }
    return count;
  }

  gxds_host host_ = {};
  gxds_mailbox *mailbox_;
  gxds_cluster_refs *refs_;
};

TEST_F(Selector, GivesEachRpcAHoldOfItsOwn) {  // A31.1
  const gxds_config *config = Config({{GXDS_PATH_PREFIX, "/s/", {{"a", 1}}}});
  const gxds_cluster_set *clusters = Hold(config);
  const gxds_selector *s = gxds_selector_create(config, clusters, &host_);
  gxds_config_unref(config);  // what it needs is kept
  gxds_cluster_set_unref(clusters);
  gxds_selection selection = Select(s, "/s/m");
  ASSERT_EQ(Str(selection.error), "");
  EXPECT_EQ(Str(gxds_cluster_ref_name(selection.cluster)), "a");
  EXPECT_EQ(selection.method_config, GXDS_NO_METHOD_CONFIG);
  gxds_selector_destroy(s);
  EXPECT_EQ(MailCount(), 0u);
  gxds_cluster_ref_release(selection.cluster);
  EXPECT_EQ(MailCount(), 1u);
}

TEST_F(Selector, SaysWhyAnRpcCannotBeRouted) {  // A28.12, A31.2
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

// The host ends an RPC sooner than it was told, by the distance of its clocks.
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
    const gxds_selection selection = Select(s, path);
    gxds_cluster_ref_release(selection.cluster);
    return selection.timeout;
  };
  EXPECT_EQ(timeout("/timed/m"), 500 * kMs) << "a host of one clock";
  host_.clock_distance = [] { return g_distance; };
  struct Case {
    gxds_duration distance, told;
  };
  for (const Case &c : std::initializer_list<Case>{{0, 500 * kMs},
                                                   {1500 * kMs, 2000 * kMs},
                                                   {-200 * kMs, 300 * kMs},
                                                   {-3000 * kMs, -2500 * kMs},
                                                   {-500 * kMs, kMs}}) {  // none would be no limit
    g_distance = c.distance;
    EXPECT_EQ(timeout("/timed/m"), c.told) << c.distance;
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
  const gxds_http_filter one = {Z("f"), GXDS_HTTP_FILTER_FAULT, Z("{}")};
  const gxds_http_filter other = {Z("f"), GXDS_HTTP_FILTER_FAULT, Z("{\"maxFaults\":1}")};
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
