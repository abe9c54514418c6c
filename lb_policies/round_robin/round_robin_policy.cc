#include "lb_policies/round_robin/round_robin_policy.h"

#include <grpc/support/log.h>
#include <inttypes.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lb_policies/pace/channel_pace.h"
#include "lb_policies/parent/parent_policy.h"
#include "lb_policies/round_robin/round_robin.h"
#include "lb_policies/weighted_locality/wheel.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy_factory.h"
#include "src/core/lib/load_balancing/lb_policy_registry.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=round_robin goes on working.
extern TraceFlag grpc_lb_round_robin_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::grpc_lb_round_robin_trace;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;

namespace {

struct MachineDelete {
  void operator()(gxds_round_robin* r) const { gxds_round_robin_destroy(r); }
};
struct TurnsUnref {
  void operator()(gxds_turns* t) const { gxds_turns_unref(t); }
};
using TurnsRef = std::unique_ptr<gxds_turns, TurnsUnref>;

uint64_t RandomTurn() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

// Immutable but for the count of turns, which is atomic and goes on from picker to picker.
class RoundRobinPicker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  RoundRobinPicker(std::vector<RefCountedPtr<SubchannelInterface>> subchannels, gxds_turns* turns)
      : subchannels_(std::move(subchannels)), turns_(gxds_turns_ref(turns)) {}

  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs) override {
    return LoadBalancingPolicy::PickResult::Complete(
        subchannels_[gxds_turns_next(turns_.get()) % subchannels_.size()]);
  }

 private:
  const std::vector<RefCountedPtr<SubchannelInterface>> subchannels_;
  const TurnsRef turns_;
};

class RoundRobinPolicy : public LoadBalancingPolicy, private ChannelPace::User {
 public:
  explicit RoundRobinPolicy(Args args)
      : LoadBalancingPolicy(std::move(args)),
        machine_(gxds_round_robin_create()),
        turns_(gxds_turns_create(RandomTurn())),
        pace_(ChannelPace::Of(work_serializer())),
        user_(pace_->Join(this, channel_control_helper()->GetEventEngine())) {}

  absl::string_view name() const override { return kRoundRobinPolicy; }
  absl::Status UpdateLocked(UpdateArgs args) override;
  // Called for a pick that waits, too: what it waits for goes before the rest of the channel.
  void ExitIdleLocked() override {
    hurries_ = published_ == GRPC_CHANNEL_CONNECTING;
    TellPace();
  }
  void ResetBackoffLocked() override {
    for (auto& e : endpoints_) {
      if (e.subchannel != nullptr) e.subchannel->ResetBackoff();
    }
  }

 private:
  class Watcher;
  struct Endpoint {
    RefCountedPtr<SubchannelInterface> subchannel;
    Watcher* watcher = nullptr;  // the subchannel's
  };

  void OnEndpointState(uint64_t token, grpc_connectivity_state state, const absl::Status& status);
  void Start(uint64_t start) override;
  void ShutdownLocked() override;

  void Drain();
  void TellPace() {
    if (!shutting_down_) pace_->Want(user_, gxds_round_robin_wanted(machine_.get()), hurries_);
  }
  void CarryOut(const gxds_round_robin_op& op);
  void CreateEndpoint(uint64_t token, uint32_t position);
  void RemoveEndpoint(Endpoint* endpoint);
  void Publish(const gxds_round_robin_op& op);
  Endpoint& At(uint64_t token) { return endpoints_[static_cast<uint32_t>(token)]; }

  const std::unique_ptr<gxds_round_robin, MachineDelete> machine_;
  const TurnsRef turns_;
  const RefCountedPtr<ChannelPace> pace_;
  const uint32_t user_;
  uint64_t start_ = 0;  // that was given and not used yet
  bool hurries_ = false;
  grpc_connectivity_state published_ = GRPC_CHANNEL_IDLE;
  bool draining_ = false;
  bool shutting_down_ = false;
  std::vector<Endpoint> endpoints_;  // by the low half of the token
  absl::Status last_failure_;

  // From the last update.
  CRef<gxds_locality> locality_;
  ChannelArgs args_;
  std::string note_;
};

class RoundRobinPolicy::Watcher : public SubchannelInterface::ConnectivityStateWatcherInterface {
 public:
  Watcher(RefCountedPtr<LoadBalancingPolicy> policy, uint64_t token, uint64_t start)
      : policy_(std::move(policy)), token_(token), start_(start) {}

  void OnConnectivityStateChange(grpc_connectivity_state state, absl::Status status) override {
    if (state == GRPC_CHANNEL_READY || state == GRPC_CHANNEL_TRANSIENT_FAILURE) Settle();
    policy().OnEndpointState(token_, state, status);
  }
  grpc_pollset_set* interested_parties() override { return policy_->interested_parties(); }

  // The first attempt is over.
  void Settle() {
    if (start_ != 0) policy().pace_->Settle(std::exchange(start_, 0));
  }

 private:
  RoundRobinPolicy& policy() { return *static_cast<RoundRobinPolicy*>(policy_.get()); }

  const RefCountedPtr<LoadBalancingPolicy> policy_;
  const uint64_t token_;
  uint64_t start_;
};

absl::Status RoundRobinPolicy::UpdateLocked(UpdateArgs args) {
  const auto* locality = static_cast<const RoundRobinConfig*>(args.config.get())->locality();
  const bool renew = locality_ != nullptr && args_ != args.args;
  locality_.reset(gxds_locality_ref(locality));
  args_ = std::move(args.args);
  note_ = std::move(args.resolution_note);
  gxds_round_robin_on_update(machine_.get(), locality->endpoints, locality->endpoint_count, renew);
  endpoints_.resize(gxds_round_robin_slot_count(machine_.get()));
  Drain();
  if (locality->endpoint_count > 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("empty address list: ", note_));
}

void RoundRobinPolicy::OnEndpointState(uint64_t token, grpc_connectivity_state state,
                                       const absl::Status& status) {
  if (shutting_down_) return;
  if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_round_robin_trace)) {
    gpr_log(GPR_INFO, "[grpc_xds_round_robin %p] endpoint %" PRIx64 ": %s (%s)", this, token,
            grpc_core::ConnectivityStateName(state), status.ToString().c_str());
  }
  if (!status.ok()) {
    last_failure_ = absl::UnavailableError(
        absl::StrCat("connections to all backends failing; last error: ", status.ToString()));
  }
  gxds_round_robin_on_state(machine_.get(), token, state);
  Drain();
}

void RoundRobinPolicy::Start(uint64_t start) {
  RefCountedPtr<LoadBalancingPolicy> self = Ref();  // what we report may end us
  start_ = start;
  gxds_round_robin_on_start(machine_.get());
  Drain();
  if (start_ != 0) pace_->Settle(std::exchange(start_, 0));
}

void RoundRobinPolicy::ShutdownLocked() {
  shutting_down_ = true;
  for (auto& e : endpoints_) RemoveEndpoint(&e);
  pace_->Leave(user_);
}

void RoundRobinPolicy::Drain() {
  if (draining_) return;  // the loop below goes on with what came meanwhile
  RefCountedPtr<LoadBalancingPolicy> self = Ref();  // what we report may end us
  draining_ = true;
  gxds_round_robin_op op;
  while (!shutting_down_ && gxds_round_robin_next(machine_.get(), &op)) CarryOut(op);
  draining_ = false;
  TellPace();
}

void RoundRobinPolicy::CarryOut(const gxds_round_robin_op& op) {
  switch (op.kind) {
    case GXDS_ROUND_ROBIN_CREATE:
      CreateEndpoint(op.endpoint, op.position);
      break;
    case GXDS_ROUND_ROBIN_CONNECT:
      At(op.endpoint).subchannel->RequestConnection();
      break;
    case GXDS_ROUND_ROBIN_RERESOLVE:
      channel_control_helper()->RequestReresolution();
      break;
    case GXDS_ROUND_ROBIN_PUBLISH:
      Publish(op);
      break;
    case GXDS_ROUND_ROBIN_PUBLISH_EMPTY: {
      absl::Status status = absl::UnavailableError(absl::StrCat("empty address list: ", note_));
      channel_control_helper()->UpdateState(GRPC_CHANNEL_TRANSIENT_FAILURE, status,
                                            std::make_unique<TransientFailurePicker>(status));
      break;
    }
    case GXDS_ROUND_ROBIN_REMOVE:
      RemoveEndpoint(&At(op.endpoint));
      break;
  }
}

void RoundRobinPolicy::CreateEndpoint(uint64_t token, uint32_t position) {
  RefCountedPtr<SubchannelInterface> subchannel = channel_control_helper()->CreateSubchannel(
      AddressOf(locality_.get(), locality_->endpoints[position]), args_);
  if (subchannel == nullptr) {
    gxds_round_robin_on_refused(machine_.get(), token);
    return;
  }
  auto watcher = std::make_unique<Watcher>(Ref(), token, std::exchange(start_, 0));
  At(token) = {subchannel, watcher.get()};
  subchannel->WatchConnectivityState(std::move(watcher));
}

void RoundRobinPolicy::RemoveEndpoint(Endpoint* endpoint) {
  if (endpoint->subchannel == nullptr) return;
  endpoint->watcher->Settle();
  endpoint->subchannel->CancelConnectivityStateWatch(endpoint->watcher);
  *endpoint = Endpoint();
}

void RoundRobinPolicy::Publish(const gxds_round_robin_op& op) {
  if (GRPC_TRACE_FLAG_ENABLED(grpc_lb_round_robin_trace)) {
    gpr_log(GPR_INFO, "[grpc_xds_round_robin %p] state=%s, %" PRIuPTR " endpoints in the picks",
            this, grpc_core::ConnectivityStateName(op.state), op.member_count);
  }
  published_ = op.state;
  if (op.state != GRPC_CHANNEL_CONNECTING) hurries_ = false;
  if (op.state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    channel_control_helper()->UpdateState(op.state, last_failure_,
                                          std::make_unique<TransientFailurePicker>(last_failure_));
    return;
  }
  if (op.state != GRPC_CHANNEL_READY) {
    channel_control_helper()->UpdateState(op.state, absl::OkStatus(),
                                          std::make_unique<QueuePicker>(Ref()));
    return;
  }
  std::vector<RefCountedPtr<SubchannelInterface>> subchannels;
  subchannels.reserve(op.member_count);
  for (size_t i = 0; i < op.member_count; ++i) subchannels.push_back(At(op.members[i]).subchannel);
  channel_control_helper()->UpdateState(
      op.state, absl::OkStatus(),
      std::make_unique<RoundRobinPicker>(std::move(subchannels), turns_.get()));
}

class RoundRobinFactory : public grpc_core::LoadBalancingPolicyFactory {
 public:
  OrphanablePtr<LoadBalancingPolicy> CreateLoadBalancingPolicy(
      LoadBalancingPolicy::Args args) const override {
    return grpc_core::MakeOrphanable<RoundRobinPolicy>(std::move(args));
  }

  absl::string_view name() const override { return kRoundRobinPolicy; }

  absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseLoadBalancingConfig(
      const grpc_core::Json&) const override {
    return absl::InvalidArgumentError(
        absl::StrCat("field:loadBalancingPolicy error:", kRoundRobinPolicy,
                     " cannot be configured: it is what round_robin becomes inside a locality. Use "
                     "round_robin."));
  }
};

}  // namespace

void RegisterOurRoundRobinLbPolicy(grpc_core::CoreConfiguration::Builder* builder) {
  builder->lb_policy_registry()->RegisterLoadBalancingPolicyFactory(
      std::make_unique<RoundRobinFactory>());
}

}  // namespace grpc_xds
