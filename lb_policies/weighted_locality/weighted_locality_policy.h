/* The locality-picking policy: "xds_wrr_locality_experimental". It takes the localities from its
 * config and carries out the decisions of weighted_locality.h: one leaf policy per locality, and
 * picks by weight. If the leaf is round_robin, it is our own policy (round_robin_policy.h), which
 * may use the weights of endpoints.
 *
 * If its config has no localities of an xDS cluster (outside of our own tree), it reports
 * TRANSIENT_FAILURE. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WEIGHTED_LOCALITY_POLICY_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WEIGHTED_LOCALITY_POLICY_H_

#include "host/policy.h"
#include "xds_resolver/cluster_map.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_policy_type gxds_weighted_locality_policy;

typedef struct gxds_weighted_locality_config {
  gxds_lb_config base;
  gxds_lb_config *child; /* the policy inside each locality; a reference */
  bool has_localities;   /* false in a config that was parsed from JSON. The priority policy makes
                            configs with localities from it, one for each child */
  gxds_str cluster;
  gxds_priority localities; /* references; the list may be empty */
} gxds_weighted_locality_config;

/* The config for that priority of a cluster. entry may be NULL: then the config has no localities.
 * Takes references to the child's config and on the localities, but not on the rest of the entry: a
 * policy may be kept after its priority is gone (A56), and must not keep the whole resource. The
 * caller owns the returned reference. */
gxds_lb_config *gxds_weighted_locality_config_create(gxds_lb_config *child,
                                                     const gxds_cluster_entry *entry,
                                                     size_t priority);

#ifdef __cplusplus
}
#endif

#endif
