/* The config of a priority policy, and its JSON form. Private to priority. */
#ifndef GRPC_XDS_LB_POLICIES_PRIORITY_PRIORITY_CONFIG_H_
#define GRPC_XDS_LB_POLICIES_PRIORITY_PRIORITY_CONFIG_H_

#include "lb_policies/priority/priority_policy.h"

typedef struct gxds_priority_config {
  gxds_lb_config base;
  gxds_str cluster;              /* owned */
  gxds_priority_child *children; /* names are owned, configs are references */
  size_t count;
} gxds_priority_config;

/* As gxds_policy_type.parse. */
gxds_lb_config *gxds_priority_parse(const struct json_t *json, gxds_lb_parse_list *parse_list,
                                    gxds_errors *errors);

#endif
