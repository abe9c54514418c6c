// What the host does not renew in a child of a fork, of what channels made there need.
//
// The distribution builds its event engine without fork support, so that GRPC_ENABLE_FORK_SUPPORT=1
// renews no more than what completion queues are polled by, and nothing without it:
//  - the default event engine stays that of the parent, as long as any channel of the parent's has
//    it. Its threads are gone, so nothing that it is given is ever run.
//  - threads wait for completion queues with an epoll set, of which parent and child then take each
//    other's events.
// So with the first channel that it makes, a child gets an epoll set of its own, and another engine
// is the default. A child that makes none starts nothing. Channels of the child share no
// subchannel, and so no connection, with those of its parent.
//
// Channels that the child has of its parent stay on the engine that is gone: RPCs on them never
// end, and letting go of them does nothing to the parent's connections.
#ifndef GRPC_XDS_HOST_GRPC_1_83_CHILD_OF_FORK_H_
#define GRPC_XDS_HOST_GRPC_1_83_CHILD_OF_FORK_H_

#include <grpc/support/port_platform.h>

#include "src/core/config/core_configuration.h"

namespace grpc_xds {

// Before the stage that gives channels their event engine, and after it.
void RegisterRenewForChild(grpc_core::CoreConfiguration::Builder* builder);
void RegisterRememberForChild(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
