#include "base/base64.h"

int gxds_base64_digit(gxds_base64_alphabet alphabet, char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == (alphabet == GXDS_BASE64 ? '+' : '-')) return 62;
  return c == (alphabet == GXDS_BASE64 ? '/' : '_') ? 63 : -1;
}

static gxds_str without_padding(gxds_str text) {
  for (int i = 0; i < 2 && text.size > 0 && text.data[text.size - 1] == '='; i++) text.size--;
  return text;
}

bool gxds_base64_decode(gxds_base64_alphabet alphabet, gxds_str text, char *to, size_t *size) {
  unsigned bits = 0;
  unsigned count = 0;
  *size = 0;
  text = without_padding(text);
  if (text.size % 4 == 1) return false;
  for (size_t i = 0; i < text.size; i++) {
    const int digit = gxds_base64_digit(alphabet, text.data[i]);
    if (digit < 0) return false;
    bits = bits << 6 | (unsigned)digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    to[(*size)++] = (char)(bits >> count & 0xff);
  }
  return true;
}

void gxds_base64_add(gxds_text *out, gxds_str bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < bytes.size; i += 3) {
    const size_t left = bytes.size - i;
    const unsigned char *at = (const unsigned char *)bytes.data + i;
    const unsigned three =
        (unsigned)at[0] << 16 | (left > 1 ? (unsigned)at[1] << 8 : 0) | (left > 2 ? at[2] : 0u);
    const char four[] = {digits[three >> 18 & 63], digits[three >> 12 & 63],
                         left > 1 ? digits[three >> 6 & 63] : '=',
                         left > 2 ? digits[three & 63] : '='};
    gxds_text_add(out, gxds_str_of(four, sizeof four));
  }
}
