#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void gxds_check_failed(const char *file, int line, const char *condition) {
  fprintf(stderr, "grpc_xds: %s:%d: check failed: %s\n", file, line, condition);
  abort();
}
