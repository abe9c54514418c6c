#include "host/lb_config.h"

#include "host/policy.h"

void gxds_lb_config_init(gxds_lb_config *c, const gxds_policy_type *type,
                         void (*destroy)(gxds_lb_config *c)) {
  gxds_ref_init(&c->refs);
  c->policy = gxds_str_z(type->name);
  c->type = type;
  c->destroy = destroy;
}
