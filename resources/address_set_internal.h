/* gxds_address_set: a set of the addresses seen so far. It compares their bytes. Lives in the
 * caller's struct; one thread. */
#ifndef GRPC_XDS_RESOURCES_ADDRESS_SET_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ADDRESS_SET_INTERNAL_H_

#include <string.h>

#include "resources/endpoints.h"

/* The number of bits in the filter, a power of 2. */
#define GXDS_ADDRESS_FILTER_BITS 4096

typedef struct gxds_address_set {
  uint32_t *slots; /* index of an address plus 1; 0: free */
  size_t mask;
  size_t count;
  uint64_t seed;
  const gxds_endpoint *endpoints;
  const gxds_address *more; /* belongs to the caller, who may move the array between two calls */
  uint64_t filter[GXDS_ADDRESS_FILTER_BITS / 64]; /* has the bit of each address in the set: see
                                                     gxds_address_filter_bit() */
} gxds_address_set;

/* Indexes from here on refer to `more`. */
#define GXDS_ADDRESS_SET_MORE (UINT32_C(1) << 30)

/* Makes a set with room for `capacity` addresses; it grows when there are more. endpoints are
 * borrowed: valid as long as the set. The seed affects only the speed: a peer that cannot predict
 * the seed cannot choose addresses that collide. */
void gxds_address_set_init(gxds_address_set *s, const gxds_endpoint *endpoints, size_t capacity,
                           uint64_t seed);
void gxds_address_set_fini(gxds_address_set *s);
/* Adds the address of endpoints[index], or more[index - GXDS_ADDRESS_SET_MORE]. False if the set
 * has that address already. */
bool gxds_address_set_add(gxds_address_set *s, uint32_t index);
/* Whether the set has the address, without the filter. */
bool gxds_address_set_find(const gxds_address_set *s, const gxds_address *address);

static inline uint32_t gxds_address_filter_bit(const gxds_address *a) {
  uint64_t parts[2];
  memcpy(parts, a->ip, sizeof parts);
  const uint64_t mixed = (parts[0] ^ parts[1] * UINT64_C(0xff51afd7ed558ccd)) + a->port;
  return (uint32_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32) % GXDS_ADDRESS_FILTER_BITS;
}
/* Whether the set has the address. Most addresses that it does not have cost only a look at the
 * filter. */
static inline bool gxds_address_set_has(const gxds_address_set *s, const gxds_address *address) {
  const uint32_t bit = gxds_address_filter_bit(address);
  return (s->filter[bit / 64] >> bit % 64 & 1) && gxds_address_set_find(s, address);
}

#endif
