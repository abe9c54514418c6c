/* The headers of an RPC, as routes and hash policies see them. Pure functions, any thread.
 *
 * A28: these are the custom metadata without binary headers, and content-type. Besides these there
 * are pseudo-headers that Envoy sees in every request, and that a client knows before it has a
 * connection: :method, :path and :authority. */
#ifndef GRPC_XDS_XDS_RESOLVER_REQUEST_HEADER_H_
#define GRPC_XDS_XDS_RESOLVER_REQUEST_HEADER_H_

#include "xds_resolver/route_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the value of a header comes from. It depends only on the name, so it is determined once,
 * and no names are compared during RPCs. */
typedef enum gxds_header_source {
  GXDS_HEADER_METADATA,
  GXDS_HEADER_NEVER,        /* always missing: "…-bin" (A28), and :scheme, which depends on the
                               connection */
  GXDS_HEADER_CONTENT_TYPE, /* the value that the transport will send (A28) */
  GXDS_HEADER_METHOD,       /* always POST in gRPC */
  GXDS_HEADER_REQUEST_PATH,
  GXDS_HEADER_AUTHORITY, /* the RPC's own authority, or else its channel's */
} gxds_header_source;

gxds_header_source gxds_header_source_of(gxds_str name);

/* Reads the value of a header; source is gxds_header_source_of(name). False if the RPC lacks it.
 * *value is borrowed: valid until the next call for the RPC. */
bool gxds_request_header(const gxds_route_request *request, gxds_header_source source,
                         gxds_str name, gxds_str *value);

#ifdef __cplusplus
}
#endif

#endif
