#include "base/str.h"

#include "base/memory.h"

bool gxds_str_equal(gxds_str a, gxds_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool gxds_str_equal_nocase(gxds_str a, gxds_str b) {
  if (a.size != b.size) return false;
  for (size_t i = 0; i < a.size; i++) {
    if (gxds_lower(a.data[i]) != gxds_lower(b.data[i])) return false;
  }
  return true;
}

int gxds_str_compare(gxds_str a, gxds_str b) {
  size_t common = a.size < b.size ? a.size : b.size;
  int order = common ? memcmp(a.data, b.data, common) : 0;
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

int gxds_str_compare_items(const void *a, const void *b) {
  return gxds_str_compare(*(const gxds_str *)a, *(const gxds_str *)b);
}

bool gxds_str_starts_with(gxds_str s, gxds_str prefix) {
  return s.size >= prefix.size && gxds_str_equal(gxds_str_of(s.data, prefix.size), prefix);
}

bool gxds_str_ends_with(gxds_str s, gxds_str suffix) {
  return s.size >= suffix.size &&
         (suffix.size == 0 ||
          gxds_str_equal(gxds_str_of(s.data + (s.size - suffix.size), suffix.size), suffix));
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

gxds_str gxds_str_trim(gxds_str s) {
  while (s.size > 0 && is_space(s.data[s.size - 1])) s.size--;
  while (s.size > 0 && is_space(s.data[0])) s = gxds_str_from(s, 1);
  return s;
}

int gxds_hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool gxds_str_to_uint64(gxds_str s, unsigned base, uint64_t *out) {
  uint64_t number = 0;
  for (size_t i = 0; i < s.size; i++) {
    const int digit = gxds_hex_digit(s.data[i]);
    if (digit < 0 || (unsigned)digit >= base) return false;
    if (number > (UINT64_MAX - (unsigned)digit) / base) return false;
    number = number * base + (unsigned)digit;
  }
  if (s.size > 0) *out = number;
  return s.size > 0;
}

gxds_str gxds_str_dup(gxds_str s) {
  char *copy = gxds_calloc(s.size + 1, 1);
  if (s.size) memcpy(copy, s.data, s.size);
  return gxds_str_of(copy, s.size);
}

void gxds_str_free(gxds_str *s) {
  gxds_free((char *)s->data);
  *s = gxds_str_of(NULL, 0);
}

gxds_str *gxds_strs_dup(const gxds_str *items, size_t count) {
  gxds_str *copies = gxds_calloc(count, sizeof *copies);
  for (size_t i = 0; i < count; i++) copies[i] = gxds_str_dup(items[i]);
  return copies;
}

bool gxds_strs_equal(const gxds_str *a, size_t a_count, const gxds_str *b, size_t b_count) {
  if (a_count != b_count) return false;
  for (size_t i = 0; i < a_count; i++) {
    if (!gxds_str_equal(a[i], b[i])) return false;
  }
  return true;
}

void gxds_strs_free(gxds_str *items, size_t count) {
  for (size_t i = 0; i < count; i++) gxds_str_free(&items[i]);
  gxds_free(items);
}

void gxds_str_set(gxds_str *s, gxds_str from) {
  const gxds_str copy = gxds_str_dup(from);
  gxds_str_free(s);
  *s = copy;
}

gxds_str gxds_percent_decode(gxds_str s) {
  gxds_str out = gxds_str_dup(s);
  char *to = (char *)out.data;
  size_t size = 0;
  for (size_t i = 0; i < s.size; i++) {
    const bool may = s.data[i] == '%' && i + 2 < s.size;
    const int high = may ? gxds_hex_digit(s.data[i + 1]) : -1;
    const int low = may ? gxds_hex_digit(s.data[i + 2]) : -1;
    const bool triplet = high >= 0 && low >= 0;
    to[size++] = triplet ? (char)(high * 16 + low) : s.data[i];
    if (triplet) i += 2;
  }
  to[size] = 0;
  return gxds_str_of(to, size);
}
