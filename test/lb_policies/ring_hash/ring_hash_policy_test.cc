// The ring_hash policy in the host's terms (A42, A61, A76).
#include "lb_policies/ring_hash/ring_hash_policy.h"

#include <string>

#include "host/grpc_1_51/policy.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {
namespace {

// Before the fixture's environment makes the configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](auto* builder) { RegisterPolicyInC(builder, &gxds_ring_hash_policy); });
  return true;
}();

class FakeMetadata : public LoadBalancingPolicy::MetadataInterface {
 public:
  explicit FakeMetadata(std::string value) : value_(std::move(value)) {}
  void Add(absl::string_view, absl::string_view) override {}
  std::vector<std::pair<std::string, std::string>> TestOnlyCopyToVector() override { return {}; }
  absl::optional<absl::string_view> Lookup(absl::string_view key, std::string*) const override {
    if (key == "user") return value_;
    return absl::nullopt;
  }

 private:
  const std::string value_;
};

class RingHashPolicyTest : public PolicyTest {
 protected:
  void Start(const std::vector<LocalitySpec>& localities,
             const std::string& fields = R"("requestHashHeader":"user")") {
    Create(gxds_ring_hash_policy.name);
    auto config = ParseConfig("[{\"ring_hash_experimental\":{" + fields + "}}]");
    ASSERT_TRUE(config.ok()) << config.status();
    config_ = *config;
    Apply(localities);
  }
  void Apply(const std::vector<LocalitySpec>& localities, ChannelArgs args = ChannelArgs()) {
    ServerAddressList addresses;
    for (const auto& spec : localities) {
      localities_.push_back(MakeLocality(spec));
      AppendAddresses(localities_.back().get(), &addresses);
    }
    Update(config_, std::move(args), std::move(addresses), "note");
  }
  void Say(const std::string& address, grpc_connectivity_state state,
           absl::Status status = absl::OkStatus()) {
    for (auto it = subchannels_.rbegin(); it != subchannels_.rend(); ++it) {
      if (it->address != address || it->subchannel->watcher == nullptr) continue;
      In([&] { it->subchannel->watcher->OnConnectivityStateChange(state, status); });
      return;
    }
    FAIL() << "nobody watches " << address;
  }
  int Connects(const std::string& address) {
    int connects = 0;
    for (auto& s : subchannels_) {
      if (s.address == address) connects += s.subchannel->connects;
    }
    return connects;
  }
  std::string PickFor(const std::string& user) {
    FakeMetadata metadata(user);
    return PolicyTest::Pick(&metadata);
  }

  RefCountedPtr<LoadBalancingPolicy::Config> config_;
  std::vector<CRef<gxds_locality>> localities_;
};

TEST_F(RingHashPolicyTest, PickConnectsItsEndpoint) {  // A76.4, A76.5, A42
  Start({{"z", 1, {1, 2, 3}}});
  EXPECT_EQ(accepted_, absl::OkStatus());
  EXPECT_EQ(state_, GRPC_CHANNEL_IDLE);
  ASSERT_EQ(subchannels_.size(), 3u);
  EXPECT_EQ(PickFor("someone"), "queue");
  std::string chosen;
  for (auto& s : subchannels_) {
    if (s.subchannel->connects == 1) chosen += s.address;
  }
  ASSERT_EQ(chosen.substr(0, 9), "10.0.0.1:") << "one of them";
  ASSERT_EQ(chosen.size(), 10u);
  Say(chosen, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  Say(chosen, GRPC_CHANNEL_READY);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(PickFor("someone"), chosen);
  EXPECT_EQ(PickFor(""), chosen) << "no value: what is READY";
}

TEST_F(RingHashPolicyTest, WithoutAHashAnRpcFails) {  // A76.2
  Start({{"z", 1, {1}}}, "");
  EXPECT_EQ(PickFor("someone").substr(0, 23), "fail: INTERNAL: ring_ha");
}

TEST_F(RingHashPolicyTest, FailureSaysWhatTheEndpointSaid) {  // A61
  Start({{"z", 1, {1}}});
  Say("10.0.0.1:1", GRPC_CHANNEL_IDLE);
  Say("10.0.0.1:1", GRPC_CHANNEL_CONNECTING);
  Say("10.0.0.1:1", GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(status_,
            absl::UnavailableError("no reachable subchannels; last error: UNAVAILABLE: refused"));
  EXPECT_EQ(PickFor("someone"),
            "fail: UNAVAILABLE: ring hash cannot find a connected subchannel; first failure: "
            "UNAVAILABLE: refused");
  EXPECT_EQ(reresolutions_, 1);
  Say("10.0.0.1:1", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Connects("10.0.0.1:1"), 1) << "without a pick";
}

TEST_F(RingHashPolicyTest, UpdateKeepsConnections) {  // A61
  Start({{"z", 1, {1, 2}}});
  Say("10.0.0.1:1", GRPC_CHANNEL_READY);
  Apply({{"z", 1, {1, 3}}});
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(subchannels_.size(), 3u) << "one new";
  EXPECT_EQ(subchannels_[1].subchannel->watcher, nullptr) << "nobody watches what is gone";
  Apply({{"other", 1, {1}}});
  EXPECT_EQ(subchannels_.size(), 4u) << "its load is another locality's";
  Apply({{"other", 1, {1}}}, ChannelArgs().Set("a", 1));
  EXPECT_EQ(subchannels_.size(), 5u) << "connections to other args";
}

TEST_F(RingHashPolicyTest, HashKeyDecidesThePlace) {  // A76.9
  Start({{"z", 1, {1, 2}}});
  for (const char* address : {"10.0.0.1:1", "10.0.0.1:2"}) Say(address, GRPC_CHANNEL_READY);
  auto place = [&](const char* first, const char* second) {
    auto plain = MakeLocality({"z", 1, {1, 2}});
    gxds_locality view = *plain;
    const gxds_str keys[] = {gxds_str_z(first), gxds_str_z(second)};
    view.hash_keys = keys;
    localities_.emplace_back(gxds_locality_copy(&view));
    ServerAddressList addresses;
    AppendAddresses(localities_.back().get(), &addresses);
    Update(config_, ChannelArgs(), std::move(addresses), "note");
    return PickFor("someone");
  };
  const std::string before = place("x", "y");
  EXPECT_NE(place("y", "x"), before);
  EXPECT_EQ(place("x", "y"), before);
  EXPECT_EQ(subchannels_.size(), 2u) << "both keep theirs";
}

TEST_F(RingHashPolicyTest, EmptyListFailsAndBadListIsIgnored) {
  Start({});
  EXPECT_EQ(accepted_, absl::UnavailableError("empty address list: note"));
  EXPECT_EQ(status_, accepted_);
  EXPECT_EQ(PickFor("x"), "fail: UNAVAILABLE: empty address list: note");
  Update(config_, ChannelArgs(), absl::UnavailableError("no DNS"));
  EXPECT_EQ(status_, absl::UnavailableError("no DNS"));
  Apply({{"z", 1, {1}}});
  EXPECT_EQ(state_, GRPC_CHANNEL_IDLE);
  Update(config_, ChannelArgs(), absl::UnavailableError("no DNS"));
  EXPECT_EQ(accepted_, absl::UnavailableError("no DNS"));
  EXPECT_EQ(state_, GRPC_CHANNEL_IDLE);
}

TEST_F(RingHashPolicyTest, ExitIdleConnects) {
  Start({{"z", 1, {1, 2}}});
  In([&] { policy_->ExitIdleLocked(); });
  EXPECT_EQ(Connects("10.0.0.1:1"), 1);
  EXPECT_EQ(Connects("10.0.0.1:2"), 0);
}

TEST(RingHashConfigTest, IsChecked) {  // A42.18, A76.1
  auto check = [](const std::string& fields) {
    auto json = grpc_core::Json::Parse("[{\"ring_hash_experimental\":{" + fields + "}}]");
    EXPECT_TRUE(json.ok());
    auto config =
        grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*json);
    return config.ok() ? "" : std::string(config.status().message());
  };
  const std::string head = "errors validating ring_hash LB policy config: [";
  EXPECT_EQ(check(""), "");
  EXPECT_EQ(check(R"("minRingSize":1,"maxRingSize":8388608,"requestHashHeader":"user")"), "");
  EXPECT_EQ(check(R"("minRingSize":0)"),
            head + "field:minRingSize error:must be in the range [1, 8388608]]");
  EXPECT_EQ(check(R"("maxRingSize":8388609)"),
            head + "field:maxRingSize error:must be in the range [1, 8388608]]");
  EXPECT_EQ(check(R"("minRingSize":9,"maxRingSize":8)"),
            head + "field: error:max_ring_size cannot be smaller than min_ring_size]");
  EXPECT_EQ(check(R"("requestHashHeader":"user-bin")"),
            head + "field:requestHashHeader error:must not be a binary header (\"-bin\")]");
  EXPECT_EQ(check(R"("requestHashHeader":"a b")"),
            head + "field:requestHashHeader error:is not a valid header name]");
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
