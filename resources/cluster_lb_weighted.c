/* Decodes ClientSideWeightedRoundRobin (A58, A114). The host has no table of it, so its fields are
 * read from the bytes. */
#include <math.h>

#include "base/utf8.h"
#include "base/wire.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/cluster_internal.h"
#include "resources/json_internal.h"
#include "resources/utilization_metrics.h"

enum {
  ENABLE_OOB_LOAD_REPORT = 1,
  OOB_REPORTING_PERIOD = 2,
  BLACKOUT_PERIOD = 3,
  WEIGHT_EXPIRATION_PERIOD = 4,
  WEIGHT_UPDATE_PERIOD = 5,
  ERROR_UTILIZATION_PENALTY = 6,
  METRIC_NAMES_FOR_COMPUTING_UTILIZATION = 7,
  FIELDS_END,
};

/* Finds the field with each number; each field is a message with one or two scalars. If a number
 * occurs several times, the last field counts. The names of metrics are a repeated field:
 * add_metric_names() reads them. */
static void take_apart(gxds_str message, gxds_str fields[FIELDS_END]) {
  gxds_wire_field field;
  while (gxds_wire_next(&message, &field)) {
    if (field.number < FIELDS_END && field.has_size) fields[field.number] = field.value;
  }
}

typedef struct weighted_decoder {
  gxds_str fields[FIELDS_END];
  const gxds_path *at;
  upb_Arena *scratch;
  gxds_errors *errors;
  gxds_text *json;
  bool any;
} weighted_decoder;

static void add_name(weighted_decoder *d, const char *name) {
  gxds_text_addf(d->json, "%s\"%s\":", d->any ? "," : "", name);
  d->any = true;
}

static void add_duration(weighted_decoder *d, int number, const char *field, const char *name) {
  if (!d->fields[number].data) return;
  const gxds_path *at = GXDS_FIELD(d->at, field);
  const google_protobuf_Duration *in =
      GXDS_DECODE(google_protobuf_Duration, d->fields[number], d->scratch);
  if (!in) {
    gxds_errors_add(d->errors, at, "can't decode Duration");
    return;
  }
  gxds_duration duration = gxds_duration_decode(in, at, d->errors);
  add_name(d, name);
  gxds_json_add_duration(d->json, duration);
}

static void add_out_of_band(weighted_decoder *d) {
  if (!d->fields[ENABLE_OOB_LOAD_REPORT].data) return;
  const google_protobuf_BoolValue *in =
      GXDS_DECODE(google_protobuf_BoolValue, d->fields[ENABLE_OOB_LOAD_REPORT], d->scratch);
  if (!in) {
    gxds_errors_add(d->errors, GXDS_FIELD(d->at, "enable_oob_load_report"),
                    "can't decode BoolValue");
    return;
  }
  add_name(d, "enableOobLoadReport");
  gxds_text_add_z(d->json, google_protobuf_BoolValue_value(in) ? "true" : "false");
}

static void add_penalty(weighted_decoder *d) {
  if (!d->fields[ERROR_UTILIZATION_PENALTY].data) return;
  const gxds_path *at = GXDS_FIELD(d->at, "error_utilization_penalty");
  const google_protobuf_FloatValue *in =
      GXDS_DECODE(google_protobuf_FloatValue, d->fields[ERROR_UTILIZATION_PENALTY], d->scratch);
  if (!in) {
    gxds_errors_add(d->errors, at, "can't decode FloatValue");
    return;
  }
  double penalty = (double)google_protobuf_FloatValue_value(in);
  if (!isfinite(penalty) || penalty < 0) gxds_errors_add(d->errors, at, "must be non-negative");
  add_name(d, "errorUtilizationPenalty");
  gxds_json_add_number(d->json, penalty, 9);
}

static void add_metric_names(weighted_decoder *d, gxds_str message) {
  if (!d->fields[METRIC_NAMES_FOR_COMPUTING_UTILIZATION].data) return;
  const char *field = "metric_names_for_computing_utilization";
  add_name(d, "metricNamesForComputingUtilization");
  gxds_text_add_z(d->json, "[");
  size_t count = 0;
  gxds_str name;
  for (; gxds_wire_next_value(&message, METRIC_NAMES_FOR_COMPUTING_UTILIZATION, &name); count++) {
    if (count == GXDS_UTILIZATION_METRICS_MAX) {
      gxds_errors_add(d->errors, GXDS_FIELD(d->at, field), "more than %u names",
                      GXDS_UTILIZATION_METRICS_MAX);
      return;
    }
    if (!gxds_str_is_utf8(name)) {
      gxds_errors_add(d->errors, GXDS_ITEM(d->at, field, count), "is not UTF-8");
      return;
    }
    if (count > 0) gxds_text_add_z(d->json, ",");
    gxds_utf8_add_json(d->json, name);
  }
  gxds_text_add_z(d->json, "]");
}

void gxds_weighted_round_robin_decode(gxds_str message, const gxds_path *at, upb_Arena *scratch,
                                      gxds_errors *errors, gxds_text *json) {
  weighted_decoder d = {.at = at, .scratch = scratch, .errors = errors, .json = json};
  take_apart(message, d.fields);
  gxds_text_add_z(json, "[{\"weighted_round_robin\":{");
  add_duration(&d, BLACKOUT_PERIOD, "blackout_period", "blackoutPeriod");
  add_out_of_band(&d);
  add_penalty(&d);
  add_metric_names(&d, message);
  add_duration(&d, OOB_REPORTING_PERIOD, "oob_reporting_period", "oobReportingPeriod");
  add_duration(&d, WEIGHT_EXPIRATION_PERIOD, "weight_expiration_period", "weightExpirationPeriod");
  add_duration(&d, WEIGHT_UPDATE_PERIOD, "weight_update_period", "weightUpdatePeriod");
  gxds_text_add_z(json, "}}]");
}
