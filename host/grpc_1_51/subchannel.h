// The host's subchannels, as policies in C see them.
#ifndef GRPC_XDS_HOST_GRPC_1_51_SUBCHANNEL_H_
#define GRPC_XDS_HOST_GRPC_1_51_SUBCHANNEL_H_

#include <grpc/support/port_platform.h>

#include "host/subchannel.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"

namespace grpc_xds {

// policy: whose pollers a watch has. One reference, the caller's.
gxds_subchannel* ToC(grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> subchannel,
                     grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> policy);
// Of one that ToC() made. Any thread.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> ToHost(gxds_subchannel* subchannel);

}  // namespace grpc_xds

#endif
