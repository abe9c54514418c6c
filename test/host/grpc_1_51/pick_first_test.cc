// The host's pick_first, as the child of the policy in C that shuffles its addresses (A62).
#include <string>
#include <vector>

#include "host/grpc_common/policy.h"
#include "lb_policies/pick_first/shuffled_policy.h"
#include "test/host/grpc_1_51/fixture.h"

namespace grpc_xds {
namespace testing {
namespace {

// Runs before the fixture's environment makes the core configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](auto* builder) { RegisterPolicyInC(builder, &gxds_shuffled_policy); });
  return true;
}();

class PickFirstTest : public PolicyTest {
 protected:
  void SetUp() override { Create(gxds_shuffled_policy.name); }
  void Apply(const std::vector<uint16_t>& ports) {
    auto config = ParseConfig(R"([{"grpc_xds_shuffled":{"childPolicy":[{"pick_first":{}}]}}])");
    ASSERT_TRUE(config.ok()) << config.status();
    localities_.push_back(MakeLocality({"z", 1, ports}));
    ServerAddressList addresses;
    AppendAddresses(localities_.back().get(), &addresses);
    Update(*config, ChannelArgs(), std::move(addresses));
  }
  std::vector<CRef<gxds_locality>> localities_;
};

TEST_F(PickFirstTest, StaysInFailureUntilItIsReady) {  // A62.5
  Apply({80, 81});
  auto set_state = [this](grpc_connectivity_state state, const absl::Status& status = {}) {
    In([&] {
      for (auto& s : subchannels_) s.subchannel->watcher->OnConnectivityStateChange(state, status);
    });
  };
  set_state(GRPC_CHANNEL_IDLE);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  for (int round = 0; round < 3; round++) {
    for (int address = 0; address < 2; address++) {
      set_state(GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
    }
    EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
    set_state(GRPC_CHANNEL_IDLE);
    EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
    set_state(GRPC_CHANNEL_CONNECTING);
    EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  }
  EXPECT_EQ(Pick().find("fail: "), 0u);
  In([this] {
    subchannels_[1].subchannel->watcher->OnConnectivityStateChange(GRPC_CHANNEL_READY, {});
  });
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
