#include "files/utf8.h"

/* The length of the character that starts at p, 0 when there is no valid one. */
static size_t char_size(const unsigned char *p, size_t left) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (p[0] < 0x80) return 1;
  size_t size = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
  if (p[0] < 0xc2 || p[0] > 0xf4 || size > left) return 0;
  uint32_t code = p[0] & (0x7fu >> size);
  for (size_t i = 1; i < size; i++) {
    if ((p[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (p[i] & 0x3f);
  }
  if (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 0;
  return size;
}

size_t gxds_utf8_valid_prefix(gxds_str s) {
  size_t at = 0;
  while (at < s.size) {
    size_t size = char_size((const unsigned char *)s.data + at, s.size - at);
    if (size == 0) break;
    at += size;
  }
  return at;
}

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

/* Of the character at s: its bytes if it may stand in a JSON string as it is; 0: it may not. */
static size_t plain_size(const unsigned char *s, size_t size) {
  bool control = s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && size > 1 && s[1] < 0xa0);
  return control || s[0] == '"' || s[0] == '\\' ? 0 : char_size(s, size);
}

void gxds_utf8_add_json(gxds_text *out, gxds_str s) {
  gxds_text_add_z(out, "\"");
  for (size_t at = 0; at < s.size;) {
    size_t start = at;
    size_t size;
    while (at < s.size &&
           (size = plain_size((const unsigned char *)s.data + at, s.size - at)) > 0) {
      at += size;
    }
    gxds_text_add(out, gxds_str_of(s.data + start, at - start));
    if (at == s.size) break;
    unsigned char c = (unsigned char)s.data[at++];
    if (c == '"' || c == '\\') {
      gxds_text_addf(out, "\\%c", c);
    } else if (c == '\n') {
      gxds_text_add_z(out, "\\n");
    } else if (c < 0x20 || c == 0x7f) {
      gxds_text_addf(out, "\\u%04x", c);
    } else if (c == 0xc2 && char_size((const unsigned char *)s.data + at - 1, s.size - at + 1)) {
      gxds_text_addf(out, "\\u%04x", (unsigned char)s.data[at++]); /* U+0080 to U+009F */
    } else {
      gxds_text_add_z(out, "\xef\xbf\xbd");
    }
  }
  gxds_text_add_z(out, "\"");
}
