/* gxds_tls: how connections to a cluster's endpoints are secured (A29), for channels with xds
 * credentials. Part of a cluster: immutable, borrowed as long as its resource. */
#ifndef GRPC_XDS_RESOURCES_TLS_H_
#define GRPC_XDS_RESOURCES_TLS_H_

#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A certificate, or CA certificates, from a provider that the bootstrap configures. */
typedef struct gxds_certificate_source {
  gxds_str instance_name; /* a key of the bootstrap's certificate_providers; empty: none */
  gxds_str certificate_name;
  /* The provider with that name; NULL: none. The cluster keeps it alive. */
  const gxds_bootstrap_certificate_provider *provider;
} gxds_certificate_source;

typedef enum gxds_san_match_kind {
  GXDS_SAN_EXACT,
  GXDS_SAN_PREFIX,
  GXDS_SAN_SUFFIX,
  GXDS_SAN_CONTAINS,
  GXDS_SAN_REGEX, /* a regular expression (RE2, which the host can compile) for the whole name */
} gxds_san_match_kind;

typedef struct gxds_san_match {
  gxds_san_match_kind kind;
  gxds_str text;
  bool case_sensitive;
} gxds_san_match;

typedef struct gxds_tls {
  gxds_certificate_source ca; /* the CA certificates to trust; may be missing only with
                                 system_roots */
  bool system_roots;          /* A82: trust the machine's CA certificates in place of ca */
  gxds_certificate_source identity;
  const gxds_san_match *sans; /* the server's certificate must match one of these; if there are
                                 none, any certificate is accepted */
  size_t san_count;
  gxds_str sni;       /* A101: the SNI of handshakes; empty: none. At most GXDS_SNI_BYTES_MAX */
  bool auto_host_sni; /* A101: the SNI is the endpoint's hostname, if it has one */
  /* A101: the certificate must have the SNI as a DNS name. sans count only if the handshake sent no
   * SNI. */
  bool auto_sni_san_validation;
} gxds_tls;

/* The longest name that TLS can send, and A101's limit for sni. */
#define GXDS_SNI_BYTES_MAX 255u

/* The SNI for the handshake with an endpoint (A101). hostname is the endpoint's, with or without a
 * port, and may be empty. The result is empty if no SNI is sent. None is sent for an IP address,
 * because TLS does not allow that (RFC 6066, section 3). Borrowed: valid as long as t and hostname.
 * Pure, any thread. */
gxds_str gxds_tls_server_name(const gxds_tls *t, gxds_str hostname);

#ifdef __cplusplus
}
#endif

#endif
