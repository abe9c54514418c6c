#include "resources/address_set_internal.h"

#include <stddef.h>

#include "base/memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The bytes of a gxds_address that are hashed and compared: all before its padding. */
enum { kAddressSize = offsetof(gxds_address, is_ipv6) + 1 };

void gxds_address_set_init(gxds_address_set *s, const gxds_endpoint *endpoints, size_t capacity,
                           uint64_t seed) {
  size_t slots = 16;
  while (slots < 2 * capacity) slots *= 2;
  *s = (gxds_address_set){.slots = gxds_calloc(slots, sizeof *s->slots),
                          .mask = slots - 1,
                          .seed = seed,
                          .endpoints = endpoints};
}

void gxds_address_set_fini(gxds_address_set *s) {
  gxds_free(s->slots);
  *s = (gxds_address_set){0};
}

static const gxds_address *address_of(const gxds_address_set *s, uint32_t index) {
  return index < GXDS_ADDRESS_SET_MORE ? &s->endpoints[index].address
                                       : &s->more[index - GXDS_ADDRESS_SET_MORE];
}

/* The slot of the address, or the free slot where it belongs. */
static size_t find(const gxds_address_set *s, const gxds_address *address) {
  size_t at = XXH3_64bits_withSeed(address, kAddressSize, s->seed) & s->mask;
  for (; s->slots[at]; at = (at + 1) & s->mask) {
    if (memcmp(address, address_of(s, s->slots[at] - 1), kAddressSize) == 0) break;
  }
  return at;
}

/* Rare: only additional addresses (A61) make a set larger than its initial capacity. */
static __attribute__((noinline, cold)) void grow(gxds_address_set *s) {
  uint32_t *before = s->slots;
  const size_t count = s->mask + 1;
  s->mask = 2 * count - 1;
  s->slots = gxds_calloc(2 * count, sizeof *s->slots);
  for (size_t i = 0; i < count; i++) {
    if (before[i]) s->slots[find(s, address_of(s, before[i] - 1))] = before[i];
  }
  gxds_free(before);
}

bool gxds_address_set_add(gxds_address_set *s, uint32_t index) {
  if (2 * s->count > s->mask) grow(s);
  const gxds_address *address = address_of(s, index);
  const size_t at = find(s, address);
  if (s->slots[at]) return false;
  s->slots[at] = index + 1;
  s->count++;
  const uint32_t bit = gxds_address_filter_bit(address);
  s->filter[bit / 64] |= UINT64_C(1) << bit % 64;
  return true;
}

bool gxds_address_set_find(const gxds_address_set *s, const gxds_address *address) {
  return s->slots[find(s, address)] != 0;
}
