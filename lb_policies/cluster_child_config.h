/* gxds_cluster_child_config: the config of a policy with one child below it. If the policy does
 * something for one cluster, the config has the cluster's name, under which the snapshot has all
 * else that the policy needs (A74). Immutable: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_CHILD_CONFIG_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_CHILD_CONFIG_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_cluster_child_config {
  gxds_lb_config base;
  gxds_str cluster;      /* empty: none */
  gxds_lb_config *child; /* a reference */
} gxds_cluster_child_config;

/* Initialises the first member of a larger config, which is zeroed and was allocated by itself. The
 * larger config must own nothing else, because the last reference frees only its memory. Copies the
 * name. Takes ownership of the reference to the child's config. */
void gxds_cluster_child_config_init(gxds_cluster_child_config *config, const gxds_policy_type *type,
                                    gxds_str cluster, gxds_lb_config *take_child);
/* Makes a config with nothing behind these members. Copies the name. Takes ownership of the
 * reference to the child's config. The caller owns the returned reference. */
gxds_lb_config *gxds_cluster_child_config_create(const gxds_policy_type *type, gxds_str cluster,
                                                 gxds_lb_config *take_child);

#ifdef __cplusplus
}
#endif

#endif
