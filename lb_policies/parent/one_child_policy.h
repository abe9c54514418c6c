// A parent of one child, which it is in all that it does not say otherwise: it passes on what comes
// from either side.
#ifndef GRPC_XDS_LB_POLICIES_PARENT_ONE_CHILD_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PARENT_ONE_CHILD_POLICY_H_

#include <memory>
#include <utility>

#include "lb_policies/parent/parent_policy.h"

namespace grpc_xds {

class OneChildPolicy : public ParentPolicy {
 public:
  void ExitIdleLocked() override {
    if (child_ != nullptr) child_->ExitIdleLocked();
  }
  void ResetBackoffLocked() override {
    if (child_ != nullptr) child_->ResetBackoffLocked();
  }

 protected:
  using ParentPolicy::ParentPolicy;

  // Gives the update to the child, which is made first where there is none.
  absl::Status PassToChild(UpdateArgs update, grpc_core::TraceFlag* tracer) {
    if (child_ == nullptr) child_ = CreateChild(0, update.args, tracer);
    return child_->UpdateLocked(std::move(update));
  }

  void OnChildState(uint64_t /*token*/, grpc_connectivity_state state, const absl::Status& status,
                    std::unique_ptr<SubchannelPicker> picker) override {
    channel_control_helper()->UpdateState(state, status, std::move(picker));
  }
  // Ends the child, if there is one; the next update makes another.
  void DropChild() { EndChild(std::move(child_)); }
  void ShutdownChildren() override { DropChild(); }

 private:
  grpc_core::OrphanablePtr<grpc_core::LoadBalancingPolicy> child_;
};

}  // namespace grpc_xds

#endif
