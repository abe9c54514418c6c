// Picks: declarations that picker.cc and each version's tracker.cc share. Objects live in the
// memory of the call, or on the stack.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_TRACKER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_TRACKER_H_

#include <new>
#include <string>

#include "host/grpc_common/convert.h"
#include "host/grpc_common/core_policy.h"
#include "host/pick.h"

namespace grpc_xds {

// Reads a header. Makes *buffer when it is first needed; *value points into it, or into the
// metadata. If metadata is null, there are no headers.
inline bool Lookup(const grpc_core::LoadBalancingPolicy::MetadataInterface* metadata, gxds_str name,
                   Optional<std::string>* buffer, gxds_str* value) {
  if (metadata == nullptr) return false;
  if (!buffer->has_value()) buffer->emplace();
  auto found = metadata->Lookup(ToAbsl(name), &**buffer);
  if (found.has_value()) *value = ToGxds(*found);
  return found.has_value();
}

using HostsTracker = grpc_core::LoadBalancingPolicy::SubchannelCallTrackerInterface;

// A tracker of the host in the memory of the call (PlaceTracker(), or operator new). It owns a
// tracker in C.
class TrackerInCall : public HostsTracker {
 public:
  static void* operator new(size_t size, grpc_core::LoadBalancingPolicy::CallState* call) {
    return call->Alloc(size);
  }
  static void operator delete(void* /*memory*/) {}
  static void operator delete(void* /*memory*/,
                              grpc_core::LoadBalancingPolicy::CallState* /*call*/) {}

  explicit TrackerInCall(gxds_tracker* take_tracker) : tracker_(take_tracker) {}
  ~TrackerInCall() override { gxds_tracker_destroy(tracker_); }

 protected:
  gxds_tracker* const tracker_;
};

// Makes a tracker of the host, in the memory that the tracker in C has for it.
template <typename Tracker>
Tracker* PlaceTracker(gxds_tracker* take_tracker) {
  static_assert(sizeof(Tracker) <= sizeof(take_tracker->of_host), "fits into of_host");
  return ::new (static_cast<void*>(take_tracker->of_host)) Tracker(take_tracker);
}

// The end of an attempt, as the host reports it.
struct Finished : gxds_finish {
  const HostsTracker::FinishArgs* args;  // null: the host gave up the attempt without a report
  mutable Optional<std::string> buffer;
};

// Reports the end of an attempt to a tracker in C.
inline void Finish(gxds_tracker* tracker, const HostsTracker::FinishArgs& args) {
  Finished finished = {};
  if (!args.status.ok()) finished.code = static_cast<gxds_code>(args.status.code());
  finished.trailer = [](const gxds_finish* f, gxds_str name, gxds_str* value) {
    auto* self = static_cast<const Finished*>(f);
    return Lookup(self->args->trailing_metadata, name, &self->buffer, value);
  };
  finished.args = &args;
  gxds_tracker_finished(tracker, &finished);
}

// Each version of gRPC has its own:

// The cluster of an RPC that the ConfigSelector routed; empty if it did not.
absl::string_view ClusterOf(grpc_core::LoadBalancingPolicy::CallState* call);
// Makes the host's result of a complete pick, with its subchannel, tracker and authority.
grpc_core::LoadBalancingPolicy::PickResult Complete(
    const gxds_picked& picked, grpc_core::LoadBalancingPolicy::CallState* call);
// Reports the start of the attempt to a tracker of the host.
void StartHosts(HostsTracker* tracker);
// The authority that a picker of the host gave the attempt, in the call's memory; empty: none.
gxds_str AuthorityOf(const grpc_core::LoadBalancingPolicy::PickResult::Complete& complete,
                     const gxds_pick* call);

}  // namespace grpc_xds

#endif
