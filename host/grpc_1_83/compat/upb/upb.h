/* Defines the names of 1.51's upb for the upb of gRPC 1.83, as far as this project uses them. So
 * the same C sources work with both hosts. This folder comes before the host's headers on the
 * include path. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_UPB_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_UPB_UPB_H_

#include "upb/base/status.h"
#include "upb/base/string_view.h"
#include "upb/mem/arena.h"
#include "upb/message/array.h"
#include "upb/message/map.h"
#include "upb/message/message.h"
#include "upb/mini_table/message.h"
#include "upb/wire/decode.h"
#include "upb/wire/encode.h"

/* Here the messages of generated code are structs; in 1.51 they are upb_Message, which is void. */
#define upb_Decode(data, size, message, table, extensions, options, arena) \
  upb_Decode((data), (size), (upb_Message *)(message), (table), (extensions), (options), (arena))

/* The decoder refuses map keys that are not UTF-8. The decoder of 1.51 does not check them. */
#define GXDS_HOST_DECODES_KEYS 1

/* The tables have additional_addresses (A61) and system_root_certs (A82); those of 1.51 do not. */
#define GXDS_HOST_HAS_ADDITIONAL_ADDRESSES 1
#define GXDS_HOST_HAS_SYSTEM_ROOT_CERTS 1

/* The table of LocalityLbEndpoints has metadata (A86); that of 1.51 does not. */
#define GXDS_HOST_HAS_LOCALITY_METADATA 1

/* The tables of messages. */
#define envoy_config_cluster_v3_Cluster_LeastRequestLbConfig_msginit \
  envoy__config__cluster__v3__Cluster__LeastRequestLbConfig_msg_init
#define envoy_config_cluster_v3_Cluster_RoundRobinLbConfig_msginit \
  envoy__config__cluster__v3__Cluster__RoundRobinLbConfig_msg_init
#define envoy_config_cluster_v3_Cluster_msginit envoy__config__cluster__v3__Cluster_msg_init
#define envoy_config_cluster_v3_LoadBalancingPolicy_msginit \
  envoy__config__cluster__v3__LoadBalancingPolicy_msg_init
#define envoy_config_endpoint_v3_ClusterLoadAssignment_msginit \
  envoy__config__endpoint__v3__ClusterLoadAssignment_msg_init
#define envoy_config_listener_v3_Listener_msginit envoy__config__listener__v3__Listener_msg_init
#define envoy_config_route_v3_FilterConfig_msginit envoy__config__route__v3__FilterConfig_msg_init
#define envoy_config_route_v3_RouteConfiguration_msginit \
  envoy__config__route__v3__RouteConfiguration_msg_init
#define envoy_config_route_v3_VirtualHost_msginit envoy__config__route__v3__VirtualHost_msg_init
#define envoy_config_core_v3_Address_msginit envoy__config__core__v3__Address_msg_init
#define envoy_config_core_v3_Metadata_msginit envoy__config__core__v3__Metadata_msg_init
#define envoy_config_core_v3_TransportSocket_msginit \
  envoy__config__core__v3__TransportSocket_msg_init
#define envoy_config_core_v3_HttpProtocolOptions_msginit \
  envoy__config__core__v3__HttpProtocolOptions_msg_init
#define envoy_config_core_v3_TypedExtensionConfig_msginit \
  envoy__config__core__v3__TypedExtensionConfig_msg_init
#define envoy_type_http_v3_Cookie_msginit envoy__type__http__v3__Cookie_msg_init
#define envoy_extensions_clusters_aggregate_v3_ClusterConfig_msginit \
  envoy__extensions__clusters__aggregate__v3__ClusterConfig_msg_init
#define envoy_extensions_filters_http_fault_v3_HTTPFault_msginit \
  envoy__extensions__filters__http__fault__v3__HTTPFault_msg_init
#define envoy_extensions_filters_http_rbac_v3_RBACPerRoute_msginit \
  envoy__extensions__filters__http__rbac__v3__RBACPerRoute_msg_init
#define envoy_extensions_filters_http_router_v3_Router_msginit \
  envoy__extensions__filters__http__router__v3__Router_msg_init
#define envoy_service_discovery_v3_DeltaDiscoveryResponse_msginit \
  envoy__service__discovery__v3__DeltaDiscoveryResponse_msg_init
#define envoy_service_discovery_v3_DiscoveryResponse_msginit \
  envoy__service__discovery__v3__DiscoveryResponse_msg_init
#define envoy_service_discovery_v3_ResourceName_msginit \
  envoy__service__discovery__v3__ResourceName_msg_init
#define envoy_service_discovery_v3_Resource_msginit envoy__service__discovery__v3__Resource_msg_init
#define google_protobuf_BoolValue_msginit google__protobuf__BoolValue_msg_init
#define google_protobuf_Duration_msginit google__protobuf__Duration_msg_init
#define google_protobuf_FloatValue_msginit google__protobuf__FloatValue_msg_init
#define google_protobuf_UInt32Value_msginit google__protobuf__UInt32Value_msg_init
#define google_rpc_Status_msginit google__rpc__Status_msg_init
#define grpc_lookup_v1_RouteLookupClusterSpecifier_msginit \
  grpc__lookup__v1__RouteLookupClusterSpecifier_msg_init
#define xds_type_v3_TypedStruct_msginit xds__type__v3__TypedStruct_msg_init
#define envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_msginit \
  envoy__extensions__filters__network__http_0connection_0manager__v3__HttpConnectionManager_msg_init
#define envoy_extensions_load_balancing_policies_ring_hash_v3_RingHash_msginit \
  envoy__extensions__load_0balancing_0policies__ring_0hash__v3__RingHash_msg_init
#define envoy_extensions_load_balancing_policies_wrr_locality_v3_WrrLocality_msginit \
  envoy__extensions__load_0balancing_0policies__wrr_0locality__v3__WrrLocality_msg_init
#define envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext_msginit \
  envoy__extensions__transport_0sockets__tls__v3__UpstreamTlsContext_msg_init
#define envoy_service_discovery_v3_DeltaDiscoveryRequest_msginit \
  envoy__service__discovery__v3__DeltaDiscoveryRequest_msg_init
#define envoy_service_discovery_v3_DiscoveryRequest_msginit \
  envoy__service__discovery__v3__DiscoveryRequest_msg_init

#endif
