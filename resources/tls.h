/* gxds_tls: how connections to a cluster's endpoints are secured (A29), for channels with xds
 * credentials. Part of a cluster: immutable, borrowed as long as its resource. */
#ifndef GRPC_XDS_RESOURCES_TLS_H_
#define GRPC_XDS_RESOURCES_TLS_H_

#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A certificate, or the certificates of authorities, of a provider that the bootstrap configures.
 */
typedef struct gxds_certificate_source {
  gxds_str instance_name; /* a key of the bootstrap's certificate_providers; empty: none */
  gxds_str certificate_name;
  const gxds_bootstrap_certificate_provider *provider; /* of that name; NULL: none. Kept alive by
                                                          the cluster */
} gxds_certificate_source;

typedef enum gxds_san_match_kind {
  GXDS_SAN_EXACT,
  GXDS_SAN_PREFIX,
  GXDS_SAN_SUFFIX,
  GXDS_SAN_CONTAINS,
  GXDS_SAN_REGEX, /* full match, RE2, one that the host can compile */
} gxds_san_match_kind;

typedef struct gxds_san_match {
  gxds_san_match_kind kind;
  gxds_str text;
  bool case_sensitive;
} gxds_san_match;

typedef struct gxds_tls {
  gxds_certificate_source ca; /* whom to trust; none with system_roots only */
  bool system_roots;          /* A82: in place of ca, the authorities that the machine trusts */
  gxds_certificate_source identity;
  const gxds_san_match *sans; /* the server's certificate must match one of them; none: any does */
  size_t san_count;
  gxds_str sni; /* A101: what handshakes ask for; empty: nothing. At most GXDS_SNI_BYTES_MAX */
  bool auto_host_sni; /* A101: that is the hostname of the endpoint, if it has one */
  /* A101: the certificate must have what the handshake asked for, as a DNS name; sans count only if
   * it asked for nothing. */
  bool auto_sni_san_validation;
} gxds_tls;

/* What TLS can carry, and A101's limit of sni. */
#define GXDS_SNI_BYTES_MAX 255u

/* What the handshake with an endpoint asks for (A101: SNI). hostname: the endpoint's, with or
 * without a port; may be empty. Empty: nothing, also in place of an IP address, which TLS does not
 * allow there (RFC 6066, 3). Borrowed: valid as long as t and hostname. Pure, any thread. */
gxds_str gxds_tls_server_name(const gxds_tls *t, gxds_str hostname);

#ifdef __cplusplus
}
#endif

#endif
