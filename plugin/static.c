/* The API for programs that link gRPC statically: no library has to be found or opened. */
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <string.h>

#include "plugin/impl.h"

grpc_xds_result grpc_xds_plugin_register(void) {
  if (strcmp(grpc_version_string(), gxds_impl_host_version) != 0) {
    gpr_log(GPR_ERROR, "grpc_xds: not registered: built for gRPC core %s, but this program has %s",
            gxds_impl_host_version, grpc_version_string());
    return GRPC_XDS_ERROR_HOST_VERSION;
  }
  grpc_xds_result result = grpc_xds_impl_register();
  if (result == GRPC_XDS_ERROR_TOO_LATE) {
    gpr_log(GPR_ERROR,
            "grpc_xds: not registered: gRPC %s was initialised before: call "
            "grpc_xds_plugin_register() before the first grpc_init()",
            grpc_version_string());
  }
  return result;
}

grpc_xds_result grpc_xds_dump_client_status(char **data, size_t *size) {
  *data = NULL;
  *size = 0;
  grpc_xds_result registered = grpc_xds_plugin_register();
  return registered == GRPC_XDS_OK ? grpc_xds_impl_dump_client_status(data, size) : registered;
}

grpc_xds_result grpc_xds_dump_metrics(char **text, size_t *size) {
  *text = NULL;
  *size = 0;
  grpc_xds_result registered = grpc_xds_plugin_register();
  return registered == GRPC_XDS_OK ? grpc_xds_impl_dump_metrics(text, size) : registered;
}

grpc_xds_result grpc_xds_register_policy(const grpc_xds_policy_type *type) {
  const grpc_xds_result registered = grpc_xds_plugin_register();
  return registered == GRPC_XDS_OK ? grpc_xds_impl_register_policy(type) : registered;
}

const char *grpc_xds_version(void) { return GRPC_XDS_VERSION; }
