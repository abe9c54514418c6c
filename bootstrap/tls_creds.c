#include "bootstrap/tls_creds.h"

#include <jansson.h>

/* The longest duration that protobuf's JSON form allows: 10,000 years. */
static const int64_t kDurationSecondsMax = 315576000000;

static gxds_str read_string(const json_t *config, const char *name, const gxds_path *at,
                            gxds_errors *errors) {
  const json_t *value = json_object_get(config, name);
  if (value && !json_is_string(value)) {
    gxds_errors_add(errors, GXDS_FIELD(at, name), "is not a string");
  }
  return gxds_str_dup(gxds_str_z(json_string_value(value))); /* NULL if it is not a string */
}

/* Parses a google.protobuf.Duration in JSON, such as "600s" or "0.5s". False if text is not a
 * duration. */
static bool parse_duration(gxds_str text, gxds_duration *out) {
  size_t at = 0;
  int64_t seconds = 0;
  for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++) {
    seconds = seconds * 10 + (text.data[at] - '0');
    if (seconds > kDurationSecondsMax) return false;
  }
  if (at == 0) return false;
  int64_t nanoseconds = 0;
  if (at < text.size && text.data[at] == '.') {
    int64_t unit = GXDS_SECOND;
    for (at++; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++) {
      unit /= 10;
      if (unit == 0) return false; /* more than nine digits */
      nanoseconds += (text.data[at] - '0') * unit;
    }
    if (unit == GXDS_SECOND) return false;
  }
  if (at + 1 != text.size || text.data[at] != 's') return false;
  /* A gxds_duration can hold at most 292 years. A longer duration means never. */
  bool fits = seconds < INT64_MAX / GXDS_SECOND;
  *out = fits ? seconds * GXDS_SECOND + nanoseconds : INT64_MAX;
  return true;
}

static gxds_duration read_interval(const json_t *config, const gxds_path *at, gxds_errors *errors) {
  static const char name[] = "refresh_interval";
  gxds_duration interval = GXDS_TLS_CREDS_REFRESH_DEFAULT;
  const json_t *value = json_object_get(config, name);
  if (!value) return interval;
  if (!json_is_string(value)) {
    gxds_errors_add(errors, GXDS_FIELD(at, name), "is not a string");
  } else if (!parse_duration(gxds_str_of(json_string_value(value), json_string_length(value)),
                             &interval)) {
    gxds_errors_add(errors, GXDS_FIELD(at, name), "is not a duration, as \"600s\" is");
  } else if (interval == 0) {
    gxds_errors_add(errors, GXDS_FIELD(at, name), "must be positive");
  }
  return interval;
}

bool gxds_tls_creds_init(gxds_tls_creds *c, gxds_str config_json, const gxds_path *at,
                         gxds_errors *errors) {
  size_t before = errors->count;
  json_t *config =
      config_json.size ? json_loadb(config_json.data, config_json.size, 0, NULL) : json_object();
  *c = (gxds_tls_creds){0};
  if (!json_is_object(config)) {
    gxds_errors_add(errors, at, "is not an object");
    json_decref(config);
    return false;
  }
  c->ca_certificate_file = read_string(config, "ca_certificate_file", at, errors);
  c->certificate_file = read_string(config, "certificate_file", at, errors);
  c->private_key_file = read_string(config, "private_key_file", at, errors);
  c->refresh_interval = read_interval(config, at, errors);
  json_decref(config);
  if (errors->count == before && !c->certificate_file.size != !c->private_key_file.size) {
    gxds_errors_add(errors, at,
                    "\"certificate_file\" and \"private_key_file\" must be both set or both unset");
  }
  if (errors->count == before) return true;
  gxds_tls_creds_fini(c);
  return false;
}

void gxds_tls_creds_fini(gxds_tls_creds *c) {
  gxds_str_free(&c->ca_certificate_file);
  gxds_str_free(&c->certificate_file);
  gxds_str_free(&c->private_key_file);
}
