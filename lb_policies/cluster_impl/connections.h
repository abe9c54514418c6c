/* The connections of a channel's clusters, which count what becomes of them (A94): attempts to
 * connect, connections that are open, and those that were lost. Private to cluster_impl.
 *
 * Policies may have several subchannels to one address: a child beside the one that takes its
 * place, a session beside the policy that balances. The host connects them as one, so they count as
 * one: they hold the same connection, whichever policies made them, as long as address, args and
 * labels are the same. Outlier detection is not seen: an ejection closes nothing.
 *
 * Confined: the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CONNECTIONS_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CONNECTIONS_H_

#include "host/channel.h"

/* What one subchannel has of its connection: in its own object. */
typedef struct gxds_connection_hold {
  struct gxds_connection *of;
  gxds_subchannel *subchannel; /* borrowed: valid until it lets go */
  struct gxds_connection_hold *prev;
  struct gxds_connection_hold *next;
} gxds_connection_hold;

/* The subchannel, which was made by that address and those args, holds its connection from now on,
 * which counts in counts: of GXDS_COUNTING_SUBCHANNEL. The first to hold it makes it. channel:
 * borrow, and address too, during the call. */
void gxds_connection_take_hold(gxds_connection_hold *h, gxds_lb_channel *channel,
                               gxds_subchannel *subchannel, const gxds_lb_address *address,
                               const gxds_args *args, gxds_policy_counts *counts);
/* With the last to hold it a connection that is open counts as closed. The channel must still be
 * there. */
void gxds_connection_let_go(gxds_connection_hold *h);

#endif
