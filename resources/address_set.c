#include "resources/address_set_internal.h"

#include <stddef.h>

#include "base/memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What of gxds_address tells two apart: all before its padding. */
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

bool gxds_address_set_add(gxds_address_set *s, uint32_t index) {
  const gxds_address *address = &s->endpoints[index].address;
  size_t at = XXH3_64bits_withSeed(address, kAddressSize, s->seed) & s->mask;
  for (; s->slots[at]; at = (at + 1) & s->mask) {
    const gxds_address *other = &s->endpoints[s->slots[at] - 1].address;
    if (memcmp(address, other, kAddressSize) == 0) return false;
  }
  s->slots[at] = index + 1;
  return true;
}
