// The counts of connections (A94), through the policies of a cluster.
#include "test/lb_policies/cluster_impl/tree_test.h"
#include "test/metrics/read_metrics.h"

namespace memory {
namespace {

using snapshot::Entry;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;

const char kA[] = "127.0.0.1:97";
const char kB[] = "127.0.0.1:98";
const char kPickFirst[] = R"([{"grpc_xds_pick_first":{}}])";
// The host's policy, which makes all its subchannels anew at each update.
const char kRoundRobin[] = R"([{"round_robin":{}}])";

class ConnectionsTest : public TreeTest {
 protected:
  ConnectionsTest() {
    host_.target = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    host_.Create(gxds_cds_policy);
    options_.lb_policy = kPickFirst;
  }
  // Updates the cluster "c" to an endpoint in each zone.
  void Apply(const std::vector<std::string>& zones) {
    std::vector<Entry> entries;
    entries.push_back(snapshot::Leaf("c", options_, MakeEndpoints({zones})));
    ApplyEntries(entries);
  }
  void ApplyEntries(const std::vector<Entry>& entries) {
    std::vector<const gxds_cluster_entry*> list;
    for (const Entry& e : entries) list.push_back(e.get());
    Take(Cds("c", false), MakeConfig(list, {"c"}, store_.get()));
  }
  void End() {
    host_.End();
    host_.DropPicker();
  }
  // The result of gxds_test::ConnectionCounts().
  std::string Counts(const std::string& zone = "a", const std::string& service = "c") const {
    return gxds_test::ConnectionCounts(host_.target, service, "r", zone);
  }

  snapshot::ClusterOptions options_;
};

TEST_F(ConnectionsTest, AttemptsCountByTheirEnd) {  // A94.1
  Apply({"a"});
  EXPECT_EQ(Counts(), "0 open, 0 made, 0 failed, 0 lost, 0 shut") << "it is connecting";
  host_.SetState(kA, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  EXPECT_EQ(Counts(), "0 open, 0 made, 1 failed, 0 lost, 0 shut");
  host_.SetState(kA, GRPC_CHANNEL_IDLE);
  host_.SetState(kA, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Counts(), "0 open, 0 made, 1 failed, 0 lost, 0 shut");
  host_.SetState(kA, GRPC_CHANNEL_READY);
  EXPECT_EQ(Counts(), "1 open, 1 made, 1 failed, 0 lost, 0 shut");
}

TEST_F(ConnectionsTest, ALostConnectionIsADisconnection) {  // A94.3, A94.4
  options_.lb_policy = kRoundRobin;
  Apply({"a"});
  host_.SetState(kA, GRPC_CHANNEL_READY);
  host_.SetState(kA, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Counts(), "0 open, 1 made, 0 failed, 1 lost, 0 shut");
  host_.SetState(kA, GRPC_CHANNEL_CONNECTING);
  host_.SetState(kA, GRPC_CHANNEL_READY);
  host_.SetState(kA, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("gone"));
  EXPECT_EQ(Counts(), "0 open, 2 made, 0 failed, 2 lost, 0 shut") << "no attempt failed";
}

TEST_F(ConnectionsTest, AConnectionThatNothingWantsAnyMoreIsShutDown) {  // A94.3, A94.4
  Apply({"a"});
  host_.SetState(kA, GRPC_CHANNEL_READY);
  host_.End();
  EXPECT_EQ(Counts(), "1 open, 1 made, 0 failed, 0 lost, 0 shut") << "the last picker has it";
  host_.DropPicker();
  EXPECT_EQ(Counts(), "0 open, 1 made, 0 failed, 0 lost, 1 shut");
}

TEST_F(ConnectionsTest, AnAttemptThatIsGivenUpCountsAsNeither) {  // A94.2
  Apply({"a"});
  ASSERT_EQ(host_.Watched(kA)->state, GRPC_CHANNEL_CONNECTING);
  End();
  EXPECT_EQ(Counts(), "0 open, 0 made, 0 failed, 0 lost, 0 shut");
}

TEST_F(ConnectionsTest, WhatAnotherChannelConnectedIsOpenAndNoAttempt) {  // A94.4
  host_.shared[kA] = {GRPC_CHANNEL_READY, Status()};
  Apply({"a"});
  EXPECT_EQ(Counts(), "1 open, 0 made, 0 failed, 0 lost, 0 shut");
}

TEST_F(ConnectionsTest, WhatAnotherChannelTriedIsNoAttempt) {  // A94.1
  host_.shared[kA] = {GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused")};
  Apply({"a"});
  EXPECT_EQ(Counts(), "0 open, 0 made, 0 failed, 0 lost, 0 shut");
}

TEST_F(ConnectionsTest, SubchannelsThatAreMadeAnewHaveTheSameConnection) {  // A94.6
  options_.lb_policy = kRoundRobin;
  Apply({"a"});
  host_.SetState(kA, GRPC_CHANNEL_CONNECTING);
  host_.SetState(kA, GRPC_CHANNEL_READY);
  const size_t made = host_.subchannels_made;
  host_.shared[kA] = {GRPC_CHANNEL_READY, Status()};
  Apply({"a", "b"});
  ASSERT_EQ(host_.subchannels_made, made + 2);
  EXPECT_EQ(Counts(), "1 open, 1 made, 0 failed, 0 lost, 0 shut");
  host_.SetState(kA, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Counts(), "0 open, 1 made, 0 failed, 1 lost, 0 shut") << "the new one is watched";
}

TEST_F(ConnectionsTest, OneThatOutlivesTheOthersGoesOnCounting) {  // A94.6
  options_.lb_policy = kRoundRobin;
  Apply({"a"});
  host_.SetState(kA, GRPC_CHANNEL_READY);
  host_.shared[kA] = {GRPC_CHANNEL_READY, Status()};
  Subchannel* first = host_.Watched(kA);
  auto rpc = host_.Pick();  // its tracker holds the subchannel
  Apply({"a", "b"});
  ASSERT_EQ(host_.subchannels().front(), first);
  EXPECT_EQ(Counts(), "1 open, 1 made, 0 failed, 0 lost, 0 shut");
  rpc->Start();
  rpc->Finish();
  rpc.reset();
  EXPECT_EQ(Counts(), "1 open, 1 made, 0 failed, 0 lost, 0 shut");
  End();
  EXPECT_EQ(Counts(), "0 open, 1 made, 0 failed, 0 lost, 1 shut");
}

TEST_F(ConnectionsTest, OutlierDetectionThatComesChangesNoConnection) {  // A94.6
  options_.lb_policy = kRoundRobin;
  Apply({"a"});
  host_.SetState(kA, GRPC_CHANNEL_CONNECTING);
  host_.SetState(kA, GRPC_CHANNEL_READY);
  host_.shared[kA] = {GRPC_CHANNEL_READY, Status()};
  options_.failure_threshold = 50;
  Apply({"a"});
  EXPECT_EQ(Counts(), "1 open, 1 made, 0 failed, 0 lost, 0 shut")
      << "the policies of the cluster are others";
}

TEST_F(ConnectionsTest, OtherArgsMakeAnotherConnection) {  // A94.6
  Apply({"a"});
  host_.SetState(kA, GRPC_CHANNEL_CONNECTING);
  host_.SetState(kA, GRPC_CHANNEL_READY);
  args_ = args_.Set("theirs", 8);
  Apply({"a"});
  EXPECT_EQ(Counts(), "1 open, 1 made, 0 failed, 0 lost, 0 shut");
  host_.SetState(host_.Watched(kA), GRPC_CHANNEL_CONNECTING);
  host_.SetState(host_.Watched(kA), GRPC_CHANNEL_READY);
  EXPECT_EQ(Counts(), "1 open, 2 made, 0 failed, 0 lost, 1 shut");
}

TEST_F(ConnectionsTest, AnEjectionIsNoDisconnection) {  // A94.3
  options_.lb_policy = kRoundRobin;
  options_.failure_threshold = 50;
  Apply({"a", "b"});
  for (const char* address : {kA, kB}) host_.SetState(address, GRPC_CHANNEL_READY);
  const auto went = [this] {
    auto call = host_.Pick();
    const std::string to = call->Text();
    call->Start();
    call->Finish(to == kA ? Unavailable("failed") : Status());
    return to;
  };
  for (int i = 0; i < 20; i++) went();
  host_.Pass(GXDS_SECOND);
  for (int i = 0; i < 4; i++) ASSERT_EQ(went(), kB) << "the other is ejected";
  EXPECT_EQ(Counts("a"), "1 open, 1 made, 0 failed, 0 lost, 0 shut");
}

TEST_F(ConnectionsTest, EachLocalityCountsItsOwn) {  // A94.5
  options_.lb_policy = kRoundRobin;
  Apply({"a", "b"});
  host_.SetState(kA, GRPC_CHANNEL_READY);
  EXPECT_EQ(Counts("a"), "1 open, 1 made, 0 failed, 0 lost, 0 shut");
  EXPECT_EQ(Counts("b"), "0 open, 0 made, 0 failed, 0 lost, 0 shut");
  host_.shared[kA] = {GRPC_CHANNEL_READY, Status()};
  Apply({"a2", "b"});
  EXPECT_EQ(Counts("a2"), "1 open, 0 made, 0 failed, 0 lost, 0 shut");
  EXPECT_EQ(Counts("a"), "0 open, 1 made, 0 failed, 0 lost, 1 shut") << "the endpoint moved";
}

TEST_F(ConnectionsTest, BelowAnAggregateClusterTheLeafCounts) {  // A94.5
  std::vector<Entry> entries;
  entries.push_back(snapshot::Aggregate("c", {"x"}));
  entries.push_back(snapshot::Leaf("x", options_, MakeEndpoints({{"a"}})));
  ApplyEntries(entries);
  host_.SetState(kA, GRPC_CHANNEL_READY);
  EXPECT_EQ(Counts("a", "x"), "1 open, 1 made, 0 failed, 0 lost, 0 shut");
  EXPECT_EQ(Counts("a", "c"), "");
}

}  // namespace
}  // namespace memory
