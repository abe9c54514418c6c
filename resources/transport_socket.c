/* Decodes how the client connects to the endpoints of a cluster: through a proxy (A86), with TLS
 * (A29), or both. */
#include "base/wire.h"
#include "envoy/config/core/v3/base.upb.h"
#include "resources/cluster_internal.h"

#define UPSTREAM_TLS "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
#define HTTP_PROXY \
  "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport"

typedef envoy_config_core_v3_TransportSocket socket_message;

/* The number of a field of Http11ProxyUpstreamTransport. gRPC 1.51 has no table of this message. */
enum { kTransportSocket = 1 };

/* in_proxy: the socket is inside a proxy's tunnel, so it can't be a proxy too. at is the path of
 * the socket's typed_config. */
static void decode_socket(const socket_message *in, bool in_proxy, const gxds_path *at,
                          const gxds_decode_context *context, upb_Arena *scratch,
                          gxds_errors *errors, gxds_cluster *out);

static void decode_proxy(const gxds_extension *in, const gxds_decode_context *context,
                         upb_Arena *scratch, gxds_errors *errors, gxds_cluster *out) {
  out->http_connect = true;
  gxds_str rest = in->value;
  gxds_str bytes;
  const socket_message *inner = NULL;
  bool ok = !in->typed_struct && gxds_wire_is_whole(rest);
  while (ok && gxds_wire_next_value(&rest, kTransportSocket, &bytes)) {
    inner = GXDS_DECODE(envoy_config_core_v3_TransportSocket, bytes, scratch);
    ok = inner != NULL;
  }
  if (!ok) {
    gxds_errors_add(errors, in->at, "can't decode Http11ProxyUpstreamTransport");
  } else if (inner) {
    const gxds_path *at = GXDS_FIELD(GXDS_FIELD(in->at, "transport_socket"), "typed_config");
    decode_socket(inner, true, at, context, scratch, errors, out);
  }
}

static void decode_socket(const socket_message *in, bool in_proxy, const gxds_path *at,
                          const gxds_decode_context *context, upb_Arena *scratch,
                          gxds_errors *errors, gxds_cluster *out) {
  gxds_extension e;
  if (!gxds_extension_open(envoy_config_core_v3_TransportSocket_typed_config(in), at, scratch,
                           errors, &e)) {
    return;
  }
  if (gxds_str_is(e.type, UPSTREAM_TLS)) {
    gxds_tls_decode(&e, context, scratch, errors, out);
  } else if (!in_proxy && gxds_str_is(e.type, HTTP_PROXY)) {
    decode_proxy(&e, context, scratch, errors, out);
  } else {
    gxds_errors_add(errors, GXDS_FIELD(e.at, "type_url"), "unsupported transport socket type");
  }
}

void gxds_transport_socket_decode(const socket_message *in, const gxds_decode_context *context,
                                  upb_Arena *scratch, gxds_errors *errors, gxds_cluster *out) {
  decode_socket(in, false, GXDS_FIELD(GXDS_FIELD(NULL, "transport_socket"), "typed_config"),
                context, scratch, errors, out);
}
