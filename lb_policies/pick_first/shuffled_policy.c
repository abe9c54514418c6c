#include "lb_policies/pick_first/shuffled_policy.h"

#include "base/memory.h"
#include "base/random.h"
#include "host/only_child.h"
#include "json/json.h"
#include "lb_policies/cluster_child_config.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/endpoint_list/normal_weights.h"
#include "lb_policies/pick_first/shuffle.h"

typedef struct policy {
  gxds_only_child only; /* first */
  gxds_random random;
  gxds_text given; /* the list of the last update as text, before it was shuffled */
  size_t *order;   /* the random order of that list */
  size_t count;
} policy;

static gxds_text render(const gxds_addresses *list, const uint32_t *weights) {
  gxds_text text = {0};
  for (size_t i = 0; i < list->count; i++) {
    const gxds_lb_address address = gxds_addresses_at(list, i);
    gxds_addresses_render_key(list, i, &text);
    if (address.more_count > 0) gxds_lb_address_render_set(&address, &text);
    gxds_text_addf(&text, " %u ", weights[i]);
    gxds_addresses_render_detail(list, i, &text);
    gxds_text_addf(&text, "\n");
  }
  return text;
}

/* A62: makes a new order for a new list. An update with the same list moves no connection. */
static void renew_order(policy *p, const gxds_addresses *list) {
  uint32_t *weights = gxds_calloc(list->count, sizeof *weights);
  gxds_normal_weights(list, weights);
  gxds_text text = render(list, weights);
  if (gxds_str_equal(gxds_text_str(&text), gxds_text_str(&p->given))) {
    gxds_text_fini(&text);
  } else {
    gxds_text_fini(&p->given);
    p->given = text;
    gxds_free(p->order);
    p->count = list->count;
    p->order = gxds_calloc(p->count, sizeof *p->order);
    gxds_shuffle(weights, p->order, p->count, &p->random);
  }
  gxds_free(weights);
}

/* The caller owns the returned reference. */
static const gxds_addresses *shuffle(policy *p, const gxds_addresses *list) {
  renew_order(p, list);
  size_t *order = gxds_calloc(p->count, sizeof *order);
  for (size_t i = 0; i < p->count; i++) order[i] = p->order[i];
  return gxds_addresses_select(list, order, p->count);
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->only.base = base;
  p->random.state = gxds_policy_random_seed(base);
  return p;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  gxds_lb_config *child = ((const gxds_cluster_child_config *)given->config)->child;
  const gxds_addresses *shuffled = given->addresses ? shuffle(p, given->addresses) : NULL;
  gxds_status status = gxds_only_child_update_with(&p->only, given, child, shuffled);
  gxds_addresses_unref(shuffled);
  return status;
}

static void destroy(void *self) {
  policy *p = self;
  gxds_text_fini(&p->given);
  gxds_free(p->order);
  gxds_free(p);
}

static gxds_lb_config *parse(const json_t *json, gxds_lb_parse_list *parse_list,
                             gxds_errors *errors) {
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  gxds_lb_config *child = gxds_lb_parse_child(json, "childPolicy", NULL, parse_list, errors);
  if (!child) return NULL;
  return gxds_cluster_child_config_create(&gxds_shuffled_policy, gxds_str_of(NULL, 0), child);
}

const gxds_policy_type gxds_shuffled_policy = {
    .name = "grpc_xds_shuffled",
    .trace = "pick_first", /* its child is pick_first, so it has the same flag */
    .parse = parse,
    .create = create,
    .update = update,
    GXDS_ONLY_CHILD,
    .destroy = destroy,
    .child_state = gxds_only_child_pass_on,
};
