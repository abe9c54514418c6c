// Subchannels that cross the line between the host and policies in C, either way.
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
// The host's own that is behind one in C, whatever policies made around it. Any thread.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> ToHost(gxds_subchannel* subchannel);

// A subchannel in C, as policies of the host's see it.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> ForHostsPolicy(
    gxds_subchannel* take_subchannel);
// What is behind one that ForHostsPolicy() made. One reference, the caller's. Any thread.
gxds_subchannel* OfHostsPolicy(const grpc_core::SubchannelInterface& subchannel);

}  // namespace grpc_xds

#endif
