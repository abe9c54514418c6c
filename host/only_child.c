#include "host/only_child.h"

gxds_status gxds_only_child_update(gxds_only_child *o, const gxds_lb_update *update) {
  if (!o->child) o->child = gxds_lb_child_create(o->base, 0);
  return gxds_lb_child_update(o->child, update);
}

gxds_status gxds_only_child_update_with(gxds_only_child *o, const gxds_lb_update *update,
                                        gxds_lb_config *config, const gxds_addresses *addresses) {
  gxds_lb_update pass = *update;
  pass.config = config;
  pass.addresses = addresses;
  return gxds_only_child_update(o, &pass);
}

void gxds_only_child_keep(gxds_only_child *o, grpc_connectivity_state state,
                          const gxds_status *status, gxds_picker *take_picker) {
  gxds_picker_unref(o->picker);
  o->picker = take_picker;
  o->state = state;
  gxds_status_set(&o->status, gxds_status_copy(status));
}

void gxds_only_child_fini(gxds_only_child *o) { gxds_status_fini(&o->status); }

void gxds_only_child_exit_idle(void *self) {
  gxds_only_child *o = self;
  if (o->child) gxds_lb_child_exit_idle(o->child);
}

void gxds_only_child_reset_backoff(void *self) {
  gxds_only_child *o = self;
  if (o->child) gxds_lb_child_reset_backoff(o->child);
}

void gxds_only_child_end(void *self) {
  gxds_only_child *o = self;
  gxds_lb_child_end(o->child);
  o->child = NULL;
  gxds_picker_unref(o->picker);
  o->picker = NULL;
}

void gxds_only_child_pass_on(void *self, uint64_t child, grpc_connectivity_state state,
                             const gxds_status *status, gxds_picker *take_picker) {
  (void)child;
  gxds_policy_publish(((gxds_only_child *)self)->base, state, status, take_picker);
}
