// The classes of gRPC 1.83 that this folder derives from, calls or looks into: see
// host/grpc_common/layout.h. The headers are those of a source release, and the library is the
// distribution's. If the library has no information about an abstract class, a class that derives
// from it, or contains it, is compared instead.
#include <grpc/support/port_platform.h>

#include "host/grpc_common/layout.h"
#include "src/core/channelz/channelz.h"
#include "src/core/client_channel/client_channel_internal.h"
#include "src/core/client_channel/client_channel_service_config.h"
#include "src/core/client_channel/config_selector.h"
#include "src/core/client_channel/subchannel.h"
#include "src/core/client_channel/subchannel_interface_internal.h"
#include "src/core/client_channel/subchannel_stream_client.h"
#include "src/core/credentials/transport/composite/composite_channel_credentials.h"
#include "src/core/credentials/transport/insecure/insecure_credentials.h"
#include "src/core/credentials/transport/tls/grpc_tls_certificate_provider.h"
#include "src/core/credentials/transport/tls/grpc_tls_credentials_options.h"
#include "src/core/credentials/transport/tls/tls_credentials.h"
#include "src/core/credentials/transport/xds/xds_credentials.h"
#include "src/core/ext/filters/fault_injection/fault_injection_filter.h"
#include "src/core/handshaker/http_connect/http_proxy_mapper.h"
#include "src/core/lib/event_engine/posix_engine/posix_engine.h"
#include "src/core/lib/surface/legacy_channel.h"
#include "src/core/load_balancing/child_policy_handler.h"
#include "src/core/load_balancing/health_check_client_internal.h"
#include "src/core/load_balancing/lb_policy.h"
#include "src/core/load_balancing/oob_backend_metric_internal.h"
#include "src/core/resolver/endpoint_addresses.h"
#include "src/core/resolver/polling_resolver.h"
#include "src/core/resolver/resolver.h"
#include "src/core/service_config/service_config_impl.h"
#include "src/core/xds/grpc/xds_bootstrap_grpc.h"
#include "src/core/xds/grpc/xds_certificate_provider.h"

// The resolver and its ConfigSelector.
GXDS_SAME_VTABLE(grpc_core::Resolver);
GXDS_SAME_VTABLE(grpc_core::PollingResolver);
GXDS_SAME_SIZE(grpc_core::PollingResolver);
GXDS_IMPLEMENTS(grpc_core::DefaultConfigSelector, grpc_core::ConfigSelector);
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
GXDS_SAME_VTABLE(grpc_core::LoadBalancingPolicy::SubchannelPicker);
GXDS_SAME_SIZE(grpc_core::LoadBalancingPolicy::QueuePicker);
GXDS_IMPLEMENTS(grpc_core::EndpointAddressesListIterator, grpc_core::EndpointAddressesIterator);
GXDS_IMPLEMENTS(grpc_core::SingleEndpointIterator, grpc_core::EndpointAddressesIterator);
GXDS_SAME_SIZE(grpc_core::SingleEndpointIterator);

// Subchannels, and what watches them.
GXDS_SAME_VTABLE(grpc_core::DelegatingSubchannel);
GXDS_SAME_SIZE(grpc_core::DelegatingSubchannel);
GXDS_IMPLEMENTS(grpc_core::OldSubchannel, grpc_core::Subchannel);
GXDS_SAME_SIZE(grpc_core::OldSubchannel);
GXDS_IMPLEMENTS(grpc_core::HealthWatcher, grpc_core::InternalSubchannelDataWatcherInterface);
GXDS_SAME_SIZE(grpc_core::HealthWatcher);
GXDS_IMPLEMENTS(grpc_core::OrcaProducer, grpc_core::Subchannel::DataProducerInterface);
GXDS_SAME_SIZE(grpc_core::OrcaProducer);
GXDS_SAME_SIZE(grpc_core::SubchannelStreamClient);
GXDS_IMPLEMENTS(grpc_core::HttpProxyMapper, grpc_core::ProxyMapperInterface);
GXDS_SAME_SIZE(grpc_core::channelz::ChannelNode);
GXDS_SAME_SIZE(grpc_core::LegacyChannel);
GXDS_SAME_SIZE(grpc_event_engine::experimental::PosixEventEngine);

// Credentials and certificates.
GXDS_IMPLEMENTS(grpc_core::InsecureCredentials, grpc_channel_credentials);
GXDS_IMPLEMENTS(grpc_core::XdsCertificateProvider, grpc_tls_certificate_provider);
GXDS_SAME_SIZE(grpc_core::XdsCertificateProvider);
GXDS_SAME_SIZE(TlsCredentials);
GXDS_SAME_SIZE(grpc_core::XdsCredentials);
GXDS_SAME_SIZE(grpc_tls_credentials_options);
GXDS_SAME_SIZE(grpc_core::GrpcXdsBootstrap);
