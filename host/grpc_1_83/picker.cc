#include "host/grpc_1_83/convert.h"

#include <string.h>

#include <new>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

#include "src/core/client_channel/client_channel_internal.h"
#include "src/core/resolver/xds/xds_resolver_attributes.h"

namespace grpc_xds {

using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;

namespace {

using Metadata = LoadBalancingPolicy::MetadataInterface;
using PickResult = LoadBalancingPolicy::PickResult;
using SliceOfHost = grpc_event_engine::experimental::Slice;

bool Lookup(const Metadata* metadata, gxds_str name, std::optional<std::string>* buffer,
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
  mutable std::optional<std::string> buffer;  // made when it is first needed
};

const Call& Of(const gxds_pick* pick) { return *static_cast<const Call*>(pick); }

gxds_routed_call* Route(const gxds_pick* pick, gxds_str* cluster) {
  auto* state = static_cast<grpc_core::ClientChannelLbCallState*>(Of(pick).args->call_state);
  if (state == nullptr) return nullptr;
  auto* attribute = state->GetCallAttribute<grpc_core::XdsClusterAttribute>();
  if (attribute == nullptr) return nullptr;
  *cluster = ToGxds(attribute->cluster());
  return &RoutedCallOf(attribute->cluster());
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
  mutable std::optional<std::string> buffer;
};

HostsTracker* Of(gxds_tracker* tracker) { return static_cast<TrackerOfHost*>(tracker)->inner; }

const gxds_tracker_ops kTrackerOfHostOps = {
    [](gxds_tracker* /*tracker*/) {},
    [](gxds_tracker* tracker, const gxds_finish* finish) {
      Of(tracker)->Finish(*static_cast<const Finished*>(finish)->args);
    },
    [](gxds_tracker* tracker) { std::unique_ptr<HostsTracker> owned(Of(tracker)); },
};

// In the memory of the call, as the tracker in C is. An attempt starts with its pick; one that is
// given up after that hears of no end, and has failed then.
class Tracker : public LoadBalancingPolicy::SubchannelCallTrackerInterface {
 public:
  static void* operator new(size_t size, LoadBalancingPolicy::CallState* call) {
    return call->Alloc(size);
  }
  static void operator delete(void* /*memory*/) {}
  static void operator delete(void* /*memory*/, LoadBalancingPolicy::CallState* /*call*/) {}

  explicit Tracker(gxds_tracker* take_tracker) : tracker_(take_tracker) {
    gxds_tracker_started(tracker_);
  }
  ~Tracker() override {
    if (!finished_) {
      gxds_finish given_up = {};
      given_up.code = GXDS_UNAVAILABLE;
      given_up.trailer = [](const gxds_finish*, gxds_str, gxds_str*) { return false; };
      gxds_tracker_finished(tracker_, &given_up);
    }
    gxds_tracker_destroy(tracker_);
  }

  void Finish(FinishArgs args) override {
    finished_ = true;
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
  bool finished_ = false;
};

// The host owns what was picked from here on.
PickResult Complete(const gxds_picked& picked, LoadBalancingPolicy::CallState* call) {
  PickResult::Complete complete(ToHost(picked.subchannel));
  gxds_subchannel_unref(picked.subchannel);
  // A81. Before the tracker, which starts at once. The host looks for the program's own.
  if (picked.authority.size > 0) {
    complete.authority_override =
        SliceOfHost::FromCopiedBuffer(picked.authority.data, picked.authority.size);
  }
  if (picked.tracker != nullptr) {
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

// In the memory of the call.
gxds_str InC(const SliceOfHost& authority, const gxds_pick* call) {
  if (authority.empty()) return gxds_str_of(nullptr, 0);
  auto* copy = static_cast<char*>(gxds_pick_alloc(call, authority.size()));
  memcpy(copy, authority.data(), authority.size());
  return gxds_str_of(copy, authority.size());
}

void PickOfHost(gxds_picker* picker, const gxds_pick* call, gxds_picked* out) {
  PickResult result = static_cast<PickerOfHost*>(picker)->inner->Pick(*Of(call).args);
  if (auto* complete = std::get_if<PickResult::Complete>(&result.result)) {
    if (complete->subchannel == nullptr) return gxds_picked_queue(out);
    gxds_picked_complete(out, OfHostsPolicy(*complete->subchannel),
                         InC(std::move(complete->subchannel_call_tracker), call));
    out->authority = InC(complete->authority_override, call);
  } else if (auto* fail = std::get_if<PickResult::Fail>(&result.result)) {
    gxds_picked_fail(out, ToC(fail->status));
  } else if (auto* drop = std::get_if<PickResult::Drop>(&result.result)) {
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

HostsPicker ToHost(gxds_picker* take_picker) {
  return grpc_core::MakeRefCounted<Picker>(take_picker);
}

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
