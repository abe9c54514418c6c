#include "host/grpc_common/tracker.h"

#include "host/grpc_1_51/routed_call.h"
#include "src/core/ext/filters/client_channel/client_channel.h"
#include "src/core/lib/slice/slice.h"
#include "src/core/lib/transport/metadata_batch.h"

namespace grpc_xds {

using grpc_core::LoadBalancingPolicy;
using PickResult = LoadBalancingPolicy::PickResult;

namespace {

using LbCall = grpc_core::ClientChannel::LoadBalancedCall;
using CallState = LbCall::LbCallState;

class Tracker : public TrackerInCall {
 public:
  using TrackerInCall::TrackerInCall;

  void Start() override { gxds_tracker_started(tracker_); }
  void Finish(FinishArgs args) override { grpc_xds::Finish(tracker_, args); }
};

// The headers of the attempt that is being picked for. The host's own function to set the authority
// does not copy the text, but the transport uses the text even after the call.
grpc_metadata_batch* HeadersOf(CallState* state);
// The context of the RPC.
const grpc_call_context_element* ContextOf(CallState* state);

// The host has no functions to read these members. An explicit instantiation may name private
// members.
template <LbCall* CallState::*kCall,
          grpc_transport_stream_op_batch* (LbCall::*kBatches)[MAX_PENDING_BATCHES],
          grpc_call_context_element* LbCall::*kContext>
struct CallGetter {
  friend grpc_metadata_batch* HeadersOf(CallState* state) {
    return ((state->*kCall)->*kBatches)[0]->payload->send_initial_metadata.send_initial_metadata;
  }
  friend const grpc_call_context_element* ContextOf(CallState* state) {
    return (state->*kCall)->*kContext;
  }
};
template struct CallGetter<&CallState::lb_call_, &LbCall::pending_batches_, &LbCall::call_context_>;

// A81: sets the authority when the attempt starts, not at the pick, because a pick may be made
// again with another endpoint. The host calls Start() while it still has the pick.
class TrackerWithAuthority : public Tracker {
 public:
  TrackerWithAuthority(gxds_tracker* take_tracker, gxds_str authority, CallState* call)
      : Tracker(take_tracker), authority_(authority), headers_(HeadersOf(call)) {}

  void Start() override {
    if (headers_->get_pointer(grpc_core::HttpAuthorityMetadata()) == nullptr) {
      headers_->Set(grpc_core::HttpAuthorityMetadata(),
                    grpc_core::Slice::FromCopiedBuffer(authority_.data, authority_.size));
    }
    Tracker::Start();
  }

 private:
  const gxds_str authority_;
  grpc_metadata_batch* const headers_;
};

}  // namespace

absl::string_view ClusterOf(LoadBalancingPolicy::CallState* call) {
  auto* state = static_cast<CallState*>(call);
  return state == nullptr ? absl::string_view() : ClusterOf(ContextOf(state));
}

// From here on the host owns everything in the pick.
PickResult Complete(const gxds_picked& picked, LoadBalancingPolicy::CallState* call) {
  PickResult::Complete complete(ToHost(picked.subchannel));
  gxds_subchannel_unref(picked.subchannel);
  if (picked.authority.size > 0) {
    complete.subchannel_call_tracker.reset(new (call) TrackerWithAuthority(
        picked.tracker, picked.authority, static_cast<CallState*>(call)));
  } else if (picked.tracker != nullptr) {
    complete.subchannel_call_tracker.reset(PlaceTracker<Tracker>(picked.tracker));
  }
  return complete;
}

void StartHosts(HostsTracker* tracker) { tracker->Start(); }

gxds_str AuthorityOf(const PickResult::Complete& /*complete*/, const gxds_pick* /*call*/) {
  return gxds_str_of(nullptr, 0);
}

}  // namespace grpc_xds
