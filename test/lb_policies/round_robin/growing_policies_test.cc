// The leaf policies that grow by use (lb_policies/round_robin/growth.h), which are all that are
// made of endpoints_policy.h.
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/least_request/least_request_policy.h"
#include "lb_policies/pace/pace.h"
#include "lb_policies/round_robin/round_robin_policy.h"
#include "lb_policies/slow_start/slow_start_policy.h"
#include "lb_policies/weighted_round_robin/weighted_round_robin_policy.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"
#include "test/lb_policies/support/on_demand.h"

namespace memory {
namespace {

using grpc_xds::testing::MakeLocality;
using grpc_xds::testing::OnDemand;

constexpr size_t kWindow = GXDS_PACE_WINDOW;

struct Kind {
  const char* name;
  const gxds_policy_type* type;
  const char* config;  // empty: of a locality
};

class GrowingPolicyTest : public PolicyTest, public ::testing::WithParamInterface<Kind> {
 protected:
  GrowingPolicyTest() {
    host_.Register(GetParam().type);
    host_.Create(*GetParam().type);
  }

  static std::vector<uint16_t> Ports(size_t count) {
    std::vector<uint16_t> ports(count);
    std::iota(ports.begin(), ports.end(), uint16_t{1000});
    return ports;
  }
  void Apply(const std::vector<uint16_t>& ports, Args args = Args()) {
    const auto locality = MakeLocality({"z", 1, ports});
    if (*GetParam().config == '\0') {
      Update(Config(gxds_round_robin_config_create(locality.get(), false)), std::move(args));
    } else {
      Update(ParseConfig(GetParam().config), std::move(args),
             Addresses(gxds_locality_addresses(locality.get())));
    }
    host_.Pass(0);
  }
  static std::string At(int port) { return "10.0.0.1:" + std::to_string(port); }
  // A subchannel that connects; null: there is none.
  Subchannel* Connecting() const {
    for (Subchannel* s : host_.subchannels()) {
      if (s->state == GRPC_CHANNEL_CONNECTING) return s;
    }
    return nullptr;
  }
  // All that connect are READY, those that connect then as well, and so on.
  void ConnectAll() {
    while (Subchannel* next = Connecting()) {
      host_.SetState(next, GRPC_CHANNEL_READY);
      if (Connecting() == nullptr) host_.Pass(0);
    }
  }
  void UseAndConnect(size_t picks) {
    Picks(static_cast<int>(picks));
    host_.Pass(0);
    ConnectAll();
  }

  const OnDemand on_demand_;
};

TEST_P(GrowingPolicyTest, ConnectsToMoreWhenEachEndpointMayHaveBeenPickedOnce) {
  Apply(Ports(500));
  ConnectAll();
  EXPECT_EQ(WatchedCount(), kWindow);
  UseAndConnect(kWindow - 1);
  EXPECT_EQ(WatchedCount(), kWindow);
  UseAndConnect(1);
  EXPECT_EQ(WatchedCount(), 2 * kWindow);
  UseAndConnect(2 * kWindow - 1);
  EXPECT_EQ(WatchedCount(), 2 * kWindow);
  UseAndConnect(1);
  EXPECT_EQ(WatchedCount(), 4 * kWindow);
  UseAndConnect(4 * kWindow);
  EXPECT_EQ(WatchedCount(), 500u);
  UseAndConnect(1000);
  EXPECT_EQ(WatchedCount(), 500u);
  EXPECT_GT(Picks(20000).size(), 490u) << "least_request picks at random";
}

TEST_P(GrowingPolicyTest, PicksWhileItGrowsAreNotCounted) {
  Apply(Ports(1000));
  ConnectAll();
  Picks(static_cast<int>(kWindow));
  host_.Pass(0);
  ASSERT_EQ(WatchedCount(), 2 * kWindow) << "these connect, and fill the window of the pace";
  Picks(static_cast<int>(kWindow));
  host_.Pass(0);
  ASSERT_EQ(WatchedCount(), 2 * kWindow) << "more wait for their turn";
  Picks(static_cast<int>(kWindow - 1));
  host_.Pass(GXDS_PACE_PATIENCE);
  ASSERT_EQ(WatchedCount(), 3 * kWindow);
  Picks(1);
  host_.Pass(GXDS_PACE_PATIENCE);
  EXPECT_EQ(WatchedCount(), 3 * kWindow);
  Picks(static_cast<int>(kWindow - 1));
  host_.Pass(GXDS_PACE_PATIENCE);
  EXPECT_EQ(WatchedCount(), 4 * kWindow);
}

TEST_P(GrowingPolicyTest, PicksAreCountedOnlyWhileEndpointsAreLeftOut) {
  Apply(Ports(3));
  ConnectAll();
  const gxds_picker_ops* const plain = host_.picker()->ops;
  Apply(Ports(kWindow + 1));
  ConnectAll();
  EXPECT_NE(host_.picker()->ops, plain);
  UseAndConnect(kWindow);
  EXPECT_EQ(WatchedCount(), kWindow + 1);
  EXPECT_EQ(host_.picker()->ops, plain);
}

TEST_P(GrowingPolicyTest, OthersTakeThePlaceOfLostEndpoints) {
  Apply(Ports(500));
  ConnectAll();
  const std::map<std::string, int> picks = Picks(50);
  for (const auto& [address, count] : picks) {
    host_.SetState(address, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("lost"));
  }
  host_.Pass(0);
  EXPECT_EQ(WatchedCount(), kWindow + picks.size());
  ConnectAll();
  for (const auto& [address, count] : Picks(90)) EXPECT_EQ(picks.count(address), 0u) << address;
}

TEST_P(GrowingPolicyTest, ReadyEndpointsThatAnUpdateRemovesAreReplaced) {
  Apply(Ports(500));
  ConnectAll();
  std::vector<uint16_t> rest = Ports(500);
  for (const auto& [address, count] : Picks(1)) {
    for (size_t i = 0; i < rest.size(); i++) {
      if (At(rest[i]) == address) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  ASSERT_EQ(rest.size(), 499u);
  const size_t made = host_.subchannels_made;
  Apply(rest);
  EXPECT_EQ(WatchedCount(), kWindow);
  EXPECT_EQ(host_.subchannels_made, made + 1);
}

TEST_P(GrowingPolicyTest, PolicyThatHasGrownConnectsToAsManyAgain) {
  Apply(Ports(1000));
  ConnectAll();
  UseAndConnect(kWindow);
  ASSERT_EQ(WatchedCount(), 2 * kWindow);
  Apply(Ports(1000), Args().Set("theirs", 7));
  ConnectAll();
  EXPECT_EQ(WatchedCount(), 2 * kWindow);
}

TEST_P(GrowingPolicyTest, MayEndBeforeItsPokeArrives) {
  Apply(Ports(500));
  ConnectAll();
  host_.In([&] {
    Picks(static_cast<int>(kWindow));
    host_.End();
  });
  host_.Pass(0);
}

TEST_P(GrowingPolicyTest, OldPickersAreCountedToo) {
  Apply(Ports(500));
  ConnectAll();
  gxds_picker* const old = gxds_picker_ref(host_.picker());
  host_.SetState(host_.subchannels()[0], GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("lost"));
  ConnectAll();
  const size_t before = WatchedCount();
  ASSERT_NE(host_.picker(), old);
  for (size_t i = 0; i < kWindow; i++) host_.PickWith(old, Request());
  host_.In([&] { gxds_picker_unref(old); });
  host_.Pass(0);
  EXPECT_GT(WatchedCount(), before);
}

INSTANTIATE_TEST_SUITE_P(
    All, GrowingPolicyTest,
    ::testing::Values(Kind{"RoundRobin", &gxds_round_robin_policy, ""},
                      Kind{"WeightedRoundRobin", &gxds_weighted_round_robin_policy,
                           R"([{"weighted_round_robin":{}}])"},
                      Kind{"LeastRequest", &gxds_least_request_policy,
                           R"([{"least_request_experimental":{}}])"},
                      Kind{"SlowStart", &gxds_slow_start_policy,
                           R"([{"grpc_xds_slow_start":{"slowStart":{"window":"60s"}}}])"},
                      Kind{"EndpointWeights", &gxds_endpoint_weights_policy,
                           R"([{"grpc_xds_endpoint_weights":{}}])"}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace memory
