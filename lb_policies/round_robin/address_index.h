/* gxds_address_index finds the places of addresses, for comparing two lists. An address may occur
 * more than once. It lives for one comparison. The hash has no seed: a control plane that wants to
 * slow its clients down has simpler ways than collisions. Pure: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_INDEX_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_INDEX_H_

#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_address_index {
  struct gxds_address_index_entry *entries; /* in the order of adding */
  uint32_t count;
  uint32_t *heads; /* chains of entries, by hash; 0: none, else the entry's number + 1 */
  uint32_t mask;
} gxds_address_index;

/* room: the most addresses that will be added. */
void gxds_address_index_init(gxds_address_index *x, uint32_t room);
void gxds_address_index_fini(gxds_address_index *x);
/* The address is borrowed until _fini. */
void gxds_address_index_add(gxds_address_index *x, const gxds_address *address, uint32_t place);
/* Takes the first place that was added with that address and is not taken yet; UINT32_MAX if there
 * is none. */
uint32_t gxds_address_index_take(gxds_address_index *x, const gxds_address *address);

#ifdef __cplusplus
}
#endif

#endif
