// How a cluster's connections are secured, in the host's terms (A29, A74): one
// XdsCertificateProvider for the cluster, which the host's XdsCredentials find in the channel args,
// beside the cluster's name. Under the channel's WorkSerializer.
#ifndef GRPC_XDS_HOST_GRPC_1_51_SECURITY_H_
#define GRPC_XDS_HOST_GRPC_1_51_SECURITY_H_

#include <grpc/support/port_platform.h>

#include "host/channel.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

// As gxds_lb_root_ops has it, all three. root: whose pollers some providers need.
bool HasXdsCredentials(const gxds_args* args);
gxds_cluster_security* MakeClusterSecurity(
    gxds_str cluster, grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> root);
const gxds_args* ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                               const gxds_cluster_security* security);

}  // namespace grpc_xds

#endif
