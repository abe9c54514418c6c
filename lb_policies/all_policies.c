#include "lb_policies/all_policies.h"

#include <string.h>

#include "lb_policies/cds/cds_policy.h"
#include "lb_policies/cluster_impl/cluster_impl_policy.h"
#include "lb_policies/cluster_manager/cluster_manager_policy.h"
#include "lb_policies/least_request/least_request_policy.h"
#include "lb_policies/outlier_detection/outlier_detection_policy.h"
#include "lb_policies/override_host/override_host_policy.h"
#include "lb_policies/pick_first/pick_first_policy.h"
#include "lb_policies/pick_first/shuffled_policy.h"
#include "lb_policies/priority/priority_policy.h"
#include "lb_policies/random_subsetting/random_subsetting_policy.h"
#include "lb_policies/ring_hash/ring_hash_policy.h"
#include "lb_policies/round_robin/round_robin_policy.h"
#include "lb_policies/slow_start/slow_start_policy.h"
#include "lb_policies/subset/subset_policy.h"
#include "lb_policies/weighted_locality/weighted_locality_policy.h"
#include "lb_policies/weighted_round_robin/weighted_round_robin_policy.h"

const gxds_policy_type *const gxds_all_policies[] = {
    /* These replace the host's policies. There is no xds_cluster_resolver_experimental: the
     * snapshot replaces it (A74), and the host's policy of that name needs the host's own
     * XdsClient. */
    &gxds_cds_policy,
    &gxds_cluster_impl_policy,
    &gxds_cluster_manager_policy,
    &gxds_outlier_detection_policy,
    &gxds_priority_policy,
    &gxds_ring_hash_policy,
    &gxds_weighted_locality_policy,
    /* Policies that only later versions of the host have, and policies of our own. */
    &gxds_endpoint_weights_policy,
    &gxds_least_request_policy,
    &gxds_override_host_policy,
    &gxds_pick_first_policy,
    &gxds_random_subsetting_policy,
    &gxds_round_robin_policy,
    &gxds_shuffled_policy,
    &gxds_slow_start_policy,
    &gxds_subset_policy,
    &gxds_weighted_round_robin_policy,
    NULL,
};

bool gxds_all_policies_has(const char *name) {
  for (size_t i = 0; gxds_all_policies[i]; i++) {
    if (strcmp(gxds_all_policies[i]->name, name) == 0) return true;
  }
  return false;
}
