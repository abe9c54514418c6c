#include "lb_policies/outlier_detection/outlier_detection_policy.h"

#include <grpc/support/log.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/variant.h"
#include "base/random.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/outlier_detection/outliers.h"
#include "lb_policies/parent/child_config.h"
#include "lb_policies/parent/one_child_policy.h"
#include "src/core/ext/filters/client_channel/lb_policy/outlier_detection/outlier_detection.h"
#include "src/core/lib/address_utils/sockaddr_utils.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/json/json_args.h"
#include "src/core/lib/json/json_object_loader.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=outlier_detection_lb goes on working.
extern TraceFlag grpc_outlier_detection_lb_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::grpc_outlier_detection_lb_trace;
using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::ServerAddress;
using grpc_core::SubchannelInterface;

namespace {

struct MachineDelete {
  void operator()(gxds_outliers* o) const { gxds_outliers_destroy(o); }
};
struct ResultsUnref {
  void operator()(gxds_call_results* r) const { gxds_call_results_unref(r); }
};
using ResultsRef = std::unique_ptr<gxds_call_results, ResultsUnref>;

using Watcher = SubchannelInterface::ConnectivityStateWatcherInterface;

// A policy's watch of a subchannel that may be ejected. What it is told may end it at once: so
// whoever calls it holds a reference.
class Watch : public grpc_core::RefCounted<Watch> {
 public:
  Watch(std::unique_ptr<Watcher> watcher, bool ejected)
      : watcher_(std::move(watcher)), ejected_(ejected) {}

  void OnState(grpc_connectivity_state state, absl::Status status) {
    bool first = !state_.has_value();
    state_ = state;
    status_ = std::move(status);
    if (first || !ejected_) Tell();
  }
  void SetEjected(bool ejected) {
    if (ejected_ == ejected) return;
    ejected_ = ejected;
    if (state_.has_value()) Tell();
  }
  // For policies that wait for an answer to RequestConnection().
  void TellIfEjected() {
    if (ejected_ && state_.has_value()) Tell();
  }
  void Cancel() { cancelled_ = true; }

  bool ejected() const { return ejected_; }
  const Watcher* watcher() const { return watcher_.get(); }
  grpc_pollset_set* interested_parties() { return watcher_->interested_parties(); }

 private:
  void Tell() {
    if (cancelled_) return;
    if (ejected_) {
      watcher_->OnConnectivityStateChange(
          GRPC_CHANNEL_TRANSIENT_FAILURE,
          absl::UnavailableError("subchannel ejected by outlier detection"));
    } else {
      watcher_->OnConnectivityStateChange(*state_, status_);
    }
  }

  const std::unique_ptr<Watcher> watcher_;
  bool ejected_;
  bool cancelled_ = false;
  absl::optional<grpc_connectivity_state> state_;  // the last seen
  absl::Status status_;
};

// What the subchannel itself is watched with.
class Forwarder : public Watcher {
 public:
  explicit Forwarder(RefCountedPtr<Watch> watch) : watch_(std::move(watch)) {}

  void OnConnectivityStateChange(grpc_connectivity_state state, absl::Status status) override {
    RefCountedPtr<Watch> watch = watch_;  // the call may end us
    watch->OnState(state, std::move(status));
  }
  grpc_pollset_set* interested_parties() override { return watch_->interested_parties(); }

 private:
  const RefCountedPtr<Watch> watch_;
};

using CallTracker = LoadBalancingPolicy::SubchannelCallTrackerInterface;

class ResultTracker : public CallTracker {
 public:
  ResultTracker(std::unique_ptr<CallTracker> childs, ResultsRef results)
      : childs_(std::move(childs)), results_(std::move(results)) {}

  void Start() override {
    if (childs_ != nullptr) childs_->Start();
  }
  void Finish(FinishArgs args) override {
    if (childs_ != nullptr) childs_->Finish(args);
    gxds_call_results_add(results_.get(), args.status.ok());
  }

 private:
  const std::unique_ptr<CallTracker> childs_;
  const ResultsRef results_;
};

class OutlierDetectionPolicy : public OneChildPolicy {
 public:
  explicit OutlierDetectionPolicy(Args args)
      : OneChildPolicy(std::move(args)), machine_(gxds_outliers_create(gxds_random_seed())) {}

  absl::string_view name() const override { return kOutlierDetectionPolicy; }
  absl::Status UpdateLocked(UpdateArgs args) override;

 private:
  class Subchannel;
  class Picker;

  void OnChildState(uint64_t token, grpc_connectivity_state state, const absl::Status& status,
                    std::unique_ptr<SubchannelPicker> picker) override;
  RefCountedPtr<SubchannelInterface> CreateChildSubchannel(uint64_t token, ServerAddress address,
                                                           const ChannelArgs& args) override;
  void OnDeadline() override;
  void ShutdownChildren() override;

  size_t CountAddresses(const UpdateArgs& args);
  // Tells subchannels whether they are ejected, and sets the timer.
  void Settle();
  void Publish();

  const std::unique_ptr<gxds_outliers, MachineDelete> machine_;
  std::map<uint64_t, std::vector<Subchannel*>> subchannels_;  // living ones, by address
  bool settling_ = false;
  grpc_connectivity_state child_state_ = GRPC_CHANNEL_IDLE;
  absl::Status child_status_;
  RefCountedPtr<SharedPicker> child_picker_;
};

// Every subchannel below the policy is one. It lives and dies under the serializer.
class OutlierDetectionPolicy::Subchannel : public grpc_core::DelegatingSubchannel {
 public:
  Subchannel(RefCountedPtr<LoadBalancingPolicy> policy,
             RefCountedPtr<SubchannelInterface> subchannel, uint64_t address)
      : DelegatingSubchannel(std::move(subchannel)),
        policy_ref_(std::move(policy)),
        address_(address),
        results_(gxds_call_results_ref(gxds_outliers_results(policy_->machine_.get(), address))) {
    policy_->subchannels_[address_].push_back(this);
  }

  ~Subchannel() override {
    auto& all = policy_->subchannels_[address_];
    all.erase(std::find(all.begin(), all.end(), this));
    if (all.empty()) policy_->subchannels_.erase(address_);
    gxds_outliers_remove(policy_->machine_.get(), address_);
  }

  void WatchConnectivityState(std::unique_ptr<Watcher> watcher) override {
    watch_ = grpc_core::MakeRefCounted<Watch>(
        std::move(watcher), gxds_outliers_ejected(policy_->machine_.get(), address_));
    auto forwarder = std::make_unique<Forwarder>(watch_);
    forwarder_ = forwarder.get();
    wrapped_subchannel()->WatchConnectivityState(std::move(forwarder));
  }

  void CancelConnectivityStateWatch(Watcher* watcher) override {
    if (watch_ == nullptr || watch_->watcher() != watcher) return;
    RefCountedPtr<Watch> watch = std::move(watch_);
    watch->Cancel();
    wrapped_subchannel()->CancelConnectivityStateWatch(forwarder_);
  }

  void RequestConnection() override {
    wrapped_subchannel()->RequestConnection();
    if (watch_ == nullptr || !watch_->ejected()) return;
    policy_->work_serializer()->Run([watch = watch_] { watch->TellIfEjected(); }, DEBUG_LOCATION);
  }

  void SetEjected(bool ejected) {
    RefCountedPtr<Watch> watch = watch_;
    if (watch != nullptr) watch->SetEjected(ejected);
  }

  ResultsRef results() const { return ResultsRef(gxds_call_results_ref(results_.get())); }

 private:
  const RefCountedPtr<LoadBalancingPolicy> policy_ref_;
  OutlierDetectionPolicy* const policy_ = static_cast<OutlierDetectionPolicy*>(policy_ref_.get());
  const uint64_t address_;  // its token
  const ResultsRef results_;
  RefCountedPtr<Watch> watch_;      // null: nobody watches
  Forwarder* forwarder_ = nullptr;  // the wrapped subchannel's, while there is a watch
};

class OutlierDetectionPolicy::Picker : public SubchannelPicker {
 public:
  Picker(RefCountedPtr<SharedPicker> child, bool counting)
      : child_(std::move(child)), counting_(counting) {}

  PickResult Pick(PickArgs args) override {
    PickResult result = child_->Pick(args);
    auto* complete = absl::get_if<PickResult::Complete>(&result.result);
    if (complete == nullptr || complete->subchannel == nullptr) return result;
    auto* subchannel = static_cast<Subchannel*>(complete->subchannel.get());
    if (counting_) {
      complete->subchannel_call_tracker = std::make_unique<ResultTracker>(
          std::move(complete->subchannel_call_tracker), subchannel->results());
    }
    complete->subchannel = subchannel->wrapped_subchannel();
    return result;
  }

 private:
  const RefCountedPtr<SharedPicker> child_;
  const bool counting_;
};

size_t OutlierDetectionPolicy::CountAddresses(const UpdateArgs& args) {
  const auto& config = *static_cast<const OutlierDetectionConfig*>(args.config.get());
  if (config.cluster().empty()) return args.addresses.ok() ? args.addresses->size() : 0;
  const gxds_config* snapshot = ConfigOf(args.args);
  const gxds_cluster_entry* entry =
      snapshot == nullptr ? nullptr : gxds_config_cluster(snapshot, ToGxds(config.cluster()));
  return entry == nullptr ? 0 : gxds_outliers_count_addresses(entry->endpoints);
}

absl::Status OutlierDetectionPolicy::UpdateLocked(UpdateArgs args) {
  const auto& config = *static_cast<const OutlierDetectionConfig*>(args.config.get());
  bool counting = gxds_outliers_counting(machine_.get());
  gxds_outliers_on_config(machine_.get(), &config.settings(), CountAddresses(args), Now());
  Settle();
  if (counting != gxds_outliers_counting(machine_.get()) && child_picker_ != nullptr) Publish();
  args.config = config.child();
  return PassToChild(std::move(args), &grpc_outlier_detection_lb_trace);
}

void OutlierDetectionPolicy::OnDeadline() {
  gxds_outliers_on_deadline(machine_.get(), Now());
  Settle();
}

void OutlierDetectionPolicy::Settle() {
  if (settling_) return;  // the loop below goes on with what came meanwhile
  RefCountedPtr<LoadBalancingPolicy> self = Ref();  // what we tell may end us
  settling_ = true;
  uint64_t address;
  while (!shutting_down() && gxds_outliers_next(machine_.get(), &address)) {
    bool ejected = gxds_outliers_ejected(machine_.get(), address);
    if (GRPC_TRACE_FLAG_ENABLED(grpc_outlier_detection_lb_trace)) {
      gpr_log(GPR_INFO, "[outlier_detection_lb %p] address %d %s", this, static_cast<int>(address),
              ejected ? "ejected" : "un-ejected");
    }
    // Policies may end subchannels, and make others, when they hear of it.
    std::vector<RefCountedPtr<SubchannelInterface>> told;
    for (Subchannel* s : subchannels_[address]) told.push_back(s->Ref());
    for (auto& s : told) static_cast<Subchannel*>(s.get())->SetEjected(ejected);
  }
  settling_ = false;
  if (!shutting_down()) SetDeadline(gxds_outliers_deadline(machine_.get()));
}

void OutlierDetectionPolicy::OnChildState(uint64_t /*token*/, grpc_connectivity_state state,
                                          const absl::Status& status,
                                          std::unique_ptr<SubchannelPicker> picker) {
  child_state_ = state;
  child_status_ = status;
  child_picker_ = SharedPicker::Of(std::move(picker));
  Publish();
}

void OutlierDetectionPolicy::Publish() {
  channel_control_helper()->UpdateState(
      child_state_, child_status_,
      std::make_unique<Picker>(child_picker_, gxds_outliers_counting(machine_.get())));
}

RefCountedPtr<SubchannelInterface> OutlierDetectionPolicy::CreateChildSubchannel(
    uint64_t /*token*/, ServerAddress address, const ChannelArgs& args) {
  // A50: the address alone counts, not its attributes.
  std::string text = grpc_sockaddr_to_string(&address.address(), false).value_or("");
  auto subchannel = channel_control_helper()->CreateSubchannel(std::move(address), args);
  if (subchannel == nullptr) return nullptr;
  uint64_t token = gxds_outliers_add(machine_.get(), ToGxds(text));
  if (GRPC_TRACE_FLAG_ENABLED(grpc_outlier_detection_lb_trace)) {
    gpr_log(GPR_INFO, "[outlier_detection_lb %p] a subchannel to address %d: %s", this,
            static_cast<int>(token), text.c_str());
  }
  return grpc_core::MakeRefCounted<Subchannel>(Ref(), std::move(subchannel), token);
}

void OutlierDetectionPolicy::ShutdownChildren() {
  DropChild();
  child_picker_.reset();
}

// JSON, for configs that others write: the host's words and defaults.
template <typename Ejection>
gxds_ejection ToEjection(const absl::optional<Ejection>& in, uint32_t threshold) {
  if (!in.has_value()) return {};
  return {in->enforcement_percentage, threshold, in->minimum_hosts, in->request_volume};
}

// As of the control plane's: 292 years are as good as more.
gxds_duration ToDuration(grpc_core::Duration in) {
  return in.millis() > INT64_MAX / GXDS_MILLISECOND ? INT64_MAX : in.millis() * GXDS_MILLISECOND;
}

gxds_outlier_detection ToSettings(const grpc_core::OutlierDetectionConfig& in) {
  gxds_outlier_detection out = {};
  out.interval = ToDuration(in.interval);
  out.base_ejection_time = ToDuration(in.base_ejection_time);
  out.max_ejection_time = ToDuration(in.max_ejection_time);
  out.max_ejection_percent = in.max_ejection_percent;
  out.success_rate =
      ToEjection(in.success_rate_ejection,
                 in.success_rate_ejection.has_value() ? in.success_rate_ejection->stdev_factor : 0);
  out.failure_percentage = ToEjection(
      in.failure_percentage_ejection,
      in.failure_percentage_ejection.has_value() ? in.failure_percentage_ejection->threshold : 0);
  return out;
}

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  if (json.type() == Json::Type::JSON_NULL) return MissingConfig("outlier_detection");
  grpc_core::ValidationErrors errors;
  auto settings = grpc_core::LoadFromJson<grpc_core::OutlierDetectionConfig>(
      json, grpc_core::JsonArgs(), &errors);
  RefCountedPtr<LoadBalancingPolicy::Config> child;
  if (json.type() == Json::Type::OBJECT) child = ParseChildConfig(json, "childPolicy", &errors);
  if (!errors.ok()) return errors.status("errors validating outlier_detection LB policy config");
  return grpc_core::MakeRefCounted<OutlierDetectionConfig>(std::string(), ToSettings(settings),
                                                           std::move(child));
}

}  // namespace

void RegisterOutlierDetectionLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<OutlierDetectionPolicy>(builder, kOutlierDetectionPolicy, ParseConfig);
}

}  // namespace grpc_xds
