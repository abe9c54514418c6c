#include "lb_policies/cds/cds_policy.h"

#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "host/grpc_1_51/config.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/cds/cds.h"
#include "lb_policies/cluster_impl/cluster_impl_policy.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/outlier_detection/outlier_detection_policy.h"
#include "lb_policies/parent/one_child_policy.h"
#include "lb_policies/printable/printable.h"
#include "lb_policies/priority/priority.h"
#include "lb_policies/priority/priority_policy.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy_registry.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=cds_lb goes on working.
extern TraceFlag grpc_cds_lb_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::grpc_cds_lb_trace;
using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::MakeRefCounted;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;

namespace {

using grpc_core::ChannelArgs;

static_assert(GXDS_CHILD_NUMBERS_LEFT_MAX == GXDS_PRIORITY_RETAINED_MAX,
              "cds remembers the children that priority keeps");

struct MachineDelete {
  void operator()(gxds_cds* c) const { gxds_cds_destroy(c); }
};

// Fails every RPC.
class DropPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  explicit DropPicker(absl::Status status) : status_(std::move(status)) {}
  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs /*args*/) override {
    return LoadBalancingPolicy::PickResult::Drop(status_);
  }

 private:
  const absl::Status status_;
};

class CdsPolicy : public OneChildPolicy {
 public:
  explicit CdsPolicy(Args args) : OneChildPolicy(std::move(args)), machine_(gxds_cds_create()) {}

  absl::string_view name() const override { return kCdsPolicyName; }
  absl::Status UpdateLocked(UpdateArgs args) override;

 private:
  void ShutdownChildren() override;

  // What the child is given: made anew, or the one before while it says the same.
  absl::StatusOr<RefCountedPtr<Config>> ChildConfig(const gxds_cds_step& step);
  absl::Status ParsePolicy(const gxds_cds_step& step);
  RefCountedPtr<Config> LeafConfig(const gxds_cds_step& step) const;
  RefCountedPtr<Config> AggregateConfig(const gxds_cds_step& step) const;
  absl::Status UpdateChild(const gxds_cds_step& step, const ChannelArgs& args);
  // drop: RPCs that wait for ready fail too.
  void Fail(const absl::Status& status, bool drop);

  std::unique_ptr<gxds_cds, MachineDelete> machine_;
  std::string cluster_;
  RefCountedPtr<Config> leaf_policy_;   // what the cluster's policy_json was parsed to
  RefCountedPtr<Config> child_config_;  // below outlier_detection, where that is
};

absl::Status CdsPolicy::UpdateLocked(UpdateArgs args) {
  auto* config = static_cast<const CdsConfig*>(args.config.get());
  cluster_ = config->cluster();
  const gxds_cds_step* step =
      gxds_cds_on_update(machine_.get(), ConfigOf(args.args), MailboxOf(args.args),
                         ToGxds(cluster_), config->is_dynamic());
  switch (step->kind) {
    case GXDS_CDS_NOTHING:
      return absl::OkStatus();
    case GXDS_CDS_FAIL:
      Fail(ToAbsl(step->error), step->drop);
      return absl::OkStatus();
    case GXDS_CDS_LEAF:
    case GXDS_CDS_AGGREGATE:
      return UpdateChild(*step, args.args);
  }
  GPR_UNREACHABLE_CODE(return absl::OkStatus());
}

absl::Status CdsPolicy::UpdateChild(const gxds_cds_step& step, const ChannelArgs& args) {
  auto config = ChildConfig(step);
  if (!config.ok()) {
    gxds_cds_forget(machine_.get());
    Fail(absl::UnavailableError(absl::StrCat(cluster_, ": ", config.status().message())), false);
    return config.status();
  }
  child_config_ = std::move(*config);
  UpdateArgs child_args;
  child_args.config = child_config_;
  child_args.addresses.emplace();  // they are in the snapshot
  child_args.resolution_note = std::string(ToAbsl(step.entry->resolution_note));
  // The control plane checks health.
  child_args.args = args.Set(GRPC_ARG_INHIBIT_HEALTH_CHECKING, 1);
  if (step.outlier_detection != nullptr) {
    child_args.config =
        MakeRefCounted<OutlierDetectionConfig>(cluster_, *step.outlier_detection, child_config_);
  }
  if (GRPC_TRACE_FLAG_ENABLED(grpc_cds_lb_trace)) {
    gpr_log(GPR_INFO, "[cdslb %p] %s: updating child %s", this, Printable(cluster_).c_str(),
            std::string(child_args.config->name()).c_str());
  }
  return PassToChild(std::move(child_args), &grpc_cds_lb_trace);
}

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> CdsPolicy::ChildConfig(
    const gxds_cds_step& step) {
  if (step.same_children && child_config_ != nullptr) return child_config_;
  if (step.kind == GXDS_CDS_AGGREGATE) return AggregateConfig(step);
  absl::Status status = ParsePolicy(step);
  if (!status.ok()) return status;
  return LeafConfig(step);
}

absl::Status CdsPolicy::ParsePolicy(const gxds_cds_step& step) {
  if (!step.policy_changed && leaf_policy_ != nullptr) return absl::OkStatus();
  auto json = Json::Parse(ToAbsl(step.policy_json));
  if (!json.ok()) return json.status();
  auto config =
      grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*json);
  if (!config.ok()) return config.status();
  leaf_policy_ = std::move(*config);
  return absl::OkStatus();
}

RefCountedPtr<LoadBalancingPolicy::Config> CdsPolicy::LeafConfig(const gxds_cds_step& step) const {
  std::vector<gxds_priority_child> children(step.numbers->count);
  std::vector<std::string> names(children.size());
  gxds_lb_config* leaf = ToC(leaf_policy_);
  for (size_t i = 0; i < children.size(); ++i) {
    gxds_text name = {};
    gxds_child_number_render(ToGxds(cluster_), step.numbers->numbers[i], &name);
    names[i] = std::string(ToAbsl(gxds_text_str(&name)));
    gxds_text_fini(&name);
    children[i] = {ToGxds(names[i]), leaf, step.ignore_reresolution, true, i};
  }
  gxds_lb_config* priority =
      gxds_priority_config_create(ToGxds(cluster_), children.data(), children.size());
  gxds_lb_config_unref(leaf);
  gxds_lb_config* cluster_impl = gxds_cluster_impl_config_create(ToGxds(cluster_), priority);
  gxds_lb_config_unref(priority);
  auto config = ToHost(cluster_impl);
  gxds_lb_config_unref(cluster_impl);
  return config;
}

RefCountedPtr<LoadBalancingPolicy::Config> CdsPolicy::AggregateConfig(
    const gxds_cds_step& step) const {
  std::vector<gxds_priority_child> children(step.entry->leaf_cluster_count);
  for (size_t i = 0; i < children.size(); ++i) {
    const gxds_str name = step.entry->leaf_clusters[i];
    children[i] = {name,
                   ToC(MakeRefCounted<CdsConfig>(std::string(ToAbsl(name)), /*is_dynamic=*/false)),
                   false, false, 0};
  }
  gxds_lb_config* priority =
      gxds_priority_config_create(gxds_str_of(nullptr, 0), children.data(), children.size());
  for (auto& c : children) gxds_lb_config_unref(c.config);
  auto config = ToHost(priority);
  gxds_lb_config_unref(priority);
  return config;
}

void CdsPolicy::Fail(const absl::Status& status, bool drop) {
  gpr_log(GPR_ERROR, "grpc_xds: [cdslb %p] %s", this, Printable(status).c_str());
  DropChild();
  child_config_.reset();
  std::unique_ptr<SubchannelPicker> picker;
  if (drop) {
    picker = std::make_unique<DropPicker>(status);
  } else {
    picker = std::make_unique<TransientFailurePicker>(status);
  }
  channel_control_helper()->UpdateState(GRPC_CHANNEL_TRANSIENT_FAILURE, status, std::move(picker));
}

void CdsPolicy::ShutdownChildren() {
  DropChild();
  machine_.reset();  // and with it the subscription
}

// JSON, for configs that cluster specifier plugins write.
std::string ParseCluster(const Json::Object& object, grpc_core::ValidationErrors* errors) {
  grpc_core::ValidationErrors::ScopedField field(errors, ".cluster");
  auto it = object.find("cluster");
  if (it == object.end()) {
    errors->AddError("field not present");
  } else if (it->second.type() != Json::Type::STRING) {
    errors->AddError("is not a string");
  } else {
    return it->second.string_value();
  }
  return "";
}

bool ParseIsDynamic(const Json::Object& object, grpc_core::ValidationErrors* errors) {
  grpc_core::ValidationErrors::ScopedField field(errors, ".isDynamic");
  auto it = object.find("isDynamic");
  if (it == object.end()) return false;
  if (it->second.type() == Json::Type::JSON_TRUE) return true;
  if (it->second.type() != Json::Type::JSON_FALSE) errors->AddError("is not a boolean");
  return false;
}

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  if (json.type() == Json::Type::JSON_NULL) return MissingConfig("cds");
  grpc_core::ValidationErrors errors;
  if (json.type() != Json::Type::OBJECT) {
    errors.AddError("is not an object");
    return errors.status("errors validating cds LB policy config");
  }
  std::string cluster = ParseCluster(json.object_value(), &errors);
  bool is_dynamic = ParseIsDynamic(json.object_value(), &errors);
  if (!errors.ok()) return errors.status("errors validating cds LB policy config");
  return MakeRefCounted<CdsConfig>(std::move(cluster), is_dynamic);
}

}  // namespace

void RegisterCdsLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<CdsPolicy>(builder, kCdsPolicyName, ParseConfig);
}

}  // namespace grpc_xds
