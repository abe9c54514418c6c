#include "transport/cache_record.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The second to last byte is the version of the format. */
static const char magic[GXDS_CACHE_MAGIC_SIZE] = {'g', 'x', 'd', 's', ' ', 'r', 'e', 's',
                                                  'o', 'u', 'r', 'c', 'e', 's', 2,   '\n'};
#define MAGIC_NAME_SIZE 14

/* A frame: the payload's size, a checksum of the size, and a checksum of the payload. The size has
 * a checksum so that a wrong size is not mistaken for a record that was cut off. */
enum { NUMBER_SIZE = 8, FRAME_SIZE = 3 * NUMBER_SIZE, FIELD_COUNT = 4 };
/* the kind, the time of acceptance, and the sizes of the fields */
#define PAYLOAD_MIN (1 + NUMBER_SIZE + FIELD_COUNT * NUMBER_SIZE)

static void put_number(uint64_t n, gxds_text *out) {
  char bytes[NUMBER_SIZE];
  for (int i = 0; i < NUMBER_SIZE; i++) bytes[i] = (char)(n >> (8 * i));
  gxds_text_add(out, gxds_str_of(bytes, NUMBER_SIZE));
}

static uint64_t get_number(const char *bytes) {
  uint64_t n = 0;
  for (int i = 0; i < NUMBER_SIZE; i++) n |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
  return n;
}

static uint64_t checksum(gxds_str s) { return XXH3_64bits(s.data ? s.data : "", s.size); }

static void put_frame(gxds_str payload, gxds_text *out) {
  gxds_text size = {0};
  put_number(payload.size, &size);
  gxds_text_add(out, gxds_text_str(&size));
  put_number(checksum(gxds_text_str(&size)), out);
  put_number(checksum(payload), out);
  gxds_text_fini(&size);
  gxds_text_add(out, payload);
}

static gxds_cache_part take_frame(gxds_str *rest, size_t max, gxds_str *payload) {
  if (rest->size == 0) return GXDS_CACHE_PART_END;
  if (rest->size < FRAME_SIZE) return GXDS_CACHE_PART_CUT;
  uint64_t size = get_number(rest->data);
  uint64_t size_sum = get_number(rest->data + NUMBER_SIZE);
  uint64_t sum = get_number(rest->data + 2 * NUMBER_SIZE);
  if (checksum(gxds_str_of(rest->data, NUMBER_SIZE)) != size_sum) return GXDS_CACHE_PART_DAMAGED;
  if (size > max) return GXDS_CACHE_PART_DAMAGED;
  if (size > rest->size - FRAME_SIZE) return GXDS_CACHE_PART_CUT;
  *payload = gxds_str_of(rest->data + FRAME_SIZE, (size_t)size);
  if (checksum(*payload) != sum) return GXDS_CACHE_PART_DAMAGED;
  (void)gxds_str_take(rest, FRAME_SIZE + (size_t)size);
  return GXDS_CACHE_PART_OK;
}

int gxds_cache_version(gxds_str head) {
  if (head.size < sizeof magic || memcmp(head.data, magic, MAGIC_NAME_SIZE) != 0) return 0;
  return head.data[MAGIC_NAME_SIZE + 1] == '\n' ? (unsigned char)head.data[MAGIC_NAME_SIZE] : 0;
}

void gxds_cache_header_encode(gxds_str target, gxds_str origin, gxds_text *out) {
  gxds_text_add(out, gxds_str_of(magic, sizeof magic));
  gxds_text payload = {0};
  put_number(target.size, &payload);
  gxds_text_add(&payload, target);
  gxds_text_add(&payload, origin);
  put_frame(gxds_text_str(&payload), out);
  gxds_text_fini(&payload);
}

gxds_cache_part gxds_cache_header_decode(gxds_str *rest, gxds_str target, gxds_str origin) {
  size_t known = rest->size < sizeof magic ? rest->size : sizeof magic;
  size_t name = known < MAGIC_NAME_SIZE ? known : MAGIC_NAME_SIZE;
  if (name > 0 && memcmp(rest->data, magic, name) != 0) return GXDS_CACHE_PART_FOREIGN;
  if (known > 0 && memcmp(rest->data, magic, known) != 0) return GXDS_CACHE_PART_VERSION;
  if (known < sizeof magic) return GXDS_CACHE_PART_CUT;
  gxds_str after = gxds_str_of(rest->data + sizeof magic, rest->size - sizeof magic);
  gxds_str payload;
  gxds_cache_part part = take_frame(&after, GXDS_CACHE_HEADER_MAX, &payload);
  if (part == GXDS_CACHE_PART_END) return GXDS_CACHE_PART_CUT;
  if (part != GXDS_CACHE_PART_OK) return part;
  if (!payload.data || payload.size < NUMBER_SIZE) return GXDS_CACHE_PART_DAMAGED;
  uint64_t size = get_number(gxds_str_take(&payload, NUMBER_SIZE).data);
  if (size > payload.size) return GXDS_CACHE_PART_DAMAGED;
  bool ours = gxds_str_equal(gxds_str_take(&payload, (size_t)size), target);
  if (!ours || !gxds_str_equal(payload, origin)) return GXDS_CACHE_PART_FOREIGN;
  *rest = after;
  return GXDS_CACHE_PART_OK;
}

void gxds_cache_record_encode(const gxds_cache_record *r, gxds_text *out) {
  const gxds_str fields[FIELD_COUNT] = {r->type, r->name, r->version, r->bytes};
  gxds_text payload = {0};
  gxds_text_add(&payload, gxds_str_of(r->removed ? "-" : "+", 1));
  put_number((uint64_t)r->accepted, &payload);
  for (int i = 0; i < FIELD_COUNT; i++) put_number(fields[i].size, &payload);
  for (int i = 0; i < FIELD_COUNT; i++) gxds_text_add(&payload, fields[i]);
  put_frame(gxds_text_str(&payload), out);
  gxds_text_fini(&payload);
}

static bool read_payload(gxds_str payload, gxds_cache_record *out) {
  if (!payload.data || payload.size < PAYLOAD_MIN) return false;
  char kind = gxds_str_take(&payload, 1).data[0];
  if (kind != '+' && kind != '-') return false;
  *out = (gxds_cache_record){.removed = kind == '-'};
  out->accepted = (int64_t)get_number(gxds_str_take(&payload, NUMBER_SIZE).data);
  gxds_str *fields[FIELD_COUNT] = {&out->type, &out->name, &out->version, &out->bytes};
  uint64_t sizes[FIELD_COUNT];
  for (int i = 0; i < FIELD_COUNT; i++) {
    sizes[i] = get_number(gxds_str_take(&payload, NUMBER_SIZE).data);
  }
  for (int i = 0; i < FIELD_COUNT; i++) {
    if (sizes[i] > payload.size) return false;
    *fields[i] = gxds_str_take(&payload, (size_t)sizes[i]);
  }
  if (out->removed && (out->version.size || out->bytes.size)) return false;
  return payload.size == 0 && out->type.size > 0 && out->name.size > 0;
}

gxds_cache_part gxds_cache_record_decode(gxds_str *rest, gxds_cache_record *out) {
  gxds_str after = *rest;
  gxds_str payload;
  gxds_cache_part part =
      take_frame(&after, GXDS_CACHE_RECORD_MAX + GXDS_CACHE_FIELDS_MAX, &payload);
  if (part != GXDS_CACHE_PART_OK) return part;
  if (!read_payload(payload, out)) return GXDS_CACHE_PART_DAMAGED;
  *rest = after;
  return GXDS_CACHE_PART_OK;
}
