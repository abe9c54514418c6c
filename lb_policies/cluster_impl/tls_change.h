/* What a change of a cluster's TLS configuration does to its connections (A29). Pure, any thread.
 */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_TLS_CHANGE_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_TLS_CHANGE_H_

#include "resources/tls.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_tls_change {
  GXDS_TLS_KEEP,   /* nothing */
  GXDS_TLS_NONE,   /* the cluster has no TLS any more: new connections with the fallback credentials
                    */
  GXDS_TLS_UPDATE, /* connections stay; later ones use the new configuration */
  GXDS_TLS_RENEW,  /* new connections */
} gxds_tls_change;

/* Compares the applied configuration with the new one; NULL means no TLS. */
gxds_tls_change gxds_tls_compare(const gxds_tls *was, const gxds_tls *is);

#ifdef __cplusplus
}
#endif

#endif
