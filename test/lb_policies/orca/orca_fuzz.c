/* Any bytes are parsed or refused, and each named metric is reported once. */
#include "base/check.h"
#include "lb_policies/orca/orca_report.h"
#include "lb_policies/weighted_round_robin/report_weight.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  gxds_orca_report report;
  if (!gxds_orca_report_decode(gxds_str_of((const char *)data, size), &report)) return 0;
  const gxds_utilization_metric metrics_of_utilization[] = {
      {GXDS_UTILIZATION_NAMED_METRIC, gxds_str_z("a")},
      {GXDS_UTILIZATION_RESOURCE, gxds_str_z("")}};
  gxds_rating *rating = gxds_rating_create(1, metrics_of_utilization, 2);
  double weight = gxds_report_weight(&report, rating);
  gxds_rating_unref(rating);
  GXDS_CHECK(weight >= 0 && weight - weight == 0); /* neither infinite nor NaN */
  gxds_str names[GXDS_ORCA_NAMED_METRICS_MAX];
  size_t count = 0;
  gxds_orca_metrics metrics = gxds_orca_report_named_metrics(&report);
  gxds_orca_metric metric;
  while (gxds_orca_metrics_next(&metrics, &metric)) {
    GXDS_CHECK(count < GXDS_ORCA_NAMED_METRICS_MAX && gxds_str_is_utf8(metric.name));
    for (size_t i = 0; i < count; i++) GXDS_CHECK(!gxds_str_equal(names[i], metric.name));
    names[count++] = metric.name;
  }
  return 0;
}
