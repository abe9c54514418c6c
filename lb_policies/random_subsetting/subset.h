/* Chooses a client's subset of many endpoints (A68): those with the least hashes of address and
 * seed. So each client has its own subset, each endpoint is in about the same number of subsets,
 * and an endpoint that is added or removed changes at most one endpoint of each subset. A pure
 * function: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_SUBSET_H_
#define GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_SUBSET_H_

#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `chosen`, which has room for count indexes, with the indexes of the chosen addresses, in
 * the order of their hashes, and returns size. If count is at most size, fills in all indexes in
 * ascending order, and returns count. */
size_t gxds_subset_choose(const gxds_str *addresses, size_t count, uint32_t size, uint64_t seed,
                          size_t *chosen);

#ifdef __cplusplus
}
#endif

#endif
