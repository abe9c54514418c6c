/* Weights that are comparable across the localities of a list (A113). Any thread. */
#ifndef GRPC_XDS_LB_POLICIES_ENDPOINT_LIST_NORMAL_WEIGHTS_H_
#define GRPC_XDS_LB_POLICIES_ENDPOINT_LIST_NORMAL_WEIGHTS_H_

#include "host/addresses.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All RPCs, as a weight. */
#define GXDS_NORMAL_WEIGHT_ONE (UINT32_C(1) << 31)

/* Fills weights, which has room for each address of the list. The weight of an address is the share
 * of its locality among the localities of the list, times its share among the endpoints of its
 * locality, and at least 1. Addresses without a locality count as one locality of weight 1. */
void gxds_normal_weights(const gxds_addresses *list, uint32_t *weights);

#ifdef __cplusplus
}
#endif

#endif
