/* gxds_bootstrap_share: one channel's use of the bootstrap of its target. The channels of a target
 * share an XdsClient, and so they share the bootstrap that was read when the first of them started.
 * (The host reads the bootstrap when it makes a client.) Once all of these channels are gone, the
 * next one reads the bootstrap again.
 *
 * Any thread. */
#ifndef GRPC_XDS_BOOTSTRAP_SHARE_H_
#define GRPC_XDS_BOOTSTRAP_SHARE_H_

#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_bootstrap_share gxds_bootstrap_share;

/* Adds a use of the target's bootstrap; NULL if none is in use. The caller ends it with
 * gxds_bootstrap_share_end(). */
gxds_bootstrap_share *gxds_bootstrap_share_find(gxds_str target);
/* Adds a use of this bootstrap for the target. If another thread has added a bootstrap for the
 * target in the meantime, adds a use of that one instead. Takes ownership of the reference. target
 * is copied. The caller ends it with gxds_bootstrap_share_end(). */
gxds_bootstrap_share *gxds_bootstrap_share_add(gxds_str target, const gxds_bootstrap *take);
/* The bootstrap. Borrowed: valid until the use ends. To keep it longer, take a reference. */
const gxds_bootstrap *gxds_bootstrap_share_get(const gxds_bootstrap_share *s);
/* Ends a use. s may be NULL. */
void gxds_bootstrap_share_end(gxds_bootstrap_share *s);

#ifdef __cplusplus
}
#endif

#endif
