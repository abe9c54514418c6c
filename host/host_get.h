/* The gxds_host table in a process with gRPC. Its functions are implemented in C++, for the version
 * of gRPC for which this library was built. */
#ifndef GRPC_XDS_HOST_HOST_GET_H_
#define GRPC_XDS_HOST_HOST_GET_H_

#include "base/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The table is static. Its functions read the host's registry, and the first read builds the
 * registry. So don't call them before grpc_init() or from a constructor. Any thread. */
const gxds_host *gxds_host_get(void);

#ifdef __cplusplus
}
#endif

#endif
