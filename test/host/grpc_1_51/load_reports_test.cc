// How out-of-band load reports are requested from a subchannel of the host's (A51).
#include "host/grpc_common/policy.h"

#include "test/host/grpc_1_51/fixture.h"

namespace grpc_xds {
namespace testing {
namespace {

struct Listener : gxds_load_listener {
  bool* destroyed;
};

const gxds_load_listener_ops kOps = {
    [](gxds_load_listener*) {},
    [](gxds_load_listener*, const gxds_orca_report*) {},
    [](gxds_load_listener* l) {
      *static_cast<Listener*>(l)->destroyed = true;
      delete static_cast<Listener*>(l);
    },
};

TEST(LoadReports, SubchannelHasOneWatcherForAllWishesAndKeepsTheListener) {
  bool destroyed = false;
  auto* listener = new Listener{};
  gxds_ref_init(&listener->refs);
  listener->ops = &kOps;
  listener->destroyed = &destroyed;
  auto subchannel = grpc_core::MakeRefCounted<FakeSubchannel>("10.0.0.1:80");
  ReportLoad(subchannel.get(), listener, GXDS_TIME_NEVER);
  EXPECT_EQ(subchannel->data_watchers.size(), 0u) << "not asked for";
  ReportLoad(subchannel.get(), listener, GXDS_SECOND);
  ASSERT_EQ(subchannel->data_watchers.size(), 1u);
  for (gxds_duration interval : {2 * GXDS_SECOND, GXDS_TIME_NEVER}) {
    ReportLoad(subchannel.get(), listener, interval);
  }
  EXPECT_EQ(subchannel->data_watchers.size(), 1u);
  gxds_load_listener_unref(listener);
  EXPECT_FALSE(destroyed);
  subchannel.reset();
  EXPECT_TRUE(destroyed);
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
