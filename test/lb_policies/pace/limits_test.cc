#include "lb_policies/pace/limits.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lb_policies/pace/pace.h"

namespace {

TEST(ConnectLimits, TheEnvironmentSetsTheLimit) {
  const gxds_lb_channel channel = {};
  const char kName[] = "GRPC_XDS_CONNECT_ON_DEMAND";
  unsetenv(kName);
  EXPECT_EQ(gxds_connect_limits_of(&channel).eager, size_t{GXDS_EAGER_ENDPOINTS});
  EXPECT_EQ(gxds_connect_limits_of(&channel).window, uint32_t{GXDS_PACE_WINDOW});
  for (const char* value : {"true", "1"}) {
    setenv(kName, value, 1);
    EXPECT_EQ(gxds_connect_limits_of(&channel).eager, 0u) << value;
  }
  for (const char* value : {"false", "0"}) {
    setenv(kName, value, 1);
    EXPECT_EQ(gxds_connect_limits_of(&channel).eager, SIZE_MAX) << value;
  }
  for (const char* value : {"", "TRUE", "2"}) {
    setenv(kName, value, 1);
    EXPECT_EQ(gxds_connect_limits_of(&channel).eager, size_t{GXDS_EAGER_ENDPOINTS}) << value;
  }
  unsetenv(kName);
}

TEST(ConnectLimits, TheHostsLimitsComeFirst) {
  const gxds_connect_limits limits = {7, 3};
  gxds_lb_channel channel = {};
  channel.limits = &limits;
  EXPECT_EQ(gxds_connect_limits_of(&channel).eager, 7u);
  EXPECT_EQ(gxds_connect_limits_of(&channel).window, 3u);
}

}  // namespace
