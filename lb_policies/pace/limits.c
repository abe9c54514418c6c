#include "lb_policies/pace/limits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lb_policies/pace/pace.h"

static bool is_one_of(const char *value, const char *a, const char *b) {
  return value && (strcmp(value, a) == 0 || strcmp(value, b) == 0);
}

static size_t usual_eager(void) {
  const char *on_demand = secure_getenv("GRPC_XDS_CONNECT_ON_DEMAND");
  if (is_one_of(on_demand, "true", "1")) return 0;
  if (is_one_of(on_demand, "false", "0")) return SIZE_MAX;
  return GXDS_EAGER_ENDPOINTS;
}

gxds_connect_limits gxds_connect_limits_of(const gxds_lb_channel *c) {
  if (c->limits) return *c->limits;
  return (gxds_connect_limits){usual_eager(), GXDS_PACE_WINDOW};
}
