// What the host does not renew in a child of a fork, of what channels made there need.
//
// With fork support (GRPC_ENABLE_FORK_SUPPORT=1, and handlers that the distribution leaves to the
// program) the host restarts its timers and its executor. Two things it keeps:
//  - the default event engine, as long as any channel of the parent's has it. Its threads are gone,
//    so nothing that it is given is ever run: hand-overs, policies' timers, DNS.
//  - the epoll set (GRPC_POLL_STRATEGY=epoll1), of which parent and child then take each other's
//    events, or the sockets that it polls (poll); the event engine has put its own function into
//    the place of the one that renews them.
// So here, in the child, the sets are renewed, and what was inherited is cut off; and the engine
// is, in its place, as soon as the child makes a channel or an RPC. A child that does neither
// starts nothing. Channels of the child share no subchannel, and so no connection, with those of
// its parent; those that it has of its parent become its own.
//
// Without fork support the host renews nothing. Its child lives on what it shares with its parent,
// and its parent is served no more. Where there is, or was, a channel of ours, a child that makes a
// channel gets an epoll set and threads of its own, and its parent goes on. What
// a child does on a channel of its parent's is left to what the host makes of it, but its end,
// which would be that of the parent's connections.
//
// Channels that the child has of its parent, with fork support (inherited_channel.cc): what they
// are connected with is the parent's, and was cut off; their policies do not know. So the child's
// first RPC on such a channel puts it to sleep first, as the host does with one that is idle: it
// drops its resolver and policies, and the RPC makes it start again, on connections, and an
// XdsClient, of the child's.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CHILD_OF_FORK_H_
#define GRPC_XDS_HOST_GRPC_1_51_CHILD_OF_FORK_H_

#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/config/core_configuration.h"

namespace grpc_xds {

// After the stage that gives channels their event engine.
void RegisterChildOfFork(grpc_core::CoreConfiguration::Builder* builder);

// How often this process is the child of a fork. Any thread.
unsigned ForkGeneration();
// Before inherited channels are used in a child. Any thread; repeated calls are harmless.
void RenewForChild();
// Without fork support, in a child that begins to make use of the host, or lets go of a channel of
// ours. Any thread; repeated calls are harmless.
void RenewHostForChild();
// A filter of client channels, at the top. Processes without fork support have none.
void RegisterInheritedChannel(grpc_core::CoreConfiguration::Builder* builder);
// Another identity for the subchannels of each generation: theirs of a parent's are cut off.
grpc_core::ChannelArgs WithForkGeneration(grpc_core::ChannelArgs args);

}  // namespace grpc_xds

#endif
