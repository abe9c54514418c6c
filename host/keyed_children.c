#include "host/keyed_children.h"

void gxds_keyed_children_add(gxds_keyed_child **all, gxds_keyed_child *c, gxds_policy *parent,
                             uint64_t token) {
  c->token = token;
  c->lb = gxds_lb_child_create(parent, token);
  HASH_ADD(hh, *all, token, sizeof c->token, c);
}

void gxds_keyed_children_remove(gxds_keyed_child **all, gxds_keyed_child *c) {
  HASH_DEL(*all, c);
  gxds_lb_child_end(c->lb);
}

gxds_keyed_child *gxds_keyed_children_find(gxds_keyed_child *all, uint64_t token) {
  gxds_keyed_child *c;
  HASH_FIND(hh, all, &token, sizeof token, c);
  return c;
}

void gxds_keyed_children_exit_idle(const gxds_keyed_child *all) {
  for (const gxds_keyed_child *c = all; c; c = c->hh.next) gxds_lb_child_exit_idle(c->lb);
}

void gxds_keyed_children_reset_backoff(const gxds_keyed_child *all) {
  for (const gxds_keyed_child *c = all; c; c = c->hh.next) gxds_lb_child_reset_backoff(c->lb);
}
