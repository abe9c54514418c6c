/* A random order (A62, A113). A pure function: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLE_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLE_H_

#include <stddef.h>

#include "base/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills order with 0 … count - 1 in a random order (A113). The probability that an item comes first
 * is its share of all weights. The same holds for each further place, among the items that are
 * left. weights has count items, none of them 0. */
void gxds_shuffle(const uint32_t *weights, size_t *order, size_t count, gxds_random *random);

#ifdef __cplusplus
}
#endif

#endif
