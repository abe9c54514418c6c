// Picks: what picker.cc and each version's tracker.cc share. In the memory of the call, or on the
// stack.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_TRACKER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_TRACKER_H_

#include <string>

#include "host/grpc_common/convert.h"
#include "host/grpc_common/core_policy.h"
#include "host/pick.h"

namespace grpc_xds {

// Reads a header. buffer: made when it is first needed; *value is in it, or in the metadata. Null
// metadata has none.
inline bool Lookup(const grpc_core::LoadBalancingPolicy::MetadataInterface* metadata, gxds_str name,
                   Optional<std::string>* buffer, gxds_str* value) {
  if (metadata == nullptr) return false;
  if (!buffer->has_value()) buffer->emplace();
  auto found = metadata->Lookup(ToAbsl(name), &**buffer);
  if (found.has_value()) *value = ToGxds(*found);
  return found.has_value();
}

using HostsTracker = grpc_core::LoadBalancingPolicy::SubchannelCallTrackerInterface;

// The end of an attempt, as the host tells it.
struct Finished : gxds_finish {
  const HostsTracker::FinishArgs* args;
  mutable Optional<std::string> buffer;
};

// Of a tracker in C: its end.
inline void Finish(gxds_tracker* tracker, const HostsTracker::FinishArgs& args) {
  Finished finished = {};
  finished.code = static_cast<gxds_code>(args.status.code());
  finished.trailer = [](const gxds_finish* f, gxds_str name, gxds_str* value) {
    auto* self = static_cast<const Finished*>(f);
    return Lookup(self->args->trailing_metadata, name, &self->buffer, value);
  };
  finished.args = &args;
  gxds_tracker_finished(tracker, &finished);
}

// Each version of gRPC has its own:

// The cluster of an RPC that the ConfigSelector routed; empty: it did not.
absl::string_view ClusterOf(grpc_core::LoadBalancingPolicy::CallState* call);
// What the host is given of a pick that is complete, with its subchannel, tracker and authority.
grpc_core::LoadBalancingPolicy::PickResult Complete(
    const gxds_picked& picked, grpc_core::LoadBalancingPolicy::CallState* call);
// A tracker of the host's own is told that the attempt starts.
void StartHosts(HostsTracker* tracker);
// The authority that a picker of the host's own gave the attempt; empty: none. In the call's
// memory.
gxds_str AuthorityOf(const grpc_core::LoadBalancingPolicy::PickResult::Complete& complete,
                     const gxds_pick* call);

}  // namespace grpc_xds

#endif
