#include <new>
#include <string>
#include <typeinfo>
#include <utility>

#include "host/grpc_common/convert.h"
#include "host/grpc_common/tracker.h"

namespace grpc_xds {

using grpc_core::LoadBalancingPolicy;

namespace {

using PickResult = LoadBalancingPolicy::PickResult;

// One pick. It lives on the stack.
struct Call : gxds_pick {
  const LoadBalancingPolicy::PickArgs* args;
  mutable Optional<std::string> buffer;  // made when it is first needed
};

const Call& Of(const gxds_pick* pick) { return *static_cast<const Call*>(pick); }

gxds_routed_call* Route(const gxds_pick* pick, gxds_str* cluster) {
  const absl::string_view name = ClusterOf(Of(pick).args->call_state);
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

// The tracker that a policy not in C made for an attempt. Lives in the memory of the call.
struct TrackerOfHost : gxds_tracker {
  HostsTracker* inner;  // owned
};

HostsTracker* Of(gxds_tracker* tracker) { return static_cast<TrackerOfHost*>(tracker)->inner; }

const gxds_tracker_ops kTrackerOfHostOps = {
    [](gxds_tracker* tracker) { StartHosts(Of(tracker)); },
    [](gxds_tracker* tracker, const gxds_finish* finish) {
      const auto* args = static_cast<const Finished*>(finish)->args;
      if (args != nullptr) Of(tracker)->Finish(*args);
    },
    [](gxds_tracker* tracker) { std::unique_ptr<HostsTracker> owned(Of(tracker)); },
};

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
  if (auto* complete = GetIf<PickResult::Complete>(&result.result)) {
    if (complete->subchannel == nullptr) return gxds_picked_queue(out);
    gxds_picked_complete(out, OfHostsPolicy(*complete->subchannel),
                         InC(std::move(complete->subchannel_call_tracker), call));
    out->authority = AuthorityOf(*complete, call);
  } else if (auto* fail = GetIf<PickResult::Fail>(&result.result)) {
    gxds_picked_fail(out, ToC(fail->status));
  } else if (auto* drop = GetIf<PickResult::Drop>(&result.result)) {
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

HostsPicker ToHost(gxds_picker* take_picker) { return MakePicker<Picker>(take_picker); }

// If ToHost() made the picker, returns the picker in C inside it.
gxds_picker* ToC(HostsPicker picker) {
  const LoadBalancingPolicy::SubchannelPicker& any = *picker;
  // Compares only the addresses of the type information, because a program's own policy may be
  // compiled without type information.
  if (&typeid(any) == &typeid(Picker)) {
    return gxds_picker_ref(static_cast<const Picker&>(any).picker());
  }
  auto* out = new PickerOfHost{};
  gxds_picker_init(out, &kPickerOfHostOps);
  out->inner = std::move(picker);
  return out;
}

}  // namespace grpc_xds
