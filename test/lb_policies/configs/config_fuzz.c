/* The input is the name of a policy, a line feed, and any JSON. The result must be a config or at
 * least one error, never both. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/policy.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const gxds_policy_type *const policies[] = {
    &gxds_cds_policy,
    &gxds_cluster_impl_policy,
    &gxds_cluster_manager_policy,
    &gxds_endpoint_weights_policy,
    &gxds_least_request_policy,
    &gxds_outlier_detection_policy,
    &gxds_pick_first_policy,
    &gxds_priority_policy,
    &gxds_override_host_policy,
    &gxds_random_subsetting_policy,
    &gxds_ring_hash_policy,
    &gxds_round_robin_policy,
    &gxds_shuffled_policy,
    &gxds_slow_start_policy,
    &gxds_subset_policy,
    &gxds_weighted_locality_policy,
    &gxds_weighted_round_robin_policy,
};

static void require(bool condition) {
  if (!condition) abort();
}

static void destroy_child(gxds_lb_config *c) { free(c); }

/* Replaces the host's registry: accepts any list that is not empty. */
static gxds_lb_config *parse_list(gxds_str text, gxds_status *why) {
  json_t *list = json_loadb(text.data, text.size, JSON_DECODE_ANY, NULL);
  const bool good = json_array_size(list) > 0;
  json_decref(list);
  if (!good) {
    *why = gxds_status_make(GXDS_INVALID_ARGUMENT, "no policy");
    return NULL;
  }
  gxds_lb_config *config = calloc(1, sizeof *config);
  gxds_ref_init(&config->refs);
  config->policy = gxds_str_z("child");
  config->destroy = destroy_child;
  return config;
}

static const gxds_policy_type *find(const char *name, size_t size) {
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    if (strlen(policies[i]->name) == size && memcmp(policies[i]->name, name, size) == 0) {
      return policies[i];
    }
  }
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
  if (!end) return 0;
  const gxds_policy_type *type = find(text, (size_t)(end - text));
  json_t *json =
      json_loadb(end + 1, size - (size_t)(end + 1 - text), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  if (type && json) {
    gxds_errors errors = {0};
    gxds_lb_config *config = gxds_lb_config_parse_json(type, json, parse_list, &errors);
    require(!config == (errors.count > 0));
    if (config) require(config->type == type);
    gxds_status status = gxds_errors_status(&errors, "wrong");
    require(gxds_status_is_ok(&status) == (errors.count == 0));
    gxds_status_fini(&status);
    gxds_lb_config_unref(config);
    gxds_errors_fini(&errors);
  }
  json_decref(json);
  return 0;
}
