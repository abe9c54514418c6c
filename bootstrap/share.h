/* gxds_bootstrap_share: a use of the bootstrap of one target: the channels of a target share an
 * XdsClient, and with it what was read when the first of them started (as in the host, where the
 * bootstrap is read when a client is made). It is read again once all of them are gone.
 *
 * Any thread. */
#ifndef GRPC_XDS_BOOTSTRAP_SHARE_H_
#define GRPC_XDS_BOOTSTRAP_SHARE_H_

#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_bootstrap_share gxds_bootstrap_share;

/* A use of what is in use for that target; NULL: nothing is. */
gxds_bootstrap_share *gxds_bootstrap_share_find(gxds_str target);
/* A use of this bootstrap (taken), or of the one that another thread was faster with. target is
 * copied. */
gxds_bootstrap_share *gxds_bootstrap_share_add(gxds_str target, const gxds_bootstrap *take);
/* Borrowed: valid until the use ends; ref to keep it. */
const gxds_bootstrap *gxds_bootstrap_share_get(const gxds_bootstrap_share *s);
/* Ends a use. NULL is allowed. */
void gxds_bootstrap_share_end(gxds_bootstrap_share *s);

#ifdef __cplusplus
}
#endif

#endif
