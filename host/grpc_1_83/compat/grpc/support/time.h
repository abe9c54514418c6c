/* The monotonic clock of 1.83 is five seconds ahead of the system's. */
#ifndef GRPC_XDS_HOST_GRPC_1_83_COMPAT_GRPC_SUPPORT_TIME_H_
#define GRPC_XDS_HOST_GRPC_1_83_COMPAT_GRPC_SUPPORT_TIME_H_

#include_next <grpc/support/time.h>

#define GXDS_GPR_CLOCK_AHEAD INT64_C(5000000000)

#endif
