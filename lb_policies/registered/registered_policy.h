/* A policy of the program's (grpc_xds/policy.h) as a policy of ours: translates, and keeps what the
 * program is spared: the last addresses, and the end, of which it hears only when none of its
 * functions is at work. */
#ifndef GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_POLICY_H_
#define GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_POLICY_H_

#include "grpc_xds/policy.h"
#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* type: whole, and of a version that is known; copied. Lives for good. Any thread. */
const gxds_policy_type *gxds_registered_policy_type(const grpc_xds_policy_type *type);

#ifdef __cplusplus
}
#endif

#endif
