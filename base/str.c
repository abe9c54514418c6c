#include "base/str.h"

#include <strings.h>

#include "base/memory.h"

bool gxds_str_equal(gxds_str a, gxds_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool gxds_str_equal_nocase(gxds_str a, gxds_str b) {
  return a.size == b.size && (a.size == 0 || strncasecmp(a.data, b.data, a.size) == 0);
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

int gxds_hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
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

void gxds_str_set(gxds_str *s, gxds_str from) {
  const gxds_str copy = gxds_str_dup(from);
  gxds_str_free(s);
  *s = copy;
}
