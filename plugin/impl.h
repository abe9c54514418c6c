/* The one entry of libgrpc_xds_impl.so, which the loader opens. */
#ifndef GRPC_XDS_PLUGIN_IMPL_H_
#define GRPC_XDS_PLUGIN_IMPL_H_

#include "grpc_xds/grpc_xds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The host whose internals this library was built against: grpc_version_string() of gRPC 1.51. */
#define GXDS_HOST_VERSION "29.0.0"
#define GXDS_HOST_SONAME "libgrpc.so.29"

#define GXDS_IMPL_FILE "libgrpc_xds_impl.so"
#define GXDS_IMPL_ENTRY "grpc_xds_impl_register"

/* Registers our resolver and policies in place of the host's. The caller has checked the host's
 * version. OK also when that was done before; TOO_LATE when gRPC was initialised before. Logs
 * nothing but, once the host can log, the INFO line of a success. Any thread. */
grpc_xds_result grpc_xds_impl_register(void);
typedef grpc_xds_result (*gxds_impl_register_function)(void);

#ifdef __cplusplus
}
#endif

#endif
