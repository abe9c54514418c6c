// The host's pick_first and round_robin, for trees that end in one. They do what users of gRPC rely
// on, in a simpler way: a new list of addresses takes the old one's place when it serves.
#ifndef GRPC_XDS_TEST_HOST_MEMORY_BALANCERS_H_
#define GRPC_XDS_TEST_HOST_MEMORY_BALANCERS_H_

#include "test/host/memory_policies.h"

namespace memory {

HostsPolicy* MakePickFirst(Host* host, gxds_lb_parent* parent);
HostsPolicy* MakeRoundRobin(Host* host, gxds_lb_parent* parent);

}  // namespace memory

#endif
