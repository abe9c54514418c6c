#include "lb_policies/cluster_impl/tls_change.h"

/* A101 */
static bool same_server_names(const gxds_tls *a, const gxds_tls *b) {
  return gxds_str_equal(a->sni, b->sni) && a->auto_host_sni == b->auto_host_sni &&
         a->auto_sni_san_validation == b->auto_sni_san_validation;
}

gxds_tls_change gxds_tls_compare(const gxds_tls *was, const gxds_tls *is) {
  if (was == is) return GXDS_TLS_KEEP;
  if (!is) return GXDS_TLS_NONE;
  /* Whether a connection has a certificate to show, and whether it trusts whom the machine trusts
   * (A82), and for what it asks (A101), is settled when its subchannel is made. Which certificate,
   * and which provider's authorities, at each handshake. */
  bool had_identity = was && was->identity.provider;
  bool has_identity = is->identity.provider != NULL;
  return was && had_identity == has_identity && was->system_roots == is->system_roots &&
                 same_server_names(was, is)
             ? GXDS_TLS_UPDATE
             : GXDS_TLS_RENEW;
}
