#include "lb_policies/round_robin/round_robin_policy.h"

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/round_robin/address_list.h"
#include "lb_policies/round_robin/endpoints_policy.h"
#include "lb_policies/round_robin/turn_picker.h"

typedef struct round_robin_config {
  gxds_lb_config base;
  const gxds_locality *locality; /* a reference */
  bool by_weight;
} round_robin_config;

typedef struct policy {
  gxds_endpoints_policy endpoints; /* first */
  gxds_turns *turns;
  const gxds_locality *locality; /* the locality of the last update; a reference */
  bool by_weight;
  bool with_proxies; /* A86: endpoints are reached through their proxies */
} policy;

static gxds_picker *make_picker(gxds_endpoints_policy *e, const uint64_t *tokens, size_t count) {
  const policy *p = (const policy *)e;
  return p->by_weight ? gxds_turn_picker_create_by_weight(e, tokens, count, p->turns, NULL)
                      : gxds_turn_picker_create(e, tokens, count, p->turns);
}

static gxds_lb_address address_at(gxds_endpoints_policy *e, uint32_t position) {
  const policy *p = (const policy *)e;
  return gxds_locality_address_for(p->locality, position, p->with_proxies);
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  static const gxds_endpoints_policy_ops ops = {.address_at = address_at,
                                                .make_picker = make_picker};
  policy *p = GXDS_NEW(policy);
  p->turns = gxds_turns_create(gxds_policy_random_seed(base));
  gxds_endpoints_policy_init(&p->endpoints, base, &ops);
  return p;
}

static void set_locality(policy *p, const gxds_locality *locality) {
  const gxds_locality *before = p->locality;
  p->locality = gxds_locality_ref(locality);
  if (before) gxds_locality_unref(before);
}

/* Whether some endpoints are identified by more than a single address. */
static bool by_more(const gxds_locality *l) {
  return l->rare && (l->rare->hostnames || l->rare->more || l->rare->proxies);
}

/* The endpoints. If the address alone does not identify an endpoint, the endpoint has an identity
 * in place of the address. A hostname (A81) and a proxy (A86) are part of the identity, because the
 * subchannel is made with them. So are all addresses of an endpoint with several (A61). The caller
 * owns the array. */
static gxds_endpoint *by_identity(const policy *p, const gxds_locality *l) {
  gxds_endpoint *endpoints = gxds_calloc(l->endpoint_count, sizeof *endpoints);
  gxds_text text = {0};
  for (uint32_t i = 0; i < l->endpoint_count; i++) {
    endpoints[i] = gxds_locality_endpoint(l, i);
    const gxds_lb_address address = gxds_locality_address_for(l, i, p->with_proxies);
    if (address.hostname.size == 0 && address.proxy.size == 0 && address.more_count == 0) continue;
    gxds_text_clear(&text);
    gxds_lb_address_render_set(&address, &text);
    gxds_lb_address_render_names(&address, &text);
    endpoints[i].address = gxds_endpoint_identity(gxds_text_str(&text));
  }
  gxds_text_fini(&text);
  return endpoints;
}

static void set_by_weight(policy *p, bool by_weight) {
  if (p->by_weight == by_weight) return;
  p->by_weight = by_weight;
  gxds_endpoints_policy_by_weight(&p->endpoints, by_weight);
  gxds_endpoints_policy_renew_picker(&p->endpoints);
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  const round_robin_config *config = (const round_robin_config *)given->config;
  const gxds_locality *locality = config->locality;
  set_by_weight(p, config->by_weight);
  p->with_proxies = gxds_args_want_proxies(given->args);
  if (by_more(locality) || (p->locality && by_more(p->locality))) {
    gxds_endpoints_policy_keep_connections(&p->endpoints);
  }
  set_locality(p, locality);
  gxds_endpoint *endpoints = by_more(locality) ? by_identity(p, locality) : NULL;
  const gxds_locality view = {.list.full = endpoints, .endpoint_count = locality->endpoint_count};
  gxds_status status =
      gxds_endpoints_policy_update(&p->endpoints, endpoints ? &view : locality, given);
  gxds_free(endpoints);
  if (locality->rare && locality->rare->more) {
    gxds_endpoints_policy_reorder(&p->endpoints, locality->endpoint_count);
  }
  return status;
}

static void destroy(void *self) {
  policy *p = self;
  gxds_endpoints_policy_fini(&p->endpoints);
  if (p->locality) gxds_locality_unref(p->locality);
  gxds_turns_unref(p->turns);
  gxds_free(p);
}

static void destroy_config(gxds_lb_config *c) {
  round_robin_config *config = (round_robin_config *)c;
  gxds_locality_unref(config->locality);
  gxds_free(config);
}

gxds_lb_config *gxds_round_robin_config_create(const gxds_locality *locality, bool by_weight) {
  round_robin_config *config = GXDS_NEW(round_robin_config);
  gxds_lb_config_init(&config->base, &gxds_round_robin_policy, destroy_config);
  config->locality = gxds_locality_ref(locality);
  config->by_weight = by_weight;
  return &config->base;
}

const gxds_policy_type gxds_round_robin_policy = {
    .name = "grpc_xds_round_robin",
    .log_name = "grpc_xds_round_robin",
    .title = "grpc_xds_round_robin",
    .unconfigurable = "it is what round_robin becomes inside a locality. Use round_robin.",
    .create = create,
    .update = update,
    GXDS_ENDPOINTS_POLICY,
    .destroy = destroy,
};
