/* The xDS client of grpc-xds for gRPC C-core: the whole public API.
 *
 * A program needs none of it: link libgrpc_xds.so or preload it, set GRPC_XDS_BOOTSTRAP (gRFC A27),
 * and create channels to "xds:///service". */
#ifndef GRPC_XDS_GRPC_XDS_H_
#define GRPC_XDS_GRPC_XDS_H_

#ifdef __cplusplus
extern "C" {
#endif

#define GRPC_XDS_VERSION "0.1.0"

typedef enum grpc_xds_result {
  GRPC_XDS_OK = 0,                 /* registered, by this call or before it */
  GRPC_XDS_ERROR_NO_GRPC = 1,      /* this process has no libgrpc (yet) */
  GRPC_XDS_ERROR_HOST_VERSION = 2, /* libgrpc is not the version this library was built for */
  GRPC_XDS_ERROR_TOO_LATE = 3,     /* gRPC was initialised before: its registry is closed */
  GRPC_XDS_ERROR_IMPLEMENTATION =
      4 /* libgrpc_xds_impl.so is missing beside this library or broken */
} grpc_xds_result;

/* Registers the xds: resolver and the xDS load-balancing policies of this library with gRPC, in
 * place of the built-in ones. The library does this by itself when it is loaded; a program that
 * links gRPC statically calls it before grpc_init(). Any thread; may be called again. On an error
 * nothing is registered, the built-in xDS stays, and one line in the log says why. */
__attribute__((visibility("default"))) grpc_xds_result grpc_xds_plugin_register(void);

/* The version of this library, "0.1.0". Static. Any thread. */
__attribute__((visibility("default"))) const char *grpc_xds_version(void);

#ifdef __cplusplus
}
#endif

#endif
