#include "lb_policies/cluster_impl/reported_metrics.h"

#include "lb_policies/orca/orca_report.h"

/* The utilizations of a report count even if they are 0, because 0 cannot be told from "not
 * set". */
static void count_utilizations(const gxds_lrs_metrics *wanted, const gxds_orca_report *r,
                               gxds_locality_load *load) {
  const gxds_str none = {NULL, 0};
  if (wanted->cpu_utilization) {
    gxds_locality_load_reported(load, GXDS_METRIC_CPU_UTILIZATION, none, r->cpu_utilization);
  }
  if (wanted->mem_utilization) {
    gxds_locality_load_reported(load, GXDS_METRIC_MEM_UTILIZATION, none, r->mem_utilization);
  }
  if (wanted->application_utilization) {
    gxds_locality_load_reported(load, GXDS_METRIC_APPLICATION_UTILIZATION, none,
                                r->application_utilization);
  }
}

void gxds_reported_metrics_count(const gxds_lrs_metrics *wanted, gxds_str report,
                                 gxds_locality_load *load) {
  gxds_orca_report r;
  if (!gxds_orca_report_decode(report, &r)) return;
  count_utilizations(wanted, &r, load);
  if (!wanted->all_named && wanted->named_count == 0) return;
  gxds_orca_metrics named = gxds_orca_report_named_metrics(&r);
  gxds_orca_metric metric;
  while (gxds_orca_metrics_next(&named, &metric)) {
    if (!gxds_lrs_metrics_has_named(wanted, metric.name)) continue;
    gxds_locality_load_reported(load, GXDS_METRIC_NAMED, metric.name, metric.value);
  }
}
