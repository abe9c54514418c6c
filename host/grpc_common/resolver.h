// Makes resolvers in C usable as resolvers of the host. One class implements all of them.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_RESOLVER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_RESOLVER_H_

#include <grpc/support/port_platform.h>

#include "host/grpc_common/core_resolver.h"
#include "host/resolver.h"
#include "src/core/lib/channel/channel_args.h"

namespace grpc_xds {

// Registers a resolver for URIs with the type's scheme. type is borrowed: valid until the process
// ends.
void RegisterResolverInC(grpc_core::CoreConfiguration::Builder* builder,
                         const gxds_resolver_type* type);

// Makes the host's ConfigSelector from one in C, on which it takes its own reference. args are for
// the parsers of method configs. before is the channel's previous result of this function, whose
// method configs are reused; null: none.
grpc_core::RefCountedPtr<grpc_core::ConfigSelector> ToHost(gxds_config_selector* selector,
                                                           const grpc_core::ChannelArgs& args,
                                                           const grpc_core::ConfigSelector* before);

// ---- functions that each version of gRPC implements itself ----

// Returns the arguments that the resolver uses.
grpc_core::ChannelArgs ArgsOfResolver(grpc_core::ChannelArgs args);
// Called before a channel resolves its target: when it is first used, and again after it was idle.
void BeforeStart();
// Called before a channel's policies close its connections.
void BeforeShutdown();
// Adds an event to the channel's trace.
void AddEvent(grpc_core::channelz::ChannelNode* node, gxds_resolver_severity severity,
              gxds_str line);
// Whether GRPC_TRACE has xds_resolver.
bool TracesResolver();

}  // namespace grpc_xds

#endif
