/* A random order (A62). A pure function: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLE_H_
#define GRPC_XDS_LB_POLICIES_PICK_FIRST_SHUFFLE_H_

#include <stddef.h>

#include "base/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills order with 0 … count - 1, in an order in which all are equally likely. */
void gxds_shuffle(size_t *order, size_t count, gxds_random *random);

#ifdef __cplusplus
}
#endif

#endif
