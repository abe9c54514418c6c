/* The list of the policies that the program registered (grpc_xds/policy.h). It is closed when the
 * host takes them into its registry. There is one list for the process; types are valid until the
 * process ends. Any thread. */
#ifndef GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_TYPES_H_
#define GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_TYPES_H_

#include "grpc_xds/policy.h"
#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Implements grpc_xds_register_policy(). is_taken says whether one of the host's policies or ours
 * has that name. */
grpc_xds_result gxds_registered_types_add(const grpc_xds_policy_type *type,
                                          bool (*is_taken)(const char *name));
/* Closes the list: from now on nothing can be added. Returns the number of types. */
size_t gxds_registered_types_close(void);
/* index must be less than that number. */
const gxds_policy_type *gxds_registered_types_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
