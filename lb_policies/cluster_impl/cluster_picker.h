/* The picker and the subchannels of a cluster_impl policy. The picker drops RPCs, counts the
 * others, sets :authority to the endpoint's hostname where the route says so (A81), and adds the
 * cluster to the text of a failed pick. A subchannel has a hostname, the slot in which its RPCs are
 * counted, and a hold on its counted connection (A94). Private to cluster_impl. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_PICKER_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_PICKER_H_

#include "host/channel.h"
#include "lb_policies/cluster_impl/drop_picker.h"
#include "xds_resolver/cluster_map.h"

/* Wraps a subchannel that was made with that address and those args (borrowed). Every subchannel
 * below the policy has this wrapper. counts: where its connection is counted (connections.h). The
 * caller owns the returned reference. The last reference may be released on any thread; the rest is
 * done under the serializer. */
gxds_subchannel *gxds_counted_subchannel_create(
    gxds_lb_channel *channel, gxds_subchannel *take_subchannel, const gxds_lb_address *address,
    const gxds_args *args, gxds_locality_slot *take_slot, gxds_policy_counts *counts);

/* child may be NULL only while every RPC is dropped, or before the child reported. Takes its own
 * references. The caller owns the returned reference. */
gxds_picker *gxds_cluster_picker_create(gxds_drop_picker *drops, const gxds_cluster_entry *entry,
                                        gxds_picker *child);

#endif
