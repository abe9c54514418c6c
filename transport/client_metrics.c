#include "transport/client_metrics.h"

#include <stdlib.h>

#include "base/memory.h"
#include "lrs/load_metrics.h"
#include "metrics/policy_counts.h"
#include "transport/clients.h"
#include "xds_client/metrics.h"

static int by_target(const void *a, const void *b) {
  return gxds_str_compare((*(const gxds_client_view *const *)a)->status.scope,
                          (*(const gxds_client_view *const *)b)->status.scope);
}

static void add_update_times(const gxds_client_view *all, size_t count, gxds_text *out) {
  static const char name[] = "grpc_xds_client_update_duration_seconds";
  gxds_metric_family(out, name, "histogram",
                     "From the arrival of a response to the end of publishing what it changed.");
  const gxds_client_view **sorted = gxds_calloc(count, sizeof(gxds_client_view *));
  for (size_t i = 0; i < count; i++) sorted[i] = &all[i];
  if (count) qsort(sorted, count, sizeof(gxds_client_view *), by_target);
  gxds_histogram times = {0}; /* of all clients of the target */
  for (size_t i = 0; i < count; i++) {
    gxds_histogram_add_all(&times, sorted[i]->update_times);
    if (i + 1 < count && by_target(&sorted[i], &sorted[i + 1]) == 0) continue;
    gxds_text labels = {0};
    gxds_metric_label(&labels, "grpc_target", sorted[i]->status.scope);
    gxds_histogram_render(&times, name, gxds_text_str(&labels), out);
    gxds_text_fini(&labels);
    times = (gxds_histogram){0};
  }
  gxds_free(sorted);
}

void gxds_client_metrics_render(gxds_text *out) {
  size_t count;
  gxds_client_view *all = gxds_clients_views(&count);
  gxds_status_source *statuses = gxds_calloc(count, sizeof *statuses);
  gxds_load_source *loads = gxds_calloc(count, sizeof *loads);
  size_t load_count = 0;
  for (size_t i = 0; i < count; i++) {
    statuses[i] = all[i].status;
    /* All targets of a client share its store, so only its first view is used. */
    if (!all[i].first) continue;
    loads[load_count++] = (gxds_load_source){all[i].load_store, all[i].status.scope};
  }
  gxds_metrics_render(statuses, count, out);
  add_update_times(all, count, out);
  gxds_load_metrics_render(loads, load_count, out);
  gxds_policy_counts_render(out);
  gxds_free(statuses);
  gxds_free(loads);
  gxds_free(all);
}
