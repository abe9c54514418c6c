/* gxds_address_set: which addresses were seen already, by their bytes. Lives in the caller's
 * struct; confined. */
#ifndef GRPC_XDS_RESOURCES_ADDRESS_SET_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ADDRESS_SET_INTERNAL_H_

#include "resources/endpoints.h"

typedef struct gxds_address_set {
  uint32_t *slots; /* number of an address, from 1; 0: free */
  size_t mask;
  size_t count;
  uint64_t seed;
  const gxds_endpoint *endpoints;
  const gxds_address *more; /* the caller's, which may move it between two calls */
} gxds_address_set;

/* Numbers from here on are those of more. */
#define GXDS_ADDRESS_SET_MORE (UINT32_C(1) << 30)

/* A set with room for capacity of the given endpoints (borrowed: valid as long as the set); it
 * grows when there is more. The seed decides nothing but the speed: one that the peer can't foresee
 * keeps it from choosing collisions. */
void gxds_address_set_init(gxds_address_set *s, const gxds_endpoint *endpoints, size_t capacity,
                           uint64_t seed);
void gxds_address_set_fini(gxds_address_set *s);
/* Adds the address of endpoints[index], or more[index - GXDS_ADDRESS_SET_MORE]; false when it is
 * there already. */
bool gxds_address_set_add(gxds_address_set *s, uint32_t index);

#endif
