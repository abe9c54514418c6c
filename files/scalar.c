#include "files/scalar.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <upb/def.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "files/yaml_scalar.h"

/* Reads an integer as sign and magnitude. Besides digits, it accepts 1.0 and 1e3, which proto3 JSON
 * allows if they are whole, but only up to 2^53: a double is not exact beyond that. */
static bool parse_integer(gxds_str s, bool *negative, uint64_t *magnitude) {
  *negative = s.size > 0 && s.data[0] == '-';
  if (gxds_str_to_uint64(gxds_str_from(s, *negative), 10, magnitude)) return true;
  gxds_text canonical = {0};
  bool radix = s.size > 1 && (s.data[1] == 'x' || s.data[1] == 'o'); /* only for YAML */
  bool ok = !radix && gxds_yaml_resolve(s, &canonical) == GXDS_FILE_NODE_NUMBER;
  double value = ok ? strtod(canonical.data, NULL) : 0;
  gxds_text_fini(&canonical);
  if (!ok || !(fabs(value) <= 0x1p53) || floor(value) != value) return false;
  *magnitude = (uint64_t)fabs(value);
  return true;
}

static bool write_integer(gxds_str s, uint64_t most_negative, uint64_t most, const char *what,
                          gxds_text *json, gxds_text *expected) {
  bool negative;
  uint64_t magnitude;
  if (!parse_integer(s, &negative, &magnitude) || magnitude > (negative ? most_negative : most)) {
    gxds_text_add_z(expected, what);
    return false;
  }
  /* The number is in quotes, because upb reads unquoted numbers as doubles. */
  gxds_text_addf(json, "\"%s%llu\"", negative && magnitude ? "-" : "",
                 (unsigned long long)magnitude);
  return true;
}

static bool write_integer_of(const upb_FieldDef *f, gxds_str s, gxds_text *json,
                             gxds_text *expected) {
  switch (upb_FieldDef_CType(f)) {
    case kUpb_CType_Int32:
      return write_integer(s, (uint64_t)1 << 31, INT32_MAX, "an integer of 32 bits", json,
                           expected);
    case kUpb_CType_UInt32:
      return write_integer(s, 0, UINT32_MAX, "an integer from 0 to 4294967295", json, expected);
    case kUpb_CType_Int64:
      return write_integer(s, (uint64_t)1 << 63, INT64_MAX, "an integer of 64 bits", json,
                           expected);
    default:
      return write_integer(s, 0, UINT64_MAX, "an integer of 64 bits that is not negative", json,
                           expected);
  }
}

bool gxds_scalar_is_finite(gxds_str number) {
  gxds_str copy = gxds_str_dup(number);
  char *end;
  double value = strtod(copy.data, &end);
  bool ok = *end == 0 && isfinite(value);
  gxds_str_free(&copy);
  return ok;
}

static bool is_special_double(gxds_str s) {
  return gxds_str_equal(s, gxds_str_z("NaN")) || gxds_str_equal(s, gxds_str_z("Infinity")) ||
         gxds_str_equal(s, gxds_str_z("-Infinity"));
}

static bool write_double(const upb_FieldDef *f, const gxds_file_node *node, gxds_text *json,
                         gxds_text *expected) {
  bool is_float = upb_FieldDef_CType(f) == kUpb_CType_Float;
  if ((node->kind == GXDS_FILE_NODE_NUMBER || node->kind == GXDS_FILE_NODE_STRING) &&
      is_special_double(node->text)) {
    gxds_utf8_add_json(json, node->text);
    return true;
  }
  gxds_text canonical = {0};
  bool ok = (node->kind == GXDS_FILE_NODE_NUMBER || node->kind == GXDS_FILE_NODE_STRING) &&
            gxds_yaml_resolve(node->text, &canonical) == GXDS_FILE_NODE_NUMBER &&
            !is_special_double(gxds_text_str(&canonical));
  double value = ok ? strtod(canonical.data, NULL) : 0;
  if (!isfinite(value) || (is_float && fabs(value) > (double)FLT_MAX)) ok = false;
  if (ok) gxds_text_add(json, gxds_text_str(&canonical));
  gxds_text_fini(&canonical);
  if (!ok) gxds_text_add_z(expected, is_float ? "a number (float)" : "a number");
  return ok;
}

static bool is_base64(gxds_str s) {
  if (s.size % 4 == 0) {
    for (int padding = 0; padding < 2 && s.size && s.data[s.size - 1] == '='; padding++) s.size--;
  }
  for (size_t i = 0; i < s.size; i++) {
    if (gxds_base64_digit(GXDS_BASE64, s.data[i]) < 0 &&
        gxds_base64_digit(GXDS_BASE64_URL, s.data[i]) < 0) {
      return false;
    }
  }
  return s.size % 4 != 1;
}

void gxds_scalar_expect_enum(const upb_EnumDef *e, gxds_text *expected) {
  enum { kNamesShown = 12 };
  gxds_text_addf(expected, "a value of %s (", upb_EnumDef_FullName(e));
  int count = upb_EnumDef_ValueCount(e);
  for (int i = 0; i < count && i < kNamesShown; i++) {
    gxds_text_addf(expected, "%s%s", i ? ", " : "", upb_EnumValueDef_Name(upb_EnumDef_Value(e, i)));
  }
  gxds_text_add_z(expected, count > kNamesShown ? ", ...)" : ")");
}

static bool write_enum(const upb_FieldDef *f, const gxds_file_node *node, gxds_text *json,
                       gxds_text *expected) {
  const upb_EnumDef *e = upb_FieldDef_EnumSubDef(f);
  if (node->kind == GXDS_FILE_NODE_STRING &&
      upb_EnumDef_FindValueByNameWithSize(e, node->text.data, node->text.size)) {
    gxds_utf8_add_json(json, node->text);
    return true;
  }
  bool negative;
  uint64_t magnitude;
  if (node->kind == GXDS_FILE_NODE_NUMBER && parse_integer(node->text, &negative, &magnitude) &&
      magnitude <= INT32_MAX) {
    gxds_text_addf(json, "%s%llu", negative ? "-" : "", (unsigned long long)magnitude);
    return true;
  }
  gxds_scalar_expect_enum(e, expected);
  return false;
}

bool gxds_scalar_write(const upb_FieldDef *f, const gxds_file_node *node, gxds_text *json,
                       gxds_text *expected) {
  bool text = node->kind == GXDS_FILE_NODE_STRING;
  switch (upb_FieldDef_CType(f)) {
    case kUpb_CType_Bool:
      if (node->kind == GXDS_FILE_NODE_BOOL) {
        gxds_text_add(json, node->text);
        return true;
      }
      gxds_text_add_z(expected, "true or false");
      return false;
    case kUpb_CType_Enum:
      return write_enum(f, node, json, expected);
    case kUpb_CType_Float:
    case kUpb_CType_Double:
      return write_double(f, node, json, expected);
    case kUpb_CType_String:
      if (text) {
        gxds_utf8_add_json(json, node->text);
        return true;
      }
      gxds_text_add_z(expected,
                      node->kind == GXDS_FILE_NODE_NUMBER || node->kind == GXDS_FILE_NODE_BOOL
                          ? "a string (put it in quotes)"
                          : "a string");
      return false;
    case kUpb_CType_Bytes:
      if (text && is_base64(node->text)) {
        gxds_utf8_add_json(json, node->text);
        return true;
      }
      gxds_text_add_z(expected, "a string in base64");
      return false;
    default:
      return write_integer_of(
          f, text || node->kind == GXDS_FILE_NODE_NUMBER ? node->text : gxds_str_z(""), json,
          expected);
  }
}

bool gxds_scalar_write_key(const upb_FieldDef *f, gxds_str key, gxds_text *json,
                           gxds_text *expected) {
  switch (upb_FieldDef_CType(f)) {
    case kUpb_CType_String:
      gxds_utf8_add_json(json, key);
      return true;
    case kUpb_CType_Bool:
      if (gxds_str_equal(key, gxds_str_z("true")) || gxds_str_equal(key, gxds_str_z("false"))) {
        gxds_utf8_add_json(json, key);
        return true;
      }
      gxds_text_add_z(expected, "true or false");
      return false;
    default:
      return write_integer_of(f, key, json, expected);
  }
}

bool gxds_scalar_is_duration(gxds_str text) {
  static const uint64_t kSecondsMax = 315576000000; /* 10,000 years: the limit of
                                                       google.protobuf.Duration */
  bool negative = text.size > 0 && text.data[0] == '-';
  size_t at = negative;
  while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9') at++;
  uint64_t seconds;
  gxds_str whole = gxds_str_of(text.data + negative, at - negative);
  if (!gxds_str_to_uint64(whole, 10, &seconds) || seconds > kSecondsMax) return false;
  if (at < text.size && text.data[at] == '.') {
    size_t start = ++at;
    while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9') at++;
    if (at == start || at - start > 9) return false;
  }
  /* upb would lose the sign of "-0.5s". */
  if (negative && seconds == 0) return false;
  return at + 1 == text.size && text.data[at] == 's';
}
