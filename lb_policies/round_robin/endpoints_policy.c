#include "lb_policies/round_robin/endpoints_policy.h"

#include <inttypes.h>

#include "base/memory.h"

/* An endpoint with its subchannel. */
typedef struct gxds_endpoint_watch {
  gxds_watch watch; /* first */
  gxds_endpoints_policy *policy;
  uint64_t token;
  gxds_subchannel *subchannel; /* a reference */
  uint64_t start;              /* the start (pace.h) that its first attempt holds; 0: none */
  bool reported;
} endpoint;

static void drain(gxds_endpoints_policy *e);

static gxds_lb_channel *channel_of(const gxds_endpoints_policy *e) {
  return gxds_policy_channel(e->base);
}

static void settle(const gxds_endpoints_policy *e, uint64_t *start) {
  const uint64_t settled = *start;
  *start = 0;
  if (settled != 0) gxds_channel_pace_settle(channel_of(e), settled);
}

static void update_pace(gxds_endpoints_policy *e) {
  if (gxds_policy_ended(e->base)) return;
  gxds_channel_pace_want(channel_of(e), &e->user, gxds_round_robin_wanted(e->machine), e->hurries);
}

static void trace_state(const endpoint *w, grpc_connectivity_state state,
                        const gxds_status *status) {
  gxds_text text = {0};
  gxds_status_render(status, &text);
  gxds_policy_trace(w->policy->base, "endpoint %" PRIx64 ": %s (%.*s)", w->token,
                    gxds_lb_state_name(state), GXDS_STR_ARG(gxds_text_str(&text)));
  gxds_text_fini(&text);
}

/* The endpoint may end here. */
static void on_state(gxds_watch *watch, grpc_connectivity_state state, const gxds_status *status) {
  endpoint *w = (endpoint *)watch;
  gxds_endpoints_policy *e = w->policy;
  const uint64_t token = w->token;
  /* The first attempt is over. */
  if (state == GRPC_CHANNEL_READY || state == GRPC_CHANNEL_TRANSIENT_FAILURE) settle(e, &w->start);
  /* The first report is the state that the connection had before. It may be READY, if the
   * connection stayed while its subchannel was made anew. */
  const bool connected = state == GRPC_CHANNEL_READY && w->reported;
  w->reported = true;
  if (gxds_policy_traces(e->base)) trace_state(w, state, status);
  if (!gxds_status_is_ok(status)) {
    gxds_status_set(
        &e->last_failure,
        gxds_status_of_cause("connections to all backends failing; last error: ", status));
  }
  if (connected && e->ops->ready) e->ops->ready(e, token);
  gxds_round_robin_on_state(e->machine, token, state);
  drain(e);
}

static void create_endpoint(gxds_endpoints_policy *e, uint64_t token, uint32_t position) {
  const gxds_lb_address address = e->ops->address_at(e, position);
  gxds_subchannel *subchannel = gxds_policy_subchannel(e->base, &address, e->args);
  if (!subchannel) {
    gxds_round_robin_on_refused(e->machine, token);
    return;
  }
  endpoint *w = GXDS_NEW(endpoint);
  w->watch.on_state = on_state;
  w->policy = e;
  w->token = token;
  w->subchannel = subchannel;
  w->start = e->start;
  e->start = 0;
  e->endpoints[(uint32_t)token] = w;
  if (e->ops->created) e->ops->created(e, token, position);
  gxds_subchannel_watch(subchannel, &w->watch);
}

static void remove_endpoint(gxds_endpoints_policy *e, uint32_t slot) {
  endpoint *w = e->endpoints[slot];
  if (!w) return;
  e->endpoints[slot] = NULL;
  settle(e, &w->start);
  gxds_subchannel_unwatch(w->subchannel, &w->watch);
  gxds_subchannel_unref(w->subchannel);
  gxds_free(w);
}

static void no_picker(gxds_endpoints_policy *e) {
  if (e->ops->no_picker) e->ops->no_picker(e);
}

/* If endpoints are left out, picks are counted, so that the policy learns when it needs them. */
static gxds_picker *make_picker(gxds_endpoints_policy *e, const gxds_round_robin_op *op) {
  gxds_picker *picker = e->ops->make_picker(e, op->members, op->member_count);
  if (op->left_out == 0) return picker;
  if (!e->demand) e->demand = gxds_demand_create(gxds_policy_poker(e->base));
  return gxds_demand_picker_create(e->demand, picker, op->member_count);
}

static void publish(gxds_endpoints_policy *e, const gxds_round_robin_op *op) {
  gxds_policy_trace(e->base, "state=%s, %zu endpoints in the picks, %" PRIu32 " left out",
                    gxds_lb_state_name(op->state), op->member_count, op->left_out);
  e->published = op->state;
  if (op->state != GRPC_CHANNEL_CONNECTING) e->hurries = false;
  if (op->state == GRPC_CHANNEL_READY) {
    gxds_policy_publish(e->base, op->state, NULL, make_picker(e, op));
    return;
  }
  no_picker(e);
  if (op->state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    gxds_policy_publish_failure(e->base, &e->last_failure);
  } else {
    gxds_policy_publish_queue(e->base, op->state);
  }
}

static void publish_empty(gxds_endpoints_policy *e) {
  no_picker(e);
  gxds_status empty = gxds_policy_empty_status(e->note);
  gxds_policy_publish_empty(e->base, &empty);
  gxds_status_fini(&empty);
}

static void carry_out(gxds_endpoints_policy *e, const gxds_round_robin_op *op) {
  switch (op->kind) {
    case GXDS_ROUND_ROBIN_CREATE:
      create_endpoint(e, op->endpoint, op->position);
      break;
    case GXDS_ROUND_ROBIN_CONNECT:
      gxds_subchannel_connect(e->endpoints[(uint32_t)op->endpoint]->subchannel);
      break;
    case GXDS_ROUND_ROBIN_RERESOLVE:
      gxds_policy_reresolve(e->base);
      break;
    case GXDS_ROUND_ROBIN_PUBLISH:
      publish(e, op);
      break;
    case GXDS_ROUND_ROBIN_PUBLISH_EMPTY:
      publish_empty(e);
      break;
    case GXDS_ROUND_ROBIN_REMOVE:
      remove_endpoint(e, (uint32_t)op->endpoint);
      break;
  }
}

static void let_go(gxds_endpoints_policy *e) {
  gxds_subchannel **kept = e->kept;
  const uint32_t count = e->kept_count;
  e->kept = NULL;
  e->kept_count = 0;
  for (uint32_t i = 0; i < count; i++) gxds_subchannel_unref(kept[i]);
  gxds_free(kept);
}

static void drain(gxds_endpoints_policy *e) {
  if (e->draining) return; /* a nested call: the outer call carries out the operations */
  e->draining = true;
  gxds_round_robin_op op;
  while (!gxds_policy_ended(e->base) && gxds_round_robin_next(e->machine, &op)) carry_out(e, &op);
  e->draining = false;
  if (gxds_round_robin_wanted(e->machine) == 0) {
    if (e->kept) let_go(e);
    if (e->growing) gxds_demand_restart(e->demand);
    e->growing = false;
  }
  update_pace(e);
}

static void on_start(gxds_pace_user *u, uint64_t start) {
  gxds_endpoints_policy *e = (gxds_endpoints_policy *)u;
  e->start = start;
  gxds_round_robin_on_start(e->machine);
  drain(e);
  /* The policy's end settles the start too. */
  if (!gxds_policy_ended(e->base)) settle(e, &e->start);
}

void gxds_endpoints_policy_init(gxds_endpoints_policy *e, gxds_policy *base,
                                const gxds_endpoints_policy_ops *ops) {
  e->ops = ops;
  e->base = base;
  e->machine = gxds_round_robin_create();
  e->published = GRPC_CHANNEL_IDLE;
  e->user.start = on_start;
  gxds_channel_pace_join(channel_of(e), &e->user);
}

void gxds_endpoints_policy_fini(gxds_endpoints_policy *e) {
  gxds_round_robin_destroy(e->machine);
  gxds_demand_unref(e->demand);
  gxds_status_fini(&e->last_failure);
  gxds_str_free(&e->note);
  gxds_args_unref(e->args);
  gxds_free(e->endpoints);
}

void gxds_endpoints_policy_keep_connections(gxds_endpoints_policy *e) {
  if (e->kept || e->slot_count == 0) return;
  e->kept = gxds_calloc(e->slot_count, sizeof(gxds_subchannel *));
  for (uint32_t i = 0; i < e->slot_count; i++) {
    if (e->endpoints[i])
      e->kept[e->kept_count++] = gxds_subchannel_ref(e->endpoints[i]->subchannel);
  }
}

static void set_limit(gxds_endpoints_policy *e, uint32_t count) {
  const uint32_t eager = gxds_channel_pace_eager(channel_of(e), &e->user, count);
  if (eager < count && e->random == 0) e->random = gxds_policy_random_seed(e->base);
  gxds_round_robin_limit(e->machine, eager, gxds_channel_pace_window(channel_of(e)), e->random);
}

gxds_status gxds_endpoints_policy_update(gxds_endpoints_policy *e, const gxds_locality *locality,
                                         const gxds_lb_update *update) {
  const uint32_t count = locality->endpoint_count;
  const bool renew = e->args && !gxds_args_equal(e->args, update->args);
  gxds_args_unref(e->args);
  e->args = gxds_args_ref(update->args);
  gxds_str_set(&e->note, update->note);
  set_limit(e, count);
  gxds_round_robin_on_update(e->machine, locality, renew);
  const uint32_t slots = gxds_endpoints_policy_slot_count(e);
  GXDS_EXTEND(e->endpoints, e->slot_count, slots);
  drain(e);
  return count > 0 ? gxds_status_ok() : gxds_policy_empty_status(e->note);
}

void gxds_endpoints_policy_reorder(gxds_endpoints_policy *e, uint32_t count) {
  if (gxds_policy_ended(e->base)) return;
  for (uint32_t i = 0; i < count; i++) {
    const endpoint *w = e->endpoints[(uint32_t)gxds_round_robin_token_at(e->machine, i)];
    if (!w) continue; /* the endpoint has no subchannel */
    const gxds_lb_address address = e->ops->address_at(e, i);
    if (address.more_count > 0) gxds_subchannel_reorder(w->subchannel, &address);
  }
}

void gxds_endpoints_policy_by_weight(gxds_endpoints_policy *e, bool by_weight) {
  gxds_round_robin_by_weight(e->machine, by_weight);
}

void gxds_endpoints_policy_renew_picker(gxds_endpoints_policy *e) {
  gxds_round_robin_on_other_picks(e->machine);
}

void gxds_endpoints_policy_publish_picker(gxds_endpoints_policy *e) {
  gxds_round_robin_on_other_picks(e->machine);
  drain(e);
}

uint32_t gxds_endpoints_policy_slot_count(const gxds_endpoints_policy *e) {
  return gxds_round_robin_slot_count(e->machine);
}

gxds_subchannel *gxds_endpoints_policy_subchannel(const gxds_endpoints_policy *e, uint32_t slot) {
  const endpoint *w = slot < e->slot_count ? e->endpoints[slot] : NULL;
  return w ? w->subchannel : NULL;
}

uint32_t gxds_endpoints_policy_weight(const gxds_endpoints_policy *e, uint64_t token) {
  return gxds_round_robin_weight(e->machine, token);
}

/* A waiting pick causes this call too. While the policy is CONNECTING, its connections then come
 * before those of other policies of the channel. */
void gxds_endpoints_policy_exit_idle(void *self) {
  gxds_endpoints_policy *e = self;
  e->hurries = e->published == GRPC_CHANNEL_CONNECTING;
  update_pace(e);
}

void gxds_endpoints_policy_reset_backoff(void *self) {
  gxds_endpoints_policy *e = self;
  for (uint32_t i = 0; i < e->slot_count; i++) {
    if (e->endpoints[i]) gxds_subchannel_reset_backoff(e->endpoints[i]->subchannel);
  }
}

/* Picks need more endpoints. Picks are not counted while these endpoints wait for their turn to
 * connect; otherwise each of many picks would poke the policy again. */
void gxds_endpoints_policy_poked(void *self, uint64_t number, gxds_str text) {
  (void)number;
  (void)text;
  gxds_endpoints_policy *e = self;
  gxds_round_robin_on_use(e->machine);
  e->growing = true;
  drain(e);
}

void gxds_endpoints_policy_end(void *self) {
  gxds_endpoints_policy *e = self;
  no_picker(e);
  for (uint32_t i = 0; i < e->slot_count; i++) remove_endpoint(e, i);
  let_go(e);
  gxds_channel_pace_leave(channel_of(e), &e->user);
}
