/* Reads the message field by field, because the host's table of it lacks most fields. */
#include "lb_policies/orca/orca_report.h"

#include "base/wire.h"

enum {
  CPU_UTILIZATION = 1,
  MEM_UTILIZATION = 2,
  RPS_FRACTIONAL = 6,
  EPS = 7,
  APPLICATION_UTILIZATION = 9,
};

enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };

/* Reads an entry of a map, which is a message with a key and a value. Either may be missing. */
static bool read_entry(gxds_str bytes, gxds_orca_metric *out) {
  *out = (gxds_orca_metric){0};
  if (!gxds_wire_is_whole(bytes)) return false;
  gxds_wire_field field;
  while (gxds_wire_next(&bytes, &field)) {
    if (field.number == ENTRY_KEY && field.has_size) out->name = field.value;
    if (field.number == ENTRY_VALUE) out->value = gxds_wire_double(&field);
  }
  return gxds_str_is_utf8(out->name);
}

static bool next_entry(gxds_str *rest, gxds_orca_metric *out) {
  gxds_str entry;
  return gxds_wire_next_value(rest, GXDS_ORCA_NAMED_METRICS, &entry) && read_entry(entry, out);
}

bool gxds_orca_report_decode(gxds_str bytes, gxds_orca_report *out) {
  *out = (gxds_orca_report){.bytes = bytes};
  if (!gxds_wire_is_whole(bytes)) return false;
  gxds_wire_field field;
  gxds_orca_metric metric;
  while (gxds_wire_next(&bytes, &field)) {
    switch (field.number) {
      case CPU_UTILIZATION:
        out->cpu_utilization = gxds_wire_double(&field);
        break;
      case MEM_UTILIZATION:
        out->mem_utilization = gxds_wire_double(&field);
        break;
      case RPS_FRACTIONAL:
        out->qps = gxds_wire_double(&field);
        break;
      case EPS:
        out->eps = gxds_wire_double(&field);
        break;
      case APPLICATION_UTILIZATION:
        out->application_utilization = gxds_wire_double(&field);
        break;
      case GXDS_ORCA_UTILIZATION:
      case GXDS_ORCA_NAMED_METRICS:
        if (field.has_size && !read_entry(field.value, &metric)) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

/* Whether one of the next `room` entries has the same name. If so, this entry does not count,
 * because the last one with a key counts. */
static bool comes_again(gxds_str rest, gxds_str name, size_t room) {
  gxds_orca_metric other;
  while (room-- > 0 && next_entry(&rest, &other)) {
    if (gxds_str_equal(other.name, name)) return true;
  }
  return false;
}

bool gxds_orca_metrics_next(gxds_orca_metrics *m, gxds_orca_metric *out) {
  while (m->count < GXDS_ORCA_NAMED_METRICS_MAX && next_entry(&m->rest, out)) {
    m->count++;
    if (!comes_again(m->rest, out->name, GXDS_ORCA_NAMED_METRICS_MAX - m->count)) return true;
  }
  return false;
}

bool gxds_orca_report_find(const gxds_orca_report *r, gxds_orca_map map, gxds_str name,
                           double *out) {
  gxds_str rest = r->bytes;
  gxds_str entry;
  gxds_orca_metric metric;
  bool found = false;
  while (gxds_wire_next_value(&rest, map, &entry)) {
    if (!read_entry(entry, &metric) || !gxds_str_equal(metric.name, name)) continue;
    *out = metric.value; /* no break: if several entries have the key, the last one counts */
    found = true;
  }
  return found;
}
