/* The list of all our policies. */
#ifndef GRPC_XDS_LB_POLICIES_ALL_POLICIES_H_
#define GRPC_XDS_LB_POLICIES_ALL_POLICIES_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In no particular order; the last item is NULL. */
extern const gxds_policy_type *const gxds_all_policies[];

/* Whether one of our policies has that name. */
bool gxds_all_policies_has(const char *name);

#ifdef __cplusplus
}
#endif

#endif
