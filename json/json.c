#include "json/json.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* The most seconds of a google.protobuf.Duration. */
#define SECONDS_MAX 315576000000u

bool gxds_json_is_object(const json_t *value, const gxds_path *at, gxds_errors *errors) {
  if (json_is_object(value)) return true;
  gxds_errors_add(errors, at, "is not an object");
  return false;
}

/* The member of that name. If it is absent, returns NULL, and adds an error if it is required. */
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
  *out = gxds_json_text(value);
  return true;
}

/* Reads decimal digits, with or without a '+' before them. False for any other text, or if the
 * number is too large. */
static bool parse_uint64(gxds_str text, uint64_t *out) {
  const bool plus = text.size > 0 && text.data[0] == '+';
  return gxds_str_to_uint64(gxds_str_from(text, plus), 10, out);
}

/* Whether value has a type that may contain a number: a number or a string. */
static bool is_number(const json_t *value, const gxds_path *field, gxds_errors *errors) {
  if (json_is_number(value) || json_is_string(value)) return true;
  gxds_errors_add(errors, field, "is not a number");
  return false;
}

static bool to_uint64(const json_t *value, uint64_t *out) {
  if (json_is_string(value)) return parse_uint64(gxds_json_text(value), out);
  if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
  *out = (uint64_t)json_integer_value(value);
  return true;
}

bool gxds_json_uint64(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, uint64_t *out) {
  const gxds_path *field = GXDS_FIELD(at, name);
  const json_t *value = member(object, name, presence, field, errors);
  if (!value || !is_number(value, field, errors)) return false;
  if (to_uint64(value, out)) return true;
  gxds_errors_add(errors, field, "failed to parse non-negative number");
  return false;
}

bool gxds_json_uint32(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, uint32_t *out) {
  uint64_t number;
  if (!gxds_json_uint64(object, name, presence, at, errors, &number)) return false;
  if (number <= UINT32_MAX) {
    *out = (uint32_t)number;
    return true;
  }
  gxds_errors_add(errors, GXDS_FIELD(at, name), "failed to parse non-negative number");
  return false;
}

/* strtod() in the C locale: the program's own locale may have a decimal comma. */
static double to_number(const char *text, char **end) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  GXDS_CHECK(c != (locale_t)0);
  const double number = strtod_l(text, end, c);
  freelocale(c);
  return number;
}

static bool to_double(const json_t *value, double *out) {
  if (!json_is_string(value)) {
    *out = json_number_value(value);
    return true;
  }
  const char *text = json_string_value(value);
  char *end;
  const double number = to_number(text, &end);
  if (end == text || end != text + json_string_length(value)) return false;
  *out = number;
  return true;
}

bool gxds_json_double(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, double *out) {
  const gxds_path *field = GXDS_FIELD(at, name);
  const json_t *value = member(object, name, presence, field, errors);
  if (!value || !is_number(value, field, errors)) return false;
  if (to_double(value, out)) return true;
  gxds_errors_add(errors, field, "failed to parse floating-point number");
  return false;
}

bool gxds_json_bool(const json_t *object, const char *name, gxds_json_presence presence,
                    const gxds_path *at, gxds_errors *errors, bool *out) {
  const gxds_path *field = GXDS_FIELD(at, name);
  const json_t *value = member(object, name, presence, field, errors);
  if (!value) return false;
  if (!json_is_boolean(value)) {
    gxds_errors_add(errors, field, "is not a boolean");
    return false;
  }
  *out = json_is_true(value);
  return true;
}

/* Reads a duration. Returns NULL, or what is wrong with the text (static). */
static const char *parse_duration(gxds_str text, gxds_duration *out) {
  if (!gxds_str_ends_with(text, gxds_str_z("s"))) return "Not a duration (no s suffix)";
  text.size--;
  const bool is_negative = text.size > 0 && text.data[0] == '-';
  if (is_negative) text = gxds_str_from(text, 1);
  const char *point = text.size > 0 ? memchr(text.data, '.', text.size) : NULL;
  const gxds_str whole = gxds_str_of(text.data, point ? (size_t)(point - text.data) : text.size);
  uint64_t nanoseconds = 0;
  if (point) {
    const gxds_str fraction = gxds_str_of(point + 1, text.size - whole.size - 1);
    if (!parse_uint64(fraction, &nanoseconds)) {
      return "Not a duration (not a number of nanoseconds)";
    }
    if (fraction.size > 9) return "Not a duration (too many digits after decimal)";
    for (size_t i = fraction.size; i < 9; i++) nanoseconds *= 10;
  }
  uint64_t seconds;
  if (!parse_uint64(whole, &seconds)) return "Not a duration (not a number of seconds)";
  if (is_negative || seconds > SECONDS_MAX) {
    return "seconds must be in the range [0, 315576000000]";
  }
  *out = seconds < INT64_MAX / GXDS_SECOND
             ? (gxds_duration)seconds * GXDS_SECOND + (gxds_duration)nanoseconds
             : INT64_MAX;
  return NULL;
}

bool gxds_json_duration(const json_t *object, const char *name, gxds_json_presence presence,
                        const gxds_path *at, gxds_errors *errors, gxds_duration *out) {
  gxds_str text;
  if (!gxds_json_str(object, name, presence, at, errors, &text)) return false;
  const char *wrong = parse_duration(text, out);
  if (wrong) gxds_errors_add(errors, GXDS_FIELD(at, name), "%s", wrong);
  return !wrong;
}

bool gxds_json_object(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, const json_t **out) {
  const gxds_path *field = GXDS_FIELD(at, name);
  const json_t *value = member(object, name, presence, field, errors);
  if (!value || !gxds_json_is_object(value, field, errors)) return false;
  *out = value;
  return true;
}

bool gxds_json_array(const json_t *object, const char *name, gxds_json_presence presence,
                     const gxds_path *at, gxds_errors *errors, const json_t **out) {
  const gxds_path *field = GXDS_FIELD(at, name);
  const json_t *value = member(object, name, presence, field, errors);
  if (!value) return false;
  if (!json_is_array(value)) {
    gxds_errors_add(errors, field, "is not an array");
    return false;
  }
  *out = value;
  return true;
}
