#include "lb_policies/cluster_impl/tls_change.h"

gxds_tls_change gxds_tls_compare(const gxds_tls *was, const gxds_tls *is) {
  if (was == is) return GXDS_TLS_KEEP;
  if (!is) return GXDS_TLS_NONE;
  /* Whether a connection has a certificate to show, and whether it trusts whom the machine trusts
   * (A82), is settled when its subchannel is made. Which certificate, and which provider's
   * authorities, at each handshake. */
  bool had_identity = was && was->identity.provider;
  bool has_identity = is->identity.provider != NULL;
  return was && had_identity == has_identity && was->system_roots == is->system_roots
             ? GXDS_TLS_UPDATE
             : GXDS_TLS_RENEW;
}
