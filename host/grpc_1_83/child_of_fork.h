// In the child of a fork, renews the parts of the host that new channels need and that the host
// does not renew itself.
//
// The distribution builds the host's event engine without fork support. So
// GRPC_ENABLE_FORK_SUPPORT=1 only renews the polling of completion queues, and without it nothing
// is renewed:
//  - the default event engine still belongs to the parent, as long as any channel of the parent has
//    it. Its threads are gone, so work that is given to it never runs.
//  - threads wait for completion queues with an epoll set, so parent and child take each other's
//    events.
// So a child gets its own epoll set at the fork, if the host is in use. It gets another default
// event engine when it makes its first channel. A child that makes no channel starts nothing.
// Channels of the child share no subchannel, and so no connection, with those of its parent.
//
// Inherited channels stay on the parent's event engine, which does not work in the child. RPCs on
// these channels never end. The release of such a channel does not affect the parent's connections.
#ifndef GRPC_XDS_HOST_GRPC_1_83_CHILD_OF_FORK_H_
#define GRPC_XDS_HOST_GRPC_1_83_CHILD_OF_FORK_H_

#include <grpc/support/port_platform.h>

#include "src/core/config/core_configuration.h"

namespace grpc_xds {

// Call them before and after the stage that gives channels their event engine.
void RegisterRenewForChild(grpc_core::CoreConfiguration::Builder* builder);
void RegisterRememberForChild(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
