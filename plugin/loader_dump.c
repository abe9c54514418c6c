/* Status and metrics of the clients. The client status discovery service (A40) calls our
 * grpc_dump_xds_configs() in place of the host's, and gets both results merged. The other functions
 * are our own API, also for metrics (A78). */
#include <dlfcn.h>
#include <grpc/slice.h>
#include <stddef.h>
#include <string.h>

#include "plugin/host_library.h"
#include "plugin/impl.h"
#include "plugin/loader.h"

__attribute__((visibility("default"))) grpc_slice grpc_dump_xds_configs(void);

typedef grpc_slice (*dump_function)(void);

/* The host's function: it reports the state of the host's xDS-enabled servers, for which the host
 * has its own client. */
static dump_function host_dump(void) {
  gxds_host_library host;
  /* If the gRPC library has no known soname, uses the next function of that name in the linker's
   * order. */
  if (!gxds_host_library_find(&host) || !host.handle) host.handle = RTLD_NEXT;
  gxds_host_function symbol = gxds_host_library_function(&host, "grpc_dump_xds_configs");
  return symbol == (gxds_host_function)grpc_dump_xds_configs ? NULL : (dump_function)symbol;
}

grpc_slice grpc_dump_xds_configs(void) {
  grpc_slice dump;
  memset(&dump, 0, sizeof dump); /* an empty slice */
  dump_function host = host_dump();
  if (!host) return dump;
  dump = host();
  gxds_impl_merge_dump_function merge =
      (gxds_impl_merge_dump_function)gxds_loader_impl_function(GXDS_IMPL_MERGE_DUMP);
  return merge ? merge(dump) : dump;
}

static grpc_xds_result dump_by(const char *entry, char **data, size_t *size) {
  *data = NULL;
  *size = 0;
  grpc_xds_result registered = gxds_loader_register(GXDS_REGISTER_BY_CALL);
  if (registered != GRPC_XDS_OK) return registered;
  gxds_impl_dump_function dump = (gxds_impl_dump_function)gxds_loader_impl_function(entry);
  return dump ? dump(data, size) : GRPC_XDS_ERROR_IMPLEMENTATION;
}

grpc_xds_result grpc_xds_dump_client_status(char **data, size_t *size) {
  return dump_by(GXDS_IMPL_DUMP_CLIENT_STATUS, data, size);
}

grpc_xds_result grpc_xds_dump_metrics(char **text, size_t *size) {
  return dump_by(GXDS_IMPL_DUMP_METRICS, text, size);
}
