#include "lb_policies/round_robin/round_robin_policy.h"

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "host/grpc_1_51/config.h"
#include "lb_policies/pace/pace.h"
#include "lb_policies/round_robin/round_robin.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {
namespace {

class RoundRobinPolicyTest : public PolicyTest {
 protected:
  RoundRobinPolicyTest() { Create(gxds_round_robin_policy.name); }

  void Apply(const std::vector<uint16_t>& ports, ChannelArgs args = ChannelArgs(),
             std::string note = "") {
    auto locality = MakeLocality({"z", 1, ports});
    gxds_lb_config* config = gxds_round_robin_config_create(locality.get());
    Update(ToHost(config), args, ServerAddressList(), std::move(note));
    gxds_lb_config_unref(config);
  }
  // To each living subchannel of that port.
  void ReportPort(int port, grpc_connectivity_state state, absl::Status status = absl::OkStatus()) {
    In([&] {
      for (auto& s : subchannels_) {
        if (s.address == "10.0.0.1:" + std::to_string(port) && s.subchannel->watcher != nullptr) {
          s.subchannel->watcher->OnConnectivityStateChange(state, status);
        }
      }
    });
  }
  // More than may connect at a time.
  static std::vector<uint16_t> Many() {
    std::vector<uint16_t> ports(GXDS_PACE_WINDOW + 20);
    std::iota(ports.begin(), ports.end(), uint16_t{1000});
    return ports;
  }
  std::map<std::string, int> Picks(int count) {
    std::map<std::string, int> picks;
    for (int i = 0; i < count; i++) picks[Pick()]++;
    return picks;
  }
  // How many subchannels are watched.
  size_t Living() const {
    size_t living = 0;
    for (const auto& s : subchannels_) living += s.subchannel->watcher != nullptr ? 1 : 0;
    return living;
  }
};

TEST_F(RoundRobinPolicyTest, EndpointsArePickedInTurn) {
  Apply({80, 81, 82});
  EXPECT_EQ(Pick(), "queue");
  for (int port : {80, 81, 82}) ReportPort(port, GRPC_CHANNEL_READY);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  const std::vector<std::string> order = {"10.0.0.1:80", "10.0.0.1:81", "10.0.0.1:82"};
  const std::string first = Pick();
  size_t at = 0;
  while (order[at] != first) ASSERT_LT(++at, order.size());
  for (int i = 0; i < 10; i++) EXPECT_EQ(Pick(), order[++at % order.size()]);
}

TEST_F(RoundRobinPolicyTest, UpdateMakesSubchannelsForTheNewEndpointsOnly) {
  Apply({80, 81, 82});
  for (int port : {80, 81, 82}) ReportPort(port, GRPC_CHANNEL_READY);
  Apply({80, 90, 82});
  EXPECT_EQ(subchannels_.size(), 4u);
  EXPECT_EQ(Living(), 3u);
  EXPECT_EQ(Picks(10), (std::map<std::string, int>{{"10.0.0.1:80", 5}, {"10.0.0.1:82", 5}}));
  ReportPort(90, GRPC_CHANNEL_READY);
  EXPECT_EQ(Picks(9).size(), 3u);
}

TEST_F(RoundRobinPolicyTest, OtherArgsMakeOtherSubchannels) {
  Apply({80});
  ReportPort(80, GRPC_CHANNEL_READY);
  Apply({80}, ChannelArgs().Set("theirs", 7));
  ASSERT_EQ(subchannels_.size(), 2u);
  EXPECT_EQ(subchannels_[1].args, ChannelArgs().Set("theirs", 7));
  EXPECT_EQ(Living(), 2u);
  ReportPort(80, GRPC_CHANNEL_READY);
  EXPECT_EQ(Living(), 1u);
}

TEST_F(RoundRobinPolicyTest, OneEndpointReadyServesWhileTheOthersWaitForTheirStart) {
  const std::vector<uint16_t> ports = Many();
  Apply(ports);
  Pass(0);
  EXPECT_EQ(subchannels_.size(), size_t{GXDS_PACE_WINDOW});
  ReportPort(ports[0], GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "10.0.0.1:" + std::to_string(ports[0]));
  Pass(0);
  EXPECT_EQ(subchannels_.size(), size_t{GXDS_PACE_WINDOW + 1});
  for (size_t i = 1; subchannels_.size() < ports.size(); ++i) {
    ReportPort(ports[i], GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
    Pass(0);
  }
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(timer_count(), 0u);
}

TEST_F(RoundRobinPolicyTest, EndpointsThatDoNotAnswerDoNotKeepTheOthersOut) {
  const std::vector<uint16_t> ports = Many();
  Apply(ports);
  Pass(0);
  EXPECT_EQ(subchannels_.size(), size_t{GXDS_PACE_WINDOW});
  Pass(GXDS_PACE_PATIENCE);
  Pass(0);
  EXPECT_EQ(subchannels_.size(), ports.size());
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(timer_count(), 0u);
}

TEST_F(RoundRobinPolicyTest, EndpointsThatGoLeaveTheirPlaces) {
  std::vector<uint16_t> ports = Many();
  Apply(ports);
  Pass(0);
  ports.erase(ports.begin(), ports.begin() + GXDS_PACE_WINDOW);
  Apply(ports);
  Pass(0);
  EXPECT_EQ(Living(), ports.size());
}

TEST_F(RoundRobinPolicyTest, EndpointThatCanHaveNoSubchannelLeavesItsPlace) {
  refuse_ = true;
  const std::vector<uint16_t> ports = Many();
  Apply(ports);
  Pass(0);
  EXPECT_EQ(subchannels_.size(), 0u);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(timer_count(), 0u);
}

TEST_F(RoundRobinPolicyTest, MayEndWhileEndpointsWait) {
  Apply(Many());
  EXPECT_EQ(timer_count(), 1u);
  In([this] { policy_.reset(); });
  EXPECT_EQ(timer_count(), 0u);
  EXPECT_EQ(Living(), 0u);
}

TEST_F(RoundRobinPolicyTest, FailureSaysWhatTheLastConnectionDiedOf) {
  Apply({80, 81});
  ReportPort(80, GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  ReportPort(81, GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("no route"));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(status_, absl::UnavailableError("connections to all backends failing; last error: "
                                            "UNAVAILABLE: no route"));
  EXPECT_EQ(Pick(), "fail: " + status_.ToString());
  EXPECT_EQ(reresolutions_, 0);  // first reports
  ReportPort(81, GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("again"));
  EXPECT_EQ(reresolutions_, 1);
}

TEST_F(RoundRobinPolicyTest, LocalityWithoutEndpointsFailsWithTheNote) {
  Apply({}, ChannelArgs(), "gone");
  EXPECT_EQ(accepted_, absl::UnavailableError("empty address list: gone"));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(status_, accepted_);
}

TEST_F(RoundRobinPolicyTest, CannotBeConfigured) {
  auto config = ParseConfig(R"([{"grpc_xds_round_robin":{}}])");
  ASSERT_FALSE(config.ok());
  EXPECT_NE(config.status().message().find("Use round_robin."), std::string::npos)
      << config.status();
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
