/* gxds_cluster_child_config: the config of a policy that does something for one cluster, with one
 * child below it. All else that such a policy needs is in the snapshot, under the cluster's name
 * (A74). Immutable: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_CHILD_CONFIG_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_CHILD_CONFIG_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_cluster_child_config {
  gxds_lb_config base;
  gxds_str cluster;
  gxds_lb_config *child; /* a reference */
} gxds_cluster_child_config;

/* Copies the name. Takes ownership of the reference to the child's config. The caller owns the
 * returned reference. */
gxds_lb_config *gxds_cluster_child_config_create(const gxds_policy_type *type, gxds_str cluster,
                                                 gxds_lb_config *take_child);

#ifdef __cplusplus
}
#endif

#endif
