// A policy that gives its child some of the addresses (A68).
#include "lb_policies/random_subsetting/random_subsetting_policy.h"

#include <set>
#include <string>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::MakeLocality;

class RandomSubsettingPolicyTest : public PolicyTest {
 protected:
  RandomSubsettingPolicyTest() {
    host_.Register(&gxds_random_subsetting_policy);
    host_.Create(gxds_random_subsetting_policy);
  }
  Config Configured(int size) {
    return ParseConfig(R"([{"random_subsetting_experimental":{"subsetSize":)" +
                       std::to_string(size) + R"(,"childPolicy":[{"test_leaf":{}}]}}])");
  }
  void Apply(int size, uint16_t count) {
    std::vector<uint16_t> ports;
    for (uint16_t i = 0; i < count; i++) ports.push_back(100 + i);
    const auto locality = MakeLocality({"z", 1, ports});
    Update(Configured(size), Args(), Addresses(gxds_locality_addresses(locality.get())));
  }
  std::vector<std::string> Given() const { return InZone("z")->addresses; }
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
    host_.Create(gxds_random_subsetting_policy);
    Apply(4, 50);
    subsets.insert(Given());
  }
  EXPECT_GT(subsets.size(), 15u);
}

TEST_F(RandomSubsettingPolicyTest, PassesOnWhatItsChildReports) {  // A68.6
  Apply(2, 1);
  Report("z", GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status, Unavailable("refused"));
  host_.ExitIdle();
  host_.ResetBackoff();
  EXPECT_EQ(InZone("z")->exit_idle_count, 1);
  EXPECT_EQ(InZone("z")->reset_backoff_count, 1);
}

TEST_F(RandomSubsettingPolicyTest, AListThatCannotBeHadIsPassedOn) {
  Apply(2, 1);
  Update(Configured(2), Args(), Unavailable("no DNS"));
  ASSERT_EQ(leaves().size(), 1u);
  EXPECT_EQ(leaves()[0]->addresses_status, Unavailable("no DNS"));
}

TEST_F(RandomSubsettingPolicyTest, NeedsASizeAndAChild) {  // A68.7
  auto error = [this](const char* json) { return ParseError(json).message; };
  EXPECT_EQ(error(R"([{"random_subsetting_experimental":{}}])"),
            "errors validating random_subsetting LB policy config: [field:childPolicy error:field "
            "not present; field:subsetSize error:field not present]");
  EXPECT_EQ(error(R"([{"random_subsetting_experimental":
                       {"subsetSize":0,"childPolicy":[{"test_leaf":{}}]}}])"),
            "errors validating random_subsetting LB policy config: [field:subsetSize error:must be "
            "greater than 0]");
}

}  // namespace
}  // namespace memory
