#include "host/grpc_1_51/convert.h"

#include <new>
#include <string>
#include <typeinfo>
#include <utility>

#include "absl/types/optional.h"
#include "absl/types/variant.h"
#include "src/core/ext/filters/client_channel/client_channel.h"
#include "src/core/lib/slice/slice.h"
#include "src/core/lib/transport/metadata_batch.h"

namespace grpc_xds {

using grpc_core::LoadBalancingPolicy;

namespace {

using Metadata = LoadBalancingPolicy::MetadataInterface;
using PickResult = LoadBalancingPolicy::PickResult;

bool Lookup(const Metadata* metadata, gxds_str name, absl::optional<std::string>* buffer,
            gxds_str* value) {
  if (metadata == nullptr) return false;
  if (!buffer->has_value()) buffer->emplace();
  auto found = metadata->Lookup(ToAbsl(name), &**buffer);
  if (found.has_value()) *value = ToGxds(*found);
  return found.has_value();
}

// One pick, on the stack.
struct Call : gxds_pick {
  const LoadBalancingPolicy::PickArgs* args;
  mutable absl::optional<std::string> buffer;  // made when it is first needed
};

const Call& Of(const gxds_pick* pick) { return *static_cast<const Call*>(pick); }

using LbCall = grpc_core::ClientChannel::LoadBalancedCall;
using CallState = LbCall::LbCallState;

gxds_routed_call* Route(const gxds_pick* pick, gxds_str* cluster) {
  auto* state = static_cast<CallState*>(Of(pick).args->call_state);
  if (state == nullptr) return nullptr;
  absl::string_view name = state->GetCallAttribute(ClusterAttributeName());
  if (name.empty()) return nullptr;
  *cluster = ToGxds(name);
  return &RoutedCallOf(name);
}

const gxds_pick_ops kPickOps = {
    [](const gxds_pick* pick) { return ToGxds(Of(pick).args->path); },
    [](const gxds_pick* pick, gxds_str name, gxds_str* value) {
      return Lookup(Of(pick).args->initial_metadata, name, &Of(pick).buffer, value);
    },
    Route,
    [](const gxds_pick* pick, size_t size) { return Of(pick).args->call_state->Alloc(size); },
};

// What a policy that is not in C made for an attempt; in the memory of the call.
using HostsTracker = LoadBalancingPolicy::SubchannelCallTrackerInterface;
struct TrackerOfHost : gxds_tracker {
  HostsTracker* inner;  // owned
};

struct Finished : gxds_finish {
  const HostsTracker::FinishArgs* args;
  mutable absl::optional<std::string> buffer;
};

HostsTracker* Of(gxds_tracker* tracker) { return static_cast<TrackerOfHost*>(tracker)->inner; }

const gxds_tracker_ops kTrackerOfHostOps = {
    [](gxds_tracker* tracker) { Of(tracker)->Start(); },
    [](gxds_tracker* tracker, const gxds_finish* finish) {
      Of(tracker)->Finish(*static_cast<const Finished*>(finish)->args);
    },
    [](gxds_tracker* tracker) { std::unique_ptr<HostsTracker> owned(Of(tracker)); },
};

// In the memory of the call, as the tracker in C is.
class Tracker : public LoadBalancingPolicy::SubchannelCallTrackerInterface {
 public:
  static void* operator new(size_t size, LoadBalancingPolicy::CallState* call) {
    return call->Alloc(size);
  }
  static void operator delete(void* /*memory*/) {}
  static void operator delete(void* /*memory*/, LoadBalancingPolicy::CallState* /*call*/) {}

  explicit Tracker(gxds_tracker* take_tracker) : tracker_(take_tracker) {}
  ~Tracker() override { gxds_tracker_destroy(tracker_); }

  void Start() override { gxds_tracker_started(tracker_); }
  void Finish(FinishArgs args) override {
    Finished finished = {};
    finished.code = static_cast<gxds_code>(args.status.code());
    finished.trailer = [](const gxds_finish* f, gxds_str name, gxds_str* value) {
      auto* self = static_cast<const Finished*>(f);
      return Lookup(self->args->trailing_metadata, name, &self->buffer, value);
    };
    finished.args = &args;
    gxds_tracker_finished(tracker_, &finished);
  }

 private:
  gxds_tracker* const tracker_;
};

// The headers of an attempt that is being picked for.
grpc_metadata_batch* HeadersOf(CallState* state);

// What the host has for that keeps the text that it is given, and the transport remembers each
// authority after the call; an explicit instantiation may name what is private.
template <LbCall* CallState::*kCall,
          grpc_transport_stream_op_batch* (LbCall::*kBatches)[MAX_PENDING_BATCHES]>
struct HeadersGetter {
  friend grpc_metadata_batch* HeadersOf(CallState* state) {
    return ((state->*kCall)->*kBatches)[0]->payload->send_initial_metadata.send_initial_metadata;
  }
};
template struct HeadersGetter<&CallState::lb_call_, &LbCall::pending_batches_>;

// A81. An attempt whose pick is made again has another endpoint then: so the authority is set when
// it starts, which the host tells while it still has the pick.
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

// The host owns what was picked from here on.
PickResult Complete(const gxds_picked& picked, LoadBalancingPolicy::CallState* call) {
  PickResult::Complete complete(ToHost(picked.subchannel));
  gxds_subchannel_unref(picked.subchannel);
  if (picked.authority.size > 0) {
    complete.subchannel_call_tracker.reset(new (call) TrackerWithAuthority(
        picked.tracker, picked.authority, static_cast<CallState*>(call)));
  } else if (picked.tracker != nullptr) {
    complete.subchannel_call_tracker.reset(new (call) Tracker(picked.tracker));
  }
  return complete;
}

class Picker : public LoadBalancingPolicy::SubchannelPicker {
 public:
  explicit Picker(gxds_picker* take_picker) : picker_(take_picker) {}
  ~Picker() override { gxds_picker_unref(picker_); }

  PickResult Pick(LoadBalancingPolicy::PickArgs args) override {
    Call call = {};
    call.ops = &kPickOps;
    call.args = &args;
    gxds_picked picked;
    gxds_picker_pick(picker_, &call, &picked);
    switch (picked.kind) {
      case GXDS_PICKED_COMPLETE:
        return Complete(picked, args.call_state);
      case GXDS_PICKED_FAIL:
        return PickResult::Fail(Take(picked.status));
      case GXDS_PICKED_DROP:
        return PickResult::Drop(Take(picked.status));
      case GXDS_PICKED_QUEUE:
        break;
    }
    return PickResult::Queue();
  }

  gxds_picker* picker() const { return picker_; }

 private:
  gxds_picker* const picker_;
};

struct PickerOfHost : gxds_picker {
  HostsPicker inner;
};

gxds_tracker* InC(std::unique_ptr<HostsTracker> tracker, const gxds_pick* call) {
  if (tracker == nullptr) return nullptr;
  auto* out = new (gxds_pick_alloc(call, sizeof(TrackerOfHost))) TrackerOfHost{};
  out->ops = &kTrackerOfHostOps;
  out->inner = tracker.release();
  return out;
}

void PickOfHost(gxds_picker* picker, const gxds_pick* call, gxds_picked* out) {
  PickResult result = static_cast<PickerOfHost*>(picker)->inner->Pick(*Of(call).args);
  if (auto* complete = absl::get_if<PickResult::Complete>(&result.result)) {
    if (complete->subchannel == nullptr) return gxds_picked_queue(out);
    gxds_picked_complete(out, OfHostsPolicy(*complete->subchannel),
                         InC(std::move(complete->subchannel_call_tracker), call));
  } else if (auto* fail = absl::get_if<PickResult::Fail>(&result.result)) {
    gxds_picked_fail(out, ToC(fail->status));
  } else if (auto* drop = absl::get_if<PickResult::Drop>(&result.result)) {
    gxds_picked_drop(out, ToC(drop->status));
  } else {
    gxds_picked_queue(out);
  }
}

const gxds_picker_ops kPickerOfHostOps = {
    PickOfHost,
    [](gxds_picker* picker) { delete static_cast<PickerOfHost*>(picker); },
};

}  // namespace

HostsPicker ToHost(gxds_picker* take_picker) { return std::make_unique<Picker>(take_picker); }

// Of a picker that ToHost() made, the one in it.
gxds_picker* ToC(HostsPicker picker) {
  const LoadBalancingPolicy::SubchannelPicker& any = *picker;
  // By address, since a program's own policy may be compiled without type information: it has none
  // then, and is not looked at.
  if (&typeid(any) == &typeid(Picker)) {
    return gxds_picker_ref(static_cast<const Picker&>(any).picker());
  }
  auto* out = new PickerOfHost{};
  gxds_picker_init(out, &kPickerOfHostOps);
  out->inner = std::move(picker);
  return out;
}

}  // namespace grpc_xds
