#include "lb_policies/weighted_round_robin/weighted_round_robin_policy.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/random.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/factory/policy_factory.h"
#include "lb_policies/orca/oob_reports.h"
#include "lb_policies/round_robin/address_list_policy.h"
#include "lb_policies/weighted_locality/wheel.h"
#include "lb_policies/weighted_round_robin/endpoint_weight.h"
#include "lb_policies/weighted_round_robin/report_weight.h"
#include "lb_policies/weighted_round_robin/stride.h"
#include "src/core/lib/gprpp/time.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/json/json_args.h"
#include "src/core/lib/json/json_object_loader.h"

namespace grpc_xds {

using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;

namespace {

struct Release {
  void operator()(gxds_turns* t) const { gxds_turns_unref(t); }
  void operator()(gxds_stride* s) const { gxds_stride_destroy(s); }
  void operator()(gxds_endpoint_weight* w) const { gxds_endpoint_weight_unref(w); }
};
using TurnsRef = std::unique_ptr<gxds_turns, Release>;
using StridePtr = std::unique_ptr<gxds_stride, Release>;
using WeightRef = std::unique_ptr<gxds_endpoint_weight, Release>;

WeightRef Share(gxds_endpoint_weight* w) { return WeightRef(gxds_endpoint_weight_ref(w)); }

// The endpoints of one picker. Their shares may change while it is used.
struct Members {
  explicit Members(size_t count) : stride(gxds_stride_create(count)) {}

  StridePtr stride;
  std::vector<RefCountedPtr<SubchannelInterface>> subchannels;
  std::vector<WeightRef> weights;
};

class WeightedRoundRobinPolicy : public AddressListPolicy {
 public:
  explicit WeightedRoundRobinPolicy(Args args)
      : AddressListPolicy(std::move(args)), turns_(gxds_turns_create(gxds_random_seed())) {}

  absl::string_view name() const override { return kWeightedRoundRobinPolicy; }
  absl::Status UpdateLocked(UpdateArgs update) override;

 private:
  class OobListener;
  class Picker;
  class ReportTracker;
  struct Slot {
    WeightRef weight;
    RefCountedPtr<OobReports> oob_reports;  // null: never asked for
  };

  void OnCreated(uint64_t token, uint32_t position) override;
  void OnReady(uint64_t token) override {
    // Out of band, a report may be here already: its stream tells of the connection, in order.
    if (!out_of_band()) gxds_endpoint_weight_on_ready(WeightOf(token));
  }
  std::unique_ptr<SubchannelPicker> MakePicker(const uint64_t* tokens, size_t count) override;
  void OnNoPicker() override {
    members_.reset();
    SetDeadline(GXDS_TIME_NEVER);
  }
  void OnDeadline() override {
    if (members_ != nullptr) Reweigh();
  }

  // Takes up what was reported, and sets the timer for the next time.
  void Reweigh();
  Slot& SlotOf(uint64_t token) { return slots_[static_cast<uint32_t>(token)]; }
  gxds_endpoint_weight* WeightOf(uint64_t token) { return SlotOf(token).weight.get(); }
  bool out_of_band() const { return settings_.oob_reporting_period != GXDS_TIME_NEVER; }
  // Asks for the reports of its subchannel as the settings have it.
  void AskForReports(Slot* slot, SubchannelInterface* subchannel);

  const TurnsRef turns_;
  WeightedRoundRobinSettings settings_;
  // The setting of that name, for listeners.
  const std::shared_ptr<std::atomic<double>> penalty_ =
      std::make_shared<std::atomic<double>>(settings_.error_utilization_penalty);
  // A58: by address, so that an endpoint that gets another subchannel keeps what it earned.
  std::map<std::string, WeightRef> by_address_;
  std::vector<Slot> slots_;           // by the low half of the token; some out of use
  std::shared_ptr<Members> members_;  // of the last picker; null: there is none
};

class WeightedRoundRobinPolicy::ReportTracker : public SubchannelCallTrackerInterface {
 public:
  ReportTracker(WeightRef weight, double penalty) : weight_(std::move(weight)), penalty_(penalty) {}

  void Start() override {}
  void Finish(FinishArgs args) override {
    if (args.trailing_metadata == nullptr) return;
    // Not by the host's BackendMetricData, which lacks all but the CPU's.
    std::string buffer;
    auto bytes = args.trailing_metadata->Lookup(GXDS_ORCA_METADATA_KEY, &buffer);
    gxds_orca_report report;
    if (!bytes.has_value() || !gxds_orca_report_decode(ToGxds(*bytes), &report)) return;
    gxds_endpoint_weight_on_report(weight_.get(), gxds_report_weight(&report, penalty_), Now());
  }

 private:
  const WeightRef weight_;
  const double penalty_;
};

class WeightedRoundRobinPolicy::OobListener : public OobReports::Listener {
 public:
  OobListener(WeightRef weight, std::shared_ptr<const std::atomic<double>> penalty)
      : weight_(std::move(weight)), penalty_(std::move(penalty)) {}

  void OnConnectionChange() override { gxds_endpoint_weight_on_ready(weight_.get()); }
  void OnReport(const gxds_orca_report& report) override {
    gxds_endpoint_weight_on_report(weight_.get(), gxds_report_weight(&report, *penalty_), Now());
  }

 private:
  const WeightRef weight_;
  const std::shared_ptr<const std::atomic<double>> penalty_;
};

class WeightedRoundRobinPolicy::Picker : public SubchannelPicker {
 public:
  Picker(std::shared_ptr<const Members> members, gxds_turns* turns,
         const WeightedRoundRobinSettings& settings)
      : members_(std::move(members)),
        turns_(gxds_turns_ref(turns)),
        takes_reports_(settings.oob_reporting_period == GXDS_TIME_NEVER),
        penalty_(settings.error_utilization_penalty) {}

  PickResult Pick(PickArgs) override {
    size_t chosen = gxds_stride_pick(members_->stride.get(), turns_.get());
    std::unique_ptr<ReportTracker> tracker;
    if (takes_reports_) {
      tracker = std::make_unique<ReportTracker>(Share(members_->weights[chosen].get()), penalty_);
    }
    return PickResult::Complete(members_->subchannels[chosen], std::move(tracker));
  }

 private:
  const std::shared_ptr<const Members> members_;
  const TurnsRef turns_;
  const bool takes_reports_;  // with answers
  const double penalty_;
};

absl::Status WeightedRoundRobinPolicy::UpdateLocked(UpdateArgs update) {
  const gxds_duration period = settings_.oob_reporting_period;
  settings_ = static_cast<const WeightedRoundRobinConfig*>(update.config.get())->settings();
  *penalty_ = settings_.error_utilization_penalty;
  RenewPicker();
  absl::Status status = UpdateAddresses(std::move(update));
  if (settings_.oob_reporting_period != period) {
    for (uint32_t i = 0; i < slots_.size(); ++i) AskForReports(&slots_[i], SubchannelInSlot(i));
  }
  for (auto it = by_address_.begin(); it != by_address_.end();) {
    it = HasKey(it->first) ? std::next(it) : by_address_.erase(it);
  }
  return status;
}

void WeightedRoundRobinPolicy::OnCreated(uint64_t token, uint32_t position) {
  WeightRef& weight = by_address_[KeyAt(position)];
  if (weight == nullptr) weight.reset(gxds_endpoint_weight_create());
  slots_.resize(slot_count());
  SlotOf(token) = {Share(weight.get()), nullptr};
  AskForReports(&SlotOf(token), SubchannelOf(token).get());
}

void WeightedRoundRobinPolicy::AskForReports(Slot* slot, SubchannelInterface* subchannel) {
  if (subchannel == nullptr) return;
  if (slot->oob_reports == nullptr) {
    if (!out_of_band()) return;
    slot->oob_reports = grpc_core::MakeRefCounted<OobReports>(
        std::make_unique<OobListener>(Share(slot->weight.get()), penalty_));
    slot->oob_reports->Attach(subchannel);
  }
  slot->oob_reports->Want(settings_.oob_reporting_period);
}

std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> WeightedRoundRobinPolicy::MakePicker(
    const uint64_t* tokens, size_t count) {
  members_ = std::make_shared<Members>(count);
  for (size_t i = 0; i < count; ++i) {
    members_->subchannels.push_back(SubchannelOf(tokens[i]));
    members_->weights.push_back(Share(WeightOf(tokens[i])));
  }
  Reweigh();
  return std::make_unique<Picker>(members_, turns_.get(), settings_);
}

void WeightedRoundRobinPolicy::Reweigh() {
  const gxds_time now = Now();
  std::vector<double> weights;
  weights.reserve(members_->weights.size());
  for (const WeightRef& w : members_->weights) {
    weights.push_back(gxds_endpoint_weight_get(w.get(), settings_.blackout_period,
                                               settings_.weight_expiration_period, now));
  }
  gxds_stride_set(members_->stride.get(), weights.data());
  SetDeadline(gxds_time_after(now, settings_.weight_update_period));
}

// What the JSON form holds.
struct JsonConfig {
  bool enable_oob_load_report = false;
  grpc_core::Duration oob_reporting_period = grpc_core::Duration::Seconds(10);
  grpc_core::Duration blackout_period = grpc_core::Duration::Seconds(10);
  grpc_core::Duration weight_expiration_period = grpc_core::Duration::Minutes(3);
  grpc_core::Duration weight_update_period = grpc_core::Duration::Seconds(1);
  float error_utilization_penalty = 1;

  static const grpc_core::JsonLoaderInterface* JsonLoader(const grpc_core::JsonArgs&) {
    static const auto* loader =
        grpc_core::JsonObjectLoader<JsonConfig>()
            .OptionalField("enableOobLoadReport", &JsonConfig::enable_oob_load_report)
            .OptionalField("oobReportingPeriod", &JsonConfig::oob_reporting_period)
            .OptionalField("blackoutPeriod", &JsonConfig::blackout_period)
            .OptionalField("weightExpirationPeriod", &JsonConfig::weight_expiration_period)
            .OptionalField("weightUpdatePeriod", &JsonConfig::weight_update_period)
            .OptionalField("errorUtilizationPenalty", &JsonConfig::error_utilization_penalty)
            .Finish();
    return loader;
  }

  void JsonPostLoad(const Json&, const grpc_core::JsonArgs&, grpc_core::ValidationErrors* errors) {
    grpc_core::ValidationErrors::ScopedField field(errors, ".errorUtilizationPenalty");
    if (errors->FieldHasErrors() || error_utilization_penalty >= 0) return;
    errors->AddError("must be non-negative");
  }

  WeightedRoundRobinSettings ToSettings() const {
    WeightedRoundRobinSettings settings;
    if (enable_oob_load_report) {
      settings.oob_reporting_period =
          std::min<gxds_duration>(ToGxdsDuration(oob_reporting_period), GXDS_TIME_NEVER - 1);
    }
    settings.blackout_period = ToGxdsDuration(blackout_period);
    settings.weight_expiration_period = ToGxdsDuration(weight_expiration_period);
    // A58: at least 100 ms.
    settings.weight_update_period =
        std::max<gxds_duration>(ToGxdsDuration(weight_update_period), 100 * GXDS_MILLISECOND);
    settings.error_utilization_penalty = error_utilization_penalty;
    return settings;
  }

  // 292 years are as good as more.
  static gxds_duration ToGxdsDuration(grpc_core::Duration in) {
    return in.millis() > INT64_MAX / GXDS_MILLISECOND ? INT64_MAX : in.millis() * GXDS_MILLISECOND;
  }
};

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const Json& json) {
  auto config = grpc_core::LoadFromJson<JsonConfig>(
      json, grpc_core::JsonArgs(), "errors validating weighted_round_robin LB policy config");
  if (!config.ok()) return config.status();
  return grpc_core::MakeRefCounted<WeightedRoundRobinConfig>(config->ToSettings());
}

}  // namespace

void RegisterWeightedRoundRobinLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  RegisterPolicy<WeightedRoundRobinPolicy>(builder, kWeightedRoundRobinPolicy, ParseConfig);
}

}  // namespace grpc_xds
