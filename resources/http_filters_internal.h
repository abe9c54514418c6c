/* HTTP filters (A39) as resources name them: in a listener's HttpConnectionManager and, overridden,
 * in virtual hosts, routes and weighted clusters. */
#ifndef GRPC_XDS_RESOURCES_HTTP_FILTERS_INTERNAL_H_
#define GRPC_XDS_RESOURCES_HTTP_FILTERS_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/listener.h"

struct envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager;

/* Checks the http_filters of an HttpConnectionManager and sets the filters of out, copied to
 * out->arena. at: of the HttpConnectionManager. */
void gxds_http_filters_decode(
    const struct envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager
        *in,
    const gxds_path *at, upb_Arena *scratch, gxds_errors *errors, gxds_listener *out);

/* Checks one entry of a typed_per_filter_config. at: of the message that has the map. */
void gxds_http_filter_override_check(gxds_str key, const google_protobuf_Any *value,
                                     const gxds_path *at, upb_Arena *scratch, gxds_errors *errors);

#endif
