// The parts of selectors: configs with made-up routes, and holds on their clusters.
#ifndef GRPC_XDS_TEST_XDS_RESOLVER_SELECTOR_FIXTURE_H_
#define GRPC_XDS_TEST_XDS_RESOLVER_SELECTOR_FIXTURE_H_

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "test/xds_resolver/made_up_routes.h"
#include "xds_resolver/selector.h"

namespace made_up {

class SelectorTest : public ::testing::Test {
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

  // Takes ownership of the reference to listener.
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
  size_t MailCount() {
    size_t count = 0;
    for (gxds_mail *mail = gxds_mailbox_take(mailbox_); mail; count++) {
      gxds_mail *next = gxds_mail_next(mail);
      gxds_mail_destroy(mail);
      mail = next;
    }
    return count;
  }

  gxds_host host_ = {};
  gxds_mailbox *mailbox_;
  gxds_cluster_refs *refs_;
};

}  // namespace made_up

#endif
