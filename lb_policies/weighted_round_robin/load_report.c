#include "lb_policies/weighted_round_robin/load_report.h"

#include <float.h>
#include <string.h>

#include "base/wire.h"

/* Of xds.data.orca.v3.OrcaLoadReport; the host's table lacks all but the first. */
enum {
  CPU_UTILIZATION = 1,
  RPS_FRACTIONAL = 6,
  EPS = 7,
  APPLICATION_UTILIZATION = 9,
};

enum { WIRE_TYPE_BITS = 7, WIRE_TYPE_FIXED64 = 1 };

/* Its eight bytes are the last ones of the field. */
static double double_of(const gxds_wire_field *f) {
  double value;
  if (f->whole.size <= sizeof value || (f->whole.data[0] & WIRE_TYPE_BITS) != WIRE_TYPE_FIXED64) {
    return 0;
  }
  memcpy(&value, f->whole.data + f->whole.size - sizeof value, sizeof value);
  return value >= 0 && value <= DBL_MAX ? value : 0;
}

bool gxds_load_report_decode(gxds_str bytes, gxds_load_report *out) {
  *out = (gxds_load_report){0};
  if (!gxds_wire_is_whole(bytes)) return false;
  gxds_wire_field field;
  while (gxds_wire_next(&bytes, &field)) {
    if (field.number == CPU_UTILIZATION) out->cpu_utilization = double_of(&field);
    if (field.number == RPS_FRACTIONAL) out->qps = double_of(&field);
    if (field.number == EPS) out->eps = double_of(&field);
    if (field.number == APPLICATION_UTILIZATION) out->application_utilization = double_of(&field);
  }
  return true;
}

double gxds_load_report_weight(const gxds_load_report *r, double error_penalty) {
  double utilization =
      r->application_utilization > 0 ? r->application_utilization : r->cpu_utilization;
  if (utilization <= 0 || r->qps <= 0) return 0;
  double weight = r->qps / (utilization + r->eps / r->qps * error_penalty);
  return weight > 0 && weight <= DBL_MAX ? weight : 0;
}
