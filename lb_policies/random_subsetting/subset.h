/* Chooses a client's subset of many endpoints (A68): those with the least hashes of address and
 * seed. So each client has its own subset, all endpoints are in about equally many subsets, and an
 * endpoint that comes or goes changes at most one place of each. A pure function: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_SUBSET_H_
#define GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_SUBSET_H_

#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills chosen, which has room for count places, with the places of the subset, in the order of
 * their hashes. Returns their number, which is size. If count is at most size, fills in all of them
 * in their own order, and returns count. */
size_t gxds_subset_choose(const gxds_str *addresses, size_t count, uint32_t size, uint64_t seed,
                          size_t *chosen);

#ifdef __cplusplus
}
#endif

#endif
