/* gxds_address_set: a set of the addresses seen so far. It compares their bytes. Lives in the
 * caller's struct; one thread. */
#ifndef GRPC_XDS_RESOURCES_ADDRESS_SET_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ADDRESS_SET_INTERNAL_H_

#include "resources/endpoints.h"

typedef struct gxds_address_set {
  uint32_t *slots; /* index of an address plus 1; 0: free */
  size_t mask;
  size_t count;
  uint64_t seed;
  const gxds_endpoint *endpoints;
  const gxds_address *more; /* belongs to the caller, who may move the array between two calls */
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

#endif
