// Endpoints that are reached through an HTTP proxy (A86).
#ifndef GRPC_XDS_HOST_GRPC_COMMON_HTTP_PROXY_H_
#define GRPC_XDS_HOST_GRPC_COMMON_HTTP_PROXY_H_

#include "host/grpc_common/core.h"

namespace grpc_xds {

// The argument of an address that holds its proxy, as text.
constexpr char kHttpProxyArg[] = "grpc_xds.http_proxy";

// After this, subchannels with that argument and GXDS_HTTP_CONNECT_ARG connect to their proxy, and
// ask it for a connection to their endpoint (CONNECT).
void RegisterEndpointProxies(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_xds

#endif
