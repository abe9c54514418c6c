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

bool gxds_str_starts_with(gxds_str s, gxds_str prefix) {
  return s.size >= prefix.size && gxds_str_equal(gxds_str_of(s.data, prefix.size), prefix);
}

bool gxds_str_ends_with(gxds_str s, gxds_str suffix) {
  return s.size >= suffix.size &&
         (suffix.size == 0 ||
          gxds_str_equal(gxds_str_of(s.data + (s.size - suffix.size), suffix.size), suffix));
}

size_t gxds_utf8_character(gxds_str s) {
  if (s.size == 0) return 0;
  const unsigned char *p = (const unsigned char *)s.data;
  if (p[0] < 0x80) return 1;
  size_t size = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : 0;
  if (p[0] >= 0xf0 && p[0] <= 0xf4) size = 4;
  if (size == 0 || size > s.size) return 0;
  for (size_t i = 1; i < size; i++) {
    if ((p[i] & 0xc0) != 0x80) return 0;
  }
  /* Overlong forms, surrogates, and what lies beyond U+10FFFF. */
  if (p[0] == 0xe0 && p[1] < 0xa0) return 0;
  if (p[0] == 0xed && p[1] >= 0xa0) return 0;
  if (p[0] == 0xf0 && p[1] < 0x90) return 0;
  if (p[0] == 0xf4 && p[1] >= 0x90) return 0;
  return size;
}

bool gxds_str_is_utf8(gxds_str s) {
  while (s.size > 0) {
    size_t size = gxds_utf8_character(s);
    if (size == 0) return false;
    s = gxds_str_of(s.data + size, s.size - size);
  }
  return true;
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
