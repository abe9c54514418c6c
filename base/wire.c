#include "base/wire.h"

#include <stdint.h>

/* Reads a number of at most ten bytes. False if there is none. */
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
  *in = gxds_str_from(*in, (size_t)size);
  return true;
}

/* Reads a tag and its value. The fields of a group are not read. */
static bool read_field(gxds_str *in, uint64_t *tag, gxds_str *value) {
  uint64_t number = 0;
  *value = gxds_str_of(NULL, 0);
  if (!read_varint(in, tag)) return false;
  switch (*tag & 7) {
    case 0: /* a number */
      return read_varint(in, &number);
    case 1:
      return skip(in, 8);
    case 2: /* the value is a size, followed by that many bytes */
      if (!read_varint(in, &number)) return false;
      *value = gxds_str_of(in->data, (size_t)number);
      return skip(in, number);
    case 3: /* the fields of a group follow */
    case 4:
      return true;
    case 5:
      return skip(in, 4);
    default:
      return false;
  }
}

static bool is_group_start(uint64_t tag) { return (tag & 7) == 3; }
static bool is_group_end(uint64_t tag) { return (tag & 7) == 4; }

bool gxds_wire_is_whole(gxds_str bytes) {
  size_t open_groups = 0;
  while (bytes.size > 0) {
    uint64_t tag = 0;
    gxds_str value;
    if (!read_field(&bytes, &tag, &value)) return false;
    if (is_group_start(tag)) open_groups++;
    if (is_group_end(tag) && open_groups-- == 0) return false;
  }
  return open_groups == 0;
}

bool gxds_wire_next(gxds_str *rest, gxds_wire_field *out) {
  if (rest->size == 0) return false;
  gxds_str start = *rest;
  uint64_t tag = 0;
  size_t open_groups = 0;
  do {
    gxds_str value;
    uint64_t inner = 0;
    if (!read_field(rest, &inner, &value)) return false;
    if (open_groups == 0) {
      tag = inner;
      out->value = value;
    }
    if (is_group_start(inner)) open_groups++;
    if (is_group_end(inner) && open_groups-- == 0) return false;
  } while (open_groups > 0);
  out->number = tag >> 3;
  out->has_size = (tag & 7) == 2;
  out->whole = gxds_str_of(start.data, start.size - rest->size);
  return true;
}

bool gxds_wire_next_value(gxds_str *rest, uint64_t number, gxds_str *value) {
  gxds_wire_field field;
  while (gxds_wire_next(rest, &field)) {
    if (field.number != number || !field.has_size) continue;
    *value = field.value;
    return true;
  }
  return false;
}

gxds_str gxds_wire_bytes_at(gxds_str message, uint64_t number) {
  gxds_str found = {NULL, 0};
  while (gxds_wire_next_value(&message, number, &found)) {
  }
  return found;
}

uint64_t gxds_wire_number_at(gxds_str message, uint64_t number) {
  uint64_t found = 0;
  gxds_wire_field field;
  while (gxds_wire_next(&message, &field)) {
    uint64_t tag = 0;
    if (field.number != number || !read_varint(&field.whole, &tag) || (tag & 7) != 0) continue;
    read_varint(&field.whole, &found);
  }
  return found;
}

double gxds_wire_double(const gxds_wire_field *f) {
  double value = 0;
  gxds_str rest = f->whole;
  uint64_t tag = 0;
  if (read_varint(&rest, &tag) && (tag & 7) == 1) memcpy(&value, rest.data, sizeof value);
  return value;
}

void gxds_wire_pad(gxds_str bytes, char *out) {
  /* The tag of the padding field, and the size of its contents. */
  static const unsigned char header[] = {0xfa, 0xff, 0xff, 0xff, 0x0f, GXDS_WIRE_PADDING_SIZE - 6};
  if (bytes.size) memcpy(out, bytes.data, bytes.size);
  out += bytes.size;
  memset(out, 0, GXDS_WIRE_PADDING_SIZE);
  memcpy(out, header, sizeof header);
}

size_t gxds_wire_unpad(char *bytes, size_t size) {
  gxds_str rest = gxds_str_of(bytes, size);
  size_t kept = 0;
  gxds_wire_field f;
  while (gxds_wire_next(&rest, &f)) {
    if (f.number == GXDS_WIRE_PADDING_FIELD) continue;
    memmove(bytes + kept, f.whole.data, f.whole.size);
    kept += f.whole.size;
  }
  return kept;
}
