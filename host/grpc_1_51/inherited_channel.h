// Channels that the child of a fork has of its parent, with fork support.
//
// What they are connected with is the parent's, and was cut off (child_of_fork.h); their policies
// do not know. So the child's first RPC on such a channel puts it to sleep first, as the host does
// with one that is idle: it drops its resolver and policies, and the RPC makes it start again, on
// connections, and an XdsClient, of the child's.
#ifndef GRPC_XDS_HOST_GRPC_1_51_INHERITED_CHANNEL_H_
#define GRPC_XDS_HOST_GRPC_1_51_INHERITED_CHANNEL_H_

#include "src/core/lib/config/core_configuration.h"

namespace grpc_xds {

// A filter of client channels, at the top. Processes without fork support have none.
void RegisterInheritedChannel(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
