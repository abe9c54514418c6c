#include "lb_policies/happy_eyeballs/connector.h"

#include "base/memory.h"
#include "lb_policies/happy_eyeballs/race.h"

/* The subchannel of one address. */
typedef struct runner {
  gxds_watch watch; /* first */
  gxds_connector *connector;
  uint32_t address;
  gxds_subchannel *subchannel; /* a reference */
  bool has_state;
  grpc_connectivity_state state; /* the last state that the subchannel reported */
} runner;

typedef struct race_timer {
  gxds_connector *connector; /* NULL: the timer was stopped, but too late to cancel its callback */
  gxds_lb_timer timer;
  gxds_time deadline;
} race_timer;

struct gxds_connector {
  gxds_lb_channel *channel; /* a reference */
  const gxds_connector_ops *ops;
  void *owner;
  gxds_race *race;
  race_timer *timer; /* NULL: none is set */
  bool draining;
  bool ended;
  uint32_t chosen;
  bool has_chosen;
  gxds_status failure; /* the last failure to connect, of any address */
  uint32_t count;
  runner *runners[]; /* NULL if the address has no subchannel */
};

static void drain(gxds_connector *c);
static gxds_time now_of(const gxds_connector *c) { return c->channel->ops->now(c->channel); }

/* --- Time --- */

static void on_timer(void *arg) {
  race_timer *t = arg;
  gxds_connector *c = t->connector;
  gxds_free(t);
  if (!c) return;
  c->timer = NULL;
  gxds_race_on_deadline(c->race, now_of(c));
  drain(c);
}

static void stop_timer(gxds_connector *c) {
  race_timer *t = c->timer;
  if (!t) return;
  c->timer = NULL;
  t->connector = NULL;
  if (c->channel->ops->timer_cancel(c->channel, t->timer)) gxds_free(t);
}

static void set_timer(gxds_connector *c) {
  const gxds_time deadline = c->ended ? GXDS_TIME_NEVER : gxds_race_deadline(c->race);
  if (c->timer && c->timer->deadline == deadline) return;
  stop_timer(c);
  if (deadline == GXDS_TIME_NEVER) return;
  const gxds_time now = now_of(c);
  c->timer = GXDS_NEW(race_timer);
  c->timer->connector = c;
  c->timer->deadline = deadline;
  c->timer->timer = c->channel->ops->timer_start(c->channel, deadline > now ? deadline - now : 0,
                                                 on_timer, c->timer);
}

/* --- Subchannels --- */

/* The first state that the watch reports is not the result of an attempt of this connector. */
static void count_attempt(runner *r, grpc_connectivity_state state) {
  const gxds_connector *c = r->connector;
  const bool changed = r->has_state && state != r->state;
  r->has_state = true;
  r->state = state;
  if (!changed || !c->ops->attempt_ended) return;
  if (state == GRPC_CHANNEL_READY) c->ops->attempt_ended(c->owner, true);
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) c->ops->attempt_ended(c->owner, false);
}

static void on_state(gxds_watch *w, grpc_connectivity_state state, const gxds_status *status) {
  runner *r = (runner *)w;
  gxds_connector *c = r->connector;
  count_attempt(r, state);
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    gxds_status_set(&c->failure, gxds_status_copy(status));
  }
  gxds_race_on_state(c->race, r->address, state, now_of(c));
  drain(c);
}

/* The subchannel's memory is freed later, because a caller further up the stack may still use
 * it. */
static void drop(gxds_connector *c, uint32_t address) {
  runner *r = c->runners[address];
  if (!r) return;
  c->runners[address] = NULL;
  gxds_subchannel_unwatch(r->subchannel, &r->watch);
  gxds_subchannel_unref(r->subchannel);
  c->channel->ops->run_later(c->channel, gxds_free, r);
}

static void drop_all_but(gxds_connector *c, uint32_t kept) {
  for (uint32_t i = 0; i < c->count; i++) {
    if (i != kept) drop(c, i);
  }
}

/* All subchannels are made before the first is watched, so that no state is reported before all of
 * them exist. */
static void make_all(gxds_connector *c) {
  for (uint32_t i = 0; i < c->count && !c->ended; i++) {
    gxds_subchannel *subchannel = c->ops->make(c->owner, i);
    if (!subchannel) continue;
    runner *r = GXDS_NEW(runner);
    r->watch.on_state = on_state;
    r->watch.connection_only = c->ops->connection_only;
    r->connector = c;
    r->address = i;
    r->subchannel = subchannel;
    c->runners[i] = r;
  }
  for (uint32_t i = 0; i < c->count && !c->ended; i++) {
    if (c->runners[i]) {
      gxds_subchannel_watch(c->runners[i]->subchannel, &c->runners[i]->watch);
    } else {
      gxds_status_set(&c->failure, gxds_status_make(GXDS_UNAVAILABLE, "no subchannel can be made"));
      gxds_race_on_state(c->race, i, GRPC_CHANNEL_TRANSIENT_FAILURE, now_of(c));
    }
  }
}

/* --- What the race decides --- */

static void publish(gxds_connector *c, grpc_connectivity_state state) {
  static const gxds_status ok = {0};
  gxds_status why = state == GRPC_CHANNEL_TRANSIENT_FAILURE ? gxds_status_copy(&c->failure) : ok;
  const runner *chosen = c->has_chosen ? c->runners[c->chosen] : NULL;
  c->ops->on_state(c->owner, state, &why, chosen ? chosen->subchannel : NULL);
  gxds_status_fini(&why);
}

static void carry_out(gxds_connector *c, const gxds_race_op *op) {
  switch (op->kind) {
    case GXDS_RACE_MAKE:
      make_all(c);
      break;
    case GXDS_RACE_CONNECT:
      if (c->runners[op->address]) gxds_subchannel_connect(c->runners[op->address]->subchannel);
      break;
    case GXDS_RACE_CHOOSE:
      c->has_chosen = true;
      c->chosen = op->address;
      drop_all_but(c, op->address);
      break;
    case GXDS_RACE_DROP:
      c->has_chosen = false;
      drop_all_but(c, c->count);
      break;
    case GXDS_RACE_PUBLISH:
      publish(c, op->state);
      break;
  }
}

static void drain(gxds_connector *c) {
  if (c->draining) return; /* a nested call: the outer call carries out the operations */
  c->draining = true;
  gxds_race_op op;
  while (!c->ended && gxds_race_next(c->race, &op)) carry_out(c, &op);
  c->draining = false;
  set_timer(c);
}

/* Carries out what the race has decided. c still exists: destroy() is queued behind this call. */
static void go_on(void *arg) {
  gxds_connector *c = arg;
  if (!c->ended) drain(c);
}

gxds_connector *gxds_connector_create(gxds_lb_channel *channel, const gxds_connector_ops *ops,
                                      void *owner, uint32_t count) {
  gxds_connector *c = gxds_calloc(1, sizeof *c + count * sizeof(runner *));
  c->channel = gxds_lb_channel_ref(channel);
  c->ops = ops;
  c->owner = owner;
  c->count = count;
  c->race = gxds_race_create(count);
  /* Makes the subchannels at once. So they share existing connections before the present owners of
   * these connections give them up. */
  gxds_race_op op;
  if (gxds_race_next(c->race, &op)) carry_out(c, &op);
  channel->ops->run_later(channel, go_on, c);
  return c;
}

static void destroy(void *arg) {
  gxds_connector *c = arg;
  gxds_lb_channel *channel = c->channel;
  gxds_race_destroy(c->race);
  gxds_status_fini(&c->failure);
  gxds_free(c);
  gxds_lb_channel_unref(channel);
}

/* The memory is freed later, because a function of the connector may be running. */
void gxds_connector_end(gxds_connector *c) {
  if (!c || c->ended) return;
  c->ended = true;
  stop_timer(c);
  drop_all_but(c, c->count);
  c->channel->ops->run_later(c->channel, destroy, c);
}

void gxds_connector_connect(gxds_connector *c) {
  gxds_race_on_connect(c->race, now_of(c));
  c->channel->ops->run_later(c->channel, go_on, c);
}

void gxds_connector_reset_backoff(gxds_connector *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    if (c->runners[i]) gxds_subchannel_reset_backoff(c->runners[i]->subchannel);
  }
}

void gxds_connector_reorder(gxds_connector *c, const uint32_t *order) {
  runner **before = gxds_calloc(c->count, sizeof(runner *));
  for (uint32_t i = 0; i < c->count; i++) before[i] = c->runners[i];
  const uint32_t chosen = c->chosen;
  for (uint32_t i = 0; i < c->count; i++) {
    c->runners[i] = before[order[i]];
    if (c->runners[i]) c->runners[i]->address = i;
    if (order[i] == chosen) c->chosen = i;
  }
  gxds_free(before);
  gxds_race_on_reorder(c->race, order, now_of(c));
  c->channel->ops->run_later(c->channel, go_on, c);
}
