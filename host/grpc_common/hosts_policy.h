// Policies that are not in C, as children of policies in C: declarations that hosts_policy.cc and
// each host's helper.cc share. Under the channel's serializer.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_HOSTS_POLICY_H_
#define GRPC_XDS_HOST_GRPC_COMMON_HOSTS_POLICY_H_

#include <memory>

#include "host/channel.h"
#include "host/grpc_common/core_policy.h"

namespace grpc_xds {

// The parent to which a policy's helper reports.
struct HostsPolicyLink {
  gxds_lb_parent* parent;  // null: the policy has ended
  grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root;
  grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper;  // root's
};

// Makes the helper that the policy gets for its channel. Each gRPC has different functions there.
std::unique_ptr<grpc_core::LoadBalancingPolicy::ChannelControlHelper> MakeHelper(
    std::shared_ptr<HostsPolicyLink> link);

}  // namespace grpc_xds

#endif
