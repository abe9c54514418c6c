// The classes that only this folder derives from, calls or looks into: see
// host/grpc_common/core_layout.h.
#include "host/grpc_common/core_layout.h"
#include "src/core/ext/filters/client_channel/http_proxy.h"
#include "src/core/lib/resolver/server_address.h"

// The resolver and its ConfigSelector.
GXDS_SAME_VTABLE(grpc_core::DefaultConfigSelector);

// Policies, their helpers and pickers.
GXDS_SAME_VTABLE(grpc_core::LoadBalancingPolicy::QueuePicker);
GXDS_SAME_VTABLE(grpc_core::ServerAddressWeightAttribute);
GXDS_SAME_SIZE(grpc_core::ServerAddressWeightAttribute);

// Subchannels, and what watches them.
GXDS_SAME_VTABLE(grpc_core::Subchannel);
GXDS_SAME_SIZE(grpc_core::Subchannel);
GXDS_SAME_VTABLE(grpc_core::SubchannelStreamClient);
GXDS_SAME_VTABLE(grpc_core::HttpProxyMapper);
