// Resolvers in C, as the host has them: one class carries them all out.
#ifndef GRPC_XDS_HOST_GRPC_1_83_RESOLVER_H_
#define GRPC_XDS_HOST_GRPC_1_83_RESOLVER_H_

#include <grpc/support/port_platform.h>

#include "host/resolver.h"
#include "src/core/client_channel/config_selector.h"
#include "src/core/config/core_configuration.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/util/ref_counted_ptr.h"

namespace grpc_xds {

// For URIs with the type's scheme. type: borrow, for good.
void RegisterResolverInC(grpc_core::CoreConfiguration::Builder* builder,
                         const gxds_resolver_type* type);

// A ConfigSelector in C, of which a reference is taken. args: for the parsers of method configs.
// before: what this made for the channel before, whose method configs it goes on with; null: none.
grpc_core::RefCountedPtr<grpc_core::ConfigSelector> ToHost(gxds_config_selector* selector,
                                                           const grpc_core::ChannelArgs& args,
                                                           const grpc_core::ConfigSelector* before);

}  // namespace grpc_xds

#endif
