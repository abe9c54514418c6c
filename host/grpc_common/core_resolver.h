// Common names for the classes of resolvers and their parts that each version of gRPC has, but
// under different paths and names.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_RESOLVER_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_RESOLVER_H_

#include <grpc/support/port_platform.h>

#include "host/grpc_common/core_version.h"

#ifdef GXDS_GRPC_1_83
#include "src/core/call/metadata_batch.h"
#include "src/core/channelz/channelz.h"
#include "src/core/client_channel/client_channel_service_config.h"
#include "src/core/client_channel/config_selector.h"
#include "src/core/config/core_configuration.h"
#include "src/core/resolver/resolver.h"
#include "src/core/resolver/resolver_factory.h"
#include "src/core/service_config/service_config_impl.h"
#include "src/core/util/ref_counted_ptr.h"
#include "src/core/util/uri.h"
#include "src/core/util/work_serializer.h"
#include "src/core/xds/xds_client/xds_channel_args.h"
#else
#include "src/core/ext/filters/client_channel/client_channel_service_config.h"
#include "src/core/ext/filters/client_channel/config_selector.h"
#include "src/core/ext/xds/xds_channel_args.h"
#include "src/core/lib/channel/channelz.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/resolver/resolver.h"
#include "src/core/lib/resolver/resolver_factory.h"
#include "src/core/lib/service_config/service_config_impl.h"
#include "src/core/lib/transport/metadata_batch.h"
#include "src/core/lib/uri/uri_parser.h"
#endif

namespace grpc_xds {

// Whether the reactor must ask the host to poll for a channel.
#ifdef GXDS_GRPC_1_83
constexpr bool kReactorPolls = false;  // the event engine polls, on its own threads
#else
constexpr bool kReactorPolls = true;
#endif

}  // namespace grpc_xds

#endif
