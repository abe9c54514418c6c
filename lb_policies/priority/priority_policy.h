/* The priority policy (A56): "priority_experimental". It carries out the decisions of priority.h.
 *
 * Children take their parts of the snapshot by {cluster, priority}. A config that was parsed from
 * JSON has no cluster: then each child gets the addresses whose path names it, as in the host's own
 * policy of this name. */
#ifndef GRPC_XDS_LB_POLICIES_PRIORITY_PRIORITY_POLICY_H_
#define GRPC_XDS_LB_POLICIES_PRIORITY_PRIORITY_POLICY_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_priority_policy;

/* All fields are borrowed. */
typedef struct gxds_priority_child {
  gxds_str name; /* identifies the child, even if its place in the order changes */
  gxds_lb_config *config;
  bool ignore_reresolution_requests;
  /* Whether the child serves only that priority of the cluster's endpoints. If not, it gets the
   * whole update of the policy itself (aggregate clusters). */
  bool from_cluster;
  size_t priority;
} gxds_priority_child;

/* cluster is the leaf cluster whose priorities the children serve. It is empty for an aggregate
 * cluster, whose children are cds policies. children are in order of priority; if a name occurs
 * several times, the first one counts. Copies its arguments, with references of its own. The caller
 * owns the returned reference. */
gxds_lb_config *gxds_priority_config_create(gxds_str cluster, const gxds_priority_child *children,
                                            size_t count);

#ifdef __cplusplus
}
#endif

#endif
