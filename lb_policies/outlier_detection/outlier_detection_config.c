#include "lb_policies/outlier_detection/outlier_detection_config.h"

#include "base/memory.h"
#include "json/json.h"
#include "lb_policies/outlier_detection/outlier_detection_policy.h"

gxds_lb_config *gxds_outlier_detection_config_create(gxds_str cluster,
                                                     const gxds_outlier_detection *settings,
                                                     gxds_lb_config *take_child) {
  gxds_outlier_detection_config *config = GXDS_NEW(gxds_outlier_detection_config);
  gxds_cluster_child_config_init(&config->of, &gxds_outlier_detection_policy, cluster, take_child);
  config->settings = *settings;
  return &config->of.base;
}

static void read_number(const json_t *json, const char *name, const gxds_path *at,
                        gxds_errors *errors, uint32_t *out) {
  gxds_json_uint32(json, name, GXDS_JSON_OPTIONAL, at, errors, out);
}

static void read_duration(const json_t *json, const char *name, gxds_errors *errors,
                          gxds_duration *out) {
  gxds_json_duration(json, name, GXDS_JSON_OPTIONAL, NULL, errors, out);
}

/* field is the field's name in the host's error. */
static void check_percentage(uint32_t value, const char *field, const gxds_path *at,
                             gxds_errors *errors) {
  if (value > 100) gxds_errors_add(errors, GXDS_FIELD(at, field), "value must be <= 100");
}

/* False if the config does not have this member, which turns that algorithm off. */
static bool read_ejection(const json_t *json, const char *name, const char *threshold,
                          gxds_errors *errors, gxds_ejection *e) {
  const json_t *object;
  if (json_is_null(json_object_get(json, name)) ||
      !gxds_json_object(json, name, GXDS_JSON_OPTIONAL, NULL, errors, &object)) {
    return false;
  }
  const gxds_path *at = GXDS_FIELD(NULL, name);
  read_number(object, threshold, at, errors, &e->threshold);
  read_number(object, "enforcementPercentage", at, errors, &e->enforcement_percentage);
  read_number(object, "minimumHosts", at, errors, &e->minimum_hosts);
  read_number(object, "requestVolume", at, errors, &e->request_volume);
  check_percentage(e->enforcement_percentage, "enforcement_percentage", at, errors);
  return true;
}

static gxds_ejection read_success_rate(const json_t *json, gxds_errors *errors) {
  gxds_ejection e = {0, 1900, 5, 100};
  if (read_ejection(json, "successRateEjection", "stdevFactor", errors, &e)) return e;
  return (gxds_ejection){0};
}

static gxds_ejection read_failure_percentage(const json_t *json, gxds_errors *errors) {
  static const char *const kName = "failurePercentageEjection";
  gxds_ejection e = {0, 85, 5, 50};
  if (!read_ejection(json, kName, "threshold", errors, &e)) return (gxds_ejection){0};
  check_percentage(e.threshold, "threshold", GXDS_FIELD(NULL, kName), errors);
  return e;
}

static gxds_outlier_detection read(const json_t *json, gxds_errors *errors) {
  gxds_outlier_detection o = {.interval = 10 * GXDS_SECOND,
                              .base_ejection_time = 30 * GXDS_SECOND,
                              .max_ejection_percent = 10};
  read_duration(json, "interval", errors, &o.interval);
  read_duration(json, "baseEjectionTime", errors, &o.base_ejection_time);
  const gxds_duration least = 300 * GXDS_SECOND;
  o.max_ejection_time = o.base_ejection_time > least ? o.base_ejection_time : least;
  read_duration(json, "maxEjectionTime", errors, &o.max_ejection_time);
  read_number(json, "maxEjectionPercent", NULL, errors, &o.max_ejection_percent);
  check_percentage(o.max_ejection_percent, "max_ejection_percent", NULL, errors);
  o.success_rate = read_success_rate(json, errors);
  o.failure_percentage = read_failure_percentage(json, errors);
  return o;
}

gxds_lb_config *gxds_outlier_detection_parse(const json_t *json, gxds_lb_parse_list *parse_list,
                                             gxds_errors *errors) {
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  const gxds_outlier_detection settings = read(json, errors);
  gxds_lb_config *child = gxds_lb_parse_child(json, "childPolicy", NULL, parse_list, errors);
  if (errors->count == 0) {
    return gxds_outlier_detection_config_create(gxds_str_of(NULL, 0), &settings, child);
  }
  gxds_lb_config_unref(child);
  return NULL;
}
