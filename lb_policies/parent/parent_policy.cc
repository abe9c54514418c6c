#include "lb_policies/parent/parent_policy.h"

#include <grpc/support/time.h>

#include <algorithm>
#include <chrono>
#include <typeinfo>

#include "absl/strings/string_view.h"
#include "lb_policies/attributes/attributes.h"
#include "src/core/ext/filters/client_channel/lb_policy/child_policy_handler.h"
#include "src/core/lib/gprpp/debug_location.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/iomgr/pollset_set.h"
#include "src/core/lib/resolver/server_address.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::OrphanablePtr;
using grpc_core::RefCountedPtr;

namespace {

class SharedPickerUser : public LoadBalancingPolicy::SubchannelPicker {
 public:
  explicit SharedPickerUser(RefCountedPtr<SharedPicker> picker) : picker_(std::move(picker)) {}

  LoadBalancingPolicy::PickResult Pick(LoadBalancingPolicy::PickArgs args) override {
    return picker_->Pick(args);
  }

  const RefCountedPtr<SharedPicker>& picker() const { return picker_; }

 private:
  const RefCountedPtr<SharedPicker> picker_;
};

}  // namespace

RefCountedPtr<SharedPicker> SharedPicker::Of(std::unique_ptr<Picker> picker) {
  const Picker& any = *picker;
  // By address, since a program's own policy may be compiled without type information: it has none
  // then, and is not looked at.
  if (&typeid(any) == &typeid(SharedPickerUser)) {
    return static_cast<const SharedPickerUser&>(any).picker();
  }
  return grpc_core::MakeRefCounted<SharedPicker>(std::move(picker));
}

std::unique_ptr<SharedPicker::Picker> SharedPicker::Use(RefCountedPtr<SharedPicker> picker) {
  return std::make_unique<SharedPickerUser>(std::move(picker));
}

class ParentPolicy::Helper : public LoadBalancingPolicy::ChannelControlHelper {
 public:
  Helper(RefCountedPtr<ParentPolicy> parent, uint64_t token)
      : parent_(std::move(parent)), token_(token) {}

  RefCountedPtr<grpc_core::SubchannelInterface> CreateSubchannel(grpc_core::ServerAddress address,
                                                                 const ChannelArgs& args) override {
    if (parent_->shutting_down_) return nullptr;
    return parent_->CreateChildSubchannel(token_, std::move(address), args);
  }

  void UpdateState(grpc_connectivity_state state, const absl::Status& status,
                   std::unique_ptr<SubchannelPicker> picker) override {
    if (parent_->shutting_down_) return;
    parent_->OnChildState(token_, state, status, std::move(picker));
  }

  void RequestReresolution() override {
    if (parent_->shutting_down_ || !parent_->WantsReresolution(token_)) return;
    parent_->channel_control_helper()->RequestReresolution();
  }

  absl::string_view GetAuthority() override {
    return parent_->channel_control_helper()->GetAuthority();
  }

  grpc_event_engine::experimental::EventEngine* GetEventEngine() override {
    return parent_->channel_control_helper()->GetEventEngine();
  }

  void AddTraceEvent(TraceSeverity severity, absl::string_view message) override {
    if (parent_->shutting_down_) return;
    parent_->channel_control_helper()->AddTraceEvent(severity, message);
  }

 private:
  const RefCountedPtr<ParentPolicy> parent_;
  const uint64_t token_;
};

LoadBalancingPolicy::Args ParentPolicy::WithoutSnapshot(Args args) {
  args.args = WithoutOurs(args.args);
  return args;
}

RefCountedPtr<ParentPolicy> ParentPolicy::Self() {
  return RefCountedPtr<ParentPolicy>(static_cast<ParentPolicy*>(Ref().release()));
}

OrphanablePtr<LoadBalancingPolicy> ParentPolicy::CreateChild(uint64_t token,
                                                             const ChannelArgs& args,
                                                             grpc_core::TraceFlag* tracer) {
  LoadBalancingPolicy::Args child_args;
  child_args.work_serializer = work_serializer();
  child_args.channel_control_helper = std::make_unique<Helper>(Self(), token);
  child_args.args = args;
  auto child = grpc_core::MakeOrphanable<grpc_core::ChildPolicyHandler>(
      WithoutSnapshot(std::move(child_args)), tracer);
  // So that activity on the channel lets the child make progress.
  grpc_pollset_set_add_pollset_set(child->interested_parties(), interested_parties());
  return child;
}

void ParentPolicy::EndChild(OrphanablePtr<LoadBalancingPolicy> child) {
  if (child == nullptr) return;
  grpc_pollset_set_del_pollset_set(child->interested_parties(), interested_parties());
}

RefCountedPtr<grpc_core::SubchannelInterface> ParentPolicy::CreateChildSubchannel(
    uint64_t /*token*/, grpc_core::ServerAddress address, const ChannelArgs& args) {
  return channel_control_helper()->CreateSubchannel(std::move(address), args);
}

gxds_time ParentPolicy::Now() {
  gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
  return now.tv_sec * GXDS_SECOND + now.tv_nsec;
}

void ParentPolicy::SetDeadline(gxds_time deadline) {
  if (deadline == deadline_) return;
  deadline_ = deadline;
  ++timer_;
  auto* engine = channel_control_helper()->GetEventEngine();
  if (timer_handle_.has_value()) {
    engine->Cancel(*timer_handle_);
    timer_handle_.reset();
  }
  if (deadline == GXDS_TIME_NEVER) return;
  timer_handle_ = engine->RunAfter(
      std::chrono::nanoseconds(std::max<gxds_time>(0, deadline - Now())),
      [self = Self(), timer = timer_]() mutable {
        grpc_core::ApplicationCallbackExecCtx application_ctx;
        grpc_core::ExecCtx exec_ctx;
        auto* serializer = self->work_serializer().get();
        serializer->Run([self = std::move(self), timer]() { self->OnTimer(timer); },
                        DEBUG_LOCATION);
      });
}

void ParentPolicy::OnTimer(uint64_t timer) {
  if (timer != timer_ || shutting_down_) return;
  timer_handle_.reset();
  deadline_ = GXDS_TIME_NEVER;
  OnDeadline();
}

void ParentPolicy::ShutdownLocked() {
  shutting_down_ = true;
  SetDeadline(GXDS_TIME_NEVER);
  ShutdownChildren();
}

}  // namespace grpc_xds
