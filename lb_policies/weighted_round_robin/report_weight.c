#include "lb_policies/weighted_round_robin/report_weight.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"

static const struct {
  const char *name;
  gxds_utilization_kind kind;
  bool has_key;
} kinds[] = {
    {"application_utilization", GXDS_UTILIZATION_APPLICATION, false},
    {"cpu_utilization", GXDS_UTILIZATION_CPU, false},
    {"mem_utilization", GXDS_UTILIZATION_MEMORY, false},
    {"named_metrics.", GXDS_UTILIZATION_NAMED_METRIC, true},
    {"utilization.", GXDS_UTILIZATION_RESOURCE, true},
};

/* The first period ends the name of a map. The key after it may have more periods. */
bool gxds_utilization_metric_parse(gxds_str name, gxds_utilization_metric *out) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const size_t size = strlen(kinds[i].name);
    if (name.size < size || memcmp(name.data, kinds[i].name, size) != 0) continue;
    if (!kinds[i].has_key && name.size > size) continue;
    *out = (gxds_utilization_metric){kinds[i].kind, gxds_str_from(name, size)};
    return true;
  }
  return false;
}

gxds_rating *gxds_rating_create(double error_penalty, const gxds_utilization_metric *metrics,
                                size_t metric_count) {
  gxds_rating *r = GXDS_NEW(gxds_rating);
  gxds_ref_init(&r->refs);
  r->error_penalty = error_penalty;
  r->metric_count = metric_count;
  r->metrics = gxds_calloc(metric_count, sizeof *r->metrics);
  for (size_t i = 0; i < metric_count; i++) {
    r->metrics[i] = (gxds_utilization_metric){metrics[i].kind, gxds_str_dup(metrics[i].key)};
  }
  return r;
}

void gxds_rating_unref(gxds_rating *r) {
  if (!r || !gxds_ref_dec(&r->refs)) return;
  for (size_t i = 0; i < r->metric_count; i++) gxds_str_free(&r->metrics[i].key);
  gxds_free(r->metrics);
  gxds_free(r);
}

bool gxds_rating_equal(const gxds_rating *a, const gxds_rating *b) {
  if (a->error_penalty != b->error_penalty || a->metric_count != b->metric_count) return false;
  for (size_t i = 0; i < a->metric_count; i++) {
    if (a->metrics[i].kind != b->metrics[i].kind) return false;
    if (!gxds_str_equal(a->metrics[i].key, b->metrics[i].key)) return false;
  }
  return true;
}

static double usable(double value) { return value >= 0 && value <= DBL_MAX ? value : 0; }

static double value_in(const gxds_orca_report *r, gxds_orca_map map, gxds_str key) {
  double value = 0;
  return gxds_orca_report_find(r, map, key, &value) ? value : 0;
}

static double value_of(const gxds_orca_report *r, const gxds_utilization_metric *m) {
  switch (m->kind) {
    case GXDS_UTILIZATION_APPLICATION:
      return r->application_utilization;
    case GXDS_UTILIZATION_CPU:
      return r->cpu_utilization;
    case GXDS_UTILIZATION_MEMORY:
      return r->mem_utilization;
    case GXDS_UTILIZATION_NAMED_METRIC:
      return value_in(r, GXDS_ORCA_NAMED_METRICS, m->key);
    case GXDS_UTILIZATION_RESOURCE:
      return value_in(r, GXDS_ORCA_UTILIZATION, m->key);
  }
  return 0;
}

static double utilization_of(const gxds_orca_report *r, const gxds_rating *rating) {
  double greatest = 0;
  for (size_t i = 0; i < rating->metric_count; i++) {
    const double value = usable(value_of(r, &rating->metrics[i]));
    if (value > greatest) greatest = value;
  }
  if (greatest > 0) return greatest;
  const double application = usable(r->application_utilization);
  return application > 0 ? application : usable(r->cpu_utilization);
}

double gxds_report_weight(const gxds_orca_report *r, const gxds_rating *rating) {
  const double utilization = utilization_of(r, rating);
  const double qps = usable(r->qps);
  if (utilization <= 0 || qps <= 0) return 0;
  return usable(qps / (utilization + usable(r->eps) / qps * rating->error_penalty));
}
