#include "test/lb_policies/cluster_impl/tree_test.h"

#include "absl/strings/str_cat.h"
#include "absl/types/variant.h"
#include "host/grpc_1_51/policy.h"
#include "lb_policies/outlier_detection/outlier_detection_policy.h"
#include "lrs/load_report.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy_factory.h"

namespace grpc_xds {
namespace testing {

namespace {

using grpc_core::SubchannelInterface;

class CountingTracker : public LoadBalancingPolicy::SubchannelCallTrackerInterface {
 public:
  void Start() override { PickingLeaf().started++; }
  void Finish(FinishArgs) override { PickingLeaf().finished++; }
};

class FirstPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  explicit FirstPicker(RefCountedPtr<SubchannelInterface> subchannel)
      : subchannel_(std::move(subchannel)) {}
  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs) override {
    if (subchannel_ == nullptr) {
      return LoadBalancingPolicy::PickResult::Fail(absl::UnavailableError("no address"));
    }
    return LoadBalancingPolicy::PickResult::Complete(subchannel_,
                                                     std::make_unique<CountingTracker>());
  }

 private:
  const RefCountedPtr<SubchannelInterface> subchannel_;
};

class PickingLeafPolicy : public LoadBalancingPolicy {
 public:
  explicit PickingLeafPolicy(Args args) : LoadBalancingPolicy(std::move(args)) {}
  absl::string_view name() const override { return "picking_leaf"; }
  absl::Status UpdateLocked(UpdateArgs args) override {
    PickingLeaf().updates++;
    subchannels_.clear();
    if (args.addresses.ok()) {
      for (const auto& address : *args.addresses) {
        subchannels_.push_back(channel_control_helper()->CreateSubchannel(address, args.args));
      }
    }
    bool ready = !subchannels_.empty();
    channel_control_helper()->UpdateState(
        ready ? GRPC_CHANNEL_READY : GRPC_CHANNEL_TRANSIENT_FAILURE,
        ready ? absl::OkStatus() : absl::UnavailableError("no address"),
        std::make_unique<FirstPicker>(ready ? subchannels_[0] : nullptr));
    return absl::OkStatus();
  }
  void ResetBackoffLocked() override {}

 private:
  void ShutdownLocked() override { subchannels_.clear(); }
  std::vector<RefCountedPtr<SubchannelInterface>> subchannels_;
};

class PickingLeafFactory : public grpc_core::LoadBalancingPolicyFactory {
 public:
  OrphanablePtr<LoadBalancingPolicy> CreateLoadBalancingPolicy(
      LoadBalancingPolicy::Args args) const override {
    return grpc_core::MakeOrphanable<PickingLeafPolicy>(std::move(args));
  }
  absl::string_view name() const override { return "picking_leaf"; }
  absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseLoadBalancingConfig(
      const grpc_core::Json& json) const override {
    if (json.object_value().count("refuse")) return absl::InvalidArgumentError("refused");
    return grpc_core::MakeRefCounted<LeafConfig>("picking_leaf");
  }
};

// Before the fixture's environment makes the configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder([](grpc_core::CoreConfiguration::Builder* builder) {
    RegisterPolicyInC(builder, &gxds_cluster_impl_policy);
    RegisterPolicyInC(builder, &gxds_cds_policy);
    RegisterPolicyInC(builder, &gxds_cluster_manager_policy);
    RegisterPolicyInC(builder, &gxds_outlier_detection_policy);
    builder->lb_policy_registry()->RegisterLoadBalancingPolicyFactory(
        std::make_unique<PickingLeafFactory>());
  });
  return true;
}();

}  // namespace

PickingLeafCounts& PickingLeaf() {
  static PickingLeafCounts counts;
  return counts;
}

TreeTest::TreeTest() {
  PickingLeaf() = PickingLeafCounts();
  lrs_.uri = gxds_str_z("lrs:1");
  mailbox_ = gxds_mailbox_create({[](void*, gxds_mailbox*) {}, nullptr, nullptr});
}

void TreeTest::TearDown() {
  PolicyTest::TearDown();
  gxds_load_store_close(store_.get());
  gxds_mailbox_unref(mailbox_);
}

snapshot::ClusterOptions TreeTest::Picking(const gxds_bootstrap_server* lrs) const {
  snapshot::ClusterOptions options;
  options.lrs = lrs;
  options.lb_policy = R"([{"picking_leaf":{}}])";
  return options;
}

std::string TreeTest::PickWith(std::unique_ptr<Tracker>* tracker) {
  grpc_core::ExecCtx exec_ctx;
  using Result = LoadBalancingPolicy::PickResult;
  Result result = picker_->Pick({"/service/method", nullptr, &call_});
  if (auto* complete = absl::get_if<Result::Complete>(&result.result)) {
    *tracker = std::move(complete->subchannel_call_tracker);
    return static_cast<FakeSubchannel*>(complete->subchannel.get())->address;
  }
  if (auto* fail = absl::get_if<Result::Fail>(&result.result)) {
    return absl::StrCat("fail: ", fail->status.ToString());
  }
  if (auto* drop = absl::get_if<Result::Drop>(&result.result)) {
    return absl::StrCat("drop: ", drop->status.ToString());
  }
  return "queue";
}

void TreeTest::Finish(std::unique_ptr<Tracker> tracker, absl::Status status) {
  tracker->Finish({std::move(status), nullptr, nullptr});
}

std::string TreeTest::Told() {
  gxds_load_filter all = {true, nullptr, 0};
  gxds_load_report* r = gxds_load_report_build(store_.get(), &lrs_, all, 0);
  std::string out;
  for (size_t i = 0; i < r->cluster_count; i++) {
    const gxds_cluster_report& c = r->clusters[i];
    absl::StrAppend(&out, i ? "; " : "", snapshot::Text(c.cluster));
    for (size_t k = 0; k < c.locality_count; k++) {
      const gxds_locality_report& l = c.localities[k];
      absl::StrAppend(&out, "[", snapshot::Text(l.zone), " ", l.issued, "=", l.succeeded, "+",
                      l.failed, " ", l.in_progress, " now]");
    }
    if (c.total_dropped > 0) absl::StrAppend(&out, " dropped ", c.total_dropped);
    for (size_t k = 0; k < c.drop_count; k++) {
      absl::StrAppend(&out, " ", snapshot::Text(c.drops[k].category), ":", c.drops[k].count);
    }
  }
  gxds_load_report_sent(r);
  return out;
}

}  // namespace testing
}  // namespace grpc_xds
