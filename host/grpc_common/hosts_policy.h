// Policies that are not in C, as children of policies in C: declarations that hosts_policy.cc and
// each host's helper.cc share. Under the channel's serializer.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_HOSTS_POLICY_H_
#define GRPC_XDS_HOST_GRPC_COMMON_HOSTS_POLICY_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "host/channel.h"
#include "host/grpc_common/core_policy.h"
#include "src/core/lib/channel/channel_args.h"

namespace grpc_xds {

// The parent to which a policy's helper reports.
struct HostsPolicyLink {
  gxds_lb_parent* parent;  // null: the policy has ended
  grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root;
  grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper;  // root's
};

// The functions of such a policy's helper that are the same in each version of gRPC.
class HelperOfHostsPolicy : public grpc_core::LoadBalancingPolicy::ChannelControlHelper {
 public:
  explicit HelperOfHostsPolicy(std::shared_ptr<HostsPolicyLink> link) : link_(std::move(link)) {}

  void UpdateState(grpc_connectivity_state state, const absl::Status& status,
                   HostsPicker picker) override;
  void RequestReresolution() override;
  absl::string_view GetAuthority() override;
  grpc_event_engine::experimental::EventEngine* GetEventEngine() override;

 protected:
  bool HasEnded() const { return link_->parent == nullptr; }
  // The common part of CreateSubchannel(). `one` has the address. Must not be called after the end.
  grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> MakeSubchannel(
      HostsAddresses one, const grpc_core::ChannelArgs& args);
  // The common part of AddTraceEvent().
  void AddEvent(gxds_lb_severity severity, absl::string_view line);

  const std::shared_ptr<HostsPolicyLink> link_;
};

// Makes the helper that the policy gets. Each version of gRPC has its own function.
std::unique_ptr<grpc_core::LoadBalancingPolicy::ChannelControlHelper> MakeHelper(
    std::shared_ptr<HostsPolicyLink> link);

}  // namespace grpc_xds

#endif
