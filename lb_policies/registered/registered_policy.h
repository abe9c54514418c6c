/* Makes a policy of the program's (grpc_xds/policy.h) into one of ours. It keeps the last addresses
 * for the program, and delays the end until none of the program's functions runs. */
#ifndef GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_POLICY_H_
#define GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_POLICY_H_

#include "grpc_xds/policy.h"
#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* type must be complete and of a known version; it is copied. The result is valid until the process
 * ends. Any thread. */
const gxds_policy_type *gxds_registered_policy_type(const grpc_xds_policy_type *type);

#ifdef __cplusplus
}
#endif

#endif
