/* The picker of a cluster_impl policy: it drops RPCs, counts those that it lets through, gives them
 * the hostname of their endpoint as :authority where their route says so (A81), and says of which
 * cluster a failed pick is; and the subchannels that know where RPCs are counted, and the hostname,
 * and that hold the connections that count (A94).
 * Private to cluster_impl. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_PICKER_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_PICKER_H_

#include "host/channel.h"
#include "lb_policies/cluster_impl/drop_picker.h"
#include "xds_resolver/cluster_map.h"

/* Around a subchannel, which was made by that address and those args (borrowed); every subchannel
 * below the policy is one. counts: where its connection counts (connections.h). The caller owns the
 * returned reference; the last may be given up on any thread: what follows is done under the
 * serializer. */
gxds_subchannel *gxds_counted_subchannel_create(
    gxds_lb_channel *channel, gxds_subchannel *take_subchannel, const gxds_lb_address *address,
    const gxds_args *args, gxds_locality_slot *take_slot, gxds_policy_counts *counts);

/* child: NULL only while everything is dropped, or before the child reported. Takes references of
 * its own. The caller owns the returned reference. */
gxds_picker *gxds_cluster_picker_create(gxds_drop_picker *drops, const gxds_cluster_entry *entry,
                                        gxds_picker *child);

#endif
