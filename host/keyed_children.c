#include "host/keyed_children.h"

void gxds_keyed_children_add(gxds_keyed_children *k, gxds_keyed_child *take_child, uint64_t token) {
  take_child->token = token;
  take_child->lb = gxds_lb_child_create(k->base, token);
  HASH_ADD(hh, k->all, token, sizeof take_child->token, take_child);
}

void gxds_keyed_children_remove(gxds_keyed_children *k, gxds_keyed_child *c) {
  HASH_DEL(k->all, c);
  gxds_lb_child_end(c->lb);
  k->free_child(c);
}

gxds_keyed_child *gxds_keyed_children_find(const gxds_keyed_children *k, uint64_t token) {
  gxds_keyed_child *c;
  HASH_FIND(hh, k->all, &token, sizeof token, c);
  return c;
}

void gxds_keyed_children_exit_idle(gxds_keyed_children *k) {
  const bool draining = k->draining;
  k->draining = true;
  for (const gxds_keyed_child *c = k->all; c; c = c->hh.next) gxds_lb_child_exit_idle(c->lb);
  k->draining = draining;
}

void gxds_keyed_children_reset_backoff(void *self) {
  const gxds_keyed_children *k = self;
  for (const gxds_keyed_child *c = k->all; c; c = c->hh.next) gxds_lb_child_reset_backoff(c->lb);
}

void gxds_keyed_children_end(void *self) {
  gxds_keyed_children *k = self;
  while (k->all) gxds_keyed_children_remove(k, k->all);
}
