/* gxds_mailbox: how policies and RPCs speak to the dependency manager of their channel. Counted by
 * reference, any thread, never blocks; inert once the resolver closed it. One of the two mutable
 * things that are counted, because call trackers and policies outlive the resolver. */
#ifndef GRPC_XDS_XDS_RESOLVER_MAILBOX_H_
#define GRPC_XDS_XDS_RESOLVER_MAILBOX_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_mailbox gxds_mailbox;

gxds_mailbox *gxds_mailbox_ref(gxds_mailbox *m);
void gxds_mailbox_unref(gxds_mailbox *m); /* NULL is allowed */

/* A74: a cds policy for a dynamic cluster subscribes to it. Each is ended by one unsubscribe. */
void gxds_mailbox_cluster_subscribe(gxds_mailbox *m, gxds_str cluster);
void gxds_mailbox_cluster_unsubscribe(gxds_mailbox *m, gxds_str cluster);

#ifdef __cplusplus
}
#endif

#endif
