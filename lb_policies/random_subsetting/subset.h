/* Which endpoints a client uses of many (A68): those whose hashes, of address and seed, are the
 * least. So each client has its own subset, all endpoints are in about as many, and an endpoint
 * that comes or goes changes at most one place of each. A pure function: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_SUBSET_H_
#define GRPC_XDS_LB_POLICIES_RANDOM_SUBSETTING_SUBSET_H_

#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills chosen, which has room for count, with the places of the subset, in the order of their
 * hashes, and returns how many they are: size; or all count of them, in their own order, when they
 * are no more than that. */
size_t gxds_subset_choose(const gxds_str *addresses, size_t count, uint32_t size, uint64_t seed,
                          size_t *chosen);

#ifdef __cplusplus
}
#endif

#endif
