#include "base/memory.h"
#include "lb_policies/registered/registered_internal.h"

typedef struct registered_waker {
  grpc_xds_waker base; /* first */
  gxds_ref refs;
  gxds_poker *poker; /* a reference */
} registered_waker;

grpc_xds_waker *gxds_registered_waker_create(gxds_poker *poker) {
  registered_waker *w = GXDS_NEW(registered_waker);
  w->base.api = &gxds_registered_api;
  gxds_ref_init(&w->refs);
  w->poker = gxds_poker_ref(poker);
  return &w->base;
}

grpc_xds_waker *gxds_registered_waker_ref(grpc_xds_waker *w) {
  gxds_ref_inc(&((registered_waker *)w)->refs);
  return w;
}

void gxds_registered_waker_unref(grpc_xds_waker *base) {
  registered_waker *w = (registered_waker *)base;
  if (!gxds_ref_dec(&w->refs)) return;
  gxds_poker_unref(w->poker);
  gxds_free(w);
}

void gxds_registered_waker_wake(grpc_xds_waker *w, uint64_t number) {
  gxds_poker_poke(((registered_waker *)w)->poker, number, gxds_str_of(NULL, 0));
}
