/* Counts the connections of a channel's clusters (A94): attempts to connect, open connections, and
 * lost connections. Private to cluster_impl. There may be several subchannels to one address: a
 * child's and those of the child that replaces it, or a session's and the balancing policy's. The
 * host makes one connection for them, so they count as one. Subchannels hold the same connection,
 * whichever policies made them, if their address, args and labels are the same. An ejection by
 * outlier detection does not count, since it closes nothing. Only under the channel's
 * serializer. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CONNECTIONS_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CONNECTIONS_H_

#include "host/channel.h"

/* A subchannel's hold on its connection, in the subchannel's own object. */
typedef struct gxds_connection_hold {
  struct gxds_connection *of;
  gxds_subchannel *subchannel; /* borrowed: valid until gxds_connection_let_go() */
  struct gxds_connection_hold *prev;
  struct gxds_connection_hold *next;
} gxds_connection_hold;

/* From now on the subchannel, which was made with that address and those args, holds its
 * connection. The first subchannel that holds a connection makes it. It is counted in `counts`,
 * which must be of the kind GXDS_COUNTING_SUBCHANNEL. channel and address are borrowed during the
 * call. */
void gxds_connection_take_hold(gxds_connection_hold *h, gxds_lb_channel *channel,
                               gxds_subchannel *subchannel, const gxds_lb_address *address,
                               const gxds_args *args, gxds_policy_counts *counts);
/* Ends the hold. When the last hold on an open connection ends, it counts as closed. The channel
 * must still exist. */
void gxds_connection_let_go(gxds_connection_hold *h);

#endif
