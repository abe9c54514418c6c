#include "lb_policies/cluster_impl/tls_change.h"

gxds_tls_change gxds_tls_compare(const gxds_tls *was, const gxds_tls *is) {
  if (was == is) return GXDS_TLS_KEEP;
  if (!is) return GXDS_TLS_NONE;
  /* Whether a connection has a certificate to show is settled when its subchannel is made; which
   * one, and whom to trust, at each handshake. */
  bool had_identity = was && was->identity.provider;
  bool has_identity = is->identity.provider != NULL;
  return was && had_identity == has_identity ? GXDS_TLS_UPDATE : GXDS_TLS_RENEW;
}
