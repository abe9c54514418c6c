#include "resources/outlier_detection.h"

#include "envoy/config/cluster/v3/outlier_detection.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/cluster_internal.h"

typedef envoy_config_cluster_v3_OutlierDetection outlier_message;

static uint32_t value_of(const google_protobuf_UInt32Value *in, uint32_t otherwise) {
  return in ? google_protobuf_UInt32Value_value(in) : otherwise;
}

static uint32_t decode_percentage(const google_protobuf_UInt32Value *in, uint32_t otherwise,
                                  const char *field, const gxds_path *at, gxds_errors *errors) {
  uint32_t value = value_of(in, otherwise);
  if (value > 100) gxds_errors_add(errors, GXDS_FIELD(at, field), "value must be <= 100");
  return value;
}

static gxds_duration decode_time(const google_protobuf_Duration *in, gxds_duration otherwise,
                                 const char *field, const gxds_path *at, gxds_errors *errors) {
  return in ? gxds_duration_decode(in, GXDS_FIELD(at, field), errors) : otherwise;
}

/* This ejection is on by default. */
static gxds_ejection decode_success_rate(const outlier_message *in, const gxds_path *at,
                                         gxds_errors *errors) {
  return (gxds_ejection){
      .enforcement_percentage =
          decode_percentage(envoy_config_cluster_v3_OutlierDetection_enforcing_success_rate(in),
                            100, "enforcing_success_rate", at, errors),
      .threshold =
          value_of(envoy_config_cluster_v3_OutlierDetection_success_rate_stdev_factor(in), 1900),
      .minimum_hosts =
          value_of(envoy_config_cluster_v3_OutlierDetection_success_rate_minimum_hosts(in), 5),
      .request_volume =
          value_of(envoy_config_cluster_v3_OutlierDetection_success_rate_request_volume(in), 100)};
}

/* This ejection is off by default. Its threshold is checked only if it is on. */
static gxds_ejection decode_failure_percentage(const outlier_message *in, const gxds_path *at,
                                               gxds_errors *errors) {
  gxds_ejection e = {
      .enforcement_percentage = decode_percentage(
          envoy_config_cluster_v3_OutlierDetection_enforcing_failure_percentage(in), 0,
          "enforcing_failure_percentage", at, errors),
      .minimum_hosts = value_of(
          envoy_config_cluster_v3_OutlierDetection_failure_percentage_minimum_hosts(in), 5),
      .request_volume = value_of(
          envoy_config_cluster_v3_OutlierDetection_failure_percentage_request_volume(in), 50)};
  const google_protobuf_UInt32Value *threshold =
      envoy_config_cluster_v3_OutlierDetection_failure_percentage_threshold(in);
  e.threshold = e.enforcement_percentage == 0
                    ? value_of(threshold, 85)
                    : decode_percentage(threshold, 85, "failure_percentage_threshold", at, errors);
  return e;
}

void gxds_outlier_detection_decode(const outlier_message *in, gxds_errors *errors,
                                   gxds_cluster *out) {
  const gxds_path *at = GXDS_FIELD(NULL, "outlier_detection");
  gxds_outlier_detection *o = gxds_arena_calloc(gxds_cluster_arena(out), 1, sizeof *o);
  o->interval = decode_time(envoy_config_cluster_v3_OutlierDetection_interval(in), 10 * GXDS_SECOND,
                            "interval", at, errors);
  o->base_ejection_time =
      decode_time(envoy_config_cluster_v3_OutlierDetection_base_ejection_time(in), 30 * GXDS_SECOND,
                  "base_ejection_time", at, errors);
  gxds_duration longest =
      o->base_ejection_time > 300 * GXDS_SECOND ? o->base_ejection_time : 300 * GXDS_SECOND;
  o->max_ejection_time = decode_time(envoy_config_cluster_v3_OutlierDetection_max_ejection_time(in),
                                     longest, "max_ejection_time", at, errors);
  o->max_ejection_percent =
      decode_percentage(envoy_config_cluster_v3_OutlierDetection_max_ejection_percent(in), 10,
                        "max_ejection_percent", at, errors);
  o->success_rate = decode_success_rate(in, at, errors);
  o->failure_percentage = decode_failure_percentage(in, at, errors);
  gxds_cluster_rare_get(out)->outlier_detection = o;
}
