/* The functions that the loader calls in an implementation. There is one implementation, a library
 * that the loader opens, for each version of the host. */
#ifndef GRPC_XDS_PLUGIN_IMPL_H_
#define GRPC_XDS_PLUGIN_IMPL_H_

#include <stdbool.h>

#include "grpc_xds/grpc_xds.h"
#include "grpc_xds/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The hosts for which there are implementations. For each: the result of grpc_version_string(), the
 * soname of the library, and the file of the implementation, relative to the loader's folder. */
#define GXDS_HOSTS(X)                                                               \
  X("29.0.0", "libgrpc.so.29", "grpc_xds/libgrpc_xds_impl_1_51.so") /* gRPC 1.51 */ \
  X("56.0.0", "libgrpc.so.56", "grpc_xds/libgrpc_xds_impl_1_83.so") /* gRPC 1.83 */

/* The version of the gRPC that this implementation was built against. */
extern const char gxds_impl_host_version[];

/* Whether that host's grpc_dump_xds_configs() returns a ClientStatusResponse with a ClientConfig
 * for each client. If not, it returns one ClientConfig for all. */
extern const bool gxds_impl_host_dumps_by_client;

#define GXDS_IMPL_VERSION "grpc_xds_impl_version"
#define GXDS_IMPL_ENTRY "grpc_xds_impl_register"
#define GXDS_IMPL_MERGE_DUMP "grpc_xds_impl_merge_dump"
#define GXDS_IMPL_DUMP_CLIENT_STATUS "grpc_xds_impl_dump_client_status"
#define GXDS_IMPL_DUMP_METRICS "grpc_xds_impl_dump_metrics"
#define GXDS_IMPL_REGISTER_POLICY "grpc_xds_impl_register_policy"

struct grpc_slice; /* the host's */

/* GRPC_XDS_VERSION. The loader compares it with its own before it calls anything else. They may
 * differ during an upgrade, or in a program that was started before an upgrade and opens gRPC after
 * it. Any thread. */
const char *grpc_xds_impl_version(void);
typedef const char *(*gxds_impl_version_function)(void);

/* Registers our resolver and policies in place of the host's. The caller has checked the host's
 * version. Returns OK also if they are registered already, and TOO_LATE if gRPC is already
 * initialised. It logs only on success: one INFO line, as soon as the host can log. Any thread. */
grpc_xds_result grpc_xds_impl_register(void);
typedef grpc_xds_result (*gxds_impl_register_function)(void);

/* Merges the host's result of grpc_dump_xds_configs() with the state of our clients. If our clients
 * do not respond, logs that, and returns only the host's result. Any thread, but not under a
 * serializer. */
struct grpc_slice grpc_xds_impl_merge_dump(struct grpc_slice take_host);
typedef struct grpc_slice (*gxds_impl_merge_dump_function)(struct grpc_slice take_host);

/* The implementations of grpc_xds_dump_client_status() and grpc_xds_dump_metrics(). Only after
 * registration. */
grpc_xds_result grpc_xds_impl_dump_client_status(char **data, size_t *size);
grpc_xds_result grpc_xds_impl_dump_metrics(char **data, size_t *size);
typedef grpc_xds_result (*gxds_impl_dump_function)(char **data, size_t *size);

/* The implementation of grpc_xds_register_policy(). Only after registration. */
grpc_xds_result grpc_xds_impl_register_policy(const grpc_xds_policy_type *type);
typedef grpc_xds_result (*gxds_impl_register_policy_function)(const grpc_xds_policy_type *type);

#ifdef __cplusplus
}
#endif

#endif
