#include "lb_policies/pick_first/pick_first_policy.h"

#include "base/memory.h"
#include "json/json.h"
#include "lb_policies/happy_eyeballs/connector.h"
#include "lb_policies/pick_first/address_tries.h"

/* The host's argument that turns health checks off: pick_first never uses them (A17). */
#define INHIBIT_HEALTH_CHECKING_ARG "grpc.inhibit_health_checking"

typedef struct policy policy;

/* The addresses of an update, and what connects to them. */
typedef struct attempt {
  policy *policy;
  gxds_address_tries tries;
  const gxds_args *args;     /* a reference */
  gxds_connector *connector; /* NULL until a connection is wanted */
  bool is_ready;
} attempt;

struct policy {
  gxds_policy *base;
  gxds_policy_counts *counts; /* borrowed: valid until the process ends */
  attempt *current;           /* NULL: there are no addresses */
  attempt *pending;           /* replaces current when it is connected, or has failed; NULL: none */
  bool idle;                  /* the connection was lost, and no new connection has been requested
                                 yet */
  bool failed;                /* A62: TRANSIENT_FAILURE stays until there is a connection */
};

/* --- Picks --- */

typedef struct picker {
  gxds_picker base;
  gxds_subchannel *chosen; /* a reference */
} picker;

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  (void)call;
  gxds_picked_complete(out, gxds_subchannel_ref(((const picker *)base)->chosen), NULL);
}

static void destroy_picker(gxds_picker *base) {
  gxds_subchannel_unref(((picker *)base)->chosen);
  gxds_free(base);
}

static gxds_picker *create_picker(gxds_subchannel *chosen) {
  static const gxds_picker_ops ops = {pick, destroy_picker};
  picker *p = GXDS_NEW(picker);
  gxds_picker_init(&p->base, &ops);
  p->chosen = gxds_subchannel_ref(chosen);
  return &p->base;
}

/* --- Attempts --- */

static void end_attempt(attempt **which) {
  attempt *a = *which;
  *which = NULL;
  if (!a) return;
  gxds_connector_end(a->connector);
  gxds_address_tries_fini(&a->tries);
  gxds_args_unref(a->args);
  gxds_free(a);
}

static gxds_subchannel *make(void *owner, uint32_t address) {
  const attempt *a = owner;
  return gxds_policy_subchannel(a->policy->base, &a->tries.list[address], a->args);
}

static void publish_failure(policy *p, const gxds_status *why) {
  gxds_status failure =
      gxds_status_of_cause("failed to connect to all addresses; last error: ", why);
  p->failed = true;
  gxds_policy_reresolve(p->base);
  gxds_policy_fail(p->base, failure);
}

static void publish_waiting(policy *p, grpc_connectivity_state state) {
  if (!p->failed) gxds_policy_publish_queue(p->base, state);
}

static void promote(policy *p) {
  end_attempt(&p->current);
  p->current = p->pending;
  p->pending = NULL;
}

/* The connection is lost. If there is a pending attempt, which has already begun to connect, it
 * takes over, as in the host's pick_first. */
static void lose(policy *p) {
  if (p->pending) {
    promote(p);
    publish_waiting(p, GRPC_CHANNEL_CONNECTING);
    return;
  }
  p->idle = true;
  gxds_policy_reresolve(p->base);
  if (!gxds_policy_ended(p->base)) gxds_policy_publish_queue(p->base, GRPC_CHANNEL_IDLE);
}

static void attempt_ended(void *owner, bool succeeded) {
  gxds_policy_counts_add(((const attempt *)owner)->policy->counts,
                         succeeded ? GXDS_COUNT_ATTEMPTS_SUCCEEDED : GXDS_COUNT_ATTEMPTS_FAILED, 1);
}

static void on_state(void *owner, grpc_connectivity_state state, const gxds_status *status,
                     gxds_subchannel *chosen) {
  attempt *a = owner;
  policy *p = a->policy;
  gxds_policy_trace(p->base, "%s addresses: %s", a == p->current ? "current" : "new",
                    gxds_lb_state_name(state));
  if (chosen && state != GRPC_CHANNEL_READY) return; /* A61: connected, but not healthy */
  if (a == p->pending) {
    if (state != GRPC_CHANNEL_READY && state != GRPC_CHANNEL_TRANSIENT_FAILURE) return;
    promote(p);
  }
  const bool was_ready = a->is_ready;
  a->is_ready = state == GRPC_CHANNEL_READY;
  switch (state) {
    case GRPC_CHANNEL_READY:
      if (was_ready) return;
      p->failed = false;
      gxds_policy_publish(p->base, state, NULL, create_picker(chosen));
      return;
    case GRPC_CHANNEL_TRANSIENT_FAILURE:
      publish_failure(p, status);
      return;
    case GRPC_CHANNEL_IDLE:
      if (!was_ready) return;
      gxds_policy_counts_add(p->counts, GXDS_COUNT_DISCONNECTIONS, 1);
      lose(p);
      return;
    default:
      publish_waiting(p, state);
      return;
  }
}

static void begin(policy *p, attempt *a) {
  static const gxds_connector_ops ops = {make, on_state, true, attempt_ended};
  if (!a->connector) {
    a->connector = gxds_connector_create(gxds_policy_channel(p->base), &ops, a, a->tries.count);
  }
  gxds_connector_connect(a->connector);
}

/* --- The policy --- */

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->base = base;
  p->counts = gxds_policy_counts_for(base, GXDS_COUNTING_PICK_FIRST);
  return p;
}

static attempt *create_attempt(policy *p, const gxds_lb_update *given) {
  attempt *a = GXDS_NEW(attempt);
  a->policy = p;
  a->tries = gxds_address_tries_of(given->addresses);
  a->args = gxds_args_with_int(given->args, INHIBIT_HEALTH_CHECKING_ARG, 1);
  return a;
}

static bool is_same(const attempt *a, const attempt *other) {
  return a && gxds_str_equal(a->tries.text, other->tries.text) &&
         gxds_args_equal(a->args, other->args);
}

static gxds_status take_empty(policy *p, const gxds_lb_update *given) {
  end_attempt(&p->pending);
  end_attempt(&p->current);
  p->idle = false;
  p->failed = false; /* no connection failed, so RPCs wait for the next list */
  gxds_status empty = gxds_policy_empty_status(given->note);
  gxds_policy_publish_empty(p->base, &empty);
  if (!gxds_policy_ended(p->base)) gxds_policy_reresolve(p->base);
  return empty;
}

/* An attempt that is connected stays until the new one is connected or has failed. The attempts
 * that are replaced end after the new subchannels are made, so that these find the connections and
 * backoffs of the old ones. */
static void take_attempt(policy *p, attempt *take) {
  const bool is_first = !p->current && !p->failed;
  const bool waits = p->current && p->current->is_ready;
  attempt *gone = p->pending;
  attempt *replaced = waits ? NULL : p->current;
  p->pending = waits ? take : NULL;
  if (!waits) p->current = take;
  if (!p->idle) begin(p, take);
  end_attempt(&gone);
  end_attempt(&replaced);
  if (is_first) publish_waiting(p, GRPC_CHANNEL_CONNECTING);
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  if (!given->addresses) {
    if (!p->current) gxds_policy_publish_failure(p->base, &given->addresses_status);
    return gxds_status_copy(&given->addresses_status);
  }
  if (given->addresses->count == 0) return take_empty(p, given);
  attempt *a = create_attempt(p, given);
  if (is_same(p->pending ? p->pending : p->current, a)) {
    end_attempt(&a);
  } else {
    take_attempt(p, a);
  }
  return gxds_status_ok();
}

static void exit_idle(void *self) {
  policy *p = self;
  if (!p->idle) return;
  p->idle = false;
  if (p->current) begin(p, p->current);
}

static void reset_backoff(void *self) {
  const policy *p = self;
  if (p->current && p->current->connector) gxds_connector_reset_backoff(p->current->connector);
  if (p->pending && p->pending->connector) gxds_connector_reset_backoff(p->pending->connector);
}

static void end(void *self) {
  policy *p = self;
  end_attempt(&p->pending);
  end_attempt(&p->current);
}

static void destroy(void *self) { gxds_free(self); }

/* --- The config --- */

static void destroy_config(gxds_lb_config *c) { gxds_free(c); }

static gxds_lb_config *parse(const json_t *json, gxds_lb_parse_list *parse_list,
                             gxds_errors *errors) {
  (void)parse_list;
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  gxds_lb_config *config = GXDS_NEW(gxds_lb_config);
  gxds_lb_config_init(config, &gxds_pick_first_policy, destroy_config);
  return config;
}

const gxds_policy_type gxds_pick_first_policy = {
    .name = "grpc_xds_pick_first",
    .trace = "pick_first",
    .parse = parse,
    .create = create,
    .update = update,
    .exit_idle = exit_idle,
    .reset_backoff = reset_backoff,
    .end = end,
    .destroy = destroy,
};
