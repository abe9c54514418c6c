/* The gxds_host of a process with gRPC: what the C side asks, answered by the C++ of the gRPC that
 * this was built for. */
#ifndef GRPC_XDS_HOST_HOST_GET_H_
#define GRPC_XDS_HOST_HOST_GET_H_

#include "base/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Static. Its functions read the host's registry and so build it: not before grpc_init(), and not
 * from a constructor. Any thread. */
const gxds_host *gxds_host_get(void);

#ifdef __cplusplus
}
#endif

#endif
