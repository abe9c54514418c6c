/* Decodes lrs_report_endpoint_metrics (A85). The table of Cluster in gRPC 1.51 lacks the field, so
 * it is read from the message's bytes. */
#include <stdlib.h>

#include "base/wire.h"
#include "resources/cluster_internal.h"

enum { LRS_REPORT_ENDPOINT_METRICS = 57 };

static const char named_prefix[] = "named_metrics.";

static bool next_name(gxds_str *rest, gxds_str *name) {
  return gxds_wire_next_value(rest, LRS_REPORT_ENDPOINT_METRICS, name);
}

/* Sets *key to the key of named_metrics that a name refers to. False if the name does not refer to
 * named_metrics. */
static bool key_of(gxds_str name, gxds_str *key) {
  const size_t prefix = sizeof named_prefix - 1;
  if (name.size < prefix || memcmp(name.data, named_prefix, prefix) != 0) return false;
  *key = gxds_str_from(name, prefix);
  return true;
}

/* Sorts the keys and copies each once. */
static void take_keys(gxds_str *keys, size_t count, upb_Arena *arena, gxds_lrs_metrics *out) {
  if (count == 0 || out->all_named) return;
  qsort(keys, count, sizeof *keys, gxds_str_compare_items);
  gxds_str *copies = gxds_arena_calloc(arena, count, sizeof *copies);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && gxds_str_equal(keys[i], keys[i - 1])) continue;
    copies[out->named_count++] = gxds_arena_dup(arena, keys[i]);
  }
  out->named = copies;
}

void gxds_lrs_metrics_decode(gxds_str cluster, upb_Arena *scratch, gxds_cluster *out) {
  gxds_str name;
  size_t count = 0;
  for (gxds_str rest = cluster; next_name(&rest, &name);) count++;
  if (count == 0) return;
  gxds_str *keys = gxds_arena_calloc(scratch, count, sizeof *keys);
  gxds_lrs_metrics found = {0};
  count = 0;
  /* A85: other names, which a later version may define, are ignored. */
  for (gxds_str rest = cluster; next_name(&rest, &name);) {
    found.cpu_utilization |= gxds_str_is(name, "cpu_utilization");
    found.mem_utilization |= gxds_str_is(name, "mem_utilization");
    found.application_utilization |= gxds_str_is(name, "application_utilization");
    if (!key_of(name, &keys[count])) continue;
    if (gxds_str_is(keys[count], "*")) {
      found.all_named = true;
    } else {
      count++;
    }
  }
  take_keys(keys, count, gxds_cluster_arena(out), &found);
  if (!found.cpu_utilization && !found.mem_utilization && !found.application_utilization &&
      !found.all_named && found.named_count == 0) {
    return;
  }
  gxds_lrs_metrics *kept = gxds_arena_calloc(gxds_cluster_arena(out), 1, sizeof *kept);
  *kept = found;
  gxds_cluster_rare_get(out)->lrs_metrics = kept;
}

bool gxds_lrs_metrics_equal(const gxds_lrs_metrics *a, const gxds_lrs_metrics *b) {
  if (a == b) return true;
  return a && b && a->cpu_utilization == b->cpu_utilization &&
         a->mem_utilization == b->mem_utilization &&
         a->application_utilization == b->application_utilization && a->all_named == b->all_named &&
         gxds_strs_equal(a->named, a->named_count, b->named, b->named_count);
}

bool gxds_lrs_metrics_has_named(const gxds_lrs_metrics *m, gxds_str key) {
  return m->all_named ||
         (m->named_count > 0 && bsearch(&key, m->named, m->named_count, sizeof *m->named,
                                        gxds_str_compare_items) != NULL);
}
