#include "lb_policies/priority/priority_policy.h"

#include <grpc/impl/codegen/grpc_types.h>
#include <grpc/support/log.h>
#include <inttypes.h>

#include <algorithm>
#include <map>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/parent/child_config.h"
#include "lb_policies/parent/parent_policy.h"
#include "lb_policies/printable/printable.h"
#include "lb_policies/priority/priority.h"
#include "lb_policies/weighted_locality/weighted_locality_policy.h"
#include "src/core/ext/filters/client_channel/lb_policy/address_filtering.h"
#include "src/core/lib/gprpp/time.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/json/json_args.h"
#include "src/core/lib/json/json_object_loader.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=priority_lb goes on working.
extern TraceFlag grpc_lb_priority_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::grpc_lb_priority_trace;
using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;

namespace {

struct MachineDelete {
  void operator()(gxds_priority_lb* lb) const { gxds_priority_lb_destroy(lb); }
};

gxds_duration FailoverTimeout(const ChannelArgs& args) {
  auto timeout = args.GetDurationFromIntMillis(GRPC_ARG_PRIORITY_FAILOVER_TIMEOUT_MS);
  if (!timeout.has_value()) return GXDS_PRIORITY_FAILOVER_DEFAULT;
  return std::max<int64_t>(0, timeout->millis()) * GXDS_MILLISECOND;
}

class PriorityPolicy : public ParentPolicy {
 public:
  explicit PriorityPolicy(Args args)
      : ParentPolicy(std::move(args)),
        machine_(gxds_priority_lb_create(FailoverTimeout(channel_args()))) {}

  absl::string_view name() const override { return kPriorityPolicy; }
  absl::Status UpdateLocked(UpdateArgs args) override;
  void ExitIdleLocked() override;
  void ResetBackoffLocked() override {
    for (auto& p : children_) p.second.policy->ResetBackoffLocked();
  }

 private:
  // What a child was given last.
  struct Given {
    RefCountedPtr<LoadBalancingPolicy::Config> config;
    CRef<gxds_cluster_entry> entry;
    absl::optional<size_t> priority;
    ChannelArgs args;
    std::string note;

    gxds_priority_share Share() const {
      gxds_priority_share share = {};
      share.config = config.get();
      share.from_slice = priority.has_value();
      if (share.from_slice) share.localities = Slice{entry.get(), *priority}.Priority();
      share.note = ToGxds(note);
      return share;
    }
  };
  struct Child {
    OrphanablePtr<LoadBalancingPolicy> policy;
    bool ignore_reresolution_requests = false;
    absl::Status status;
    RefCountedPtr<SharedPicker> picker;
    absl::optional<Given> given;  // none while it is not in the config
  };
  using Errors = std::vector<std::string>;

  void OnChildState(uint64_t token, grpc_connectivity_state state, const absl::Status& status,
                    std::unique_ptr<SubchannelPicker> picker) override;
  bool WantsReresolution(uint64_t token) override {
    auto it = children_.find(token);
    return it != children_.end() && it->second.given.has_value() &&
           !it->second.ignore_reresolution_requests;
  }
  void OnDeadline() override;
  void ShutdownChildren() override;

  void TakeUpdate(UpdateArgs args);
  // Carries out what the machine wants; gives the errors of children that refused their update.
  Errors Drain();
  void CarryOut(const gxds_priority_op& op, Errors* errors);
  void UpdateChild(const gxds_priority_op& op, Errors* errors);
  UpdateArgs MakeUpdate(const PriorityConfig::Child& child);
  void Publish(const gxds_priority_op& op);
  void PublishEmpty();

  const std::unique_ptr<gxds_priority_lb, MachineDelete> machine_;
  bool draining_ = false;
  std::map<uint64_t, Child> children_;  // by token

  // From the last update.
  RefCountedPtr<LoadBalancingPolicy::Config> config_;
  CRef<gxds_cluster_entry> entry_;  // of config().cluster(); null: none
  ChannelArgs args_;                // for children without a slice: an aggregate's are all there
  ChannelArgs leaf_args_;           // without ours
  absl::StatusOr<grpc_core::HierarchicalAddressMap> addresses_;
  std::string note_;

  const PriorityConfig& config() const { return *static_cast<PriorityConfig*>(config_.get()); }
};

void PriorityPolicy::TakeUpdate(UpdateArgs args) {
  config_ = std::move(args.config);
  const gxds_config* snapshot = ConfigOf(args.args);
  if (config().cluster().empty()) {
    entry_.reset();
  } else if (snapshot != nullptr) {  // without one, what is known stays
    const gxds_cluster_entry* entry = gxds_config_cluster(snapshot, ToGxds(config().cluster()));
    entry_.reset(entry == nullptr ? nullptr : gxds_cluster_entry_ref(entry));
  }
  addresses_ = grpc_core::MakeHierarchicalAddressMap(args.addresses);
  // The same object while they are equal: then to compare them costs nothing further down.
  ChannelArgs leaf_args = WithoutOurs(args.args);
  if (leaf_args_ != leaf_args) leaf_args_ = std::move(leaf_args);
  args_ = config().cluster().empty() ? std::move(args.args) : leaf_args_;
  note_ = std::move(args.resolution_note);
  if (entry_ != nullptr && entry_->resolution_note.size > 0) {
    note_ = std::string(ToAbsl(entry_->resolution_note));
  }
}

absl::Status PriorityPolicy::UpdateLocked(UpdateArgs args) {
  TakeUpdate(std::move(args));
  std::vector<gxds_str> names;
  names.reserve(config().children().size());
  for (const auto& child : config().children()) names.push_back(ToGxds(child.name));
  gxds_priority_lb_on_update(machine_.get(), names.data(), names.size(), Now());
  Errors errors = Drain();
  if (errors.empty()) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("errors from children: [", absl::StrJoin(errors, "; "), "]"));
}

void PriorityPolicy::ExitIdleLocked() {
  auto it = children_.find(gxds_priority_lb_current(machine_.get()));
  if (it != children_.end()) it->second.policy->ExitIdleLocked();
}

void PriorityPolicy::OnChildState(uint64_t token, grpc_connectivity_state state,
                                  const absl::Status& status,
                                  std::unique_ptr<SubchannelPicker> picker) {
  auto it = children_.find(token);
  if (it == children_.end()) return;
  it->second.status = status;
  it->second.picker = SharedPicker::Of(std::move(picker));
  if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_priority_trace)) {
    gpr_log(GPR_INFO, "[priority_lb %p] child %" PRIu64 ": %s (%s)", this, token,
            grpc_core::ConnectivityStateName(state), Printable(status).c_str());
  }
  gxds_priority_lb_on_child_state(machine_.get(), token, state, Now());
  Drain();
}

void PriorityPolicy::OnDeadline() {
  gxds_priority_lb_on_deadline(machine_.get(), Now());
  Drain();
}

void PriorityPolicy::ShutdownChildren() {
  for (auto& p : children_) EndChild(std::move(p.second.policy));
  children_.clear();
}

PriorityPolicy::Errors PriorityPolicy::Drain() {
  Errors errors;
  if (draining_) return errors;  // the loop below goes on with what came meanwhile
  RefCountedPtr<LoadBalancingPolicy> self = Ref();  // what we report may end us
  draining_ = true;
  gxds_priority_op op;
  while (!shutting_down() && gxds_priority_lb_next(machine_.get(), Now(), &op)) {
    CarryOut(op, &errors);
  }
  draining_ = false;
  if (!shutting_down()) SetDeadline(gxds_priority_lb_deadline(machine_.get()));
  return errors;
}

void PriorityPolicy::CarryOut(const gxds_priority_op& op, Errors* errors) {
  switch (op.kind) {
    case GXDS_PRIORITY_CREATE:
      if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_priority_trace)) {
        gpr_log(GPR_INFO, "[priority_lb %p] child %" PRIu64 " is %s: created", this, op.child,
                Printable(config().children()[op.position].name).c_str());
      }
      children_[op.child].policy = CreateChild(op.child, leaf_args_, &grpc_lb_priority_trace);
      UpdateChild(op, errors);
      break;
    case GXDS_PRIORITY_UPDATE:
      UpdateChild(op, errors);
      break;
    case GXDS_PRIORITY_PUBLISH:
      Publish(op);
      break;
    case GXDS_PRIORITY_PUBLISH_EMPTY:
      PublishEmpty();
      break;
    case GXDS_PRIORITY_RETAIN:
      if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_priority_trace)) {
        gpr_log(GPR_INFO, "[priority_lb %p] child %" PRIu64 ": not in the config, kept", this,
                op.child);
      }
      // It lives on its own references of what it uses; the rest of the old snapshot must go.
      children_[op.child].given.reset();
      break;
    case GXDS_PRIORITY_REMOVE: {
      if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_priority_trace)) {
        gpr_log(GPR_INFO, "[priority_lb %p] child %" PRIu64 ": ended, %s", this, op.child,
                op.crowded ? "since too many are kept that are not in the config"
                           : "since it was not needed for 15 minutes");
      }
      auto child = children_.extract(op.child);
      EndChild(std::move(child.mapped().policy));
      break;
    }
  }
}

void PriorityPolicy::UpdateChild(const gxds_priority_op& op, Errors* errors) {
  const PriorityConfig::Child& wanted = config().children()[op.position];
  Child& child = children_[op.child];
  child.ignore_reresolution_requests = wanted.ignore_reresolution_requests;

  gxds_priority_share now = {};
  now.config = wanted.config.get();
  now.from_slice = wanted.priority.has_value();
  if (now.from_slice) now.localities = Slice{entry_.get(), *wanted.priority}.Priority();
  now.note = ToGxds(note_);
  bool same = false;
  if (child.given.has_value()) {
    gxds_priority_share given = child.given->Share();
    same = gxds_priority_share_same(&given, &now) && child.given->args == leaf_args_;
  } else {
    child.given.emplace();
  }
  child.given->config = wanted.config;
  child.given->entry.reset(entry_ == nullptr ? nullptr : gxds_cluster_entry_ref(entry_.get()));
  child.given->priority = wanted.priority;
  child.given->args = leaf_args_;
  child.given->note = note_;
  if (same) return;
  absl::Status status = child.policy->UpdateLocked(MakeUpdate(wanted));
  if (!status.ok()) {
    errors->push_back(absl::StrCat("child ", wanted.name, ": ", status.ToString()));
  }
}

LoadBalancingPolicy::UpdateArgs PriorityPolicy::MakeUpdate(const PriorityConfig::Child& child) {
  UpdateArgs update;
  update.config = child.config;
  update.resolution_note = note_;
  if (!child.priority.has_value()) {
    update.args = args_;
    if (addresses_.ok()) {
      update.addresses = (*addresses_)[child.name];
    } else {
      update.addresses = addresses_.status();
    }
    return update;
  }
  update.args = leaf_args_;
  Slice slice = {entry_.get(), *child.priority};
  if (child.config->name() == kWeightedLocalityPolicy) {
    auto* config = static_cast<const WeightedLocalityConfig*>(child.config.get());
    update.config = grpc_core::MakeRefCounted<WeightedLocalityConfig>(config->child(), slice);
    update.addresses.emplace();
  } else {
    update.addresses = AddressesOf(slice.Priority());
  }
  return update;
}

void PriorityPolicy::Publish(const gxds_priority_op& op) {
  if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_priority_trace)) {
    gpr_log(GPR_INFO, "[priority_lb %p] using child %" PRIu64 ": %s", this, op.child,
            grpc_core::ConnectivityStateName(op.state));
  }
  const Child& child = children_[op.child];
  std::unique_ptr<SubchannelPicker> picker;
  if (child.picker == nullptr) {
    picker = std::make_unique<QueuePicker>(Ref());
  } else {
    picker = SharedPicker::Use(child.picker);
  }
  channel_control_helper()->UpdateState(op.state, child.status, std::move(picker));
}

void PriorityPolicy::PublishEmpty() {
  gxds_status empty = gxds_priority_empty_status(ToGxds(config().cluster()), ToGxds(note_));
  absl::Status status = ToAbsl(empty);
  gxds_status_fini(&empty);
  channel_control_helper()->UpdateState(GRPC_CHANNEL_TRANSIENT_FAILURE, status,
                                        std::make_unique<TransientFailurePicker>(status));
}

// What the JSON form holds.
struct JsonConfig {
  struct Child {
    RefCountedPtr<LoadBalancingPolicy::Config> config;
    bool ignore_reresolution_requests = false;

    static const grpc_core::JsonLoaderInterface* JsonLoader(const grpc_core::JsonArgs&) {
      static const auto* loader =
          grpc_core::JsonObjectLoader<Child>()
              .OptionalField("ignore_reresolution_requests", &Child::ignore_reresolution_requests)
              .Finish();
      return loader;
    }

    void JsonPostLoad(const Json& json, const grpc_core::JsonArgs&,
                      grpc_core::ValidationErrors* errors) {
      config = ParseChildConfig(json, "config", errors);
    }
  };

  std::map<std::string, Child> children;
  std::vector<std::string> priorities;

  static const grpc_core::JsonLoaderInterface* JsonLoader(const grpc_core::JsonArgs&) {
    static const auto* loader = grpc_core::JsonObjectLoader<JsonConfig>()
                                    .Field("children", &JsonConfig::children)
                                    .Field("priorities", &JsonConfig::priorities)
                                    .Finish();
    return loader;
  }

  void JsonPostLoad(const Json&, const grpc_core::JsonArgs&, grpc_core::ValidationErrors* errors) {
    std::vector<std::string> unknown;
    for (const std::string& name : priorities) {
      if (children.find(name) == children.end()) unknown.push_back(name);
    }
    if (unknown.empty()) return;
    std::sort(unknown.begin(), unknown.end());
    unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
    errors->AddError(absl::StrCat("unknown priorit(ies): [", absl::StrJoin(unknown, ", "), "]"));
  }
};

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  if (json.type() == Json::Type::JSON_NULL) return MissingConfig("priority");
  auto parsed = grpc_core::LoadFromJson<JsonConfig>(json, grpc_core::JsonArgs(),
                                                    "errors validating priority LB policy config");
  if (!parsed.ok()) return parsed.status();
  std::vector<PriorityConfig::Child> children;
  for (const std::string& name : parsed->priorities) {
    const JsonConfig::Child& child = parsed->children[name];
    children.push_back({name, child.config, child.ignore_reresolution_requests, absl::nullopt});
  }
  return grpc_core::MakeRefCounted<PriorityConfig>(std::string(), std::move(children));
}

}  // namespace

void RegisterPriorityLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<PriorityPolicy>(builder, kPriorityPolicy, ParseConfig);
}

}  // namespace grpc_xds
