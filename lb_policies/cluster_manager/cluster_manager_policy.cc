#include "lb_policies/cluster_manager/cluster_manager_policy.h"

#include <grpc/support/log.h>
#include <inttypes.h>
#include <stdlib.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/cds/cds_policy.h"
#include "lb_policies/cluster_manager/cluster_manager.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/parent/child_config.h"
#include "lb_policies/parent/parent_policy.h"
#include "lb_policies/printable/printable.h"
#include "src/core/ext/filters/client_channel/client_channel.h"
#include "src/core/ext/filters/client_channel/resolver/xds/xds_resolver.h"
#include "src/core/lib/gprpp/debug_location.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/iomgr/closure.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy_registry.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=xds_cluster_manager_lb goes on working.
extern TraceFlag grpc_xds_cluster_manager_lb_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::grpc_xds_cluster_manager_lb_trace;
using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;

namespace {

struct MachineDelete {
  void operator()(gxds_cluster_manager* m) const { gxds_cluster_manager_destroy(m); }
};
struct PluginsUnref {
  void operator()(const gxds_plugins* p) const { gxds_plugins_unref(p); }
};
struct MapUnref {
  void operator()(const gxds_picker_map* m) const { gxds_picker_map_unref(m); }
};

// A child's picker as the map holds it.
class ChildPicker : public gxds_child_picker {
 public:
  static gxds_child_picker* Make(std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> picker) {
    return new ChildPicker(std::move(picker));
  }
  static LoadBalancingPolicy::PickResult Pick(gxds_child_picker* p,
                                              const LoadBalancingPolicy::PickArgs& args) {
    return static_cast<ChildPicker*>(p)->picker_->Pick(args);
  }

 private:
  explicit ChildPicker(std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> picker)
      : gxds_child_picker(), picker_(std::move(picker)) {
    gxds_ref_init(&refs);
    destroy = [](gxds_child_picker* p) { delete static_cast<ChildPicker*>(p); };
  }

  const std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> picker_;
};

// Whether clusters connect when the first RPC is picked by them, not before.
bool ClustersConnectOnDemand() {
  const char* value = secure_getenv("GRPC_XDS_CONNECT_ON_DEMAND");
  return value != nullptr &&
         (absl::string_view(value) == "true" || absl::string_view(value) == "1");
}

class ClusterManagerPolicy : public ParentPolicy {
 public:
  explicit ClusterManagerPolicy(Args args)
      : ParentPolicy(std::move(args)),
        machine_(gxds_cluster_manager_create(ClustersConnectOnDemand())) {}

  absl::string_view name() const override { return kClusterManagerPolicyName; }
  absl::Status UpdateLocked(UpdateArgs args) override;
  void ExitIdleLocked() override;
  void ResetBackoffLocked() override {
    for (auto& p : children_) p.second->ResetBackoffLocked();
  }
  // A pick waits for a child that is not there yet. Any thread, without the data-plane mutex.
  void ScheduleOnPick(std::string cluster);

 private:
  using Errors = std::vector<std::string>;
  using Others = ClusterManagerConfig::Children;

  void OnChildState(uint64_t token, grpc_connectivity_state state, const absl::Status& status,
                    std::unique_ptr<SubchannelPicker> picker) override;
  void OnPick(const std::string& cluster);
  void OnDeadline() override;
  void ShutdownChildren() override;

  // The children beside the clusters: of the JSON config, and of the snapshot's plugins.
  void RenewOthers(const ClusterManagerConfig& config, const gxds_config* snapshot, Errors* errors);
  RefCountedPtr<Config> PluginConfig(const gxds_plugin& plugin, Errors* errors) const;
  // Carries out what the machine wants; adds the errors of children that refused their update.
  void Drain(Errors* errors);
  void CarryOut(const gxds_cluster_manager_op& op, Errors* errors);
  void UpdateChild(const gxds_cluster_manager_op& op, Errors* errors);
  void Publish();

  std::unique_ptr<gxds_cluster_manager, MachineDelete> machine_;  // null after shutdown
  std::unique_ptr<const gxds_plugins, PluginsUnref> plugins_;     // that others_ has
  Others others_;
  bool draining_ = false;
  bool turn_is_due_ = false;
  UpdateArgs last_update_;
  std::map<uint64_t, OrphanablePtr<LoadBalancingPolicy>> children_;  // by token
};

class ClusterPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  using PickResult = LoadBalancingPolicy::PickResult;

  ClusterPicker(const gxds_picker_map* map, RefCountedPtr<LoadBalancingPolicy> policy)
      : map_(gxds_picker_map_ref(map)), policy_(std::move(policy)) {}

  PickResult Pick(LoadBalancingPolicy::PickArgs args) override {
    using CallState = grpc_core::ClientChannel::LoadBalancedCall::LbCallState;
    absl::string_view cluster =
        static_cast<CallState*>(args.call_state)->GetCallAttribute(attribute_name_);
    if (cluster.empty() || RoutedCallOf(cluster).cluster_id != last_id_) {
      return PickByAnother(cluster, args);
    }
    return ChildPicker::Pick(last_, args);
  }

 private:
  // By another child than the last. Not in line: most picks shall not pay for it.
  ABSL_ATTRIBUTE_NOINLINE PickResult PickByAnother(absl::string_view cluster,
                                                   const LoadBalancingPolicy::PickArgs& args) {
    if (cluster.empty()) return Unknown(cluster);
    gxds_str name = ToGxds(cluster);
    const uint64_t hash = gxds_picker_map_hash(name);
    gxds_child_picker* child;
    if (!gxds_picker_map_get(map_.get(), hash, name, &child)) return Unknown(cluster);
    if (child == nullptr) {
      if (hash != asked_for_) AskFor(std::string(cluster));
      asked_for_ = hash;
      return PickResult::Queue();
    }
    last_id_ = RoutedCallOf(cluster).cluster_id;
    last_ = child;
    return ChildPicker::Pick(child, args);
  }

  static PickResult Unknown(absl::string_view cluster) {
    gxds_status unknown = gxds_picker_map_unknown(ToGxds(cluster));
    absl::Status status = ToAbsl(unknown);
    gxds_status_fini(&unknown);
    return PickResult::Fail(std::move(status));
  }

  // Not from here: the answer may be a new picker, for this very pick.
  void AskFor(std::string cluster) const {
    auto ask = [policy = policy_, cluster = std::move(cluster)](const absl::Status&) mutable {
      static_cast<ClusterManagerPolicy*>(policy.get())->ScheduleOnPick(std::move(cluster));
    };
    grpc_core::ExecCtx::Run(DEBUG_LOCATION, grpc_core::NewClosure(std::move(ask)),
                            absl::OkStatus());
  }

  const grpc_core::UniqueTypeName attribute_name_ = ClusterAttributeName();
  const std::unique_ptr<const gxds_picker_map, MapUnref> map_;
  const RefCountedPtr<LoadBalancingPolicy> policy_;
  // Under the data-plane mutex: the hash of the name that was asked for last; and what the RPC
  // before this one found, which often is what this one looks for.
  uint64_t asked_for_ = 0;
  uint64_t last_id_ = 0;
  gxds_child_picker* last_ = nullptr;  // borrowed: the map has it
};

absl::Status ClusterManagerPolicy::UpdateLocked(UpdateArgs args) {
  auto* config = static_cast<const ClusterManagerConfig*>(args.config.get());
  const gxds_config* snapshot = ConfigOf(args.args);
  Errors errors;
  RenewOthers(*config, snapshot, &errors);
  std::vector<gxds_str> others;
  for (const auto& p : others_) others.push_back(ToGxds(p.first));
  gxds_cluster_manager_on_update(machine_.get(), snapshot, others.data(), others.size());
  last_update_ = std::move(args);
  Drain(&errors);
  if (errors.empty()) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("errors from children: [", absl::StrJoin(errors, "; "), "]"));
}

void ClusterManagerPolicy::RenewOthers(const ClusterManagerConfig& config,
                                       const gxds_config* snapshot, Errors* errors) {
  const gxds_plugins* plugins = snapshot == nullptr ? plugins_.get() : snapshot->plugins;
  Others others = config.children();
  for (size_t i = 0; plugins != nullptr && i < plugins->count; ++i) {
    RefCountedPtr<Config> child = PluginConfig(plugins->items[i], errors);
    if (child != nullptr) others[std::string(ToAbsl(plugins->items[i].name))] = std::move(child);
  }
  others_ = std::move(others);
  plugins_.reset(gxds_plugins_ref(plugins));
}

// What it was before, while the plugin says the same.
RefCountedPtr<LoadBalancingPolicy::Config> ClusterManagerPolicy::PluginConfig(
    const gxds_plugin& plugin, Errors* errors) const {
  auto before = others_.find(std::string(ToAbsl(plugin.name)));
  const gxds_plugin* same = gxds_plugins_find(plugins_.get(), plugin.name);
  if (before != others_.end() && same != nullptr && gxds_str_equal(same->lb_json, plugin.lb_json)) {
    return before->second;
  }
  auto json = Json::Parse(ToAbsl(plugin.lb_json));
  if (json.ok()) {
    auto config =
        grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*json);
    if (config.ok()) return std::move(*config);
    json = config.status();
  }
  errors->push_back(absl::StrCat("child ", ToAbsl(plugin.name), ": ", json.status().ToString()));
  return nullptr;
}

void ClusterManagerPolicy::OnChildState(uint64_t token, grpc_connectivity_state state,
                                        const absl::Status& status,
                                        std::unique_ptr<SubchannelPicker> picker) {
  if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_cluster_manager_lb_trace)) {
    gpr_log(GPR_INFO, "[xds_cluster_manager_lb %p] child %" PRIu64 ": %s (%s)", this, token,
            grpc_core::ConnectivityStateName(state), Printable(status).c_str());
  }
  gxds_cluster_manager_on_child_state(machine_.get(), token, state,
                                      ChildPicker::Make(std::move(picker)));
  Errors errors;  // as below
  Drain(&errors);
}

void ClusterManagerPolicy::ScheduleOnPick(std::string cluster) {
  work_serializer()->Run([this, self = Ref(), cluster = std::move(cluster)] { OnPick(cluster); },
                         DEBUG_LOCATION);
}

void ClusterManagerPolicy::OnPick(const std::string& cluster) {
  if (shutting_down()) return;
  gxds_cluster_manager_on_pick(machine_.get(), ToGxds(cluster));
  Errors errors;  // nobody is there to hear them; a child that refused its update fails its RPCs
  Drain(&errors);
}

void ClusterManagerPolicy::ExitIdleLocked() {
  for (auto& p : children_) p.second->ExitIdleLocked();
  gxds_cluster_manager_on_exit_idle(machine_.get());
  Errors errors;  // as above
  Drain(&errors);
}

void ClusterManagerPolicy::OnDeadline() {
  turn_is_due_ = false;
  gxds_cluster_manager_on_turn(machine_.get());
  Errors errors;  // as above
  Drain(&errors);
}

void ClusterManagerPolicy::Drain(Errors* errors) {
  if (draining_) return;  // the loop below goes on with what came meanwhile
  draining_ = true;
  gxds_cluster_manager_op op;
  while (!shutting_down() && gxds_cluster_manager_next(machine_.get(), &op)) CarryOut(op, errors);
  draining_ = false;
  if (shutting_down() || turn_is_due_ || !gxds_cluster_manager_wants_turn(machine_.get())) return;
  // The turn comes from a timer that is over at once: after what this thread has left to do.
  turn_is_due_ = true;
  SetDeadline(Now());
}

void ClusterManagerPolicy::CarryOut(const gxds_cluster_manager_op& op, Errors* errors) {
  switch (op.kind) {
    case GXDS_CLUSTER_MANAGER_CREATE:
      if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_cluster_manager_lb_trace)) {
        gpr_log(GPR_INFO, "[xds_cluster_manager_lb %p] child %" PRIu64 " is %s: created", this,
                op.child, Printable(ToAbsl(op.name)).c_str());
      }
      children_[op.child] =
          CreateChild(op.child, last_update_.args, &grpc_xds_cluster_manager_lb_trace);
      UpdateChild(op, errors);
      break;
    case GXDS_CLUSTER_MANAGER_UPDATE:
      UpdateChild(op, errors);
      break;
    case GXDS_CLUSTER_MANAGER_REMOVE: {
      if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_cluster_manager_lb_trace)) {
        gpr_log(GPR_INFO, "[xds_cluster_manager_lb %p] child %" PRIu64 ": removed", this, op.child);
      }
      auto child = children_.extract(op.child);
      if (!child.empty()) EndChild(std::move(child.mapped()));
      break;
    }
    case GXDS_CLUSTER_MANAGER_PUBLISH:
      Publish();
      break;
  }
}

void ClusterManagerPolicy::UpdateChild(const gxds_cluster_manager_op& op, Errors* errors) {
  const UpdateArgs& args = last_update_;
  std::string name(ToAbsl(op.name));
  auto other = others_.find(name);
  UpdateArgs child_args;
  child_args.args = args.args;
  child_args.addresses = args.addresses;
  child_args.resolution_note = args.resolution_note;
  if (other != others_.end()) {
    child_args.config = other->second;
  } else {
    child_args.config = grpc_core::MakeRefCounted<CdsConfig>(name, /*is_dynamic=*/false);
  }
  absl::Status status = children_[op.child]->UpdateLocked(std::move(child_args));
  if (!status.ok()) errors->push_back(absl::StrCat("child ", name, ": ", status.ToString()));
}

void ClusterManagerPolicy::Publish() {
  grpc_connectivity_state state = gxds_cluster_manager_state(machine_.get());
  absl::Status status;
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    status = absl::UnavailableError("TRANSIENT_FAILURE from XdsClusterManagerLb");
  }
  if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_cluster_manager_lb_trace)) {
    gpr_log(GPR_INFO, "[xds_cluster_manager_lb %p] connectivity changed to %s", this,
            grpc_core::ConnectivityStateName(state));
  }
  channel_control_helper()->UpdateState(
      state, status,
      std::make_unique<ClusterPicker>(gxds_cluster_manager_pickers(machine_.get()), Ref()));
}

void ClusterManagerPolicy::ShutdownChildren() {
  for (auto& p : children_) EndChild(std::move(p.second));
  children_.clear();
  // It holds pickers of children, which may hold their policies, and those this one.
  machine_.reset();
  others_.clear();
  last_update_ = UpdateArgs();
}

// JSON: {"children": {NAME: {"childPolicy": [...]}}}, beside the snapshot's roots. None is needed.
ClusterManagerConfig::Children ParseChildren(const Json::Object& object,
                                             grpc_core::ValidationErrors* errors) {
  ClusterManagerConfig::Children children;
  grpc_core::ValidationErrors::ScopedField field(errors, ".children");
  auto it = object.find("children");
  if (it == object.end()) return children;
  if (it->second.type() != Json::Type::OBJECT) {
    errors->AddError("is not an object");
    return children;
  }
  for (const auto& p : it->second.object_value()) {
    grpc_core::ValidationErrors::ScopedField key(errors, absl::StrCat("[\"", p.first, "\"]"));
    if (p.second.type() != Json::Type::OBJECT) {
      errors->AddError("is not an object");
    } else {
      children[p.first] = ParseChildConfig(p.second, "childPolicy", errors);
    }
  }
  return children;
}

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  if (json.type() == Json::Type::JSON_NULL) return MissingConfig("xds_cluster_manager");
  grpc_core::ValidationErrors errors;
  if (json.type() != Json::Type::OBJECT) {
    errors.AddError("is not an object");
    return errors.status("errors validating xds_cluster_manager LB policy config");
  }
  auto children = ParseChildren(json.object_value(), &errors);
  if (!errors.ok()) return errors.status("errors validating xds_cluster_manager LB policy config");
  return grpc_core::MakeRefCounted<ClusterManagerConfig>(std::move(children));
}

}  // namespace

void RegisterClusterManagerLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<ClusterManagerPolicy>(builder, kClusterManagerPolicyName, ParseConfig);
}

}  // namespace grpc_xds
