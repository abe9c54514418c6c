#include "test/lb_policies/override_host/session_probe.h"

#include "base/memory.h"
#include "lb_policies/override_host/session_update.h"

typedef struct teller {
  void (*let_go)(void *arg, int number);
  void *arg;
} teller;

static int number_of(const gxds_held_endpoint *h) { return (int)h->last_used; }

static void tell(void *arg, gxds_held_endpoint *h) {
  const teller *t = arg;
  t->let_go(t->arg, number_of(h));
}

gxds_session_table *session_probe_update(gxds_session_table *before,
                                         const gxds_endpoints *endpoints, uint8_t health,
                                         void (*let_go)(void *arg, int number), void *arg) {
  const gxds_session_source of = {endpoints, health, false};
  teller t = {let_go, arg};
  gxds_session_table *after =
      gxds_session_table_update(before, &of, 1, (gxds_session_let_go){tell, &t});
  gxds_session_table_unref(before);
  return after;
}

void session_probe_unref(gxds_session_table *t) { gxds_session_table_unref(t); }

void session_probe_hold(gxds_session_table *t, const gxds_address *address, int number) {
  gxds_held_endpoint *h = GXDS_NEW(gxds_held_endpoint);
  gxds_ref_init(&h->refs);
  h->last_used = number;
  gxds_session_endpoint_hold(gxds_session_table_find(t, address), h);
  gxds_held_endpoint_unref(h);
}

int session_probe_held(const gxds_session_table *t, const gxds_address *address) {
  const gxds_session_endpoint *e = gxds_session_table_find(t, address);
  if (!e) return -1;
  return e->held ? number_of(e->held) : 0;
}

gxds_session_table *session_probe_without(const gxds_session_table *t,
                                          const gxds_address *address) {
  gxds_session_table *other = gxds_session_table_copy(t, gxds_session_table_source(t));
  gxds_session_table_forget(other, address);
  return other;
}

int session_probe_first_port(const gxds_session_table *t, const gxds_address *address) {
  const gxds_session_endpoint *e = gxds_session_table_find(t, address);
  const gxds_locality *l;
  uint32_t index;
  if (!e || !gxds_session_table_locate(t, e, address, &l, &index)) return -1;
  return gxds_locality_endpoint(l, index).address.port;
}
