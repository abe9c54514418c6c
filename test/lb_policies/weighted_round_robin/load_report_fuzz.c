/* Any bytes: taken apart or refused, and a weight is a number. */
#include "lb_policies/weighted_round_robin/load_report.h"

#include "base/check.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  gxds_load_report report;
  if (!gxds_load_report_decode(gxds_str_of((const char *)data, size), &report)) return 0;
  double weight = gxds_load_report_weight(&report, 1);
  GXDS_CHECK(weight >= 0 && weight - weight == 0); /* neither infinite nor no number */
  return 0;
}
