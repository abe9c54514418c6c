#include "lb_policies/cluster_impl/cluster_impl_policy.h"

#include <grpc/support/log.h>
#include <stdint.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/variant.h"
#include "base/random.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/cluster_impl/cluster_impl.h"
#include "lb_policies/cluster_impl/cluster_security.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/orca/orca_report.h"
#include "lb_policies/parent/child_config.h"
#include "lb_policies/parent/one_child_policy.h"
#include "lb_policies/printable/printable.h"
#include "src/core/ext/filters/client_channel/lb_policy/xds/xds_channel_args.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=xds_cluster_impl_lb goes on working.
extern TraceFlag grpc_xds_cluster_impl_lb_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::grpc_xds_cluster_impl_lb_trace;
using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::ServerAddress;
using grpc_core::SubchannelInterface;

namespace {

struct MachineDelete {
  void operator()(gxds_cluster_impl* c) const { gxds_cluster_impl_destroy(c); }
};
struct DropPickerUnref {
  void operator()(gxds_drop_picker* p) const { gxds_drop_picker_unref(p); }
};
struct SlotUnref {
  void operator()(gxds_locality_slot* s) const { gxds_locality_slot_unref(s); }
};
using DropPickerRef = std::unique_ptr<gxds_drop_picker, DropPickerUnref>;
using SlotRef = std::unique_ptr<gxds_locality_slot, SlotUnref>;

// A subchannel that knows where its RPCs are counted. Every subchannel below the policy is one.
class CountedSubchannel : public grpc_core::DelegatingSubchannel {
 public:
  CountedSubchannel(RefCountedPtr<SubchannelInterface> subchannel, SlotRef slot)
      : DelegatingSubchannel(std::move(subchannel)), slot_(std::move(slot)) {}

  const gxds_locality_slot* slot() const { return slot_.get(); }

 private:
  const SlotRef slot_;
};

using CallTracker = LoadBalancingPolicy::SubchannelCallTrackerInterface;

// The host calls Start when the attempt goes to the backend, Finish when it is over; it may drop
// the tracker before either. It lies in the memory of the call, which outlives it.
class ClusterCallTracker : public CallTracker {
 public:
  static void* operator new(size_t size, LoadBalancingPolicy::CallState* call) {
    return call->Alloc(size);
  }
  static void operator delete(void* /*memory*/) {}
  static void operator delete(void* /*memory*/, LoadBalancingPolicy::CallState* /*call*/) {}

  ClusterCallTracker(std::unique_ptr<CallTracker> childs,
                     RefCountedPtr<SubchannelInterface> subchannel)
      : childs_(std::move(childs)), subchannel_(std::move(subchannel)) {}
  // One that started and never finished counts as failed.
  ~ClusterCallTracker() override {
    if (call_.counter != nullptr) gxds_cluster_call_end(&call_, true);
  }

  // False: there is no place for another call.
  bool Init(gxds_drop_picker* picker, const gxds_locality_slot* slot) {
    return gxds_cluster_call_init(&call_, picker, slot);
  }

  void Start() override {
    gxds_cluster_call_started(&call_);
    subchannel_.reset();
    if (childs_ != nullptr) StartChilds();
  }
  void Finish(FinishArgs args) override {
    if (childs_ != nullptr) FinishChilds(args);
    if (gxds_cluster_call_wants_report(&call_)) Report(args.trailing_metadata);
    gxds_cluster_call_end(&call_, !args.status.ok());
  }

 private:
  // Not in line, all three: most RPCs have neither, and shall not pay for it.
  ABSL_ATTRIBUTE_NOINLINE void StartChilds() { childs_->Start(); }
  ABSL_ATTRIBUTE_NOINLINE void FinishChilds(const FinishArgs& args) { childs_->Finish(args); }
  ABSL_ATTRIBUTE_NOINLINE void Report(LoadBalancingPolicy::MetadataInterface* metadata) {
    if (metadata == nullptr) return;
    std::string buffer;
    auto report = metadata->Lookup(GXDS_ORCA_METADATA_KEY, &buffer);
    if (report.has_value()) gxds_cluster_call_reported(&call_, ToGxds(*report));
  }

  const std::unique_ptr<CallTracker> childs_;
  // Keeps the slot until Start, also when a leaf policy of the program's own lets go of it after
  // its picker gave it. Null from then on, when the attempt itself keeps its counters.
  RefCountedPtr<SubchannelInterface> subchannel_;
  gxds_cluster_call call_ = {};
};

class ClusterImplPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  using PickResult = LoadBalancingPolicy::PickResult;

  // child: null only while everything is dropped, or before the child reported.
  ClusterImplPicker(gxds_drop_picker* drops, const gxds_cluster_entry* entry,
                    RefCountedPtr<SharedPicker> child)
      : drops_(gxds_drop_picker_ref(drops)),
        entry_(gxds_cluster_entry_ref(entry)),
        child_(std::move(child)) {}

  PickResult Pick(LoadBalancingPolicy::PickArgs args) override {
    gxds_str category;
    const gxds_drop_decision decision = gxds_drop_picker_pick(drops_.get(), &category);
    if (decision != GXDS_DROP_NONE) return Drop(decision, category);
    if (child_ == nullptr) return PickResult::Queue();
    return PickByChild(args);
  }

 private:
  // One variable for whatever comes out, so that a result is made where the host wants it.
  PickResult PickByChild(const LoadBalancingPolicy::PickArgs& args) {
    PickResult result = child_->Pick(args);
    auto* complete = absl::get_if<PickResult::Complete>(&result.result);
    if (complete == nullptr) {
      Explain(&result);
    } else if (complete->subchannel != nullptr && !Count(complete, args.call_state)) {
      result = Drop(GXDS_DROP_CIRCUIT_BREAKER, {});
    }
    return result;
  }

  // False: there is no place for another call.
  bool Count(PickResult::Complete* complete, LoadBalancingPolicy::CallState* call) {
    auto* subchannel = static_cast<CountedSubchannel*>(complete->subchannel.get());
    auto wrapped = subchannel->wrapped_subchannel();
    // The reference that the child gave goes on to the tracker: it costs none.
    auto* tracker = new (call) ClusterCallTracker(std::move(complete->subchannel_call_tracker),
                                                  std::move(complete->subchannel));
    complete->subchannel_call_tracker.reset(tracker);
    complete->subchannel = std::move(wrapped);
    return tracker->Init(drops_.get(), subchannel->slot());
  }

  // Not in line, as the next: what becomes of few RPCs.
  ABSL_ATTRIBUTE_NOINLINE void Explain(PickResult* result) const {
    auto* fail = absl::get_if<PickResult::Fail>(&result->result);
    if (fail == nullptr) return;
    fail->status = absl::Status(fail->status.code(), Explained(fail->status.message()));
  }
  ABSL_ATTRIBUTE_NOINLINE PickResult Drop(gxds_drop_decision decision, gxds_str category) const {
    return PickResult::Drop(absl::UnavailableError(Explained(
        decision == GXDS_DROP_CATEGORY ? absl::StrCat("EDS-configured drop: ", ToAbsl(category))
                                       : "circuit breaker drop")));
  }
  // A message with what is known of the cluster.
  std::string Explained(absl::string_view message) const {
    gxds_text text = {};
    gxds_text_add(&text, ToGxds(message));
    gxds_cluster_entry_explain(entry_.get(), &text);
    std::string out(ToAbsl(gxds_text_str(&text)));
    gxds_text_fini(&text);
    return out;
  }

  const DropPickerRef drops_;
  const CRef<gxds_cluster_entry> entry_;
  const RefCountedPtr<SharedPicker> child_;
};

class ClusterImplPolicy : public OneChildPolicy {
 public:
  explicit ClusterImplPolicy(Args args)
      : OneChildPolicy(std::move(args)), machine_(gxds_cluster_impl_create(gxds_random_seed())) {}

  absl::string_view name() const override { return kClusterImplPolicyName; }
  absl::Status UpdateLocked(UpdateArgs args) override;

 private:
  void OnChildState(uint64_t token, grpc_connectivity_state state, const absl::Status& status,
                    std::unique_ptr<SubchannelPicker> picker) override;
  RefCountedPtr<SubchannelInterface> CreateChildSubchannel(uint64_t token, ServerAddress address,
                                                           const ChannelArgs& args) override;
  void ShutdownChildren() override;
  void Fail(const absl::Status& status);
  void Publish();
  absl::Status UpdateSecurity(const gxds_cluster_impl_todo& todo);
  absl::Status UpdateChild(UpdateArgs args);

  const std::unique_ptr<gxds_cluster_impl, MachineDelete> machine_;
  RefCountedPtr<ClusterImplConfig> config_;
  std::unique_ptr<ClusterSecurity> security_;  // null: no TLS of the cluster's own
  RefCountedPtr<SharedPicker> child_picker_;
  absl::Status child_status_;
};

absl::Status ClusterImplPolicy::UpdateLocked(UpdateArgs args) {
  RefCountedPtr<ClusterImplConfig> config(static_cast<ClusterImplConfig*>(args.config.release()));
  const gxds_config* snapshot = ConfigOf(args.args);
  if (snapshot == nullptr) return absl::OkStatus();  // goes on with the one before
  gxds_cluster_impl_todo todo = gxds_cluster_impl_on_update(
      machine_.get(), gxds_config_cluster(snapshot, ToGxds(config->cluster())),
      snapshot->load_store, config->child().get(), HasXdsCredentials(args.args));
  // The one before lives until the machine has compared.
  config_ = std::move(config);
  if (todo.fail) {
    Fail(absl::UnavailableError(
        absl::StrCat("cluster \"", config_->cluster(), "\" is no leaf of the xDS configuration")));
  }
  absl::Status secured = UpdateSecurity(todo);
  if (!secured.ok()) {
    // Never without: the channel's fallback is for clusters that ask for none.
    gxds_cluster_impl_forget_tls(machine_.get());
    ShutdownChildren();
    Fail(absl::UnavailableError(
        absl::StrCat("cluster \"", config_->cluster(), "\": ", secured.message())));
    return secured;
  }
  if (todo.publish) Publish();
  return todo.update_child ? UpdateChild(std::move(args)) : absl::OkStatus();
}

absl::Status ClusterImplPolicy::UpdateSecurity(const gxds_cluster_impl_todo& todo) {
  switch (todo.tls_change) {
    case GXDS_TLS_KEEP:
      return absl::OkStatus();
    case GXDS_TLS_NONE:
      security_.reset();
      return absl::OkStatus();
    case GXDS_TLS_RENEW:
      // Another object, thus other subchannels.
      security_ = std::make_unique<ClusterSecurity>(config_->cluster(), interested_parties());
      break;
    case GXDS_TLS_UPDATE:
      break;
  }
  return security_->Update(*todo.tls);
}

absl::Status ClusterImplPolicy::UpdateChild(UpdateArgs args) {
  UpdateArgs child_args = std::move(args);
  child_args.config = config_->child();
  // For credentials, which speak for a cluster.
  child_args.args = child_args.args.Set(GRPC_ARG_XDS_CLUSTER_NAME, config_->cluster());
  if (security_ != nullptr) child_args.args = security_->AddTo(child_args.args);
  return PassToChild(std::move(child_args), &grpc_xds_cluster_impl_lb_trace);
}

void ClusterImplPolicy::OnChildState(uint64_t /*token*/, grpc_connectivity_state state,
                                     const absl::Status& status,
                                     std::unique_ptr<SubchannelPicker> picker) {
  child_status_ = status;
  child_picker_ = SharedPicker::Of(std::move(picker));
  if (gxds_cluster_impl_on_child_state(machine_.get(), state)) Publish();
}

void ClusterImplPolicy::Fail(const absl::Status& status) {
  channel_control_helper()->UpdateState(GRPC_CHANNEL_TRANSIENT_FAILURE, status,
                                        std::make_unique<TransientFailurePicker>(status));
}

void ClusterImplPolicy::Publish() {
  grpc_connectivity_state state = gxds_cluster_impl_state(machine_.get());
  absl::Status status =
      gxds_cluster_impl_state_is_childs(machine_.get()) ? child_status_ : absl::OkStatus();
  if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_cluster_impl_lb_trace)) {
    gpr_log(GPR_INFO, "[xds_cluster_impl_lb %p] %s: state=%s (%s)", this,
            Printable(config_->cluster()).c_str(), grpc_core::ConnectivityStateName(state),
            Printable(status).c_str());
  }
  channel_control_helper()->UpdateState(
      state, status,
      std::make_unique<ClusterImplPicker>(gxds_cluster_impl_picker(machine_.get()),
                                          gxds_cluster_impl_entry(machine_.get()), child_picker_));
}

RefCountedPtr<SubchannelInterface> ClusterImplPolicy::CreateChildSubchannel(
    uint64_t /*token*/, ServerAddress address, const ChannelArgs& args) {
  const gxds_locality* locality = LocalityOf(address);
  const gxds_str none = {nullptr, 0};
  SlotRef slot(gxds_cluster_impl_slot(machine_.get(), locality ? locality->region : none,
                                      locality ? locality->zone : none,
                                      locality ? locality->sub_zone : none));
  auto subchannel =
      channel_control_helper()->CreateSubchannel(std::move(address), WithoutOurs(args));
  if (subchannel == nullptr) return nullptr;
  return grpc_core::MakeRefCounted<CountedSubchannel>(std::move(subchannel), std::move(slot));
}

void ClusterImplPolicy::ShutdownChildren() {
  DropChild();
  child_picker_.reset();
  security_.reset();
}

// JSON, for configs that others write. All but the cluster's name and the child comes from the
// snapshot (A74).
std::string ParseClusterName(const Json::Object& object, grpc_core::ValidationErrors* errors) {
  auto it = object.find("clusterName");
  if (it == object.end()) it = object.find("cluster");
  grpc_core::ValidationErrors::ScopedField field(errors, ".clusterName");
  if (it == object.end()) {
    errors->AddError("field not present");
  } else if (it->second.type() != Json::Type::STRING) {
    errors->AddError("is not a string");
  } else {
    return it->second.string_value();
  }
  return "";
}

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  if (json.type() == Json::Type::JSON_NULL) return MissingConfig("xds_cluster_impl");
  grpc_core::ValidationErrors errors;
  if (json.type() != Json::Type::OBJECT) {
    errors.AddError("is not an object");
    return errors.status("errors validating xds_cluster_impl LB policy config");
  }
  std::string cluster = ParseClusterName(json.object_value(), &errors);
  auto child = ParseChildConfig(json, "childPolicy", &errors);
  if (!errors.ok()) return errors.status("errors validating xds_cluster_impl LB policy config");
  return grpc_core::MakeRefCounted<ClusterImplConfig>(std::move(cluster), std::move(child));
}

}  // namespace

void RegisterClusterImplLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<ClusterImplPolicy>(builder, kClusterImplPolicyName, ParseConfig);
}

}  // namespace grpc_xds
