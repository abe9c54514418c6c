// Pickers that cross the line between the host and policies in C, either way.
#ifndef GRPC_XDS_HOST_GRPC_1_51_PICKER_H_
#define GRPC_XDS_HOST_GRPC_1_51_PICKER_H_

#include <grpc/support/port_platform.h>

#include <memory>

#include "host/pick.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

// A picker in C, as the host calls it.
std::unique_ptr<grpc_core::LoadBalancingPolicy::SubchannelPicker> ToHost(gxds_picker* take_picker);

// The picker of a policy that is not in C and whose subchannels ForHostsPolicy() made. One
// reference, the caller's.
gxds_picker* ToC(std::unique_ptr<grpc_core::LoadBalancingPolicy::SubchannelPicker> picker);

}  // namespace grpc_xds

#endif
