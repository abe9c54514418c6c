#include "lb_policies/round_robin/endpoints_policy.h"

#include <grpc/support/log.h>
#include <inttypes.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "lb_policies/attributes/attributes.h"
#include "lb_policies/printable/printable.h"
#include "src/core/lib/transport/connectivity_state.h"

namespace grpc_core {
// The host's: GRPC_TRACE=round_robin goes on working, and shows those that it has no flag for: each
// is a round_robin but for its picks.
extern TraceFlag grpc_lb_round_robin_trace;
}  // namespace grpc_core

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;

class EndpointsPolicy::Watcher : public SubchannelInterface::ConnectivityStateWatcherInterface {
 public:
  Watcher(RefCountedPtr<LoadBalancingPolicy> policy, uint64_t token, uint64_t start)
      : policy_(std::move(policy)), token_(token), start_(start) {}

  void OnConnectivityStateChange(grpc_connectivity_state state, absl::Status status) override {
    if (state == GRPC_CHANNEL_READY || state == GRPC_CHANNEL_TRANSIENT_FAILURE) Settle();
    // The first report says what the connection was already: of one that stays while its
    // subchannel is made anew, that it is READY.
    const bool connected = state == GRPC_CHANNEL_READY && reported_;
    reported_ = true;
    policy().OnEndpointState(token_, state, status, connected);
  }
  grpc_pollset_set* interested_parties() override { return policy_->interested_parties(); }

  // The first attempt is over.
  void Settle() {
    if (start_ != 0) policy().pace_->Settle(std::exchange(start_, 0));
  }

 private:
  EndpointsPolicy& policy() { return *static_cast<EndpointsPolicy*>(policy_.get()); }

  const RefCountedPtr<LoadBalancingPolicy> policy_;
  const uint64_t token_;
  uint64_t start_;
  bool reported_ = false;
};

EndpointsPolicy::EndpointsPolicy(Args args)
    : ParentPolicy(std::move(args)),
      machine_(gxds_round_robin_create()),
      pace_(ChannelPace::Of(work_serializer())),
      user_(pace_->Join(this, channel_control_helper()->GetEventEngine())) {}

void EndpointsPolicy::ExitIdleLocked() {
  hurries_ = published_ == GRPC_CHANNEL_CONNECTING;
  TellPace();
}

void EndpointsPolicy::TellPace() {
  if (!shutting_down()) pace_->Want(user_, gxds_round_robin_wanted(machine_.get()), hurries_);
}

void EndpointsPolicy::ResetBackoffLocked() {
  for (auto& e : endpoints_) {
    if (e.subchannel != nullptr) e.subchannel->ResetBackoff();
  }
}

absl::Status EndpointsPolicy::UpdateEndpoints(const gxds_endpoint* endpoints, uint32_t count,
                                              bool renew, ChannelArgs args, std::string note) {
  updated_ = true;
  args_ = std::move(args);
  note_ = std::move(note);
  gxds_round_robin_on_update(machine_.get(), endpoints, count, renew);
  endpoints_.resize(slot_count());
  Drain();
  if (count > 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("empty address list: ", note_));
}

void EndpointsPolicy::OnEndpointState(uint64_t token, grpc_connectivity_state state,
                                      const absl::Status& status, bool connected) {
  if (shutting_down()) return;
  if (GRPC_TRACE_FLAG_ENABLED(grpc_core::grpc_lb_round_robin_trace)) {
    gpr_log(GPR_INFO, "[%s %p] endpoint %" PRIx64 ": %s (%s)", std::string(name()).c_str(), this,
            token, grpc_core::ConnectivityStateName(state), Printable(status).c_str());
  }
  if (!status.ok()) {
    last_failure_ = absl::UnavailableError(
        absl::StrCat("connections to all backends failing; last error: ", status.ToString()));
  }
  if (connected) OnReady(token);
  gxds_round_robin_on_state(machine_.get(), token, state);
  Drain();
}

void EndpointsPolicy::Start(uint64_t start) {
  RefCountedPtr<LoadBalancingPolicy> self = Ref();  // what we report may end us
  start_ = start;
  gxds_round_robin_on_start(machine_.get());
  Drain();
  if (start_ != 0) pace_->Settle(std::exchange(start_, 0));
}

void EndpointsPolicy::ShutdownChildren() {
  OnNoPicker();
  for (auto& e : endpoints_) RemoveEndpoint(&e);
  pace_->Leave(user_);
}

void EndpointsPolicy::Drain() {
  if (draining_) return;  // the loop below goes on with what came meanwhile
  RefCountedPtr<LoadBalancingPolicy> self = Ref();  // what we report may end us
  draining_ = true;
  gxds_round_robin_op op;
  while (!shutting_down() && gxds_round_robin_next(machine_.get(), &op)) CarryOut(op);
  draining_ = false;
  TellPace();
}

void EndpointsPolicy::CarryOut(const gxds_round_robin_op& op) {
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
    case GXDS_ROUND_ROBIN_PUBLISH_EMPTY:
      OnNoPicker();
      Fail(absl::UnavailableError(absl::StrCat("empty address list: ", note_)));
      break;
    case GXDS_ROUND_ROBIN_REMOVE:
      RemoveEndpoint(&At(op.endpoint));
      break;
  }
}

void EndpointsPolicy::CreateEndpoint(uint64_t token, uint32_t position) {
  Subchannel subchannel = channel_control_helper()->CreateSubchannel(AddressAt(position), args_);
  if (subchannel == nullptr) {
    gxds_round_robin_on_refused(machine_.get(), token);
    return;
  }
  auto watcher = std::make_unique<Watcher>(Ref(), token, std::exchange(start_, 0));
  At(token) = {subchannel, watcher.get()};
  OnCreated(token, position);
  subchannel->WatchConnectivityState(std::move(watcher));
}

void EndpointsPolicy::RemoveEndpoint(Endpoint* endpoint) {
  if (endpoint->subchannel == nullptr) return;
  endpoint->watcher->Settle();
  endpoint->subchannel->CancelConnectivityStateWatch(endpoint->watcher);
  *endpoint = Endpoint();
}

void EndpointsPolicy::Publish(const gxds_round_robin_op& op) {
  if (GRPC_TRACE_FLAG_ENABLED(grpc_core::grpc_lb_round_robin_trace)) {
    gpr_log(GPR_INFO, "[%s %p] state=%s, %" PRIuPTR " endpoints in the picks",
            std::string(name()).c_str(), this, grpc_core::ConnectivityStateName(op.state),
            op.member_count);
  }
  published_ = op.state;
  if (op.state != GRPC_CHANNEL_CONNECTING) hurries_ = false;
  if (op.state == GRPC_CHANNEL_READY) {
    channel_control_helper()->UpdateState(op.state, absl::OkStatus(),
                                          MakePicker(op.members, op.member_count));
    return;
  }
  OnNoPicker();
  if (op.state == GRPC_CHANNEL_TRANSIENT_FAILURE) return Fail(last_failure_);
  channel_control_helper()->UpdateState(op.state, absl::OkStatus(),
                                        std::make_unique<QueuePicker>(Ref()));
}

void EndpointsPolicy::Fail(const absl::Status& status) {
  channel_control_helper()->UpdateState(GRPC_CHANNEL_TRANSIENT_FAILURE, status,
                                        std::make_unique<TransientFailurePicker>(status));
}

}  // namespace grpc_xds
