#include "json/json.h"

bool gxds_json_is_object(const json_t *value, const gxds_path *at, gxds_errors *errors) {
  if (json_is_object(value)) return true;
  gxds_errors_add(errors, at, "is not an object");
  return false;
}

/* NULL: it is absent. */
static const json_t *member(const json_t *object, const char *name, gxds_json_presence presence,
                            const gxds_path *field, gxds_errors *errors) {
  const json_t *value = json_object_get(object, name);
  if (!value && presence == GXDS_JSON_REQUIRED) gxds_errors_add(errors, field, "field not present");
  return value;
}

bool gxds_json_str(const json_t *object, const char *name, gxds_json_presence presence,
                   const gxds_path *at, gxds_errors *errors, gxds_str *out) {
  const gxds_path *field = GXDS_FIELD(at, name);
  const json_t *value = member(object, name, presence, field, errors);
  if (!value) return false;
  if (!json_is_string(value)) {
    gxds_errors_add(errors, field, "is not a string");
    return false;
  }
  *out = gxds_str_of(json_string_value(value), json_string_length(value));
  return true;
}

/* Decimal digits, with a sign before them or none; false: it is something else, or too large. */
static bool parse_uint64(gxds_str text, uint64_t *out) {
  size_t i = text.size > 0 && text.data[0] == '+' ? 1 : 0;
  if (i == text.size) return false;
  uint64_t number = 0;
  for (; i < text.size; i++) {
    const char c = text.data[i];
    if (c < '0' || c > '9') return false;
    const uint64_t digit = (uint64_t)(c - '0');
    if (number > (UINT64_MAX - digit) / 10) return false;
    number = number * 10 + digit;
  }
  *out = number;
  return true;
}

bool gxds_json_uint64(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, uint64_t *out) {
  const gxds_path *field = GXDS_FIELD(at, name);
  const json_t *value = member(object, name, presence, field, errors);
  if (!value) return false;
  if (!json_is_number(value) && !json_is_string(value)) {
    gxds_errors_add(errors, field, "is not a number");
    return false;
  }
  if (json_is_integer(value) && json_integer_value(value) >= 0) {
    *out = (uint64_t)json_integer_value(value);
    return true;
  }
  if (json_is_string(value) &&
      parse_uint64(gxds_str_of(json_string_value(value), json_string_length(value)), out)) {
    return true;
  }
  gxds_errors_add(errors, field, "failed to parse number");
  return false;
}
