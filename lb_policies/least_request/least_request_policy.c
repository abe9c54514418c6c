#include "lb_policies/least_request/least_request_policy.h"

#include "base/memory.h"
#include "json/json.h"
#include "lb_policies/least_request/least_request.h"
#include "lb_policies/slow_start/newcomers.h"

typedef struct policy {
  gxds_endpoints_policy endpoints; /* first */
  gxds_address_list list;
  uint32_t choices;
  gxds_active_requests **active; /* indexed by the low half of the token; references; some belong to
                                    endpoints that are gone */
  uint32_t active_count;
  gxds_newcomers newcomers; /* empty without slow start */
  gxds_draws *draws;        /* the draws of the last picker; NULL: there is no picker, or no slow
                               start */
} policy;

/* --- Picks --- */

typedef struct picker {
  gxds_picker base;
  uint32_t choices;
  size_t count;
  gxds_subchannel **subchannels; /* references */
  gxds_active_requests **active; /* references */
  gxds_draws *draws;             /* a reference; NULL: no slow start */
} picker;

/* The tracker of one attempt. It is in the memory of the call. */
typedef struct tracker {
  gxds_tracker base;
  gxds_active_requests *active; /* a reference */
  bool begun;
} tracker;

static void started(gxds_tracker *base) {
  tracker *t = (tracker *)base;
  gxds_active_requests_begin(t->active);
  t->begun = true;
}

static void stop(tracker *t) {
  if (t->begun) gxds_active_requests_end(t->active);
  t->begun = false;
}

static void finished(gxds_tracker *base, const gxds_finish *f) {
  (void)f;
  stop((tracker *)base);
}

static void destroy_tracker(gxds_tracker *base) {
  tracker *t = (tracker *)base;
  stop(t); /* for an attempt that started but never finished */
  gxds_active_requests_unref(t->active);
}

static gxds_tracker *track(const gxds_pick *call, gxds_active_requests *active) {
  static const gxds_tracker_ops ops = {started, finished, destroy_tracker};
  tracker *t = gxds_pick_alloc(call, sizeof *t);
  *t = (tracker){{.ops = &ops}, gxds_active_requests_ref(active), false};
  return &t->base;
}

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const picker *p = (const picker *)base;
  const size_t chosen =
      gxds_least_request_choose((const gxds_active_requests *const *)p->active, p->count, p->draws,
                                p->choices, gxds_random_of_thread());
  gxds_picked_complete(out, gxds_subchannel_ref(p->subchannels[chosen]),
                       track(call, p->active[chosen]));
}

static void destroy_picker(gxds_picker *base) {
  picker *p = (picker *)base;
  for (size_t i = 0; i < p->count; i++) {
    gxds_subchannel_unref(p->subchannels[i]);
    gxds_active_requests_unref(p->active[i]);
  }
  gxds_draws_unref(p->draws);
  gxds_free(p->subchannels);
  gxds_free(p->active);
  gxds_free(p);
}

/* --- Slow start --- */

static bool has_slow_start(const policy *p) { return p->newcomers.config.window > 0; }

/* Computes the slow-start shares in p->draws again, and sets the deadline for the next time. */
static void reweigh(policy *p) {
  double *shares = gxds_calloc(p->newcomers.member_count, sizeof *shares);
  const gxds_time next =
      gxds_newcomers_shares(&p->newcomers, gxds_policy_now(p->endpoints.base), shares);
  gxds_draws_set(p->draws, shares);
  gxds_free(shares);
  gxds_policy_set_deadline(p->endpoints.base, next);
}

static void forget_draws(policy *p) {
  if (!p->draws) return;
  gxds_draws_unref(p->draws);
  p->draws = NULL;
  gxds_newcomers_picked(&p->newcomers, NULL, 0, 0);
  gxds_policy_set_deadline(p->endpoints.base, GXDS_TIME_NEVER);
}

static void on_deadline(void *self) {
  policy *p = self;
  if (p->draws) reweigh(p);
}

/* The draws of a picker with these endpoints; NULL without slow start. The caller owns the returned
 * reference. */
static gxds_draws *draws_for(policy *p, const uint64_t *tokens, size_t count) {
  forget_draws(p);
  if (!has_slow_start(p)) return NULL;
  p->draws = gxds_draws_create(count);
  gxds_newcomers_picked(&p->newcomers, tokens, count, gxds_policy_now(p->endpoints.base));
  reweigh(p);
  return gxds_draws_ref(p->draws);
}

/* --- The policy --- */

static gxds_picker *make_picker(gxds_endpoints_policy *e, const uint64_t *tokens, size_t count) {
  static const gxds_picker_ops ops = {pick, destroy_picker};
  policy *policy_of = (policy *)e;
  picker *p = GXDS_NEW(picker);
  gxds_picker_init(&p->base, &ops);
  p->choices = policy_of->choices;
  p->count = count;
  p->draws = draws_for(policy_of, tokens, count);
  p->subchannels = gxds_calloc(count, sizeof(gxds_subchannel *));
  p->active = gxds_calloc(count, sizeof(gxds_active_requests *));
  for (size_t i = 0; i < count; i++) {
    const uint32_t slot = (uint32_t)tokens[i];
    p->subchannels[i] = gxds_subchannel_ref(gxds_endpoints_policy_subchannel(e, slot));
    p->active[i] = gxds_active_requests_ref(policy_of->active[slot]);
  }
  return &p->base;
}

static void no_picker(gxds_endpoints_policy *e) { forget_draws((policy *)e); }

static gxds_lb_address address_at(gxds_endpoints_policy *e, uint32_t position) {
  return gxds_address_list_at(&((policy *)e)->list, position);
}

static void created(gxds_endpoints_policy *e, uint64_t token, uint32_t position) {
  policy *p = (policy *)e;
  const uint32_t count = gxds_endpoints_policy_slot_count(e);
  GXDS_EXTEND(p->active, p->active_count, count);
  gxds_active_requests **active = &p->active[(uint32_t)token];
  gxds_active_requests_unref(*active);
  *active = gxds_active_requests_create();
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
  p->choices = GXDS_LEAST_REQUEST_CHOICES_DEFAULT;
  gxds_endpoints_policy_init(&p->endpoints, base, &ops);
  return p;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  const gxds_least_request_config *config = (const gxds_least_request_config *)given->config;
  if (config->choices != p->choices) gxds_endpoints_policy_renew_picker(&p->endpoints);
  p->choices = config->choices;
  return gxds_newcomers_update(&p->newcomers, &config->slow_start, &p->list, &p->endpoints, given);
}

static void destroy(void *self) {
  policy *p = self;
  gxds_endpoints_policy_fini(&p->endpoints);
  gxds_address_list_fini(&p->list);
  gxds_newcomers_fini(&p->newcomers);
  for (uint32_t i = 0; i < p->active_count; i++) gxds_active_requests_unref(p->active[i]);
  gxds_free(p->active);
  gxds_free(p);
}

/* --- The config --- */

static void destroy_config(gxds_lb_config *c) { gxds_free(c); }

/* A48 */
static gxds_lb_config *parse(const json_t *json, gxds_lb_parse_list *parse_list,
                             gxds_errors *errors) {
  (void)parse_list;
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  uint32_t choices = GXDS_LEAST_REQUEST_CHOICES_DEFAULT;
  if (gxds_json_uint32(json, "choiceCount", GXDS_JSON_OPTIONAL, NULL, errors, &choices) &&
      choices < GXDS_LEAST_REQUEST_CHOICES_MIN) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "choiceCount"), "must be at least 2");
  }
  gxds_slow_start slow_start;
  gxds_slow_start_parse(json, errors, &slow_start);
  if (errors->count > 0) return NULL;
  gxds_least_request_config *config = GXDS_NEW(gxds_least_request_config);
  gxds_lb_config_init(&config->base, &gxds_least_request_policy, destroy_config);
  config->choices =
      choices < GXDS_LEAST_REQUEST_CHOICES_MAX ? choices : GXDS_LEAST_REQUEST_CHOICES_MAX;
  config->slow_start = slow_start;
  return &config->base;
}

const gxds_policy_type gxds_least_request_policy = {
    .name = "least_request_experimental",
    .title = "least_request",
    .parse = parse,
    .create = create,
    .update = update,
    GXDS_ENDPOINTS_POLICY,
    .destroy = destroy,
    .on_deadline = on_deadline,
};
