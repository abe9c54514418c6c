#include "lb_policies/slow_start/slow_start_policy.h"

#include "base/memory.h"
#include "json/json.h"
#include "lb_policies/round_robin/turn_picker.h"
#include "lb_policies/slow_start/newcomers.h"
#include "lb_policies/weighted_round_robin/weight_picker.h"

typedef struct slow_start_config {
  gxds_lb_config base;
  gxds_slow_start slow_start;
} slow_start_config;

typedef struct policy {
  gxds_endpoints_policy endpoints; /* first */
  gxds_address_list list;
  gxds_newcomers newcomers;
  gxds_turns *turns;
  bool by_weight; /* E3: picks by the weights of endpoints. Then `members` is not used, because the
                     shares of a picker never change */
  gxds_weighted_members *members; /* the members of the last picker; NULL if there is none */
} policy;

/* Computes the slow-start shares in p->members again, and sets the deadline for the next time. */
static void reweigh(policy *p) {
  double *shares = gxds_calloc(p->members->count, sizeof *shares);
  const gxds_time next =
      gxds_newcomers_shares(&p->newcomers, gxds_policy_now(p->endpoints.base), shares);
  gxds_stride_set_shares(p->members->stride, shares);
  gxds_free(shares);
  gxds_policy_set_deadline(p->endpoints.base, next);
}

/* Makes a picker by weight: an endpoint's weight times its present slow-start share. The picker
 * uses a wheel. A wheel picks in constant time even if the weights are very different, but it
 * cannot change, so each change of a share needs a new picker. */
static gxds_picker *make_picker_by_weight(policy *p, const uint64_t *tokens, size_t count) {
  gxds_policy *base = p->endpoints.base;
  const gxds_time now = gxds_policy_now(base);
  double *shares = gxds_calloc(count, sizeof *shares);
  gxds_newcomers_picked(&p->newcomers, tokens, count, now);
  const gxds_time next = gxds_newcomers_shares(&p->newcomers, now, shares);
  gxds_picker *picker = gxds_turn_picker_create_by_weight(&p->endpoints, tokens, count, p->turns,
                                                          next == GXDS_TIME_NEVER ? NULL : shares);
  gxds_free(shares);
  gxds_policy_set_deadline(base, next);
  return picker;
}

static gxds_picker *make_picker(gxds_endpoints_policy *e, const uint64_t *tokens, size_t count) {
  policy *p = (policy *)e;
  if (p->by_weight) return make_picker_by_weight(p, tokens, count);
  gxds_weighted_members *m = gxds_weighted_members_create(count);
  for (size_t i = 0; i < count; i++) {
    m->subchannels[i] =
        gxds_subchannel_ref(gxds_endpoints_policy_subchannel(e, (uint32_t)tokens[i]));
  }
  gxds_weighted_members_unref(p->members);
  p->members = m;
  gxds_newcomers_picked(&p->newcomers, tokens, count, gxds_policy_now(e->base));
  reweigh(p);
  return gxds_weight_picker_create(m, p->turns, false);
}

static void no_picker(gxds_endpoints_policy *e) {
  policy *p = (policy *)e;
  gxds_weighted_members_unref(p->members);
  p->members = NULL;
  gxds_newcomers_picked(&p->newcomers, NULL, 0, 0);
  gxds_policy_set_deadline(e->base, GXDS_TIME_NEVER);
}

static void on_deadline(void *self) {
  policy *p = self;
  if (p->by_weight) {
    gxds_endpoints_policy_publish_picker(&p->endpoints);
  } else if (p->members) {
    reweigh(p);
  }
}

static gxds_lb_address address_at(gxds_endpoints_policy *e, uint32_t position) {
  return gxds_address_list_at(&((policy *)e)->list, position);
}

static void created(gxds_endpoints_policy *e, uint64_t token, uint32_t position) {
  policy *p = (policy *)e;
  gxds_newcomers_created(&p->newcomers, (uint32_t)token,
                         gxds_address_list_key_at(&p->list, position));
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  static const gxds_endpoints_policy_ops ops = {.address_at = address_at,
                                                .make_picker = make_picker,
                                                .no_picker = no_picker,
                                                .created = created};
  policy *p = GXDS_NEW(policy);
  p->turns = gxds_turns_create(gxds_policy_random_seed(base));
  gxds_endpoints_policy_init(&p->endpoints, base, &ops);
  p->by_weight = gxds_policy_type_of(base) == &gxds_endpoint_weights_policy;
  gxds_endpoints_policy_by_weight(&p->endpoints, p->by_weight);
  return p;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  return gxds_newcomers_update(&p->newcomers,
                               &((const slow_start_config *)given->config)->slow_start, &p->list,
                               &p->endpoints, given);
}

static void destroy(void *self) {
  policy *p = self;
  gxds_endpoints_policy_fini(&p->endpoints);
  gxds_address_list_fini(&p->list);
  gxds_newcomers_fini(&p->newcomers);
  gxds_turns_unref(p->turns);
  gxds_free(p);
}

static void destroy_config(gxds_lb_config *c) { gxds_free(c); }

static gxds_lb_config *parse(const gxds_policy_type *type, const json_t *json,
                             gxds_errors *errors) {
  gxds_slow_start given;
  if (!gxds_json_is_object(json, NULL, errors) || !gxds_slow_start_parse(json, errors, &given)) {
    return NULL;
  }
  slow_start_config *config = GXDS_NEW(slow_start_config);
  gxds_lb_config_init(&config->base, type, destroy_config);
  config->slow_start = given;
  return &config->base;
}

bool gxds_lb_config_is_endpoint_weights_alone(const gxds_lb_config *c) {
  return c->type == &gxds_endpoint_weights_policy &&
         ((const slow_start_config *)c)->slow_start.window == 0;
}

#define POLICY(name_)                                                                              \
  {                                                                                                \
    .name = (name_), .parse_of = parse, .create = create, .update = update, GXDS_ENDPOINTS_POLICY, \
    .destroy = destroy, .on_deadline = on_deadline                                                 \
  }

const gxds_policy_type gxds_slow_start_policy = POLICY("grpc_xds_slow_start");
const gxds_policy_type gxds_endpoint_weights_policy = POLICY("grpc_xds_endpoint_weights");
