// Renews in the child of a fork what channels made there need and the host does not renew.
//
// With fork support (GRPC_ENABLE_FORK_SUPPORT=1, and handlers that the distribution leaves to the
// program) the host restarts its timers and its executor. Two things stay the parent's:
//  - the default event engine, as long as any channel of the parent has it. Its threads are gone,
//    so nothing that it is given ever runs: hand-overs, policies' timers, DNS.
//  - the epoll set (GRPC_POLL_STRATEGY=epoll1), so that parent and child take each other's events,
//    or the sockets that the host polls (poll): the event engine has replaced the function that
//    renews them by its own.
// So here, in the child, the sets are renewed, and what was inherited is cut off. The engine is
// renewed in place as soon as the child makes a channel or an RPC. A child that does neither starts
// nothing. Channels of the child share no subchannel, and so no connection, with those of its
// parent; channels that it inherited become its own.
//
// Without fork support the host renews nothing. The child then lives on what it shares with its
// parent, and the parent is no longer served. If there is, or was, a channel of ours, a child that
// makes a channel gets its own epoll set and threads, and its parent goes on. What a child does on
// an inherited channel is left to the host, except the channel's end, which would end the
// parent's connections.
//
// Inherited channels, with fork support (inherited_channel.cc): their connections are the parent's
// and were cut off, but their policies don't know that. So the child's first RPC on such a channel
// first puts it to sleep, as the host does with an idle channel: the channel drops its resolver and
// policies. The RPC then makes it start again, on connections and an XdsClient of the child.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CHILD_OF_FORK_H_
#define GRPC_XDS_HOST_GRPC_1_51_CHILD_OF_FORK_H_

#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/config/core_configuration.h"

namespace grpc_xds {

// Call it after the stage that gives channels their event engine.
void RegisterChildOfFork(grpc_core::CoreConfiguration::Builder* builder);

// How many forks this process is the child of. Any thread.
unsigned ForkGeneration();
// Call it in a child before it uses inherited channels. Any thread; repeated calls are harmless.
void RenewForChild();
// Has an effect only without fork support: call it in a child that begins to use the host, or
// releases a channel of ours. Any thread; repeated calls are harmless.
void RenewHostForChild();
// Registers a filter at the top of client channels. Processes without fork support have none.
void RegisterInheritedChannel(grpc_core::CoreConfiguration::Builder* builder);
// Gives the subchannels of each generation another identity, because those of a parent are cut off.
grpc_core::ChannelArgs WithForkGeneration(grpc_core::ChannelArgs args);

}  // namespace grpc_xds

#endif
