#include "host/grpc_common/tracker.h"

#include <string.h>

#include "src/core/client_channel/client_channel_internal.h"
#include "src/core/resolver/xds/xds_resolver_attributes.h"

namespace grpc_xds {

using grpc_core::LoadBalancingPolicy;
using PickResult = LoadBalancingPolicy::PickResult;
using SliceOfHost = grpc_event_engine::experimental::Slice;

namespace {

// An attempt starts with its pick. If it is given up after that, the host does not call Finish(),
// and the attempt counts as failed.
class Tracker : public TrackerInCall {
 public:
  explicit Tracker(gxds_tracker* take_tracker) : TrackerInCall(take_tracker) {
    gxds_tracker_started(tracker_);
  }
  ~Tracker() override {
    if (finished_) return;
    Finished given_up = {};
    given_up.code = GXDS_UNAVAILABLE;
    given_up.trailer = [](const gxds_finish*, gxds_str, gxds_str*) { return false; };
    gxds_tracker_finished(tracker_, &given_up);
  }

  void Finish(FinishArgs args) override {
    finished_ = true;
    grpc_xds::Finish(tracker_, args);
  }

 private:
  bool finished_ = false;
};

}  // namespace

absl::string_view ClusterOf(LoadBalancingPolicy::CallState* call) {
  auto* state = static_cast<grpc_core::ClientChannelLbCallState*>(call);
  if (state == nullptr) return absl::string_view();
  auto* attribute = state->GetCallAttribute<grpc_core::XdsClusterAttribute>();
  return attribute == nullptr ? absl::string_view() : attribute->cluster();
}

// From here on the host owns everything in the pick.
PickResult Complete(const gxds_picked& picked, LoadBalancingPolicy::CallState* /*call*/) {
  PickResult::Complete complete(ToHost(picked.subchannel));
  gxds_subchannel_unref(picked.subchannel);
  // A81: the authority is set before the tracker is made, because the tracker starts at once. The
  // host itself checks whether the program gave an authority.
  if (picked.authority.size > 0) {
    complete.authority_override =
        SliceOfHost::FromCopiedBuffer(picked.authority.data, picked.authority.size);
  }
  if (picked.tracker != nullptr) {
    complete.subchannel_call_tracker.reset(PlaceTracker<Tracker>(picked.tracker));
  }
  return complete;
}

// Trackers of this host have no Start().
void StartHosts(HostsTracker* /*tracker*/) {}

gxds_str AuthorityOf(const PickResult::Complete& complete, const gxds_pick* call) {
  const SliceOfHost& authority = complete.authority_override;
  if (authority.empty()) return gxds_str_of(nullptr, 0);
  auto* copy = static_cast<char*>(gxds_pick_alloc(call, authority.size()));
  memcpy(copy, authority.data(), authority.size());
  return gxds_str_of(copy, authority.size());
}

}  // namespace grpc_xds
