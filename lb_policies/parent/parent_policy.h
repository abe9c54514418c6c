// What our policies with children share: children of the host's making, each known by a token, and
// one timer.
//
// The state machine in C names children by tokens that are never reused. So a late report of a
// child that is gone is dropped by its token, and no object is needed that outlives the child. All
// of it runs under the channel's serializer.
#ifndef GRPC_XDS_LB_POLICIES_PARENT_PARENT_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PARENT_PARENT_POLICY_H_

#include <grpc/event_engine/event_engine.h>
#include <grpc/support/port_platform.h>
#include <stdint.h>

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "base/time.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/lib/gprpp/orphanable.h"
#include "src/core/lib/gprpp/ref_counted.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

// A child's picker, counted, so that several pickers of ours can use it. Any thread.
class SharedPicker : public grpc_core::RefCounted<SharedPicker> {
 public:
  using Picker = grpc_core::LoadBalancingPolicy::SubchannelPicker;
  using PickResult = grpc_core::LoadBalancingPolicy::PickResult;
  using PickArgs = grpc_core::LoadBalancingPolicy::PickArgs;

  // Of a picker that Use() made, the one that it uses: levels that only pass on a child's picker
  // cost a pick nothing.
  static grpc_core::RefCountedPtr<SharedPicker> Of(std::unique_ptr<Picker> picker);

  explicit SharedPicker(std::unique_ptr<Picker> picker) : picker_(std::move(picker)) {}

  PickResult Pick(const PickArgs& args) { return picker_->Pick(args); }

  // A picker that holds a reference of picker and does as it does.
  static std::unique_ptr<Picker> Use(grpc_core::RefCountedPtr<SharedPicker> picker);

 private:
  std::unique_ptr<Picker> picker_;
};

class ParentPolicy : public grpc_core::LoadBalancingPolicy {
 protected:
  explicit ParentPolicy(Args args) : LoadBalancingPolicy(WithoutSnapshot(std::move(args))) {}

  // A child that becomes whatever policy the config of its updates names, and is rebuilt when that
  // name changes. It reports under this token.
  grpc_core::OrphanablePtr<grpc_core::LoadBalancingPolicy> CreateChild(
      uint64_t token, const grpc_core::ChannelArgs& args, grpc_core::TraceFlag* tracer);
  // Ends the child; null is allowed.
  void EndChild(grpc_core::OrphanablePtr<grpc_core::LoadBalancingPolicy> child);

  // What a child reports. Not called after shutdown; may be called while the child is updated.
  virtual void OnChildState(uint64_t token, grpc_connectivity_state state,
                            const absl::Status& status,
                            std::unique_ptr<SubchannelPicker> picker) = 0;
  // What a child gets when it asks for a subchannel: by default the parent's own.
  virtual grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> CreateChildSubchannel(
      uint64_t token, grpc_core::ServerAddress address, const grpc_core::ChannelArgs& args);
  // Whether a child's requests for re-resolution are passed on.
  virtual bool WantsReresolution(uint64_t /*token*/) { return true; }

  // Nanoseconds on the host's monotonic clock.
  static gxds_time Now();
  // OnDeadline() is called once at that time or a little later, unless another is set before;
  // GXDS_TIME_NEVER: not at all.
  void SetDeadline(gxds_time deadline);
  virtual void OnDeadline() {}

  bool shutting_down() const { return shutting_down_; }
  // Ends all children.
  virtual void ShutdownChildren() = 0;

 private:
  class Helper;

  // A policy keeps the args that it was made with as long as it lives: a snapshot in them, too.
  static Args WithoutSnapshot(Args args);
  void ShutdownLocked() final;
  grpc_core::RefCountedPtr<ParentPolicy> Self();
  void OnTimer(uint64_t timer);

  bool shutting_down_ = false;
  gxds_time deadline_ = GXDS_TIME_NEVER;
  uint64_t timer_ = 0;  // number of the timer that counts: a late one is dropped by its number
  absl::optional<grpc_event_engine::experimental::EventEngine::TaskHandle> timer_handle_;
};

}  // namespace grpc_xds

#endif
