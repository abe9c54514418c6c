#include "files/yaml_scalar.h"

static bool is_one_of(gxds_str s, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (gxds_str_equal(s, gxds_str_z(words[i]))) return true;
  }
  return false;
}
#define IS_ONE_OF(s, ...)                            \
  is_one_of((s), (const char *const[]){__VA_ARGS__}, \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static size_t digits(const char *p, const char *end) {
  const char *start = p;
  while (p < end && *p >= '0' && *p <= '9') p++;
  return (size_t)(p - start);
}

/* Reads 0o17 and 0x1F. A number beyond 64 bits stays a string. */
static bool resolve_radix(gxds_str s, gxds_text *out) {
  if (s.size < 3 || s.data[0] != '0' || (s.data[1] != 'o' && s.data[1] != 'x')) return false;
  uint64_t value;
  if (!gxds_str_to_uint64(gxds_str_from(s, 2), s.data[1] == 'o' ? 8 : 16, &value)) return false;
  gxds_text_addf(out, "%llu", (unsigned long long)value);
  return true;
}

static void add_integer_digits(const char *p, size_t size, gxds_text *out) {
  while (size > 1 && *p == '0') p++, size--; /* JSON has no leading zeros */
  gxds_text_add(out, gxds_str_of(p, size));
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool resolve_decimal(gxds_str s, gxds_text *out) {
  const char *p = s.data;
  const char *end = s.data + s.size;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  const char *whole = p;
  size_t whole_size = digits(p, end);
  p += whole_size;
  const char *fraction = p;
  size_t fraction_size = 0;
  bool point = p < end && *p == '.';
  if (point) {
    fraction = ++p;
    fraction_size = digits(p, end);
    p += fraction_size;
  }
  if (whole_size + fraction_size == 0) return false;
  const char *exponent = p;
  if (p < end && (*p == 'e' || *p == 'E')) {
    p++;
    if (p < end && (*p == '-' || *p == '+')) p++;
    size_t size = digits(p, end);
    if (size == 0) return false;
    p += size;
  }
  if (p < end) return false;
  if (negative) gxds_text_add_z(out, "-");
  if (whole_size) {
    add_integer_digits(whole, whole_size, out);
  } else {
    gxds_text_add_z(out, "0");
  }
  if (point) {
    gxds_text_add_z(out, ".");
    gxds_text_add(out, fraction_size ? gxds_str_of(fraction, fraction_size) : gxds_str_z("0"));
  }
  gxds_text_add(out, gxds_str_of(exponent, (size_t)(end - exponent)));
  return true;
}

gxds_file_node_kind gxds_yaml_resolve(gxds_str plain, gxds_text *canonical) {
  gxds_text_clear(canonical);
  if (plain.size == 0 || IS_ONE_OF(plain, "null", "Null", "NULL", "~")) {
    gxds_text_add_z(canonical, "null");
    return GXDS_FILE_NODE_NULL;
  }
  if (IS_ONE_OF(plain, "true", "True", "TRUE")) {
    gxds_text_add_z(canonical, "true");
    return GXDS_FILE_NODE_BOOL;
  }
  if (IS_ONE_OF(plain, "false", "False", "FALSE")) {
    gxds_text_add_z(canonical, "false");
    return GXDS_FILE_NODE_BOOL;
  }
  if (IS_ONE_OF(plain, ".nan", ".NaN", ".NAN")) {
    gxds_text_add_z(canonical, "NaN");
    return GXDS_FILE_NODE_NUMBER;
  }
  bool sign = plain.data[0] == '-' || plain.data[0] == '+';
  gxds_str unsigned_part = gxds_str_from(plain, sign);
  if (IS_ONE_OF(unsigned_part, ".inf", ".Inf", ".INF")) {
    gxds_text_add_z(canonical, plain.data[0] == '-' ? "-Infinity" : "Infinity");
    return GXDS_FILE_NODE_NUMBER;
  }
  if (resolve_radix(plain, canonical) || resolve_decimal(plain, canonical))
    return GXDS_FILE_NODE_NUMBER;
  gxds_text_clear(canonical);
  gxds_text_add(canonical, plain);
  return GXDS_FILE_NODE_STRING;
}
