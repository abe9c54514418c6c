#include "base/metric.h"

#include <inttypes.h>

#include "base/hash_table.h"

void gxds_metric_family(gxds_text *out, const char *name, const char *kind, const char *help) {
  gxds_text_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind);
}

void gxds_metric_label(gxds_text *out, const char *name, gxds_str value) {
  gxds_text_addf(out, "%s=\"", name);
  for (size_t i = 0; i < value.size; i++) {
    char c = value.data[i];
    if (c == '\n') {
      gxds_text_add_z(out, "\\n");
      continue;
    }
    if (c == '"' || c == '\\') gxds_text_add_z(out, "\\");
    gxds_text_add(out, gxds_str_of(&c, 1));
  }
  gxds_text_add_z(out, "\"");
}

struct gxds_metric_value {
  gxds_str labels;
  uint64_t value;
  UT_hash_handle hh;
};

void gxds_metric_values_add(gxds_metric_values *v, gxds_text *take_labels, gxds_metric_merge merge,
                            uint64_t value) {
  struct gxds_metric_value *found = NULL;
  HASH_FIND(hh, v->all, take_labels->data, take_labels->size, found);
  if (!found) {
    found = GXDS_NEW(struct gxds_metric_value);
    found->labels = gxds_text_take(take_labels);
    found->value = value;
    HASH_ADD_KEYPTR(hh, v->all, found->labels.data, found->labels.size, found);
    return;
  }
  gxds_text_fini(take_labels);
  if (merge == GXDS_METRIC_SUM) found->value += value;
  if (merge == GXDS_METRIC_LEAST && value < found->value) found->value = value;
}

void gxds_metric_values_render(gxds_metric_values *v, const char *name, gxds_text *out) {
  while (v->all) {
    struct gxds_metric_value *first = v->all;
    gxds_text_addf(out, "%s{%.*s} %" PRIu64 "\n", name, GXDS_STR_ARG(first->labels), first->value);
    HASH_DEL(v->all, first);
    gxds_str_free(&first->labels);
    gxds_free(first);
  }
}

#define MICROSECOND (GXDS_MILLISECOND / 1000)

static const struct step {
  gxds_duration most;
  const char *seconds;
} steps[GXDS_HISTOGRAM_STEPS] = {
    {10 * MICROSECOND, "0.00001"},  {25 * MICROSECOND, "0.000025"}, {50 * MICROSECOND, "0.00005"},
    {100 * MICROSECOND, "0.0001"},  {250 * MICROSECOND, "0.00025"}, {500 * MICROSECOND, "0.0005"},
    {1000 * MICROSECOND, "0.001"},  {2500 * MICROSECOND, "0.0025"}, {5000 * MICROSECOND, "0.005"},
    {10000 * MICROSECOND, "0.01"},  {25000 * MICROSECOND, "0.025"}, {50000 * MICROSECOND, "0.05"},
    {100000 * MICROSECOND, "0.1"},  {250000 * MICROSECOND, "0.25"}, {1000000 * MICROSECOND, "1"},
    {10000000 * MICROSECOND, "10"},
};

void gxds_histogram_add(gxds_histogram *h, gxds_duration took) {
  if (took < 0) took = 0;
  size_t i = 0;
  while (i < GXDS_HISTOGRAM_STEPS && took > steps[i].most) i++;
  h->counts[i]++;
  h->count++;
  h->sum += took;
}

void gxds_histogram_add_all(gxds_histogram *h, const gxds_histogram *other) {
  for (size_t i = 0; i <= GXDS_HISTOGRAM_STEPS; i++) h->counts[i] += other->counts[i];
  h->count += other->count;
  h->sum += other->sum;
}

void gxds_histogram_render(const gxds_histogram *h, const char *name, gxds_str labels,
                           gxds_text *out) {
  uint64_t up_to = 0;
  for (size_t i = 0; i < GXDS_HISTOGRAM_STEPS; i++) {
    up_to += h->counts[i];
    gxds_text_addf(out, "%s_bucket{%.*s,le=\"%s\"} %" PRIu64 "\n", name, GXDS_STR_ARG(labels),
                   steps[i].seconds, up_to);
  }
  gxds_text_addf(out, "%s_bucket{%.*s,le=\"+Inf\"} %" PRIu64 "\n", name, GXDS_STR_ARG(labels),
                 h->count);
  gxds_text_addf(out, "%s_sum{%.*s} %" PRIi64 ".%09" PRIi64 "\n", name, GXDS_STR_ARG(labels),
                 h->sum / GXDS_SECOND, h->sum % GXDS_SECOND);
  gxds_text_addf(out, "%s_count{%.*s} %" PRIu64 "\n", name, GXDS_STR_ARG(labels), h->count);
}
