// The host's pick_first and round_robin, as leaf policies. They are simpler than gRPC's, but do
// what users of gRPC rely on: a new list of addresses replaces the old one when it can serve.
#ifndef GRPC_XDS_TEST_HOST_MEMORY_BALANCERS_H_
#define GRPC_XDS_TEST_HOST_MEMORY_BALANCERS_H_

#include "test/host/memory_policies.h"

namespace memory {

HostsPolicy* MakePickFirst(Host* host, gxds_lb_parent* parent);
HostsPolicy* MakeRoundRobin(Host* host, gxds_lb_parent* parent);

}  // namespace memory

#endif
