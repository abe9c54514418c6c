// The host's threads, in the child of a fork whose parent used it without fork support: none of
// them is there, nor does anything start them. What they do in the child is begun anew: timers (by
// the host's own thread for them), and what is run aside, by threads of ours. The host makes
// threads of its event engine otherwise (child_of_fork.h).
#ifndef GRPC_XDS_HOST_GRPC_1_51_HOST_THREADS_H_
#define GRPC_XDS_HOST_GRPC_1_51_HOST_THREADS_H_

namespace grpc_xds {

// In a child, once for each fork, while nobody uses the host. The host stays initialised for good:
// its end would wait for the threads that are gone.
void RenewHostThreads();

}  // namespace grpc_xds

#endif
