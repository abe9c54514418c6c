// What the tests of our policies' seams share: all of them registered, and a leaf policy whose
// picks find a backend.
#ifndef GRPC_XDS_TEST_LB_POLICIES_CLUSTER_IMPL_TREE_TEST_H_
#define GRPC_XDS_TEST_LB_POLICIES_CLUSTER_IMPL_TREE_TEST_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lb_policies/cds/cds_policy.h"
#include "lb_policies/cluster_impl/cluster_impl_policy.h"
#include "lb_policies/cluster_manager/cluster_manager_policy.h"
#include "test/lb_policies/cluster_impl/snapshot_builder.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {

// A leaf that is READY at once and picks its first address: "picking_leaf". Its trackers count.
struct PickingLeafCounts {
  int updates = 0;
  int started = 0;
  int finished = 0;
};
PickingLeafCounts& PickingLeaf();

class TreeTest : public PolicyTest {
 protected:
  TreeTest();
  void TearDown() override;

  // Args with that snapshot and mailbox.
  ChannelArgs Args(const snapshot::Config& config) const {
    return WithConfig(args_, config.get(), mailbox_);
  }
  // A cluster whose leaf policy is the picking one.
  snapshot::ClusterOptions Picking(const gxds_bootstrap_server* lrs = nullptr) const;

  using Tracker = LoadBalancingPolicy::SubchannelCallTrackerInterface;
  // Of one pick: the backend, "queue", "fail: …", "drop: …"; and its tracker.
  std::string PickWith(std::unique_ptr<Tracker>* tracker);
  static void Finish(std::unique_ptr<Tracker> tracker, absl::Status status = absl::OkStatus());
  // What the LRS server would be told: "c[a 2=1+1 0 now] dropped 1 lb:1".
  std::string Told();

  gxds_bootstrap_server lrs_ = {};
  snapshot::LoadStore store_{gxds_load_store_create(nullptr, nullptr)};
  gxds_mailbox* mailbox_ = nullptr;
  ChannelArgs args_ = ChannelArgs().Set("theirs", 7);
};

}  // namespace testing
}  // namespace grpc_xds

#endif
