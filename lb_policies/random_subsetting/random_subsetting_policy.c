#include "lb_policies/random_subsetting/random_subsetting_policy.h"

#include "base/memory.h"
#include "host/only_child.h"
#include "json/json.h"
#include "lb_policies/cluster_child_config.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/random_subsetting/subset.h"

typedef struct subsetting_config {
  gxds_cluster_child_config of; /* first; its cluster is empty */
  uint32_t size;
} subsetting_config;

typedef struct policy {
  gxds_only_child only; /* first */
  uint64_t seed;
} policy;

/* The caller owns the returned reference. */
static const gxds_addresses *subset_of(const policy *p, const gxds_addresses *all, uint32_t size) {
  gxds_text text = {0};
  size_t *ends = gxds_calloc(all->count, sizeof *ends);
  for (size_t i = 0; i < all->count; i++) {
    gxds_addresses_render_key(all, i, &text);
    ends[i] = text.size;
  }
  gxds_str *keys = gxds_calloc(all->count, sizeof *keys);
  for (size_t i = 0; i < all->count; i++) {
    const size_t begin = i > 0 ? ends[i - 1] : 0;
    keys[i] = gxds_str_of(text.data + begin, ends[i] - begin);
  }
  size_t *chosen = gxds_calloc(all->count, sizeof *chosen);
  const size_t count = gxds_subset_choose(keys, all->count, size, p->seed, chosen);
  gxds_free(keys);
  gxds_free(ends);
  gxds_text_fini(&text);
  return gxds_addresses_select(all, chosen, count);
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->only.base = base;
  p->seed = gxds_policy_random_seed(base);
  return p;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  const subsetting_config *config = (const subsetting_config *)given->config;
  const gxds_addresses *subset =
      given->addresses ? subset_of(p, given->addresses, config->size) : NULL;
  gxds_status status = gxds_only_child_update_with(&p->only, given, config->of.child, subset);
  gxds_addresses_unref(subset);
  return status;
}

static void destroy(void *self) { gxds_free(self); }

static gxds_lb_config *parse(const json_t *json, gxds_lb_parse_list *parse_list,
                             gxds_errors *errors) {
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  uint32_t size = 0;
  if (gxds_json_uint32(json, "subsetSize", GXDS_JSON_REQUIRED, NULL, errors, &size) && size == 0) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "subsetSize"), "must be greater than 0");
  }
  gxds_lb_config *child = gxds_lb_parse_child(json, "childPolicy", NULL, parse_list, errors);
  if (errors->count > 0) {
    gxds_lb_config_unref(child);
    return NULL;
  }
  subsetting_config *config = GXDS_NEW(subsetting_config);
  gxds_cluster_child_config_init(&config->of, &gxds_random_subsetting_policy, gxds_str_of(NULL, 0),
                                 child);
  config->size = size;
  return &config->of.base;
}

const gxds_policy_type gxds_random_subsetting_policy = {
    .name = "random_subsetting_experimental",
    .trace = "round_robin", /* its child is usually round_robin, so it has the same flag */
    .log_name = "random_subsetting",
    .title = "random_subsetting",
    .parse = parse,
    .create = create,
    .update = update,
    GXDS_ONLY_CHILD,
    .destroy = destroy,
    .child_state = gxds_only_child_pass_on,
};
