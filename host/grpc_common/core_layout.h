// The classes of gRPC that the code for both versions derives from, calls or looks into: see
// layout.h. If the library has no information about an abstract class, a class that derives from it
// or contains it is compared instead. The layout.cc of each version adds further classes.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_LAYOUT_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_LAYOUT_H_

#include <grpc/support/port_platform.h>

#include "host/grpc_common/core_version.h"
#include "host/grpc_common/layout.h"
#include "src/core/lib/event_engine/posix_engine/posix_engine.h"

#ifndef GXDS_GRPC_1_83
#include "src/core/ext/filters/client_channel/client_channel_service_config.h"
#include "src/core/ext/filters/client_channel/config_selector.h"
#include "src/core/ext/filters/client_channel/lb_policy/child_policy_handler.h"
#include "src/core/ext/filters/client_channel/resolver/polling_resolver.h"
#include "src/core/ext/filters/client_channel/subchannel.h"
#include "src/core/ext/filters/client_channel/subchannel_interface_internal.h"
#include "src/core/ext/filters/client_channel/subchannel_stream_client.h"
#include "src/core/ext/xds/xds_bootstrap_grpc.h"
#include "src/core/ext/xds/xds_certificate_provider.h"
#include "src/core/lib/channel/channelz.h"
#include "src/core/lib/load_balancing/lb_policy.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "src/core/lib/resolver/resolver.h"
#include "src/core/lib/security/credentials/tls/grpc_tls_certificate_provider.h"
#include "src/core/lib/security/credentials/tls/grpc_tls_credentials_options.h"
#include "src/core/lib/security/credentials/tls/tls_credentials.h"
#include "src/core/lib/security/credentials/xds/xds_credentials.h"
#include "src/core/lib/service_config/service_config_impl.h"
#else
#include "src/core/channelz/channelz.h"
#include "src/core/client_channel/client_channel_service_config.h"
#include "src/core/client_channel/config_selector.h"
#include "src/core/client_channel/subchannel.h"
#include "src/core/client_channel/subchannel_interface_internal.h"
#include "src/core/client_channel/subchannel_stream_client.h"
#include "src/core/credentials/transport/tls/grpc_tls_certificate_provider.h"
#include "src/core/credentials/transport/tls/grpc_tls_credentials_options.h"
#include "src/core/credentials/transport/tls/tls_credentials.h"
#include "src/core/credentials/transport/xds/xds_credentials.h"
#include "src/core/load_balancing/child_policy_handler.h"
#include "src/core/load_balancing/lb_policy.h"
#include "src/core/resolver/polling_resolver.h"
#include "src/core/resolver/resolver.h"
#include "src/core/service_config/service_config_impl.h"
#include "src/core/xds/grpc/xds_bootstrap_grpc.h"
#include "src/core/xds/grpc/xds_certificate_provider.h"
#endif

// The resolver and its ConfigSelector.
GXDS_SAME_VTABLE(grpc_core::Resolver);
GXDS_SAME_VTABLE(grpc_core::PollingResolver);
GXDS_SAME_SIZE(grpc_core::PollingResolver);
GXDS_SAME_SIZE(grpc_core::DefaultConfigSelector);
GXDS_IMPLEMENTS(grpc_core::ServiceConfigImpl, grpc_core::ServiceConfig);
GXDS_SAME_SIZE(grpc_core::ServiceConfigImpl);
GXDS_SAME_SIZE(grpc_core::internal::ClientChannelMethodParsedConfig);
GXDS_SAME_SIZE(grpc_core::internal::ClientChannelGlobalParsedConfig);

// Policies, their helpers and pickers.
GXDS_SAME_VTABLE(grpc_core::LoadBalancingPolicy);
GXDS_SAME_SIZE(grpc_core::LoadBalancingPolicy);
GXDS_SAME_VTABLE(grpc_core::ChildPolicyHandler);
GXDS_SAME_SIZE(grpc_core::ChildPolicyHandler);
GXDS_SAME_SIZE(grpc_core::LoadBalancingPolicy::QueuePicker);

// Subchannels, and what watches them.
GXDS_SAME_VTABLE(grpc_core::DelegatingSubchannel);
GXDS_SAME_SIZE(grpc_core::DelegatingSubchannel);
GXDS_SAME_SIZE(grpc_core::SubchannelStreamClient);
GXDS_SAME_SIZE(grpc_core::channelz::ChannelNode);
GXDS_SAME_SIZE(grpc_event_engine::experimental::PosixEventEngine);

// Credentials and certificates.
GXDS_IMPLEMENTS(grpc_core::XdsCertificateProvider, grpc_tls_certificate_provider);
GXDS_SAME_SIZE(grpc_core::XdsCertificateProvider);
GXDS_SAME_SIZE(TlsCredentials);
GXDS_SAME_SIZE(grpc_core::XdsCredentials);
GXDS_SAME_SIZE(grpc_tls_credentials_options);
GXDS_SAME_SIZE(grpc_core::GrpcXdsBootstrap);

#endif
