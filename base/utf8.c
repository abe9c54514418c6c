#include "base/utf8.h"

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
  /* Overlong forms, surrogates, and characters beyond U+10FFFF are invalid. */
  if (p[0] == 0xe0 && p[1] < 0xa0) return 0;
  if (p[0] == 0xed && p[1] >= 0xa0) return 0;
  if (p[0] == 0xf0 && p[1] < 0x90) return 0;
  if (p[0] == 0xf4 && p[1] >= 0x90) return 0;
  return size;
}

size_t gxds_utf8_control(gxds_str s) {
  if (s.size == 0) return 0;
  unsigned char c = (unsigned char)s.data[0];
  if (c < 0x20 || c == 0x7f) return 1;
  return c == 0xc2 && s.size > 1 && ((unsigned char)s.data[1] & 0xe0) == 0x80 ? 2 : 0;
}

static gxds_str after(gxds_str s, size_t size) { return size ? gxds_str_from(s, size) : s; }

size_t gxds_utf8_valid_prefix(gxds_str s) {
  size_t at = 0;
  for (size_t size; (size = gxds_utf8_character(after(s, at))) > 0;) at += size;
  return at;
}

bool gxds_str_is_utf8(gxds_str s) { return gxds_utf8_valid_prefix(s) == s.size; }

void gxds_utf8_add(gxds_text *out, uint32_t code) {
  char bytes[4];
  size_t size;
  if (code < 0x80) {
    bytes[0] = (char)code;
    size = 1;
  } else {
    size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)((0xf00u >> size & 0xf0u) | code);
  }
  gxds_text_add(out, gxds_str_of(bytes, size));
}

/* How many bytes the first character of s has, if a JSON string may contain it without an escape.
 * Otherwise, and if there is no valid character, 0. */
static size_t plain_size(gxds_str s) {
  if (s.size == 0 || s.data[0] == '"' || s.data[0] == '\\') return 0;
  return gxds_utf8_control(s) ? 0 : gxds_utf8_character(s);
}

void gxds_utf8_add_json(gxds_text *out, gxds_str s) {
  gxds_text_add_z(out, "\"");
  while (s.size > 0) {
    size_t run = 0; /* how many bytes of s are added as they are */
    for (size_t size; (size = plain_size(after(s, run))) > 0;) run += size;
    gxds_text_add(out, gxds_str_of(s.data, run));
    s = after(s, run);
    if (s.size == 0) break;
    size_t control = gxds_utf8_control(s);
    size_t size = control ? control : 1;
    char c = s.data[0];
    if (c == '"' || c == '\\') {
      gxds_text_addf(out, "\\%c", c);
    } else if (c == '\n') {
      gxds_text_add_z(out, "\\n");
    } else if (control) {
      gxds_text_addf(out, "\\u%04x", (unsigned char)s.data[size - 1]); /* also for U+0080 to
                                                                          U+009F */
    } else {
      gxds_text_add_z(out, "\xef\xbf\xbd");
    }
    s = after(s, size);
  }
  gxds_text_add_z(out, "\"");
}

static void add_name(gxds_text *out, const char *name) {
  const bool is_first = out->size > 0 && out->data[out->size - 1] == '{';
  gxds_text_addf(out, "%s\"%s\":", is_first ? "" : ",", name);
}

void gxds_utf8_add_member(gxds_text *out, const char *name, gxds_str s) {
  add_name(out, name);
  gxds_utf8_add_json(out, s);
}

void gxds_utf8_add_member_if_any(gxds_text *out, const char *name, gxds_str s) {
  if (s.size > 0) gxds_utf8_add_member(out, name, s);
}

void gxds_utf8_add_list(gxds_text *out, const char *name, const gxds_str *strings, size_t count) {
  add_name(out, name);
  gxds_text_add_z(out, "[");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) gxds_text_add_z(out, ",");
    gxds_utf8_add_json(out, strings[i]);
  }
  gxds_text_add_z(out, "]");
}
