#include "lb_policies/weighted_round_robin/report_weight.h"

#include <float.h>

static double usable(double value) { return value >= 0 && value <= DBL_MAX ? value : 0; }

double gxds_report_weight(const gxds_orca_report *r, double error_penalty) {
  double application = usable(r->application_utilization);
  double utilization = application > 0 ? application : usable(r->cpu_utilization);
  double qps = usable(r->qps);
  if (utilization <= 0 || qps <= 0) return 0;
  return usable(qps / (utilization + usable(r->eps) / qps * error_penalty));
}
