// The fixture of tests of policies that use a part of a snapshot. It has a load store, and the
// mailbox by which policies send to the resolver.
#ifndef GRPC_XDS_TEST_LB_POLICIES_CLUSTER_IMPL_TREE_TEST_H_
#define GRPC_XDS_TEST_LB_POLICIES_CLUSTER_IMPL_TREE_TEST_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lb_policies/cluster_manager/cluster_manager_policy.h"
#include "lb_policies/outlier_detection/outlier_detection_policy.h"
#include "lb_policies/pick_first/pick_first_policy.h"
#include "lrs/load_report.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/cluster_impl/snapshot_builder.h"
#include "test/lb_policies/support/configs.h"
#include "xds_resolver/mailbox.h"

namespace memory {

inline void RegisterTree(Host* host) {
  for (const gxds_policy_type* type :
       {&gxds_cluster_manager_policy, &gxds_cds_policy, &gxds_cluster_impl_policy,
        &gxds_priority_policy, &gxds_weighted_locality_policy, &gxds_outlier_detection_policy,
        &gxds_pick_first_policy}) {
    host->Register(type);
  }
}

class TreeTest : public PolicyTest {
 protected:
  TreeTest() {
    RegisterTree(&host_);
    lrs_.uri = gxds_str_z("lrs:1");
    mailbox_ = gxds_mailbox_create({[](void*, gxds_mailbox*) {}, nullptr, nullptr});
  }
  void TearDown() override {
    PolicyTest::TearDown();
    gxds_load_store_close(store_.get());
    gxds_mailbox_unref(mailbox_);
  }

  // Updates the policy with this snapshot, the mailbox and args_.
  void Take(const Config& config, const snapshot::Config& snapshot) {
    Update(config, args_, Addresses(), "", snapshot.get(), mailbox_);
  }
  // A cluster with picking_leaf as its leaf policy.
  static snapshot::ClusterOptions Picking(const gxds_bootstrap_server* lrs = nullptr) {
    snapshot::ClusterOptions options;
    options.lrs = lrs;
    options.lb_policy = R"([{"picking_leaf":{}}])";
    return options;
  }
  // The next load report: "c[a 2=1+1 0 now] dropped 1 lb:1".
  std::string LoadReport() {
    gxds_load_report* r = gxds_load_report_build(store_.get(), &lrs_, {true, nullptr, 0}, 0);
    std::string out;
    for (size_t i = 0; i < r->cluster_count; i++) {
      const gxds_cluster_report& c = r->clusters[i];
      out += (i > 0 ? "; " : "") + Text(c.cluster);
      for (size_t k = 0; k < c.locality_count; k++) {
        const gxds_locality_report& l = c.localities[k];
        out += "[" + Text(l.zone) + " " + std::to_string(l.issued) + "=" +
               std::to_string(l.succeeded) + "+" + std::to_string(l.failed) + " " +
               std::to_string(l.in_progress) + " now]";
      }
      if (c.total_dropped > 0) out += " dropped " + std::to_string(c.total_dropped);
      for (size_t k = 0; k < c.drop_count; k++) {
        out += " " + Text(c.drops[k].category) + ":" + std::to_string(c.drops[k].count);
      }
    }
    gxds_load_report_sent(r);
    return out;
  }

  gxds_bootstrap_server lrs_ = {};
  snapshot::LoadStore store_{gxds_load_store_create(nullptr, nullptr)};
  gxds_mailbox* mailbox_ = nullptr;
  Args args_ = Args().Set("theirs", 7);
};

}  // namespace memory

#endif
