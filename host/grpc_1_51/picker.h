// A picker in C, as the host calls it.
#ifndef GRPC_XDS_HOST_GRPC_1_51_PICKER_H_
#define GRPC_XDS_HOST_GRPC_1_51_PICKER_H_

#include <grpc/support/port_platform.h>

#include <memory>

#include "host/pick.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

std::unique_ptr<grpc_core::LoadBalancingPolicy::SubchannelPicker> ToHost(gxds_picker* take_picker);

}  // namespace grpc_xds

#endif
