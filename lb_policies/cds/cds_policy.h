/* The cds_experimental LB policy (A74, A75): it looks up its cluster in the snapshot, and builds
 * the tree of policies below it. For a leaf cluster these are cluster_impl and below it priority;
 * if outlier detection is configured (A50), it is above both. For an aggregate cluster they are
 * priority, and below it one cds for each leaf cluster. */
#ifndef GRPC_XDS_LB_POLICIES_CDS_CDS_POLICY_H_
#define GRPC_XDS_LB_POLICIES_CDS_CDS_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_cds_policy;

typedef struct gxds_cds_config {
  gxds_lb_config base;
  gxds_str cluster;
  bool is_dynamic; /* the route configuration does not name the cluster (a cluster specifier plugin
                      does), so the policy subscribes to it (A74) */
} gxds_cds_config;

/* Copies the name. The caller owns the returned reference. */
gxds_lb_config *gxds_cds_config_create(gxds_str cluster, bool is_dynamic);

#ifdef __cplusplus
}
#endif

#endif
