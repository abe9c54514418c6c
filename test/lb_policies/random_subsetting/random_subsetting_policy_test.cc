// A policy that gives its child some of the addresses (A68).
#include "lb_policies/random_subsetting/random_subsetting_policy.h"

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
      [](auto* builder) { RegisterPolicyInC(builder, &gxds_random_subsetting_policy); });
  return true;
}();

class RandomSubsettingPolicyTest : public PolicyTest {
 protected:
  void SetUp() override { Create(gxds_random_subsetting_policy.name); }
  static std::string Config(int size) {
    return R"([{"random_subsetting_experimental":{"subsetSize":)" + std::to_string(size) +
           R"(,"childPolicy":[{"test_leaf":{}}]}}])";
  }
  void Apply(int size, uint16_t count) {
    auto config = ParseConfig(Config(size));
    ASSERT_TRUE(config.ok()) << config.status();
    std::vector<uint16_t> ports;
    for (uint16_t i = 0; i < count; i++) ports.push_back(100 + i);
    localities_.push_back(MakeLocality({"z", 1, ports}));
    ServerAddressList addresses;
    AppendAddresses(localities_.back().get(), &addresses);
    Update(*config, ChannelArgs(), std::move(addresses));
  }
  static std::vector<std::string> Given() { return Leaf::InZone("z")->addresses(); }

  std::vector<CRef<gxds_locality>> localities_;
};

TEST_F(RandomSubsettingPolicyTest, TheChildGetsSoManyAndKeepsThem) {  // A68.1, A68.3
  Apply(4, 50);
  const auto first = Given();
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), 4u);
  Apply(4, 50);
  EXPECT_EQ(Given(), first) << "the seed is the policy's";
  Apply(3, 50);
  EXPECT_EQ(Given(), std::vector<std::string>(first.begin(), first.begin() + 3));
}

TEST_F(RandomSubsettingPolicyTest, OtherPoliciesChooseOthers) {  // A68.3
  std::set<std::vector<std::string>> subsets;
  for (int i = 0; i < 20; i++) {
    Create(gxds_random_subsetting_policy.name);
    Apply(4, 50);
    subsets.insert(Given());
  }
  EXPECT_GT(subsets.size(), 15u);
}

TEST_F(RandomSubsettingPolicyTest, PassesOnWhatItsChildSays) {  // A68.6
  Apply(2, 1);
  Report("z", GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(status_, absl::UnavailableError("refused"));
  In([&] { policy_->ExitIdleLocked(); });
  In([&] { policy_->ResetBackoffLocked(); });
  EXPECT_EQ(Leaf::InZone("z")->exit_idle_count, 1);
  EXPECT_EQ(Leaf::InZone("z")->reset_backoff_count, 1);
}

TEST_F(RandomSubsettingPolicyTest, AListThatCannotBeHadIsPassedOn) {
  Apply(2, 1);
  Update(*ParseConfig(Config(2)), ChannelArgs(), absl::UnavailableError("no DNS"));
  ASSERT_EQ(Leaf::leaves().size(), 1u);
  EXPECT_EQ(Leaf::leaves()[0]->addresses(), (std::vector<std::string>{"UNAVAILABLE: no DNS"}));
}

TEST_F(RandomSubsettingPolicyTest, NeedsASizeAndAChild) {  // A68.7
  auto error = [](const char* json) { return std::string(ParseConfig(json).status().message()); };
  EXPECT_EQ(error(R"([{"random_subsetting_experimental":{}}])"),
            "errors validating random_subsetting LB policy config: [field:childPolicy error:field "
            "not present; field:subsetSize error:field not present]");
  EXPECT_EQ(error(R"([{"random_subsetting_experimental":
                       {"subsetSize":0,"childPolicy":[{"test_leaf":{}}]}}])"),
            "errors validating random_subsetting LB policy config: [field:subsetSize error:must be "
            "greater than 0]");
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
