// Children of policies in C on the real host. A child may be a policy of the host's. The parent is
// random_subsetting, which passes everything on.
#include <string>
#include <utility>
#include <vector>

#include "host/grpc_common/policy.h"
#include "lb_policies/random_subsetting/random_subsetting_policy.h"
#include "test/host/grpc_1_51/fixture.h"

namespace grpc_xds {
namespace testing {
namespace {

const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](auto* builder) { RegisterPolicyInC(builder, &gxds_random_subsetting_policy); });
  return true;
}();

class ChildTest : public PolicyTest {
 protected:
  void SetUp() override { Create(gxds_random_subsetting_policy.name); }

  // Makes this policy the child, with one endpoint in that zone.
  void Apply(const std::string& policy, const std::string& zone, ChannelArgs args = ChannelArgs()) {
    auto config =
        ParseConfig(R"([{"random_subsetting_experimental":{"subsetSize":1,"childPolicy":[{")" +
                    policy + R"(":{}}]}}])");
    ASSERT_TRUE(config.ok()) << config.status();
    localities_.push_back(MakeLocality({zone, 1, {80}}));
    ServerAddressList addresses;
    AppendAddresses(localities_.back().get(), &addresses);
    Update(*config, std::move(args), std::move(addresses), "note");
  }

  std::vector<CRef<gxds_locality>> localities_;
};

TEST_F(ChildTest, PolicyOfTheHostIsGivenWhatItsParentWas) {
  Apply("test_leaf", "a", ChannelArgs().Set("argument", 5));
  Leaf* leaf = Leaf::InZone("a");
  ASSERT_NE(leaf, nullptr);
  EXPECT_EQ(leaf->last.resolution_note, "") << "the policies above add it to errors";
  EXPECT_EQ(leaf->last.args.GetInt("argument"), 5);
  EXPECT_EQ(leaf->addresses(), std::vector<std::string>{localities_.back() ? "10.0.0.1:80" : ""});
  ASSERT_EQ(subchannels_.size(), 1u);
  EXPECT_EQ(subchannels_[0].args.GetInt("argument"), 5);
}

TEST_F(ChildTest, SnapshotReachesTheHostsPolicyButNoSubchannel) {  // A74.28
  FakeCluster cluster("foo");
  auto snapshot = cluster.Snapshot();
  const ChannelArgs theirs = ChannelArgs().Set("theirs", 7);
  GivenConfig given;
  Apply("test_leaf", "a", given.Give(theirs, snapshot.get(), nullptr));
  EXPECT_EQ(ConfigOf(Leaf::InZone("a")->last.args), snapshot.get());
  ASSERT_EQ(subchannels_.size(), 1u);
  EXPECT_EQ(subchannels_[0].args, theirs);
}

TEST_F(ChildTest, ArgsOfTheHostsPolicyLoseTheirSnapshotAtItsNextUpdate) {
  FakeCluster cluster("foo");
  auto first = cluster.Snapshot();
  auto second = cluster.Snapshot();
  GivenConfig given;
  Apply("test_leaf", "a", given.Give(ChannelArgs(), first.get(), nullptr));
  const ChannelArgs args = Leaf::InZone("a")->last.args;
  Apply("test_leaf", "a", given.Give(ChannelArgs(), second.get(), nullptr));
  EXPECT_EQ(ConfigOf(args), nullptr);
  EXPECT_EQ(ConfigOf(Leaf::InZone("a")->last.args), second.get());
}

TEST_F(ChildTest, RefusalOfTheHostsPolicyIsItsParents) {
  Leaf::update_status = absl::UnavailableError("no use");
  Apply("test_leaf", "a");
  EXPECT_EQ(accepted_, absl::UnavailableError("no use"));
}

TEST_F(ChildTest, AnotherPolicyTakesOverWhenItIsMoreThanConnecting) {
  Apply("test_leaf", "a");
  Report("a", GRPC_CHANNEL_READY);
  Apply("other_leaf", "b");
  EXPECT_EQ(Leaf::leaves().size(), 2u);
  Report("b", GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "a");
  Report("a", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(state_, GRPC_CHANNEL_IDLE) << "until then it is heard";
  Report("b", GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(), "b");
  EXPECT_EQ(Leaf::InZone("a"), nullptr);
}

TEST_F(ChildTest, OnlyTheNewestPolicyRequestsReresolution) {
  Apply("test_leaf", "a");
  Apply("other_leaf", "b");
  In([] { Leaf::InZone("a")->RequestReresolution(); });
  EXPECT_EQ(reresolutions_, 0);
  In([] { Leaf::InZone("b")->RequestReresolution(); });
  EXPECT_EQ(reresolutions_, 1);
}

TEST_F(ChildTest, ThirdPolicyTakesThePlaceOfTheSecond) {
  Apply("test_leaf", "a");
  Apply("other_leaf", "b");
  Apply("pick_first", "c");
  EXPECT_EQ(Leaf::InZone("b"), nullptr);
  EXPECT_NE(Leaf::InZone("a"), nullptr);
}

TEST_F(ChildTest, BothPoliciesExitIdle) {
  Apply("test_leaf", "a");
  Apply("other_leaf", "b");
  In([this] { policy_->ExitIdleLocked(); });
  In([this] { policy_->ResetBackoffLocked(); });
  for (const char* zone : {"a", "b"}) {
    EXPECT_EQ(Leaf::InZone(zone)->exit_idle_count, 1);
    EXPECT_EQ(Leaf::InZone(zone)->reset_backoff_count, 1);
  }
}

TEST_F(ChildTest, ParentThatEndsWhileItsChildIsUpdatedEndsItAfterwards) {
  bool heard = false;
  Leaf::on_update = [&](Leaf* leaf) {
    policy_.reset();
    leaf->Report(GRPC_CHANNEL_READY);  // its memory still exists, and the report is ignored
    heard = true;
  };
  Apply("test_leaf", "a");
  EXPECT_TRUE(heard);
  EXPECT_EQ(published_, 0);
  EXPECT_TRUE(Leaf::leaves().empty());
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
