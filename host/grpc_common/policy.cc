#include "host/grpc_common/policy.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/channel.h"
#include "host/grpc_common/convert.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;

namespace {

// A policy in C whose parent is the host.
class PolicyInC : public LoadBalancingPolicy {
 public:
  PolicyInC(const gxds_policy_type* type, Args args)
      // A policy keeps the args with which it was made, so they must not hold a snapshot.
      : LoadBalancingPolicy(WithoutSnapshot(std::move(args))), type_(type) {
    root_.above.ops = &kParentOps;
    root_.ops = &kRootOps;
    root_.policy = this;
    args_ = ToC(channel_args());
    if (kHelperServesConstructors) Begin();
  }
  ~PolicyInC() override {
    gxds_args_unref(args_);
    gxds_lb_channel_unref(root_.channel);
  }

  absl::string_view name() const override { return type_->name; }

  absl::Status UpdateLocked(UpdateArgs args) override {
    Begin();
    gxds_lb_update update = {};
    update.config = static_cast<const ConfigInC*>(args.config.get())->config();
    update.note = ToGxds(args.resolution_note);
    // The args can lose the snapshot in a function that this update calls.
    const gxds_config* snapshot = ConfigOf(args.args);
    if (snapshot != nullptr) gxds_config_ref(snapshot);
    update.snapshot = snapshot;
    update.mailbox = MailboxOf(args.args);
    TakeArgs(WithoutOurs(args.args));
    update.args = args_;
    const gxds_addresses* addresses = nullptr;
    if (args.addresses.ok()) {
      addresses = ToC(*std::move(args.addresses));
    } else {
      update.addresses_status = View(args.addresses.status());
    }
    update.addresses = addresses;
    absl::Status status = Take(gxds_policy_update(policy_, &update));
    gxds_addresses_unref(addresses);
    gxds_config_unref(snapshot);
    return status;
  }
  void ExitIdleLocked() override {
    if (policy_ != nullptr) gxds_policy_exit_idle(policy_);
  }
  void ResetBackoffLocked() override {
    if (policy_ != nullptr) gxds_policy_reset_backoff(policy_);
  }

 private:
  // Called by the constructor or by the first update, which comes right after the constructor.
  void Begin() {
    if (policy_ != nullptr) return;
    root_.channel = ChannelOn(work_serializer(), channel_control_helper()->GetEventEngine());
    policy_ = gxds_policy_create(type_, &root_, args_);
  }
  // Keeps the old object if the new args are equal to it, so that policies below compare only
  // pointers.
  void TakeArgs(ChannelArgs args) {
    if (grpc_xds::ToHost(args_) == args) return;
    gxds_args_unref(args_);
    args_ = ToC(std::move(args));
  }

  struct Root : gxds_lb_root {
    PolicyInC* policy;
  };

  static Args WithoutSnapshot(Args args) {
    args.args = WithoutOurs(args.args);
    return args;
  }
  static PolicyInC* Of(gxds_lb_root* root) { return static_cast<Root*>(root)->policy; }
  static PolicyInC* Above(gxds_lb_parent* parent) {
    return Of(reinterpret_cast<gxds_lb_root*>(parent));  // the root is its first member
  }

  static void Publish(gxds_lb_parent* parent, grpc_connectivity_state state,
                      const gxds_status* status, gxds_picker* take_picker) {
    Above(parent)->channel_control_helper()->UpdateState(state, ToAbsl(*status),
                                                         ToHost(take_picker));
  }
  static gxds_subchannel* MakeSubchannel(gxds_lb_parent* parent, const gxds_lb_address* address,
                                         const gxds_args* args) {
    PolicyInC* self = Above(parent);
    auto subchannel =
        grpc_xds::MakeSubchannel(self->channel_control_helper(), *address, ToHost(args));
    return subchannel == nullptr ? nullptr : ToC(std::move(subchannel), self->Ref());
  }
  static void Reresolve(gxds_lb_parent* parent) {
    Above(parent)->channel_control_helper()->RequestReresolution();
  }

  static void AddEvent(gxds_lb_parent* parent, gxds_lb_severity severity, gxds_str line) {
    AddTrace(Above(parent)->channel_control_helper(), severity == GXDS_LB_ERROR, ToAbsl(line));
  }

  static void Label(gxds_lb_parent* parent, gxds_metric_labels* out) {
    out->target = TargetOf(Above(parent)->args_);
  }

  static gxds_hosts_policy* MakePolicy(gxds_lb_root* root, gxds_str name, gxds_lb_parent* parent,
                                       const gxds_args* args) {
    PolicyInC* self = Of(root);
    return MakeHostsPolicy(ToAbsl(name), parent, ToHost(args), self->work_serializer(), self->Ref(),
                           self->channel_control_helper());
  }

  static gxds_cluster_security* MakeSecurity(gxds_lb_root* root, gxds_str cluster) {
    return MakeClusterSecurity(cluster, Of(root)->Ref());
  }

  void ShutdownLocked() override {
    if (policy_ != nullptr) gxds_policy_end(policy_);
  }

  static constexpr gxds_lb_parent_ops kParentOps = {Publish, MakeSubchannel, Reresolve, AddEvent,
                                                    Label};
  static constexpr gxds_lb_root_ops kRootOps = {MakePolicy, HasXdsCredentials, MakeSecurity,
                                                ArgsOfCluster, ArgsOfServer};

  const gxds_policy_type* const type_;
  Root root_ = {};
  const gxds_args* args_;          // without the snapshot and the mailbox
  gxds_policy* policy_ = nullptr;  // null until Begin()
};

class FactoryInC : public grpc_core::LoadBalancingPolicyFactory {
 public:
  explicit FactoryInC(const gxds_policy_type* type) : type_(type) {}

  OrphanablePtr<LoadBalancingPolicy> CreateLoadBalancingPolicy(
      LoadBalancingPolicy::Args args) const override {
    return grpc_core::MakeOrphanable<PolicyInC>(type_, std::move(args));
  }
  absl::string_view name() const override { return type_->name; }
  absl::StatusOr<grpc_core::RefCountedPtr<LoadBalancingPolicy::Config>> ParseLoadBalancingConfig(
      const grpc_core::Json& json) const override {
    return ParseConfig(type_, json);
  }

 private:
  const gxds_policy_type* const type_;
};

}  // namespace

void RegisterPolicyInC(grpc_core::CoreConfiguration::Builder* builder,
                       const gxds_policy_type* type) {
  builder->lb_policy_registry()->RegisterLoadBalancingPolicyFactory(
      std::make_unique<FactoryInC>(type));
}

}  // namespace grpc_xds
