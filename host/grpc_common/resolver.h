// Resolvers in C, as the host has them: one class carries them all out.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_RESOLVER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_RESOLVER_H_

#include <grpc/support/port_platform.h>

#include "host/grpc_common/core_resolver.h"
#include "host/resolver.h"
#include "src/core/lib/channel/channel_args.h"

namespace grpc_xds {

// For URIs with the type's scheme. type: borrow, for good.
void RegisterResolverInC(grpc_core::CoreConfiguration::Builder* builder,
                         const gxds_resolver_type* type);

// A ConfigSelector in C, of which a reference is taken. args: for the parsers of method configs.
// before: what this made for the channel before, whose method configs it goes on with; null: none.
grpc_core::RefCountedPtr<grpc_core::ConfigSelector> ToHost(gxds_config_selector* selector,
                                                           const grpc_core::ChannelArgs& args,
                                                           const grpc_core::ConfigSelector* before);

// ---- what each version of gRPC has of its own ----

// The arguments that a resolver goes on with.
grpc_core::ChannelArgs ArgsOfResolver(grpc_core::ChannelArgs args);
// Before a channel's policies close its connections.
void BeforeShutdown();
// An event for the channel's trace.
void AddEvent(grpc_core::channelz::ChannelNode* node, gxds_resolver_severity severity,
              gxds_str line);
// Whether GRPC_TRACE has xds_resolver.
bool TracesResolver();

}  // namespace grpc_xds

#endif
