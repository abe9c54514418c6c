#include "lb_policies/ring_hash/ring_hash_policy.h"

#include <uthash.h>

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/endpoint_list/normal_weights.h"
#include "lb_policies/ring_hash/hash_picker.h"
#include "lb_policies/ring_hash/ring_hash.h"
#include "resources/endpoints.h"

typedef struct policy policy;

typedef struct endpoint {
  gxds_watch watch; /* first */
  policy *policy;
  uint64_t token;
  gxds_subchannel *subchannel; /* a reference; NULL: the host could not make a subchannel */
  gxds_status failure;         /* the last */
  UT_hash_handle hh;           /* in the table by token, in the order of creation */
} endpoint;

struct policy {
  gxds_policy *base;
  gxds_ring_hash *machine;
  bool draining;
  endpoint *endpoints;
  gxds_status last_failure;

  /* From the last update. The policy owns these references. */
  gxds_ring_hash_config *config;
  const gxds_addresses *addresses;
  const gxds_args *args;
};

static void drain(policy *p);

static endpoint *find(policy *p, uint64_t token) {
  endpoint *e;
  HASH_FIND(hh, p->endpoints, &token, sizeof token, e);
  return e;
}

static void trace_state(const policy *p, const endpoint *e, grpc_connectivity_state state,
                        const gxds_status *status) {
  gxds_text text = {0};
  gxds_status_render(status, &text);
  const gxds_str why = gxds_text_str(&text);
  if (e) {
    gxds_policy_trace(p->base, "endpoint %llu: %s (%.*s)", (unsigned long long)e->token,
                      gxds_lb_state_name(state), GXDS_STR_ARG(why));
  } else {
    gxds_policy_trace(p->base, "%s (%.*s)", gxds_lb_state_name(state), GXDS_STR_ARG(why));
  }
  gxds_text_fini(&text);
}

/* The endpoint may end here. */
static void on_state(gxds_watch *w, grpc_connectivity_state state, const gxds_status *status) {
  endpoint *e = (endpoint *)w;
  policy *p = e->policy;
  if (gxds_policy_traces(p->base)) trace_state(p, e, state, status);
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    gxds_status_set(&e->failure, gxds_status_copy(status));
    gxds_status_set(&p->last_failure,
                    gxds_status_of_cause("no reachable subchannels; last error: ", status));
  }
  gxds_ring_hash_on_state(p->machine, e->token, state);
  drain(p);
}

static void create_endpoint(policy *p, const gxds_ring_hash_op *op) {
  endpoint *e = GXDS_NEW(endpoint);
  e->watch.on_state = on_state;
  e->policy = p;
  e->token = op->token;
  HASH_ADD(hh, p->endpoints, token, sizeof e->token, e);
  const gxds_lb_address address = gxds_addresses_at(p->addresses, op->position);
  gxds_text key = {0};
  gxds_addresses_render_key(p->addresses, op->position, &key);
  gxds_policy_trace(p->base, "endpoint %llu is %.*s", (unsigned long long)e->token,
                    GXDS_STR_ARG(gxds_text_str(&key)));
  e->subchannel = gxds_policy_subchannel(p->base, &address, p->args);
  if (e->subchannel) {
    gxds_subchannel_watch(e->subchannel, &e->watch);
  } else if (!gxds_policy_ended(p->base)) {
    gxds_status none = gxds_status_make(GXDS_UNAVAILABLE, "no subchannel can be made for %.*s",
                                        GXDS_STR_ARG(gxds_text_str(&key)));
    on_state(&e->watch, GRPC_CHANNEL_TRANSIENT_FAILURE, &none);
    gxds_status_fini(&none);
  }
  gxds_text_fini(&key);
}

static void remove_endpoint(policy *p, endpoint *e) {
  HASH_DEL(p->endpoints, e);
  if (e->subchannel) gxds_subchannel_unwatch(e->subchannel, &e->watch);
  gxds_subchannel_unref(e->subchannel);
  gxds_status_fini(&e->failure);
  gxds_free(e);
}

static void publish(policy *p) {
  const grpc_connectivity_state state = gxds_ring_hash_state(p->machine);
  static const gxds_status ok = {0};
  const gxds_status *status = state == GRPC_CHANNEL_TRANSIENT_FAILURE ? &p->last_failure : &ok;
  const gxds_ring_picker *ring = gxds_ring_hash_picker(p->machine);
  if (!ring) { /* no endpoints */
    gxds_policy_publish_empty(p->base, status);
    return;
  }
  if (gxds_policy_traces(p->base)) trace_state(p, NULL, state, status);
  const size_t count = gxds_ring_hash_count(p->machine);
  gxds_hash_member *members = gxds_calloc(count, sizeof *members);
  for (size_t i = 0; i < count; i++) {
    const endpoint *e = find(p, gxds_ring_hash_token_at(p->machine, i));
    members[i].subchannel = e->subchannel ? gxds_subchannel_ref(e->subchannel) : NULL;
    members[i].failure = gxds_status_copy(&e->failure);
  }
  gxds_picker *picker =
      gxds_hash_picker_create(ring, members, count, p->config, gxds_policy_poker(p->base));
  gxds_policy_publish(p->base, state, status, picker);
}

static void carry_out(policy *p, const gxds_ring_hash_op *op) {
  endpoint *e;
  switch (op->kind) {
    case GXDS_RING_HASH_CREATE:
      create_endpoint(p, op);
      return;
    case GXDS_RING_HASH_REMOVE:
      remove_endpoint(p, find(p, op->token));
      return;
    case GXDS_RING_HASH_CONNECT:
      e = find(p, op->token);
      if (e->subchannel) gxds_subchannel_connect(e->subchannel);
      return;
    case GXDS_RING_HASH_RERESOLVE:
      gxds_policy_reresolve(p->base);
      return;
    case GXDS_RING_HASH_PUBLISH:
      publish(p);
      return;
  }
}

static void drain(policy *p) {
  if (p->draining) return; /* a nested call: the outer call carries out the operations */
  p->draining = true;
  gxds_ring_hash_op op;
  while (!gxds_policy_ended(p->base) && gxds_ring_hash_next(p->machine, &op)) carry_out(p, &op);
  p->draining = false;
}

static void *create(gxds_policy *base, const gxds_args *args) {
  policy *p = GXDS_NEW(policy);
  p->base = base;
  int cap;
  const bool has_cap = gxds_args_get_int(args, GXDS_RING_SIZE_CAP_ARG, &cap) && cap > 0;
  p->machine = gxds_ring_hash_create(has_cap ? (uint64_t)cap : GXDS_RING_HASH_SIZE_CAP_DEFAULT);
  return p;
}

static bool goes_by_first(const gxds_lb_address *address) {
  return address->more_count > 0 && gxds_str_empty(address->hash_key);
}

/* An endpoint as ring_hash.h takes it. If it has several addresses, all of them identify it, and
 * the first decides its places on the ring (A61). The caller owns the texts, except a hash key that
 * the endpoint has itself. */
static gxds_ring_hash_endpoint view_of(const gxds_addresses *addresses, size_t index,
                                       uint32_t weight) {
  const gxds_lb_address address = gxds_addresses_at(addresses, index);
  gxds_text key = {0};
  gxds_addresses_render_key(addresses, index, &key);
  gxds_text detail = {0};
  gxds_addresses_render_detail(addresses, index, &detail);
  gxds_str hash_key = address.hash_key;
  if (address.more_count > 0) {
    if (goes_by_first(&address)) hash_key = gxds_text_take(&key);
    gxds_text_clear(&key);
    gxds_lb_address_render_set(&address, &key);
  }
  return (gxds_ring_hash_endpoint){.key = gxds_text_take(&key),
                                   .hash_key = hash_key,
                                   .detail = gxds_text_take(&detail),
                                   .weight = weight};
}

static void update_machine(policy *p, bool renew) {
  const size_t count = p->addresses->count;
  gxds_ring_hash_endpoint *views = gxds_calloc(count, sizeof *views);
  uint32_t *weights = gxds_calloc(count, sizeof *weights);
  gxds_normal_weights(p->addresses, weights); /* A42, by A113 */
  for (size_t i = 0; i < count; i++) views[i] = view_of(p->addresses, i, weights[i]);
  gxds_free(weights);
  gxds_ring_hash_on_update(p->machine, views, count, p->config->min_ring_size,
                           p->config->max_ring_size, renew);
  for (size_t i = 0; i < count; i++) {
    gxds_str_free(&views[i].key);
    const gxds_lb_address address = gxds_addresses_at(p->addresses, i);
    if (goes_by_first(&address)) gxds_str_free(&views[i].hash_key);
    gxds_str_free(&views[i].detail);
  }
  gxds_free(views);
}

/* A61: the addresses of an endpoint that stays may be in another order now. */
static void reorder(policy *p) {
  const size_t count = gxds_ring_hash_count(p->machine);
  /* Some addresses occur twice, which EDS does not allow. */
  if (count != p->addresses->count) return;
  for (size_t i = 0; i < count; i++) {
    const gxds_lb_address address = gxds_addresses_at(p->addresses, i);
    const endpoint *e =
        address.more_count > 0 ? find(p, gxds_ring_hash_token_at(p->machine, i)) : NULL;
    if (e && e->subchannel) gxds_subchannel_reorder(e->subchannel, &address);
  }
}

static gxds_status update(void *self, const gxds_lb_update *u) {
  policy *p = self;
  gxds_lb_config *before = p->config ? &p->config->base : NULL;
  p->config = (gxds_ring_hash_config *)gxds_lb_config_ref(u->config);
  gxds_lb_config_unref(before);
  if (!u->addresses) {
    /* The last good addresses stay in use. */
    if (gxds_ring_hash_count(p->machine) == 0) {
      gxds_policy_publish_failure(p->base, &u->addresses_status);
    }
    return gxds_status_copy(&u->addresses_status);
  }
  gxds_addresses_unref(p->addresses);
  p->addresses = gxds_addresses_ref(u->addresses);
  const bool renew = p->args && !gxds_args_equal(p->args, u->args);
  gxds_args_unref(p->args);
  p->args = gxds_args_ref(u->args);
  update_machine(p, renew);
  gxds_status status = gxds_status_ok();
  if (p->addresses->count == 0) {
    status = gxds_policy_empty_status(u->note);
    gxds_status_set(&p->last_failure, gxds_status_copy(&status));
  }
  drain(p);
  if (!gxds_policy_ended(p->base)) reorder(p);
  return status;
}

static void exit_idle(void *self) {
  policy *p = self;
  gxds_ring_hash_on_exit_idle(p->machine);
  drain(p);
}

static void reset_backoff(void *self) {
  policy *p = self;
  for (endpoint *e = p->endpoints; e; e = e->hh.next) {
    if (e->subchannel) gxds_subchannel_reset_backoff(e->subchannel);
  }
}

/* A pick wants the endpoint of that token to connect. */
static void poked(void *self, uint64_t token, gxds_str text) {
  (void)text;
  policy *p = self;
  gxds_ring_hash_on_pick(p->machine, token);
  drain(p);
}

static void end(void *self) {
  policy *p = self;
  endpoint *e;
  endpoint *next;
  HASH_ITER(hh, p->endpoints, e, next) remove_endpoint(p, e);
}

static void destroy(void *self) {
  policy *p = self;
  gxds_ring_hash_destroy(p->machine);
  gxds_status_fini(&p->last_failure);
  if (p->config) gxds_lb_config_unref(&p->config->base);
  gxds_addresses_unref(p->addresses);
  gxds_args_unref(p->args);
  gxds_free(p);
}

const gxds_policy_type gxds_ring_hash_policy = {
    .name = "ring_hash_experimental",
    .trace = "ring_hash_lb",
    .log_name = "RH",
    .title = "ring_hash",
    .parse = gxds_ring_hash_parse,
    .create = create,
    .update = update,
    .exit_idle = exit_idle,
    .reset_backoff = reset_backoff,
    .end = end,
    .destroy = destroy,
    .poked = poked,
};
