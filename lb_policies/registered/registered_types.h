/* The policies that the program registered (grpc_xds/policy.h), until the host takes them into its
 * registry: then the list is closed. One for the process; types live for good. Any thread. */
#ifndef GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_TYPES_H_
#define GRPC_XDS_LB_POLICIES_REGISTERED_REGISTERED_TYPES_H_

#include "grpc_xds/policy.h"
#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As grpc_xds_register_policy(). is_taken: whether a name is that of a policy of the host's or
 * ours.
 */
grpc_xds_result gxds_registered_types_add(const grpc_xds_policy_type *type,
                                          bool (*is_taken)(const char *name));
/* How many there are. From now on nothing can be added. */
size_t gxds_registered_types_close(void);
/* index: less than that. */
const gxds_policy_type *gxds_registered_types_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
