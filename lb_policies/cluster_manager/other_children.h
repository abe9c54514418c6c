/* gxds_other_children: the children of a cluster_manager that are not clusters of the snapshot, by
 * name, each with its config; and the policy's config, which may name such children. Private to
 * cluster_manager. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_OTHER_CHILDREN_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_OTHER_CHILDREN_H_

#include "host/policy.h"

/* Lives in the caller's struct; zero-initialised, it is empty. */
typedef struct gxds_other_children {
  gxds_str *names;          /* owned; sorted, each once */
  gxds_lb_config **configs; /* references */
  size_t count;
} gxds_other_children;

void gxds_other_children_fini(gxds_other_children *o);
/* Adds a child, or replaces the one with the same name. Copies the name. */
void gxds_other_children_put(gxds_other_children *o, gxds_str name, gxds_lb_config *take_config);
/* Borrowed: valid until the child is replaced, or o ends. NULL if there is none. */
gxds_lb_config *gxds_other_children_find(const gxds_other_children *o, gxds_str name);

typedef struct gxds_cluster_manager_config {
  gxds_lb_config base;
  gxds_other_children children;
} gxds_cluster_manager_config;

/* As gxds_policy_type.parse. */
gxds_lb_config *gxds_cluster_manager_parse(const struct json_t *json,
                                           gxds_lb_parse_list *parse_list, gxds_errors *errors);

#endif
