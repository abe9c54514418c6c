/* gxds_address_index finds the places of addresses in a list, to compare two lists. An address may
 * occur more than once. An index is made for one comparison. The hash has no seed: a control plane
 * that wants to slow its clients down has simpler ways than collisions. Pure: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_INDEX_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_INDEX_H_

#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_address_index {
  struct gxds_address_index_entry *entries; /* the entries, in the order in which they were added */
  uint32_t count;
  uint32_t *heads; /* a hash table: the first entry of each chain, as its number + 1; 0: the chain
                      is empty */
  uint32_t mask;
} gxds_address_index;

/* room is the largest number of addresses that will be added. */
void gxds_address_index_init(gxds_address_index *x, uint32_t room);
void gxds_address_index_fini(gxds_address_index *x);
/* The address is borrowed until gxds_address_index_fini(). */
void gxds_address_index_add(gxds_address_index *x, const gxds_address *address, uint32_t place);
/* Takes the first place that was added with that address and is not taken yet; UINT32_MAX if there
 * is none. */
uint32_t gxds_address_index_take(gxds_address_index *x, const gxds_address *address);

#ifdef __cplusplus
}
#endif

#endif
