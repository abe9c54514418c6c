#include "host/grpc_1_51/picker.h"

#include <string>
#include <utility>

#include "absl/types/optional.h"
#include "host/grpc_1_51/subchannel.h"
#include "lb_policies/attributes/attributes.h"
#include "src/core/ext/filters/client_channel/client_channel.h"

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

gxds_routed_call* Route(const gxds_pick* pick, gxds_str* cluster) {
  using CallState = grpc_core::ClientChannel::LoadBalancedCall::LbCallState;
  auto* state = static_cast<CallState*>(Of(pick).args->call_state);
  if (state == nullptr) return nullptr;
  absl::string_view name = state->GetCallAttribute(ClusterAttributeName());
  if (name.empty()) return nullptr;
  *cluster = ToGxds(name);
  return &RoutedCallOf(name);
}

const gxds_pick_ops kPickOps = {
    [](const gxds_pick* pick, gxds_str name, gxds_str* value) {
      return Lookup(Of(pick).args->initial_metadata, name, &Of(pick).buffer, value);
    },
    Route,
    [](const gxds_pick* pick, size_t size) { return Of(pick).args->call_state->Alloc(size); },
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
      return Lookup(self->metadata, name, &self->buffer, value);
    };
    finished.metadata = args.trailing_metadata;
    gxds_tracker_finished(tracker_, &finished);
  }

 private:
  struct Finished : gxds_finish {
    const Metadata* metadata;
    mutable absl::optional<std::string> buffer;
  };

  gxds_tracker* const tracker_;
};

// The host owns what was picked from here on.
PickResult Complete(const gxds_picked& picked, LoadBalancingPolicy::CallState* call) {
  PickResult::Complete complete(ToHost(picked.subchannel));
  gxds_subchannel_unref(picked.subchannel);
  if (picked.tracker != nullptr) {
    complete.subchannel_call_tracker.reset(new (call) Tracker(picked.tracker));
  }
  return complete;
}

absl::Status Take(gxds_status* status) {
  absl::Status out = ToAbsl(*status);
  gxds_status_fini(status);
  return out;
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
        return PickResult::Fail(Take(&picked.status));
      case GXDS_PICKED_DROP:
        return PickResult::Drop(Take(&picked.status));
      case GXDS_PICKED_QUEUE:
        break;
    }
    return PickResult::Queue();
  }

 private:
  gxds_picker* const picker_;
};

}  // namespace

std::unique_ptr<LoadBalancingPolicy::SubchannelPicker> ToHost(gxds_picker* take_picker) {
  return std::make_unique<Picker>(take_picker);
}

}  // namespace grpc_xds
