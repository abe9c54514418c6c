#include "lb_policies/weighted_round_robin/weighted_round_robin_policy.h"

#include <uthash.h>

#include "base/memory.h"
#include "json/json.h"
#include "lb_policies/round_robin/address_list.h"
#include "lb_policies/weighted_round_robin/weight_picker.h"
#include "resources/utilization_metrics.h"

/* The weight of an address. A58: an endpoint that gets another subchannel keeps its weight. */
typedef struct earned {
  gxds_str address; /* owned */
  gxds_endpoint_weight *weight;
  UT_hash_handle hh;
} earned;

typedef struct policy {
  gxds_endpoints_policy endpoints; /* first */
  gxds_address_list list;
  gxds_weighted_round_robin_config *config; /* a reference; NULL before the first update */
  gxds_turns *turns;
  gxds_policy_counts *counts; /* borrowed: valid until the process ends */
  gxds_current_rating *rating;
  earned *by_address;
  gxds_rater **raters; /* indexed by the low half of the token; references; some belong to endpoints
                          that are gone */
  uint32_t rater_count;
  gxds_weighted_members *members; /* the members of the last picker; NULL if there is none */
} policy;

static bool is_out_of_band(const policy *p) {
  return p->config->oob_reporting_period != GXDS_TIME_NEVER;
}

/* Computes the weights from the reports so far, and sets the deadline for the next time. */
static void reweigh(policy *p) {
  const gxds_weighted_members *m = p->members;
  const gxds_time now = gxds_policy_now(p->endpoints.base);
  double *weights = gxds_calloc(m->count, sizeof *weights);
  uint64_t endpoints[3] = {0}; /* the number of endpoints for each gxds_weight_state */
  for (size_t i = 0; i < m->count; i++) {
    endpoints[gxds_endpoint_weight_get(m->raters[i]->weight, p->config->blackout_period,
                                       p->config->weight_expiration_period, now, &weights[i])]++;
  }
  const bool by_weight = gxds_stride_set(m->stride, weights);
  gxds_policy_counts_add(p->counts, GXDS_COUNT_RR_FALLBACK, !by_weight);
  gxds_policy_counts_add(p->counts, GXDS_COUNT_NOT_YET_USABLE,
                         endpoints[GXDS_WEIGHT_NOT_YET_USABLE]);
  gxds_policy_counts_add(p->counts, GXDS_COUNT_STALE, endpoints[GXDS_WEIGHT_STALE]);
  gxds_policy_counts_add_weights(p->counts, weights, m->count);
  gxds_free(weights);
  gxds_policy_set_deadline(p->endpoints.base,
                           gxds_time_after(now, p->config->weight_update_period));
}

static gxds_picker *make_picker(gxds_endpoints_policy *e, const uint64_t *tokens, size_t count) {
  policy *p = (policy *)e;
  gxds_weighted_members *m = gxds_weighted_members_create(count);
  for (size_t i = 0; i < count; i++) {
    const uint32_t slot = (uint32_t)tokens[i];
    m->subchannels[i] = gxds_subchannel_ref(gxds_endpoints_policy_subchannel(e, slot));
    gxds_load_listener_ref(&p->raters[slot]->base);
    m->raters[i] = p->raters[slot];
  }
  gxds_weighted_members_unref(p->members);
  p->members = m;
  reweigh(p);
  return gxds_weight_picker_create(m, p->turns, !is_out_of_band(p));
}

static void no_picker(gxds_endpoints_policy *e) {
  policy *p = (policy *)e;
  gxds_weighted_members_unref(p->members);
  p->members = NULL;
  gxds_policy_set_deadline(e->base, GXDS_TIME_NEVER);
}

static void on_deadline(void *self) {
  policy *p = self;
  if (p->members) reweigh(p);
}

static gxds_lb_address address_at(gxds_endpoints_policy *e, uint32_t position) {
  return gxds_address_list_at(&((policy *)e)->list, position);
}

static gxds_endpoint_weight *weight_of(policy *p, gxds_str address) {
  earned *e;
  HASH_FIND(hh, p->by_address, address.data, address.size, e);
  if (e) return e->weight;
  e = GXDS_NEW(earned);
  e->address = gxds_str_dup(address);
  e->weight = gxds_endpoint_weight_create();
  HASH_ADD_KEYPTR(hh, p->by_address, e->address.data, e->address.size, e);
  return e->weight;
}

static void forget(policy *p, earned *e) {
  HASH_DEL(p->by_address, e);
  gxds_endpoint_weight_unref(e->weight);
  gxds_str_free(&e->address);
  gxds_free(e);
}

/* Requests reports from the slot's subchannel as often as the config says. */
static void request_reports(policy *p, uint32_t slot) {
  gxds_subchannel *subchannel = gxds_endpoints_policy_subchannel(&p->endpoints, slot);
  if (!subchannel) return;
  gxds_subchannel_report_load(subchannel, &p->raters[slot]->base, p->config->oob_reporting_period);
}

static void unref_rater(gxds_rater *r) {
  if (r) gxds_load_listener_unref(&r->base);
}

static void created(gxds_endpoints_policy *e, uint64_t token, uint32_t position) {
  policy *p = (policy *)e;
  const uint32_t slot = (uint32_t)token;
  const uint32_t count = gxds_endpoints_policy_slot_count(e);
  GXDS_EXTEND(p->raters, p->rater_count, count);
  unref_rater(p->raters[slot]);
  p->raters[slot] = gxds_rater_create(weight_of(p, gxds_address_list_key_at(&p->list, position)),
                                      p->rating, gxds_policy_channel(e->base));
  request_reports(p, slot);
}

static void ready(gxds_endpoints_policy *e, uint64_t token) {
  policy *p = (policy *)e;
  /* If reports come out of band, a report may have arrived before this call. In that case the rater
   * was notified of the connection before the report, so there is nothing to do here. */
  if (!is_out_of_band(p)) gxds_endpoint_weight_on_ready(p->raters[(uint32_t)token]->weight);
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  static const gxds_endpoints_policy_ops ops = {address_at, make_picker, no_picker, created, ready};
  policy *p = GXDS_NEW(policy);
  p->turns = gxds_turns_create(gxds_policy_random_seed(base));
  p->counts = gxds_policy_counts_for(base, GXDS_COUNTING_WEIGHTED_ROUND_ROBIN);
  p->rating = gxds_current_rating_create();
  gxds_endpoints_policy_init(&p->endpoints, base, &ops);
  return p;
}

static void forget_addresses_that_left(policy *p) {
  earned *e;
  earned *next;
  HASH_ITER(hh, p->by_address, e, next) {
    if (!gxds_address_list_has_key(&p->list, e->address)) forget(p, e);
  }
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  const gxds_duration period = p->config ? p->config->oob_reporting_period : GXDS_TIME_NEVER;
  gxds_lb_config_ref(given->config);
  if (p->config) gxds_lb_config_unref(&p->config->base);
  p->config = (gxds_weighted_round_robin_config *)given->config;
  gxds_current_rating_set(p->rating, p->config->rating);
  gxds_endpoints_policy_renew_picker(&p->endpoints);
  gxds_status status = gxds_address_list_update(&p->list, &p->endpoints, given);
  if (p->config->oob_reporting_period != period) {
    for (uint32_t slot = 0; slot < p->rater_count; slot++) request_reports(p, slot);
  }
  forget_addresses_that_left(p);
  return status;
}

static void destroy(void *self) {
  policy *p = self;
  gxds_endpoints_policy_fini(&p->endpoints);
  gxds_address_list_fini(&p->list);
  earned *e;
  earned *next;
  HASH_ITER(hh, p->by_address, e, next) forget(p, e);
  for (uint32_t i = 0; i < p->rater_count; i++) unref_rater(p->raters[i]);
  gxds_free(p->raters);
  if (p->config) gxds_lb_config_unref(&p->config->base);
  gxds_current_rating_unref(p->rating);
  gxds_turns_unref(p->turns);
  gxds_free(p);
}

/* --- The config --- */

static void destroy_config(gxds_lb_config *c) {
  gxds_rating_unref(((gxds_weighted_round_robin_config *)c)->rating);
  gxds_free(c);
}

static void read_duration(const json_t *json, const char *name, gxds_errors *errors,
                          gxds_duration *out) {
  gxds_json_duration(json, name, GXDS_JSON_OPTIONAL, NULL, errors, out);
}

/* A114: ignores names that are not metrics of gRPC. Borrowed: valid as long as the JSON. */
static size_t read_metrics(const json_t *json, gxds_errors *errors, gxds_utilization_metric *out) {
  const json_t *names;
  const char *field = "metricNamesForComputingUtilization";
  if (!gxds_json_array(json, field, GXDS_JSON_OPTIONAL, NULL, errors, &names)) return 0;
  if (json_array_size(names) > GXDS_UTILIZATION_METRICS_MAX) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, field), "more than %u names",
                    GXDS_UTILIZATION_METRICS_MAX);
    return 0;
  }
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(names); i++) {
    const json_t *name = json_array_get(names, i);
    if (!json_is_string(name)) {
      gxds_errors_add(errors, GXDS_ITEM(NULL, field, i), "is not a string");
    } else if (gxds_utilization_metric_parse(gxds_json_text(name), &out[count])) {
      count++;
    }
  }
  return count;
}

static gxds_rating *read_rating(const json_t *json, gxds_errors *errors) {
  double penalty = 1;
  if (gxds_json_double(json, "errorUtilizationPenalty", GXDS_JSON_OPTIONAL, NULL, errors,
                       &penalty) &&
      !(penalty >= 0)) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "errorUtilizationPenalty"), "must be non-negative");
  }
  gxds_utilization_metric metrics[GXDS_UTILIZATION_METRICS_MAX];
  const size_t count = read_metrics(json, errors, metrics);
  return gxds_rating_create(penalty, metrics, count);
}

/* The defaults are A58's. */
static gxds_weighted_round_robin_config read(const json_t *json, gxds_errors *errors) {
  gxds_weighted_round_robin_config c = {.oob_reporting_period = 10 * GXDS_SECOND,
                                        .blackout_period = 10 * GXDS_SECOND,
                                        .weight_expiration_period = 180 * GXDS_SECOND,
                                        .weight_update_period = GXDS_SECOND};
  bool is_out_of_band = false;
  gxds_json_bool(json, "enableOobLoadReport", GXDS_JSON_OPTIONAL, NULL, errors, &is_out_of_band);
  read_duration(json, "oobReportingPeriod", errors, &c.oob_reporting_period);
  read_duration(json, "blackoutPeriod", errors, &c.blackout_period);
  read_duration(json, "weightExpirationPeriod", errors, &c.weight_expiration_period);
  read_duration(json, "weightUpdatePeriod", errors, &c.weight_update_period);
  c.rating = read_rating(json, errors);
  if (!is_out_of_band) {
    c.oob_reporting_period = GXDS_TIME_NEVER;
  } else if (c.oob_reporting_period == GXDS_TIME_NEVER) {
    c.oob_reporting_period--;
  }
  const gxds_duration shortest = 100 * GXDS_MILLISECOND; /* A58 */
  if (c.weight_update_period < shortest) c.weight_update_period = shortest;
  return c;
}

static gxds_lb_config *parse(const json_t *json, gxds_lb_parse_list *parse_list,
                             gxds_errors *errors) {
  (void)parse_list;
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  const gxds_weighted_round_robin_config given = read(json, errors);
  if (errors->count > 0) {
    gxds_rating_unref(given.rating);
    return NULL;
  }
  gxds_weighted_round_robin_config *config = GXDS_NEW(gxds_weighted_round_robin_config);
  *config = given;
  gxds_lb_config_init(&config->base, &gxds_weighted_round_robin_policy, destroy_config);
  return &config->base;
}

const gxds_policy_type gxds_weighted_round_robin_policy = {
    .name = "weighted_round_robin",
    .parse = parse,
    .create = create,
    .update = update,
    GXDS_ENDPOINTS_POLICY,
    .destroy = destroy,
    .on_deadline = on_deadline,
};
