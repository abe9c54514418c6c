#include "lb_policies/cluster_impl/tls_change.h"

/* A101 */
static bool same_server_names(const gxds_tls *a, const gxds_tls *b) {
  return gxds_str_equal(a->sni, b->sni) && a->auto_host_sni == b->auto_host_sni &&
         a->auto_sni_san_validation == b->auto_sni_san_validation;
}

gxds_tls_change gxds_tls_compare(const gxds_tls *was, const gxds_tls *is) {
  if (was == is) return GXDS_TLS_KEEP;
  if (!is) return GXDS_TLS_NONE;
  /* Three things are fixed when a subchannel is made: whether it presents a certificate, whether it
   * trusts the system's root certificates (A82), and which server names it uses (A101). Which
   * certificate it presents, and which provider's roots it trusts, is read at each handshake. */
  bool had_identity = was && was->identity.provider;
  bool has_identity = is->identity.provider != NULL;
  return was && had_identity == has_identity && was->system_roots == is->system_roots &&
                 same_server_names(was, is)
             ? GXDS_TLS_UPDATE
             : GXDS_TLS_RENEW;
}
