// The classes that only this folder derives from, calls or looks into: see
// host/grpc_common/core_layout.h. The headers are those of a source release, and the library is the
// distribution's.
#include "host/grpc_common/core_layout.h"
#include "src/core/client_channel/client_channel_internal.h"
#include "src/core/credentials/transport/composite/composite_channel_credentials.h"
#include "src/core/credentials/transport/insecure/insecure_credentials.h"
#include "src/core/ext/filters/fault_injection/fault_injection_filter.h"
#include "src/core/handshaker/http_connect/http_proxy_mapper.h"
#include "src/core/lib/surface/legacy_channel.h"
#include "src/core/load_balancing/health_check_client_internal.h"
#include "src/core/load_balancing/oob_backend_metric_internal.h"
#include "src/core/resolver/endpoint_addresses.h"

// The resolver and its ConfigSelector.
GXDS_IMPLEMENTS(grpc_core::DefaultConfigSelector, grpc_core::ConfigSelector);

// Policies, their helpers and pickers.
GXDS_SAME_VTABLE(grpc_core::LoadBalancingPolicy::SubchannelPicker);
GXDS_IMPLEMENTS(grpc_core::EndpointAddressesListIterator, grpc_core::EndpointAddressesIterator);
GXDS_IMPLEMENTS(grpc_core::SingleEndpointIterator, grpc_core::EndpointAddressesIterator);
GXDS_SAME_SIZE(grpc_core::SingleEndpointIterator);

// Subchannels, and what watches them.
GXDS_IMPLEMENTS(grpc_core::OldSubchannel, grpc_core::Subchannel);
GXDS_SAME_SIZE(grpc_core::OldSubchannel);
GXDS_IMPLEMENTS(grpc_core::HealthWatcher, grpc_core::InternalSubchannelDataWatcherInterface);
GXDS_SAME_SIZE(grpc_core::HealthWatcher);
GXDS_IMPLEMENTS(grpc_core::OrcaProducer, grpc_core::Subchannel::DataProducerInterface);
GXDS_SAME_SIZE(grpc_core::OrcaProducer);
GXDS_IMPLEMENTS(grpc_core::HttpProxyMapper, grpc_core::ProxyMapperInterface);
GXDS_SAME_SIZE(grpc_core::LegacyChannel);

// Credentials and certificates.
GXDS_IMPLEMENTS(grpc_core::InsecureCredentials, grpc_channel_credentials);
