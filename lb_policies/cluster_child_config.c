#include "lb_policies/cluster_child_config.h"

#include "base/memory.h"

static void destroy(gxds_lb_config *c) {
  gxds_cluster_child_config *config = (gxds_cluster_child_config *)c;
  gxds_str_free(&config->cluster);
  gxds_lb_config_unref(config->child);
  gxds_free(config);
}

void gxds_cluster_child_config_init(gxds_cluster_child_config *config, const gxds_policy_type *type,
                                    gxds_str cluster, gxds_lb_config *take_child) {
  gxds_lb_config_init(&config->base, type, destroy);
  config->cluster = gxds_str_dup(cluster);
  config->child = take_child;
}

gxds_lb_config *gxds_cluster_child_config_create(const gxds_policy_type *type, gxds_str cluster,
                                                 gxds_lb_config *take_child) {
  gxds_cluster_child_config *config = GXDS_NEW(gxds_cluster_child_config);
  gxds_cluster_child_config_init(config, type, cluster, take_child);
  return &config->base;
}
