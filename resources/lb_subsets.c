#include "resources/lb_subsets.h"

#include <stdlib.h>

#include "base/wire.h"
#include "envoy/config/cluster/v3/cluster.upb.h"
#include "resources/cluster_internal.h"
#include "resources/lb_metadata_internal.h"

typedef envoy_config_cluster_v3_Cluster_LbSubsetConfig config_message;
typedef envoy_config_cluster_v3_Cluster_LbSubsetConfig_LbSubsetSelector selector_message;

#define CONFIG(name) envoy_config_cluster_v3_Cluster_LbSubsetConfig_##name
#define SELECTOR(name) envoy_config_cluster_v3_Cluster_LbSubsetConfig_LbSubsetSelector_##name

/* Field numbers: of lb_subset_config in Cluster, and of a field of LbSubsetConfig that its table in
 * gRPC 1.51 lacks. */
enum { kLbSubsetConfig = 22, kMetadataFallbackPolicy = 8 };

bool gxds_subset_keys_are_of(const gxds_subset_keys *keys, gxds_str match) {
  gxds_str name;
  gxds_str value;
  size_t i = 0;
  for (; gxds_metadata_next(&match, &name, &value); i++) {
    if (i == keys->count || !gxds_str_equal(keys->keys[i], name)) return false;
  }
  return i == keys->count;
}

static gxds_subset_keys decode_keys(const upb_StringView *list, size_t count, const gxds_path *at,
                                    gxds_errors *errors, gxds_cluster *out) {
  gxds_subset_keys result = {NULL, 0};
  if (count > GXDS_SUBSET_KEYS_MAX) {
    gxds_errors_add(errors, at, "more than %u keys", GXDS_SUBSET_KEYS_MAX);
    return result;
  }
  gxds_str *keys = gxds_arena_calloc(gxds_cluster_arena(out), count, sizeof *keys);
  for (size_t i = 0; i < count; i++)
    keys[i] = gxds_metadata_name(gxds_pb_str(list[i]), gxds_cluster_arena(out));
  if (count > 1) qsort(keys, count, sizeof *keys, gxds_str_compare_items);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || !gxds_str_equal(keys[i], keys[result.count - 1])) keys[result.count++] = keys[i];
  }
  result.keys = keys;
  return result;
}

static bool has_key(const gxds_subset_keys *keys, gxds_str key) {
  for (size_t i = 0; i < keys->count; i++) {
    if (gxds_str_equal(keys->keys[i], key)) return true;
  }
  return false;
}

static bool same_keys(const gxds_subset_keys *a, const gxds_subset_keys *b) {
  return gxds_strs_equal(a->keys, a->count, b->keys, b->count);
}

/* Refuses what Envoy refuses. */
static void check_fallback_keys(const gxds_subset_selector *s, const gxds_path *at,
                                gxds_errors *errors) {
  const gxds_path *at_keys = GXDS_FIELD(at, "fallback_keys_subset");
  if (s->fallback != GXDS_SUBSET_FALLBACK_KEYS) {
    if (s->fallback_keys.count > 0) {
      gxds_errors_add(errors, at_keys, "must be empty unless fallback_policy is KEYS_SUBSET");
    }
    return;
  }
  bool within = s->fallback_keys.count > 0 && s->fallback_keys.count < s->keys.count;
  for (size_t i = 0; i < s->fallback_keys.count; i++) {
    within &= has_key(&s->keys, s->fallback_keys.keys[i]);
  }
  if (!within) gxds_errors_add(errors, at_keys, "must be some of the selector's keys, not all");
}

static gxds_subset_fallback decode_selector_fallback(int32_t in, const gxds_path *at,
                                                     gxds_errors *errors) {
  switch (in) {
    case SELECTOR(NOT_DEFINED):
      return GXDS_SUBSET_FALLBACK_CLUSTER;
    case SELECTOR(NO_FALLBACK):
      return GXDS_SUBSET_FALLBACK_NONE;
    case SELECTOR(ANY_ENDPOINT):
      return GXDS_SUBSET_FALLBACK_ANY;
    case SELECTOR(DEFAULT_SUBSET):
      return GXDS_SUBSET_FALLBACK_DEFAULT;
    case SELECTOR(KEYS_SUBSET):
      return GXDS_SUBSET_FALLBACK_KEYS;
    default:
      gxds_errors_add(errors, GXDS_FIELD(at, "fallback_policy"), "unknown policy");
      return GXDS_SUBSET_FALLBACK_CLUSTER;
  }
}

/* single_host_per_subset is ignored: Envoy saves memory with it, and picks the same endpoints. */
static void decode_selector(const selector_message *in, const gxds_path *at, gxds_errors *errors,
                            gxds_cluster *out, gxds_subset_selector *s) {
  size_t count = 0;
  const upb_StringView *list = SELECTOR(keys)(in, &count);
  s->keys = decode_keys(list, count, GXDS_FIELD(at, "keys"), errors, out);
  list = SELECTOR(fallback_keys_subset)(in, &count);
  s->fallback_keys = decode_keys(list, count, GXDS_FIELD(at, "fallback_keys_subset"), errors, out);
  s->fallback = decode_selector_fallback(SELECTOR(fallback_policy)(in), at, errors);
  check_fallback_keys(s, at, errors);
}

static void decode_selectors(const config_message *in, const gxds_path *up, gxds_errors *errors,
                             gxds_cluster *out, gxds_lb_subsets *subsets) {
  size_t count = 0;
  const selector_message *const *list = CONFIG(subset_selectors)(in, &count);
  if (count > GXDS_SUBSET_SELECTORS_MAX) {
    gxds_errors_add(errors, GXDS_FIELD(up, "subset_selectors"), "more than %u selectors",
                    GXDS_SUBSET_SELECTORS_MAX);
    return;
  }
  gxds_subset_selector *selectors =
      gxds_arena_calloc(gxds_cluster_arena(out), count, sizeof *selectors);
  for (size_t i = 0; i < count; i++) {
    const gxds_path *at = GXDS_ITEM(up, "subset_selectors", i);
    decode_selector(list[i], at, errors, out, &selectors[i]);
    for (size_t k = 0; k < i; k++) {
      if (!same_keys(&selectors[i].keys, &selectors[k].keys)) continue;
      gxds_errors_add(errors, GXDS_FIELD(at, "keys"), "the same keys as subset_selectors[%zu]", k);
      break;
    }
  }
  subsets->selectors = selectors;
  subsets->selector_count = count;
}

static gxds_subset_fallback decode_fallback(int32_t in, const gxds_path *at, gxds_errors *errors) {
  switch (in) {
    case CONFIG(NO_FALLBACK):
      return GXDS_SUBSET_FALLBACK_NONE;
    case CONFIG(ANY_ENDPOINT):
      return GXDS_SUBSET_FALLBACK_ANY;
    case CONFIG(DEFAULT_SUBSET):
      return GXDS_SUBSET_FALLBACK_DEFAULT;
    default:
      gxds_errors_add(errors, GXDS_FIELD(at, "fallback_policy"), "unknown policy");
      return GXDS_SUBSET_FALLBACK_NONE;
  }
}

/* Refuses metadata_fallback_policy FALLBACK_LIST (1). If it were ignored, RPCs would go to other
 * endpoints than the config specifies. */
static void check_metadata_fallback(gxds_str cluster, const gxds_path *at, gxds_errors *errors) {
  bool by_list = false;
  gxds_str config;
  while (gxds_wire_next_value(&cluster, kLbSubsetConfig, &config)) {
    by_list = by_list || gxds_wire_number_at(config, kMetadataFallbackPolicy) != 0;
  }
  if (!by_list) return;
  gxds_errors_add(errors, GXDS_FIELD(at, "metadata_fallback_policy"),
                  "FALLBACK_LIST is not supported");
}

static void decode(const config_message *in, const gxds_path *at, upb_Arena *scratch,
                   gxds_errors *errors, gxds_cluster *out) {
  gxds_lb_subsets *s = gxds_arena_calloc(gxds_cluster_arena(out), 1, sizeof *s);
  decode_selectors(in, at, errors, out, s);
  s->fallback = decode_fallback(CONFIG(fallback_policy)(in), at, errors);
  s->default_subset =
      gxds_metadata_render(CONFIG(default_subset)(in), NULL, GXDS_FIELD(at, "default_subset"),
                           gxds_cluster_arena(out), scratch, errors);
  s->locality_weight_aware = CONFIG(locality_weight_aware)(in);
  s->scale_locality_weight = CONFIG(scale_locality_weight)(in);
  s->panic_mode_any = CONFIG(panic_mode_any)(in);
  s->list_as_any = CONFIG(list_as_any)(in);
  gxds_cluster_rare_get(out)->subsets = s;
}

void gxds_lb_subsets_decode(const envoy_config_cluster_v3_Cluster *in, gxds_str bytes,
                            const gxds_decode_context *context, upb_Arena *scratch,
                            gxds_errors *errors, gxds_cluster *out) {
  const config_message *config = envoy_config_cluster_v3_Cluster_lb_subset_config(in);
  size_t count = 0;
  if (!config || !gxds_lb_subsets_are_on(context)) return;
  (void)CONFIG(subset_selectors)(config, &count);
  if (count == 0) return; /* as in Envoy: without selectors, there are no subsets */
  const gxds_path *at = GXDS_FIELD(NULL, "lb_subset_config");
  if (out->kind == GXDS_CLUSTER_LOGICAL_DNS) {
    gxds_errors_add(errors, at, "is not supported in a LOGICAL_DNS cluster");
  }
  if (envoy_config_cluster_v3_Cluster_load_balancing_policy(in)) {
    gxds_errors_add(errors, at, "cannot be combined with load_balancing_policy");
  }
  check_metadata_fallback(bytes, at, errors);
  decode(config, at, scratch, errors, out);
}
