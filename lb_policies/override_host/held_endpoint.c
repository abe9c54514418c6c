#include "lb_policies/override_host/held_endpoint.h"

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"

static void on_state(gxds_watch *w, grpc_connectivity_state state, const gxds_status *status) {
  (void)status;
  gxds_held_endpoint *h =
      (gxds_held_endpoint *)(void *)((char *)w - offsetof(gxds_held_endpoint, watch));
  atomic_store_explicit(&h->state, (int)state, memory_order_release);
  atomic_store_explicit(&h->requested, false, memory_order_relaxed);
  h->changed(h->policy);
}

gxds_held_endpoint *gxds_held_endpoint_create(gxds_policy *owner, const gxds_args *args,
                                              const gxds_locality *locality, uint32_t index,
                                              bool http_connect, void (*changed)(void *policy),
                                              void *policy) {
  const gxds_lb_address address = gxds_locality_address_for(locality, index, http_connect);
  gxds_subchannel *subchannel = gxds_policy_subchannel(owner, &address, args);
  if (!subchannel) return NULL;
  gxds_held_endpoint *h = GXDS_NEW(gxds_held_endpoint);
  gxds_ref_init(&h->refs);
  h->subchannel = subchannel;
  gxds_text addresses = {0};
  gxds_lb_address_render_set(&address, &addresses);
  h->addresses = gxds_text_take(&addresses);
  atomic_init(&h->state, GRPC_CHANNEL_CONNECTING);
  atomic_init(&h->used, true);
  atomic_init(&h->requested, false);
  h->watch.on_state = on_state;
  h->changed = changed;
  h->policy = policy;
  h->key = gxds_locality_endpoint(locality, index).address;
  gxds_subchannel_watch(subchannel, &h->watch);
  return h;
}

gxds_held_endpoint *gxds_held_endpoint_ref(gxds_held_endpoint *h) {
  gxds_ref_inc(&h->refs);
  return h;
}

void gxds_held_endpoint_unref(gxds_held_endpoint *h) {
  if (!h || !gxds_ref_dec(&h->refs)) return;
  gxds_subchannel_unref(h->subchannel);
  gxds_str_free(&h->addresses);
  gxds_free(h);
}

void gxds_held_endpoint_let_go(gxds_held_endpoint *h) {
  gxds_subchannel_unwatch(h->subchannel, &h->watch);
  gxds_held_endpoint_unref(h);
}
