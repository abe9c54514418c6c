/* The loader: decides once per process whether our implementation is registered with the host, and
 * logs the reason if it is not. Any thread; never ends or delays the program. */
#ifndef GRPC_XDS_PLUGIN_LOADER_H_
#define GRPC_XDS_PLUGIN_LOADER_H_

#include "grpc_xds/grpc_xds.h"
#include "plugin/host_library.h"

typedef enum gxds_register_cause {
  GXDS_REGISTER_BY_LOADING, /* this library was loaded: it is no error if the program does not use
                               gRPC */
  GXDS_REGISTER_BY_CALL,    /* the program called a function of the API */
} gxds_register_cause;

/* Finds the host and registers. The result stays the same for the whole process, except NO_GRPC,
 * because gRPC may be loaded later. */
grpc_xds_result gxds_loader_register(gxds_register_cause cause);

/* A function of the implementation. NULL if it is not registered, or has no such function. */
gxds_host_function gxds_loader_impl_function(const char *name);

#endif
