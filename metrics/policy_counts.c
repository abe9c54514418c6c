#include "metrics/policy_counts.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/metric.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The default steps of OpenTelemetry's histograms, which other gRPCs use too. */
static const char *const steps[] = {"0",   "5",   "10",   "25",   "50",   "75",   "100",  "250",
                                    "500", "750", "1000", "2500", "5000", "7500", "10000"};
static const double step_bounds[] = {0,   5,   10,   25,   50,   75,   100,  250,
                                     500, 750, 1000, 2500, 5000, 7500, 10000};
enum { STEPS = sizeof step_bounds / sizeof *step_bounds, VALUES_MAX = 8 };

#define OVERFLOW_LABEL "otel_metric_overflow=\"true\""
/* The most that one weight adds to a sum. Otherwise one backend's invalid weight could make the sum
 * infinite for ever. */
#define SUMMED_MAX 1e12

typedef _Atomic uint64_t counter;

typedef struct histogram {
  counter counts[STEPS + 1]; /* the last one counts weights above every step */
  _Atomic double sum;
} histogram;

struct gxds_policy_counts {
  gxds_str labels; /* the labels, as written in the text for Prometheus */
  _Atomic(gxds_policy_counts *) next;
  counter values[VALUES_MAX];
  histogram *weights; /* NULL: this kind has no histogram of weights */
};

/* ---- the metrics ---- */

/* The labels of a kind besides the target. */
static const struct kind {
  bool backend_service;
  bool locality;
} kinds[GXDS_COUNTING_KINDS] = {
    [GXDS_COUNTING_WEIGHTED_ROUND_ROBIN] = {true, true},
    [GXDS_COUNTING_PICK_FIRST] = {false, false},
    [GXDS_COUNTING_OUTLIER_DETECTION] = {true, false},
    [GXDS_COUNTING_SUBCHANNEL] = {true, true},
};

#define BY_SUCCESS_RATE "grpc_lb_outlier_detection_detection_method=\"success_rate\""
#define BY_FAILURE_PERCENTAGE "grpc_lb_outlier_detection_detection_method=\"failure_percentage\""
#define LOST "grpc_disconnect_error=\"unknown\""
#define SHUT_DOWN "grpc_disconnect_error=\"subchannel shutdown\""
#define BY_CHANCE "grpc_lb_outlier_detection_unenforced_reason=\"enforcement_percentage\""
#define BY_OVERFLOW "grpc_lb_outlier_detection_unenforced_reason=\"max_ejection_overflow\""

/* One value of a family. */
typedef struct family_value {
  unsigned which;
  const char *labels; /* the labels that only this value has; NULL: none */
} family_value;

static const struct family {
  gxds_counting kind;
  const char *name;
  const char *type;
  const char *help;
  family_value values[4];
  size_t value_count;
} families[] = {
    {GXDS_COUNTING_WEIGHTED_ROUND_ROBIN,
     "grpc_lb_wrr_rr_fallback_total",
     "counter",
     "Updates of the weights with too few endpoints of known weight: all weighed the same.",
     {{GXDS_COUNT_RR_FALLBACK, NULL}},
     1},
    {GXDS_COUNTING_WEIGHTED_ROUND_ROBIN,
     "grpc_lb_wrr_endpoint_weight_not_yet_usable_total",
     "counter",
     "Endpoints at each update of the weights without a report, or in the blackout period.",
     {{GXDS_COUNT_NOT_YET_USABLE, NULL}},
     1},
    {GXDS_COUNTING_WEIGHTED_ROUND_ROBIN,
     "grpc_lb_wrr_endpoint_weight_stale_total",
     "counter",
     "Endpoints at each update of the weights whose last report is too old.",
     {{GXDS_COUNT_STALE, NULL}},
     1},
    {GXDS_COUNTING_PICK_FIRST,
     "grpc_lb_pick_first_disconnections_total",
     "counter",
     "Times that the connection which a pick_first uses was lost.",
     {{GXDS_COUNT_DISCONNECTIONS, NULL}},
     1},
    {GXDS_COUNTING_PICK_FIRST,
     "grpc_lb_pick_first_connection_attempts_succeeded_total",
     "counter",
     "Attempts of a pick_first to connect to an address that succeeded.",
     {{GXDS_COUNT_ATTEMPTS_SUCCEEDED, NULL}},
     1},
    {GXDS_COUNTING_PICK_FIRST,
     "grpc_lb_pick_first_connection_attempts_failed_total",
     "counter",
     "Attempts of a pick_first to connect to an address that failed.",
     {{GXDS_COUNT_ATTEMPTS_FAILED, NULL}},
     1},
    {GXDS_COUNTING_OUTLIER_DETECTION,
     "grpc_lb_outlier_detection_ejections_enforced_total",
     "counter",
     "Outliers that were ejected, by the method that found them.",
     {{GXDS_COUNT_ENFORCED_SUCCESS_RATE, BY_SUCCESS_RATE},
      {GXDS_COUNT_ENFORCED_FAILURE_PERCENTAGE, BY_FAILURE_PERCENTAGE}},
     2},
    {GXDS_COUNTING_OUTLIER_DETECTION,
     "grpc_lb_outlier_detection_ejections_unenforced_total",
     "counter",
     "Outliers that were not ejected, by the method that found them and by the reason.",
     {{GXDS_COUNT_CHANCE_SUCCESS_RATE, BY_SUCCESS_RATE "," BY_CHANCE},
      {GXDS_COUNT_CHANCE_FAILURE_PERCENTAGE, BY_FAILURE_PERCENTAGE "," BY_CHANCE},
      {GXDS_COUNT_OVERFLOW_SUCCESS_RATE, BY_SUCCESS_RATE "," BY_OVERFLOW},
      {GXDS_COUNT_OVERFLOW_FAILURE_PERCENTAGE, BY_FAILURE_PERCENTAGE "," BY_OVERFLOW}},
     4},
    {GXDS_COUNTING_SUBCHANNEL,
     "grpc_subchannel_disconnections_total",
     "counter",
     "Connections to endpoints that were lost, or that nothing wanted any more.",
     {{GXDS_COUNT_CONNECTION_LOST, LOST}, {GXDS_COUNT_SUBCHANNEL_SHUTDOWN, SHUT_DOWN}},
     2},
    {GXDS_COUNTING_SUBCHANNEL,
     "grpc_subchannel_connection_attempts_succeeded_total",
     "counter",
     "Attempts to connect to an endpoint that succeeded.",
     {{GXDS_COUNT_CONNECT_SUCCEEDED, NULL}},
     1},
    {GXDS_COUNTING_SUBCHANNEL,
     "grpc_subchannel_connection_attempts_failed_total",
     "counter",
     "Attempts to connect to an endpoint that failed.",
     {{GXDS_COUNT_CONNECT_FAILED, NULL}},
     1},
    {GXDS_COUNTING_SUBCHANNEL,
     "grpc_subchannel_open_connections",
     "gauge",
     "Connections to endpoints that are open.",
     {{GXDS_COUNT_OPEN_CONNECTIONS, NULL}},
     1},
};

/* ---- counting ---- */

/* A hash table by labels. Each bucket is a list. Counts are appended to it and never removed, so a
 * walk needs no lock. */
enum { BUCKETS = 256 };
static _Atomic(gxds_policy_counts *) buckets[GXDS_COUNTING_KINDS][BUCKETS];
static _Atomic(gxds_policy_counts *) overflows[GXDS_COUNTING_KINDS]; /* counts beyond the limit */
static atomic_size_t totals[GXDS_COUNTING_KINDS];

static gxds_policy_counts *create(gxds_counting kind, gxds_str labels) {
  gxds_policy_counts *c = GXDS_NEW(gxds_policy_counts);
  c->labels = gxds_str_dup(labels);
  if (kind == GXDS_COUNTING_WEIGHTED_ROUND_ROBIN) c->weights = GXDS_NEW(histogram);
  return c;
}

static void discard(gxds_policy_counts *c) {
  gxds_str_free(&c->labels);
  gxds_free(c->weights);
  gxds_free(c);
}

static gxds_text render_labels(gxds_counting kind, const gxds_metric_labels *labels) {
  gxds_text text = {0};
  gxds_metric_label(&text, "grpc_target", labels->target);
  if (kinds[kind].backend_service) {
    gxds_text_add_z(&text, ",");
    gxds_metric_label(&text, "grpc_lb_backend_service", labels->backend_service);
  }
  if (kinds[kind].locality) {
    gxds_text_add_z(&text, ",");
    gxds_metric_label(&text, "grpc_lb_locality", labels->locality);
  }
  return text;
}

/* Appends new counts with these labels to the end of a list. If another thread appended first,
 * returns the counts that it appended. */
static gxds_policy_counts *append(_Atomic(gxds_policy_counts *) *end, gxds_counting kind,
                                  gxds_str labels) {
  gxds_policy_counts *made = create(kind, labels);
  gxds_policy_counts *at = NULL;
  if (atomic_compare_exchange_strong(end, &at, made)) {
    atomic_fetch_add(&totals[kind], 1);
    return made;
  }
  discard(made);
  return at;
}

static gxds_policy_counts *overflow(gxds_counting kind) {
  gxds_policy_counts *c = atomic_load_explicit(&overflows[kind], memory_order_acquire);
  return c ? c : append(&overflows[kind], kind, gxds_str_z(OVERFLOW_LABEL));
}

static gxds_policy_counts *find_or_append(gxds_counting kind, gxds_str labels) {
  const uint64_t hash = XXH3_64bits(labels.data, labels.size);
  _Atomic(gxds_policy_counts *) *link = &buckets[kind][hash % BUCKETS];
  for (;;) {
    gxds_policy_counts *at = atomic_load_explicit(link, memory_order_acquire);
    if (!at) {
      if (atomic_load(&totals[kind]) >= GXDS_POLICY_COUNTS_MAX) return overflow(kind);
      at = append(link, kind, labels);
    }
    if (gxds_str_equal(at->labels, labels)) return at;
    link = &at->next;
  }
}

gxds_policy_counts *gxds_policy_counts_of(gxds_counting kind, const gxds_metric_labels *labels) {
  gxds_text text = render_labels(kind, labels);
  gxds_policy_counts *c = find_or_append(kind, gxds_text_str(&text));
  gxds_text_fini(&text);
  return c;
}

static void add(counter *to, uint64_t n) {
  if (n > 0) atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

void gxds_policy_counts_add(gxds_policy_counts *c, unsigned which, uint64_t n) {
  add(&c->values[which], n);
}

void gxds_policy_counts_subtract(gxds_policy_counts *c, unsigned which, uint64_t n) {
  atomic_fetch_sub_explicit(&c->values[which], n, memory_order_relaxed);
}

void gxds_policy_counts_add_weights(gxds_policy_counts *c, const double *weights, size_t count) {
  uint64_t counts[STEPS + 1] = {0};
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    size_t step = 0;
    while (step < STEPS && weights[i] > step_bounds[step]) step++;
    counts[step]++;
    sum += fmin(weights[i], SUMMED_MAX);
  }
  for (size_t i = 0; i <= STEPS; i++) add(&c->weights->counts[i], counts[i]);
  double before = atomic_load_explicit(&c->weights->sum, memory_order_relaxed);
  while (!atomic_compare_exchange_weak(&c->weights->sum, &before, before + sum)) {
  }
}

/* ---- text ---- */

void gxds_metric_locality(gxds_str region, gxds_str zone, gxds_str sub_zone, gxds_text *out) {
  gxds_text_addf(out, "{region=\"%.*s\", zone=\"%.*s\", sub_zone=\"%.*s\"}", GXDS_STR_ARG(region),
                 GXDS_STR_ARG(zone), GXDS_STR_ARG(sub_zone));
}

/* Calls fn for all counts of a kind. */
static void each(gxds_counting kind,
                 void (*fn)(void *arg, const gxds_policy_counts *c, gxds_text *out), void *arg,
                 gxds_text *out) {
  for (size_t i = 0; i <= BUCKETS; i++) {
    const gxds_policy_counts *c = atomic_load_explicit(
        i < BUCKETS ? &buckets[kind][i] : &overflows[kind], memory_order_acquire);
    for (; c; c = atomic_load_explicit(&c->next, memory_order_acquire)) fn(arg, c, out);
  }
}

static void add_values(void *arg, const gxds_policy_counts *c, gxds_text *out) {
  const struct family *f = arg;
  for (size_t i = 0; i < f->value_count; i++) {
    const family_value *v = &f->values[i];
    gxds_text_addf(out, "%s{%.*s%s%s} %" PRIu64 "\n", f->name, GXDS_STR_ARG(c->labels),
                   v->labels ? "," : "", v->labels ? v->labels : "",
                   atomic_load_explicit(&c->values[v->which], memory_order_relaxed));
  }
}

static void add_family(const struct family *f, gxds_text *out) {
  gxds_metric_family(out, f->name, f->type, f->help);
  each(f->kind, add_values, (void *)f, out);
}

static void add_histogram(void *arg, const gxds_policy_counts *c, gxds_text *out) {
  const char *name = arg;
  uint64_t up_to = 0;
  for (size_t i = 0; i <= STEPS; i++) {
    up_to += atomic_load_explicit(&c->weights->counts[i], memory_order_relaxed);
    gxds_text_addf(out, "%s_bucket{%.*s,le=\"%s\"} %" PRIu64 "\n", name, GXDS_STR_ARG(c->labels),
                   i < STEPS ? steps[i] : "+Inf", up_to);
  }
  /* printf()'s decimal point depends on the locale, so the point is written here. */
  const double sum = atomic_load_explicit(&c->weights->sum, memory_order_relaxed);
  const double whole = floor(sum);
  gxds_text_addf(out, "%s_sum{%.*s} %.0f.%06u\n", name, GXDS_STR_ARG(c->labels), whole,
                 (unsigned)((sum - whole) * 1e6));
  gxds_text_addf(out, "%s_count{%.*s} %" PRIu64 "\n", name, GXDS_STR_ARG(c->labels), up_to);
}

void gxds_policy_counts_render(gxds_text *out) {
  static const char weights[] = "grpc_lb_wrr_endpoint_weights";
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) add_family(&families[i], out);
  gxds_metric_family(out, weights, "histogram",
                     "The weight of each endpoint at each update of the weights; 0: none usable.");
  each(GXDS_COUNTING_WEIGHTED_ROUND_ROBIN, add_histogram, (void *)weights, out);
}
