#include "files/prototext_scalar.h"

#include <math.h>
#include <stdlib.h>

#include "base/upb.h"
#include "files/scalar.h"

static bool is_word(const gxds_prototext_token *token, const char *word) {
  return token->kind == GXDS_PROTOTEXT_NAME && gxds_str_equal(token->text, gxds_str_z(word));
}

static bool is_word_nocase(const gxds_prototext_token *token, const char *word) {
  return token->kind == GXDS_PROTOTEXT_NAME && gxds_str_equal_nocase(token->text, gxds_str_z(word));
}

/* Reads digits in base 10, 16 ("0x1F") or 8 ("017"), below 2^64. */
static bool parse_digits(const gxds_prototext_token *token, uint64_t *out) {
  gxds_str s = token->text;
  if (token->kind != GXDS_PROTOTEXT_NUMBER) return false;
  unsigned base = 10;
  size_t start = 0;
  if (s.size > 1 && s.data[0] == '0') {
    base = (s.data[1] | 32) == 'x' ? 16 : 8;
    start = base == 16 ? 2 : 1;
  }
  return gxds_str_to_uint64(gxds_str_from(s, start), base, out);
}

static bool read_integer(const gxds_prototext_token *token, bool negative, uint64_t most_negative,
                         uint64_t most, int64_t *out) {
  uint64_t magnitude;
  if (!parse_digits(token, &magnitude) || magnitude > (negative ? most_negative : most)) {
    return false;
  }
  *out = (int64_t)(negative ? 0 - magnitude : magnitude);
  return true;
}

static bool read_bool(bool negative, const gxds_prototext_token *token, bool *out) {
  uint64_t number;
  if (negative) return false;
  if (parse_digits(token, &number)) {
    *out = number == 1;
    return number <= 1;
  }
  *out = is_word(token, "true") || is_word(token, "True") || is_word(token, "t");
  return *out || is_word(token, "false") || is_word(token, "False") || is_word(token, "f");
}

/* Reads a decimal number, perhaps with a point, an exponent and a final 'f', or inf, infinity or
 * nan in any case. A number that is too large becomes infinite, as in other readers. */
static bool read_double(bool negative, const gxds_prototext_token *token, double *out) {
  if (is_word_nocase(token, "inf") || is_word_nocase(token, "infinity")) {
    *out = (double)INFINITY;
  } else if (is_word_nocase(token, "nan")) {
    *out = (double)NAN;
  } else {
    gxds_str s = token->text;
    bool is_octal = s.size > 1 && s.data[0] == '0' && s.data[1] >= '0' && s.data[1] <= '9';
    if (token->kind != GXDS_PROTOTEXT_NUMBER || is_octal) return false;
    if ((s.data[s.size - 1] | 32) == 'f') s.size--;
    gxds_str copy = gxds_str_dup(s);
    char *end;
    *out = strtod(copy.data, &end);
    /* strtod() also reads "0x1", and stops at a zero byte. */
    bool whole = strspn(copy.data, "0123456789.eE+-") == s.size && *end == 0;
    gxds_str_free(&copy);
    if (!whole) return false;
  }
  if (negative) *out = -*out;
  return true;
}

static bool read_enum(const upb_EnumDef *e, bool negative, const gxds_prototext_token *token,
                      int32_t *out, gxds_text *expected) {
  const upb_EnumValueDef *value =
      token->kind == GXDS_PROTOTEXT_NAME && !negative
          ? upb_EnumDef_FindValueByNameWithSize(e, token->text.data, token->text.size)
          : NULL;
  int64_t number;
  if (value) {
    *out = upb_EnumValueDef_Number(value);
    return true;
  }
  if (read_integer(token, negative, (uint64_t)1 << 31, INT32_MAX, &number)) {
    *out = (int32_t)number;
    return true;
  }
  gxds_scalar_expect_enum(e, expected);
  return false;
}

static bool read_string(bool negative, const gxds_prototext_token *token, bool is_text,
                        upb_Arena *arena, upb_MessageValue *out) {
  if (token->kind != GXDS_PROTOTEXT_STRING || negative) return false;
  if (is_text && !gxds_str_is_utf8(token->text)) return false;
  char *copy = gxds_arena_alloc(arena, token->text.size);
  if (token->text.size) memcpy(copy, token->text.data, token->text.size);
  out->str_val = (upb_StringView){copy, token->text.size};
  return true;
}

/* Reads a value of the field's type. Sets *what to the text of what was expected. False if the
 * token is not such a value. */
static bool read(const upb_FieldDef *f, bool negative, const gxds_prototext_token *token,
                 upb_Arena *arena, upb_MessageValue *out, const char **what) {
  double number = 0;
  int64_t integer = 0;
  bool ok;
  switch (upb_FieldDef_CType(f)) {
    case kUpb_CType_Bool:
      *what = "true or false";
      return read_bool(negative, token, &out->bool_val);
    case kUpb_CType_Float:
      *what = "a number (float)";
      ok = read_double(negative, token, &number);
      out->float_val = (float)number; /* a number that is too large becomes infinite (IEEE 754) */
      return ok;
    case kUpb_CType_Double:
      *what = "a number";
      return read_double(negative, token, &out->double_val);
    case kUpb_CType_String:
      *what = "a string of UTF-8 in quotes";
      return read_string(negative, token, true, arena, out);
    case kUpb_CType_Bytes:
      *what = "a string in quotes";
      return read_string(negative, token, false, arena, out);
    case kUpb_CType_Int32:
      *what = "an integer of 32 bits";
      ok = read_integer(token, negative, (uint64_t)1 << 31, INT32_MAX, &integer);
      out->int32_val = (int32_t)integer;
      return ok;
    case kUpb_CType_UInt32:
      *what = "an integer from 0 to 4294967295";
      ok = read_integer(token, negative, 0, UINT32_MAX, &integer);
      out->uint32_val = (uint32_t)integer;
      return ok;
    case kUpb_CType_Int64:
      *what = "an integer of 64 bits";
      return read_integer(token, negative, (uint64_t)1 << 63, INT64_MAX, &out->int64_val);
    default:
      *what = "an integer of 64 bits that is not negative";
      ok = read_integer(token, negative, 0, UINT64_MAX, &integer);
      out->uint64_val = (uint64_t)integer;
      return ok;
  }
}

bool gxds_prototext_scalar_read(const upb_FieldDef *f, bool negative,
                                const gxds_prototext_token *token, upb_Arena *arena,
                                upb_MessageValue *out, gxds_text *expected) {
  const char *what = NULL;
  if (upb_FieldDef_CType(f) == kUpb_CType_Enum) {
    return read_enum(upb_FieldDef_EnumSubDef(f), negative, token, &out->int32_val, expected);
  }
  if (read(f, negative, token, arena, out, &what)) return true;
  gxds_text_add_z(expected, what);
  return false;
}
