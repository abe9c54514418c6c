/* The server name that TLS handshakes send (A101). The table of UpstreamTlsContext in gRPC 1.51
 * lacks auto_host_sni and auto_sni_san_validation, so they are read from the message's bytes. */
#include <string.h>

#include "base/wire.h"
#include "envoy/extensions/transport_sockets/tls/v3/tls.upb.h"
#include "resources/address_internal.h"
#include "resources/cluster_internal.h"

enum { AUTO_HOST_SNI = 6, AUTO_SNI_SAN_VALIDATION = 7 };

void gxds_tls_sni_decode(const envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext *in,
                         gxds_str bytes, const gxds_path *at, upb_Arena *arena, gxds_errors *errors,
                         gxds_tls *out) {
  gxds_str sni = gxds_pb_str(envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext_sni(in));
  if (sni.size > GXDS_SNI_BYTES_MAX) {
    gxds_errors_add(errors, GXDS_FIELD(at, "sni"), "longer than %u characters", GXDS_SNI_BYTES_MAX);
  }
  out->sni = gxds_arena_dup(arena, sni);
  out->auto_host_sni = gxds_wire_number_at(bytes, AUTO_HOST_SNI) != 0;
  out->auto_sni_san_validation = gxds_wire_number_at(bytes, AUTO_SNI_SAN_VALIDATION) != 0;
}

/* Removes the port of "a:80". "[::1]:80" and "::1" stay as they are. */
static gxds_str without_port(gxds_str hostname) {
  const char *colon = hostname.size ? memchr(hostname.data, ':', hostname.size) : NULL;
  if (!colon || hostname.data[0] == '[') return hostname;
  if (memchr(colon + 1, ':', hostname.size - (size_t)(colon + 1 - hostname.data))) return hostname;
  return gxds_str_of(hostname.data, (size_t)(colon - hostname.data));
}

/* Whether a handshake can send the name. IP addresses are not sent, and a zero byte would end the
 * string that the host reads. */
static bool can_be_sent(gxds_str name) {
  gxds_address ip;
  return name.size > 0 && name.size <= GXDS_SNI_BYTES_MAX && name.data[0] != '[' &&
         !memchr(name.data, 0, name.size) && !gxds_address_parse(name, 0, &ip);
}

gxds_str gxds_tls_server_name(const gxds_tls *t, gxds_str hostname) {
  const gxds_str host = without_port(hostname);
  if (t->auto_host_sni && can_be_sent(host)) return host;
  return can_be_sent(t->sni) ? t->sni : gxds_str_of(NULL, 0);
}
