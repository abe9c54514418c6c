// A policy that gives its child the addresses in a random order (A62).
#include "lb_policies/pick_first/shuffled_policy.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "host/grpc_1_51/policy.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {
namespace {

// Before the fixture's environment makes the configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](auto* builder) { RegisterPolicyInC(builder, &gxds_shuffled_policy); });
  return true;
}();

class ShuffledPolicyTest : public PolicyTest {
 protected:
  void SetUp() override { Create(gxds_shuffled_policy.name); }
  void Apply(const std::vector<uint16_t>& ports, const char* child = R"({"test_leaf":{}})") {
    auto config =
        ParseConfig(std::string(R"([{"grpc_xds_shuffled":{"childPolicy":[)") + child + "]}}]");
    ASSERT_TRUE(config.ok()) << config.status();
    localities_.push_back(MakeLocality({"z", 1, ports}));
    ServerAddressList addresses;
    AppendAddresses(localities_.back().get(), &addresses);
    Update(*config, ChannelArgs(), std::move(addresses));
  }
  static std::vector<std::string> Given() { return Leaf::InZone("z")->addresses(); }

  std::vector<CRef<gxds_locality>> localities_;
};

TEST_F(ShuffledPolicyTest, ANewListIsShuffledAndTheSameStaysAsItIs) {  // A62.3, A62.4
  std::vector<uint16_t> ports;
  for (uint16_t i = 0; i < 8; i++) ports.push_back(100 + i);
  std::set<std::vector<std::string>> orders;
  for (uint16_t more = 0; more < 20; more++) {
    ports.back() = 200 + more;
    Apply(ports);
    std::vector<std::string> order = Given();
    Apply(ports);
    EXPECT_EQ(Given(), order);
    std::vector<std::string> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()) - sorted.begin(), 8);
    for (std::string& address : order) {
      if (address.size() > 9 && address.substr(9) == std::to_string(200 + more)) address = "last";
    }
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 10u);
}

TEST_F(ShuffledPolicyTest, PassesOnWhatItsChildSays) {
  Apply({80});
  Report("z", GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(status_, absl::UnavailableError("refused"));
  In([&] { policy_->ExitIdleLocked(); });
  In([&] { policy_->ResetBackoffLocked(); });
  EXPECT_EQ(Leaf::InZone("z")->exit_idle_count, 1);
  EXPECT_EQ(Leaf::InZone("z")->reset_backoff_count, 1);
}

TEST_F(ShuffledPolicyTest, PickFirstStaysInFailureUntilItIsReady) {  // A62.5
  Apply({80, 81}, R"({"pick_first":{}})");
  auto say = [this](grpc_connectivity_state state, const absl::Status& status = {}) {
    In([&] {
      for (auto& s : subchannels_) s.subchannel->watcher->OnConnectivityStateChange(state, status);
    });
  };
  say(GRPC_CHANNEL_IDLE);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  for (int round = 0; round < 3; round++) {
    for (int address = 0; address < 2; address++) {
      say(GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
    }
    EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
    say(GRPC_CHANNEL_IDLE);
    EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
    say(GRPC_CHANNEL_CONNECTING);
    EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  }
  EXPECT_EQ(Pick().find("fail: "), 0u);
  In([this] {
    subchannels_[1].subchannel->watcher->OnConnectivityStateChange(GRPC_CHANNEL_READY, {});
  });
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
}

TEST_F(ShuffledPolicyTest, AListThatCannotBeHadIsPassedOn) {
  Apply({80});
  auto config = ParseConfig(R"([{"grpc_xds_shuffled":{"childPolicy":[{"test_leaf":{}}]}}])");
  Update(*config, ChannelArgs(), absl::UnavailableError("no DNS"));
  ASSERT_EQ(Leaf::leaves().size(), 1u);
  EXPECT_EQ(Leaf::leaves()[0]->addresses(), (std::vector<std::string>{"UNAVAILABLE: no DNS"}));
}

TEST_F(ShuffledPolicyTest, NeedsAChildThatTheRegistryHas) {
  auto error = [](const char* json) { return std::string(ParseConfig(json).status().message()); };
  const std::string where =
      "errors validating grpc_xds_shuffled LB policy config: [field:childPolicy error:";
  EXPECT_EQ(error(R"([{"grpc_xds_shuffled":{}}])"), where + "field not present]");
  EXPECT_EQ(error(R"([{"grpc_xds_shuffled":{"childPolicy":[{"nobodys":{}}]}}])").find(where), 0u);
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
