// Policies that are not in C, as children of those that are.
#ifndef GRPC_XDS_HOST_GRPC_1_51_HOSTS_POLICY_H_
#define GRPC_XDS_HOST_GRPC_1_51_HOSTS_POLICY_H_

#include <grpc/support/port_platform.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "host/channel.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

// The registered policy of that name, below parent. root: of the tree; kept until the policy ends.
// helper: root's. Null: there is none of that name.
gxds_hosts_policy* MakeHostsPolicy(absl::string_view name, gxds_lb_parent* parent,
                                   const grpc_core::ChannelArgs& args,
                                   std::shared_ptr<grpc_core::WorkSerializer> serializer,
                                   grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root,
                                   grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper);

}  // namespace grpc_xds

#endif
