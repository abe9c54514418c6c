#include "bootstrap/share.h"

#include <gtest/gtest.h>

#include "test/bootstrap/fake_host.h"
#include "test/support/forks_during.h"

namespace grpc_xds_test {
namespace {

const gxds_bootstrap* Parsed() {
  const gxds_bootstrap* bootstrap = nullptr;
  gxds_status status = gxds_bootstrap_parse(
      gxds_str_z(R"({"xds_servers": [{"server_uri": "s", "channel_creds": [{"type": "fake"}]}]})"),
      FakeHost(), &bootstrap, nullptr);
  EXPECT_TRUE(gxds_status_is_ok(&status));
  gxds_status_fini(&status);
  return bootstrap;
}

TEST(Share, IsFoundInTheChildOfAForkDuringItsUse) {
  gxds_bootstrap_share* share = gxds_bootstrap_share_add(gxds_str_z("target"), Parsed());
  EXPECT_TRUE(gxds_test::AllChildrenEnd(
      [] { gxds_bootstrap_share_end(gxds_bootstrap_share_find(gxds_str_z("target"))); }));
  gxds_bootstrap_share_end(share);
}

}  // namespace
}  // namespace grpc_xds_test
