/* Finds the HTTP proxy through which an endpoint is reached (A86). The proxy's address is in the
 * metadata of the endpoint, or of its locality. Confined to one decode call. */
#ifndef GRPC_XDS_RESOURCES_HTTP_PROXY_INTERNAL_H_
#define GRPC_XDS_RESOURCES_HTTP_PROXY_INTERNAL_H_

#include "envoy/config/endpoint/v3/endpoint_components.upb.h"
#include "resources/common_internal.h"

/* The address of the proxy that the metadata names, as text in scratch; empty if it names none. The
 * metadata is at that path, and may be NULL. An Address to which no connection is possible is an
 * error; a value of another type is ignored. */
gxds_str gxds_http_proxy_in(const struct envoy_config_core_v3_Metadata *in, const gxds_path *at,
                            upb_Arena *scratch, gxds_errors *errors);

/* Like gxds_http_proxy_in(), for the metadata of a locality. at is the path of the locality. */
gxds_str gxds_http_proxy_of_locality(const envoy_config_endpoint_v3_LocalityLbEndpoints *in,
                                     const gxds_path *at, upb_Arena *scratch, gxds_errors *errors);

#endif
