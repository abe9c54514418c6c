// A policy that gives its child the addresses in a random order (A62, A113).
#include "lb_policies/pick_first/shuffled_policy.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::MakeLocality;

class ShuffledPolicyTest : public PolicyTest {
 protected:
  ShuffledPolicyTest() {
    host_.Register(&gxds_shuffled_policy);
    config_ = ParseConfig(R"([{"grpc_xds_shuffled":{"childPolicy":[{"test_leaf":{}}]}}])");
    host_.Create(gxds_shuffled_policy);
  }
  void Apply(const std::vector<uint16_t>& ports) {
    const auto locality = MakeLocality({"z", 1, ports});
    Update(config_, Args(), Addresses(gxds_locality_addresses(locality.get())));
  }
  std::vector<std::string> Given() const { return InZone("z")->addresses; }

  Config config_;
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

TEST_F(ShuffledPolicyTest, AnEndpointWithMostOfTheWeightComesFirstMostOfTheTime) {  // A113.1
  int first = 0;
  for (uint16_t more = 0; more < 200; more++) {
    const auto locality = MakeLocality({"z", 1, {80, 81, static_cast<uint16_t>(100 + more)}});
    const_cast<gxds_endpoint*>(locality->list.full)[1].weight = 98;
    Update(config_, Args(), Addresses(gxds_locality_addresses(locality.get())));
    if (Given()[0] == "10.0.0.1:81") first++;
  }
  EXPECT_NEAR(first, 196, 4);
}

TEST_F(ShuffledPolicyTest, ANewWeightMakesANewList) {  // A62.4
  std::set<std::vector<std::string>> orders;
  for (uint32_t weight = 1; weight < 20; weight++) {
    const auto locality = MakeLocality({"z", 1, {80, 81, 82}});
    const_cast<gxds_endpoint*>(locality->list.full)[0].weight = weight;
    Update(config_, Args(), Addresses(gxds_locality_addresses(locality.get())));
    orders.insert(Given());
  }
  EXPECT_GT(orders.size(), 1u);
}

TEST_F(ShuffledPolicyTest, PassesOnWhatItsChildReports) {
  Apply({80});
  Report("z", GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(host_.status, Unavailable("refused"));
  host_.ExitIdle();
  host_.ResetBackoff();
  EXPECT_EQ(InZone("z")->exit_idle_count, 1);
  EXPECT_EQ(InZone("z")->reset_backoff_count, 1);
}

TEST_F(ShuffledPolicyTest, AListThatCannotBeHadIsPassedOn) {
  Apply({80});
  Update(config_, Args(), Unavailable("no DNS"));
  ASSERT_EQ(leaves().size(), 1u);
  EXPECT_EQ(leaves()[0]->addresses_status, Unavailable("no DNS"));
}

TEST_F(ShuffledPolicyTest, NeedsAChildThatTheRegistryHas) {
  auto error = [this](const char* json) { return ParseError(json).message; };
  const std::string where =
      "errors validating grpc_xds_shuffled LB policy config: [field:childPolicy error:";
  EXPECT_EQ(error(R"([{"grpc_xds_shuffled":{}}])"), where + "field not present]");
  EXPECT_EQ(error(R"([{"grpc_xds_shuffled":{"childPolicy":[{"nobodys":{}}]}}])").find(where), 0u);
}

}  // namespace
}  // namespace memory
