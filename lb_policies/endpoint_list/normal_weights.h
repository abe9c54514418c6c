/* Weights that are comparable across the localities of a list (A113). Any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ENDPOINT_LIST_NORMAL_WEIGHTS_H_
#define GRPC_XDS_LB_POLICIES_ENDPOINT_LIST_NORMAL_WEIGHTS_H_

#include "host/addresses.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The weight that stands for all RPCs. */
#define GXDS_NORMAL_WEIGHT_ONE (UINT32_C(1) << 31)

/* Fills weights, which has room for each address of the list. The weight of an address is the
 * product of two shares: that of its locality among the localities of the list, and that of its
 * endpoint among the endpoints of its locality. It is at least 1. Addresses without a locality
 * count as one locality of weight 1. */
void gxds_normal_weights(const gxds_addresses *list, uint32_t *weights);

#ifdef __cplusplus
}
#endif

#endif
