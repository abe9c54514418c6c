/* An implementation that only says that it was asked; FAKE_IMPL_RESULT is what it answers. */
#include <stdio.h>
#include <stdlib.h>

#include "plugin/impl.h"

__attribute__((visibility("default"))) grpc_xds_result grpc_xds_impl_register(void) {
  const char *result = getenv("FAKE_IMPL_RESULT");
  fputs("fake implementation was asked\n", stderr);
  return result ? (grpc_xds_result)atoi(result) : GRPC_XDS_OK;
}
