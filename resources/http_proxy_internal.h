/* Through which HTTP proxy an endpoint is reached (A86), as a ClusterLoadAssignment says it: by an
 * address in the metadata of the endpoint, or of its locality. Confined to one decode call. */
#ifndef GRPC_XDS_RESOURCES_HTTP_PROXY_INTERNAL_H_
#define GRPC_XDS_RESOURCES_HTTP_PROXY_INTERNAL_H_

#include "envoy/config/endpoint/v3/endpoint_components.upb.h"
#include "resources/common_internal.h"

/* The address of the proxy that metadata (at that path; NULL: there is none) names, as text in
 * scratch; empty: none. What is an Address, but none that can be connected to, is an error; a value
 * of another type is no proxy. */
gxds_str gxds_http_proxy_in(const struct envoy_config_core_v3_Metadata *in, const gxds_path *at,
                            upb_Arena *scratch, gxds_errors *errors);

/* The same of a locality, which is at that path. */
gxds_str gxds_http_proxy_of_locality(const envoy_config_endpoint_v3_LocalityLbEndpoints *in,
                                     const gxds_path *at, upb_Arena *scratch, gxds_errors *errors);

#endif
