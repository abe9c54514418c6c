/* The order in which addresses are tried (A61, RFC 8305 section 4). A pure function: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_INTERLEAVE_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_INTERLEAVE_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills order with 0 … count - 1. The family of the first address begins; then the two families
 * alternate as long as both have addresses left. Each family keeps its order. */
void gxds_interleave(const bool *is_ipv6, uint32_t count, uint32_t *order);

#ifdef __cplusplus
}
#endif

#endif
