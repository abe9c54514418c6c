/* In which order addresses are tried (A61, RFC 8305 section 4). A pure function: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_INTERLEAVE_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_INTERLEAVE_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills order with 0 … count - 1: an address of the first's family, one of the other, and so on, as
 * long as there are both; each family in its own order. */
void gxds_interleave(const bool *is_ipv6, uint32_t count, uint32_t *order);

#ifdef __cplusplus
}
#endif

#endif
