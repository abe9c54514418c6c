/* The picker of a cluster_manager policy: it calls the picker of the child for the cluster that the
 * RPC's route chose (A28). Private to cluster_manager. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_ROUTE_PICKER_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_ROUTE_PICKER_H_

#include "host/policy.h"
#include "lb_policies/cluster_manager/picker_map.h"

/* If a cluster's child does not exist yet, the picker pokes poker with the cluster's name. Takes
 * its own references. The caller owns the returned reference. */
gxds_picker *gxds_route_picker_create(const gxds_picker_map *map, gxds_poker *poker);

#endif
