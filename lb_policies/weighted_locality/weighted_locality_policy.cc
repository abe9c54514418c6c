#include "lb_policies/weighted_locality/weighted_locality_policy.h"

#include <grpc/support/log.h>
#include <inttypes.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/random.h"
#include "host/grpc_1_51/config.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/parent/child_config.h"
#include "lb_policies/parent/parent_policy.h"
#include "lb_policies/printable/printable.h"
#include "lb_policies/round_robin/round_robin_policy.h"
#include "lb_policies/weighted_locality/weighted_locality.h"
#include "lb_policies/weighted_locality/wheel.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/json/json_args.h"
#include "src/core/lib/json/json_object_loader.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=xds_wrr_locality_lb goes on working.
extern TraceFlag grpc_xds_wrr_locality_lb_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::grpc_xds_wrr_locality_lb_trace;
using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::ServerAddressList;

namespace {

// Ours takes its place.
constexpr absl::string_view kHostsRoundRobin = "round_robin";

struct WheelDelete {
  void operator()(gxds_wheel* w) const { gxds_wheel_destroy(w); }
};
struct TurnsUnref {
  void operator()(gxds_turns* t) const { gxds_turns_unref(t); }
};
struct MachineDelete {
  void operator()(gxds_weighted_locality* w) const { gxds_weighted_locality_destroy(w); }
};
using TurnsRef = std::unique_ptr<gxds_turns, TurnsUnref>;

// Immutable but for the count of turns, which is atomic and goes on from picker to picker.
class LocalityPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  LocalityPicker(std::vector<RefCountedPtr<SharedPicker>> pickers, const uint32_t* weights,
                 gxds_turns* turns)
      : pickers_(std::move(pickers)),
        wheel_(gxds_wheel_create(weights, pickers_.size())),
        turns_(gxds_turns_ref(turns)) {}

  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs args) override {
    return pickers_[gxds_wheel_pick(wheel_.get(), gxds_turns_next(turns_.get()))]->Pick(args);
  }

 private:
  const std::vector<RefCountedPtr<SharedPicker>> pickers_;
  const std::unique_ptr<gxds_wheel, WheelDelete> wheel_;
  const TurnsRef turns_;
};

class WeightedLocalityPolicy : public ParentPolicy {
 public:
  explicit WeightedLocalityPolicy(Args args)
      : ParentPolicy(std::move(args)),
        machine_(gxds_weighted_locality_create()),
        turns_(gxds_turns_create(gxds_random_seed())) {}

  absl::string_view name() const override { return kWeightedLocalityPolicy; }
  absl::Status UpdateLocked(UpdateArgs args) override;
  void ExitIdleLocked() override {
    for (auto& p : leaves_) p.second.policy->ExitIdleLocked();
  }
  void ResetBackoffLocked() override {
    for (auto& p : leaves_) p.second.policy->ResetBackoffLocked();
  }

 private:
  struct Leaf {
    OrphanablePtr<LoadBalancingPolicy> policy;
    RefCountedPtr<SharedPicker> picker;
    absl::Status last_failure;
  };

  void OnChildState(uint64_t token, grpc_connectivity_state state, const absl::Status& status,
                    std::unique_ptr<SubchannelPicker> picker) override;
  void OnDeadline() override;
  void ShutdownChildren() override;

  using Errors = std::vector<std::string>;

  // Carries out what the machine wants; gives the errors of leaves that refused their update.
  Errors Drain();
  void CarryOut(const gxds_weighted_locality_op& op, Errors* errors);
  void UpdateLeaf(uint64_t token, const gxds_locality* locality, Errors* errors);
  void Publish(const gxds_weighted_locality_op& op);
  void Fail(const absl::Status& status);

  const std::unique_ptr<gxds_weighted_locality, MachineDelete> machine_;
  const TurnsRef turns_;
  bool draining_ = false;
  std::map<uint64_t, Leaf> leaves_;  // by token

  // From the last update.
  RefCountedPtr<LoadBalancingPolicy::Config> leaf_config_;
  ChannelArgs leaf_args_;
  std::string cluster_;
  std::string note_;
};

absl::Status WeightedLocalityPolicy::UpdateLocked(UpdateArgs args) {
  auto* config = static_cast<const WeightedLocalityConfig*>(args.config.get());
  if (!config->has_slice()) {
    absl::Status status = absl::UnavailableError(absl::StrCat(
        kWeightedLocalityPolicy, " policy works only below the priority policy of an xDS cluster: ",
        "its config holds no localities"));
    Fail(status);
    return status;
  }
  gxds_weighted_locality_update update = {};
  update.priority = &config->priority();
  update.leaf_changed = leaf_config_ != config->child() || leaf_args_ != args.args;
  update.note_changed = note_ != args.resolution_note;
  leaf_config_ = config->child();
  leaf_args_ = std::move(args.args);
  cluster_ = config->cluster();
  note_ = std::move(args.resolution_note);
  gxds_weighted_locality_on_update(machine_.get(), &update, Now());
  Errors errors = Drain();
  if (errors.empty()) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("errors from children: [", absl::StrJoin(errors, "; "), "]"));
}

void WeightedLocalityPolicy::OnChildState(uint64_t token, grpc_connectivity_state state,
                                          const absl::Status& status,
                                          std::unique_ptr<SubchannelPicker> picker) {
  auto it = leaves_.find(token);
  if (it == leaves_.end()) return;
  it->second.picker = SharedPicker::Of(std::move(picker));
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) it->second.last_failure = status;
  if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_wrr_locality_lb_trace)) {
    gpr_log(GPR_INFO, "[xds_wrr_locality_lb %p] child %" PRIu64 ": %s (%s)", this, token,
            grpc_core::ConnectivityStateName(state), Printable(status).c_str());
  }
  gxds_weighted_locality_on_child_state(machine_.get(), token, state);
  Drain();
}

void WeightedLocalityPolicy::OnDeadline() {
  gxds_weighted_locality_on_deadline(machine_.get(), Now());
  Drain();
}

void WeightedLocalityPolicy::ShutdownChildren() {
  for (auto& p : leaves_) EndChild(std::move(p.second.policy));
  leaves_.clear();
}

WeightedLocalityPolicy::Errors WeightedLocalityPolicy::Drain() {
  Errors errors;
  if (draining_) return errors;  // the loop below goes on with what came meanwhile
  RefCountedPtr<LoadBalancingPolicy> self = Ref();  // what we report may end us
  draining_ = true;
  gxds_weighted_locality_op op;
  while (!shutting_down() && gxds_weighted_locality_next(machine_.get(), &op)) {
    CarryOut(op, &errors);
  }
  draining_ = false;
  if (!shutting_down()) SetDeadline(gxds_weighted_locality_deadline(machine_.get()));
  return errors;
}

void WeightedLocalityPolicy::CarryOut(const gxds_weighted_locality_op& op, Errors* errors) {
  switch (op.kind) {
    case GXDS_WEIGHTED_LOCALITY_CREATE:
      leaves_[op.child].policy = CreateChild(op.child, leaf_args_, &grpc_xds_wrr_locality_lb_trace);
      UpdateLeaf(op.child, op.locality, errors);
      break;
    case GXDS_WEIGHTED_LOCALITY_UPDATE:
      UpdateLeaf(op.child, op.locality, errors);
      break;
    case GXDS_WEIGHTED_LOCALITY_EXIT_IDLE:
      leaves_[op.child].policy->ExitIdleLocked();
      break;
    case GXDS_WEIGHTED_LOCALITY_PUBLISH:
      Publish(op);
      break;
    case GXDS_WEIGHTED_LOCALITY_PUBLISH_EMPTY: {
      gxds_status empty = gxds_weighted_locality_empty_status(ToGxds(cluster_), ToGxds(note_));
      Fail(ToAbsl(empty));
      gxds_status_fini(&empty);
      break;
    }
    case GXDS_WEIGHTED_LOCALITY_REMOVE: {
      auto leaf = leaves_.extract(op.child);
      EndChild(std::move(leaf.mapped().policy));
      break;
    }
  }
}

void WeightedLocalityPolicy::UpdateLeaf(uint64_t token, const gxds_locality* locality,
                                        Errors* errors) {
  CRef<gxds_locality> held(gxds_locality_ref(locality));  // the leaf's reports come in meanwhile
  UpdateArgs update;
  update.addresses.emplace();
  if (leaf_config_->name() == kHostsRoundRobin) {
    gxds_lb_config* round_robin = gxds_round_robin_config_create(locality);
    update.config = ToHost(round_robin);
    gxds_lb_config_unref(round_robin);
  } else {
    update.config = leaf_config_;
    AppendAddresses(locality, &*update.addresses);
  }
  update.resolution_note = note_;
  update.args = leaf_args_;
  absl::Status status = leaves_[token].policy->UpdateLocked(std::move(update));
  if (status.ok()) return;
  gxds_text name = {};
  gxds_locality_render_name(locality, &name);
  errors->push_back(absl::StrCat("child ", ToAbsl(gxds_text_str(&name)), ": ", status.ToString()));
  gxds_text_fini(&name);
}

void WeightedLocalityPolicy::Publish(const gxds_weighted_locality_op& op) {
  if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_wrr_locality_lb_trace)) {
    gpr_log(GPR_INFO, "[xds_wrr_locality_lb %p] state=%s, %" PRIuPTR " localities in the picks",
            this, grpc_core::ConnectivityStateName(op.state), op.member_count);
  }
  if (op.member_count == 0) {
    channel_control_helper()->UpdateState(op.state, absl::OkStatus(),
                                          std::make_unique<QueuePicker>(Ref()));
    return;
  }
  std::vector<RefCountedPtr<SharedPicker>> pickers;
  pickers.reserve(op.member_count);
  for (size_t i = 0; i < op.member_count; ++i) pickers.push_back(leaves_[op.members[i]].picker);
  absl::Status status;
  if (op.state == GRPC_CHANNEL_TRANSIENT_FAILURE) status = leaves_[op.failed].last_failure;
  std::unique_ptr<SubchannelPicker> picker;
  if (op.member_count == 1) {
    picker = SharedPicker::Use(std::move(pickers[0]));
  } else {
    picker = std::make_unique<LocalityPicker>(std::move(pickers), op.weights, turns_.get());
  }
  channel_control_helper()->UpdateState(op.state, status, std::move(picker));
}

void WeightedLocalityPolicy::Fail(const absl::Status& status) {
  channel_control_helper()->UpdateState(GRPC_CHANNEL_TRANSIENT_FAILURE, status,
                                        std::make_unique<TransientFailurePicker>(status));
}

// What the JSON form holds.
struct JsonConfig {
  RefCountedPtr<LoadBalancingPolicy::Config> child;

  static const grpc_core::JsonLoaderInterface* JsonLoader(const grpc_core::JsonArgs&) {
    static const auto* loader = grpc_core::JsonObjectLoader<JsonConfig>().Finish();
    return loader;
  }

  void JsonPostLoad(const Json& json, const grpc_core::JsonArgs&,
                    grpc_core::ValidationErrors* errors) {
    child = ParseChildConfig(json, "childPolicy", errors);
  }
};

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  if (json.type() == Json::Type::JSON_NULL) return MissingConfig("xds_wrr_locality");
  auto config = grpc_core::LoadFromJson<JsonConfig>(
      json, grpc_core::JsonArgs(), "errors validating xds_wrr_locality LB policy config");
  if (!config.ok()) return config.status();
  return grpc_core::MakeRefCounted<WeightedLocalityConfig>(std::move(config->child));
}

}  // namespace

WeightedLocalityConfig::WeightedLocalityConfig(RefCountedPtr<LoadBalancingPolicy::Config> child,
                                               const Slice& slice)
    : child_(std::move(child)),
      has_slice_(slice.entry != nullptr),
      cluster_(has_slice_ ? ToAbsl(slice.entry->name) : absl::string_view()) {
  if (const gxds_priority* priority = slice.Priority()) {
    localities_.reserve(priority->locality_count);
    for (size_t i = 0; i < priority->locality_count; ++i) {
      localities_.emplace_back(gxds_locality_ref(priority->localities[i]));
    }
    list_.assign(priority->localities, priority->localities + priority->locality_count);
  }
  priority_ = {list_.data(), list_.size()};
}

void RegisterWeightedLocalityLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<WeightedLocalityPolicy>(builder, kWeightedLocalityPolicy, ParseConfig);
}

}  // namespace grpc_xds
