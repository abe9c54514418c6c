// In the child of a fork, renews the parts of the host that new channels need and that the host
// does not renew itself.
//
// With fork support (GRPC_ENABLE_FORK_SUPPORT=1, and fork handlers, which the distribution's gRPC
// leaves to the program) the host restarts its timers and its executor. Two things still belong to
// the parent:
//  - the default event engine, as long as any channel of the parent has it. Its threads are gone,
//    so work that is given to it never runs: hand-overs, policies' timers, DNS.
//  - the epoll set (GRPC_POLL_STRATEGY=epoll1), so that parent and child take each other's events;
//    or with the strategy "poll", the sockets that the host polls. The event engine has replaced
//    the host's function that renews these by its own.
// So this code renews the sets in the child, and cuts off the inherited sockets. It renews the
// engine in place as soon as the child makes a channel or an RPC. A child that does neither starts
// nothing. Channels of the child share no subchannel, and so no connection, with those of its
// parent. Channels that the child inherited become its own.
//
// Without fork support the host renews nothing. The child then uses the objects that it shares with
// its parent, and the parent is no longer served. If there is, or was, one of our channels, a child
// that makes a channel gets its own epoll set and threads, and the parent continues to work. So
// does a child that starts an inherited channel of ours, which has no connections then. What else
// the child does with an inherited channel is left to the host. The exception is the end of such a
// channel, because it would end the parent's connections.
//
// Inherited channels, with fork support (inherited_channel.cc): their connections were the parent's
// and are cut off, but their policies do not know that. So the child's first RPC on such a channel
// first makes the channel idle, as the host does with an unused channel: the channel drops its
// resolver and policies. Then the RPC starts the channel again, with connections and an XdsClient
// of the child.
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
// Call it in a child that begins to use the host, or that starts or releases one of our channels.
// It has an effect only without fork support. Any thread; repeated calls are harmless.
void RenewHostForChild();
// Registers a filter at the top of client channels. A process without fork support does not get the
// filter.
void RegisterInheritedChannel(grpc_core::CoreConfiguration::Builder* builder);
// Gives the subchannels of each generation another identity, because those of a parent are cut off.
grpc_core::ChannelArgs WithForkGeneration(grpc_core::ChannelArgs args);

}  // namespace grpc_xds

#endif
