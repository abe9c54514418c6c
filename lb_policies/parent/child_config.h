// The config of a child policy, in the JSON of its parent's.
#ifndef GRPC_XDS_LB_POLICIES_PARENT_CHILD_CONFIG_H_
#define GRPC_XDS_LB_POLICIES_PARENT_CHILD_CONFIG_H_

#include <grpc/support/port_platform.h>

#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

// Of the list of policies in that field of an object. Null when the field is missing or none of the
// list can be used, which errors then say.
grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> ParseChildConfig(
    const grpc_core::Json& object, const char* field, grpc_core::ValidationErrors* errors);

}  // namespace grpc_xds

#endif
