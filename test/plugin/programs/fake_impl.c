/* An implementation that only prints that it was called. FAKE_IMPL_RESULT is its result,
 * FAKE_IMPL_VERSION its version. */
#include <stdio.h>
#include <stdlib.h>

#include "plugin/impl.h"

__attribute__((visibility("default"))) const char *grpc_xds_impl_version(void) {
  const char *version = getenv("FAKE_IMPL_VERSION");
  return version ? version : GRPC_XDS_VERSION;
}

__attribute__((visibility("default"))) grpc_xds_result grpc_xds_impl_register(void) {
  const char *result = getenv("FAKE_IMPL_RESULT");
  fputs("fake implementation was asked\n", stderr);
  return result ? (grpc_xds_result)atoi(result) : GRPC_XDS_OK;
}
