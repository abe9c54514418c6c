/* An update that a policy keeps after the call that brought it. Only under the channel's
 * serializer. */
#ifndef GRPC_XDS_LB_POLICIES_KEPT_UPDATE_H_
#define GRPC_XDS_LB_POLICIES_KEPT_UPDATE_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces *kept, which is zeroed or was kept before, by a copy of *given. The copy has its own
 * references and texts. *given may borrow from *kept. */
void gxds_lb_update_keep(gxds_lb_update *kept, const gxds_lb_update *given);
/* Releases all that a kept update has, and zeroes it. */
void gxds_lb_update_forget(gxds_lb_update *kept);

#ifdef __cplusplus
}
#endif

#endif
