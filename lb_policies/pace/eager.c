#include "lb_policies/pace/eager.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *value, const char *a, const char *b) {
  return value && (strcmp(value, a) == 0 || strcmp(value, b) == 0);
}

size_t gxds_eager_limit(void) {
  const char *on_demand = secure_getenv("GRPC_XDS_CONNECT_ON_DEMAND");
  if (is_one_of(on_demand, "true", "1")) return 0;
  if (is_one_of(on_demand, "false", "0")) return SIZE_MAX;
  return GXDS_EAGER_ENDPOINTS;
}

static size_t greater(size_t a, size_t b) { return a > b ? a : b; }

void gxds_eager_renew(gxds_eager *e, uint32_t *share, uint32_t count) {
  const size_t others = e->shared_out - *share;
  const size_t left = e->limit > others ? e->limit - others : 0;
  const size_t allowed = greater(greater(left, *share), GXDS_EAGER_LEAST);
  *share = count < allowed ? count : (uint32_t)allowed;
  e->shared_out = others + *share;
}
