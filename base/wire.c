#include "base/wire.h"

#include <stdint.h>

/* Reads a number of at most ten bytes; false when there is none. */
static bool read_varint(gxds_str *in, uint64_t *out) {
  *out = 0;
  for (size_t i = 0; i < in->size && i < 10; i++) {
    uint8_t byte = (uint8_t)in->data[i];
    *out |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *in = gxds_str_of(in->data + i + 1, in->size - i - 1);
      return true;
    }
  }
  return false;
}

static bool skip(gxds_str *in, uint64_t size) {
  if (size > in->size) return false;
  *in = gxds_str_of(in->data + size, in->size - (size_t)size);
  return true;
}

bool gxds_wire_is_whole(gxds_str bytes) {
  size_t open_groups = 0;
  uint64_t number = 0;
  while (bytes.size > 0) {
    if (!read_varint(&bytes, &number)) return false;
    switch (number & 7) {
      case 0: /* a number */
        if (!read_varint(&bytes, &number)) return false;
        break;
      case 1:
        if (!skip(&bytes, 8)) return false;
        break;
      case 2: /* a size and as many bytes */
        if (!read_varint(&bytes, &number) || !skip(&bytes, number)) return false;
        break;
      case 3: /* the fields of a group follow */
        open_groups++;
        break;
      case 4:
        if (open_groups-- == 0) return false;
        break;
      case 5:
        if (!skip(&bytes, 4)) return false;
        break;
      default:
        return false;
    }
  }
  return open_groups == 0;
}

void gxds_wire_pad(gxds_str bytes, char *out) {
  /* The greatest field number that there is, and how many bytes follow. */
  static const unsigned char header[] = {0xfa, 0xff, 0xff, 0xff, 0x0f, GXDS_WIRE_PADDING_SIZE - 6};
  if (bytes.size) memcpy(out, bytes.data, bytes.size);
  out += bytes.size;
  memset(out, 0, GXDS_WIRE_PADDING_SIZE);
  memcpy(out, header, sizeof header);
}
