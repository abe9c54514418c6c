#include <utlist.h>

#include "base/memory.h"
#include "host/channel.h"
#include "lb_policies/registered/registered_internal.h"

typedef struct gxds_registered_subchannel {
  grpc_xds_subchannel base; /* first */
  gxds_ref refs;
  gxds_subchannel *inner;   /* a reference; the last reference is released under the serializer */
  gxds_lb_channel *channel; /* a reference */

  /* Under the serializer. */
  gxds_watch watch;
  /* The policy that has the subchannel in its list. NULL: the program has destroyed the subchannel,
   * or the policy has ended. */
  gxds_registered_policy *policy;
  struct gxds_registered_subchannel *prev;
  struct gxds_registered_subchannel *next;
  void *tag;
  gxds_str identity;     /* the identity of the address; owned */
  const gxds_args *args; /* a reference */
} subchannel;

static subchannel *of_watch(gxds_watch *w) {
  return (subchannel *)((char *)w - offsetof(subchannel, watch));
}

/* The program may destroy the subchannel. */
static void on_state(gxds_watch *w, grpc_connectivity_state state, const gxds_status *status) {
  if (state == GRPC_CHANNEL_SHUTDOWN) return; /* grpc_xds_state does not have this state */
  const subchannel *s = of_watch(w);
  const gxds_registered_policy *p = s->policy;
  const grpc_xds_status why = {(int)status->code, status->message.data ? status->message.data : ""};
  p->program->subchannel_state(p->self, s->tag, (grpc_xds_state)state, &why);
}

grpc_xds_subchannel *gxds_registered_subchannel_create(grpc_xds_policy *policy,
                                                       const grpc_xds_address *address, void *tag) {
  gxds_registered_policy *p = (gxds_registered_policy *)policy;
  const gxds_registered_address *a = (const gxds_registered_address *)address;
  gxds_subchannel *inner = gxds_policy_subchannel(p->inner, &a->address, p->args);
  if (!inner) return NULL;
  subchannel *s = GXDS_NEW(subchannel);
  s->base.api = &gxds_registered_api;
  gxds_ref_init(&s->refs);
  s->inner = inner;
  s->channel = gxds_lb_channel_ref(gxds_policy_channel(p->inner));
  s->watch.on_state = on_state;
  s->policy = p;
  s->tag = tag;
  s->identity = gxds_str_dup(a->identity);
  s->args = gxds_args_ref(p->args);
  DL_APPEND(p->subchannels, s);
  gxds_subchannel_watch(inner, &s->watch);
  return &s->base;
}

bool gxds_registered_subchannel_fits(const grpc_xds_subchannel *base,
                                     const grpc_xds_address *address) {
  const subchannel *s = (const subchannel *)base;
  const gxds_registered_address *a = (const gxds_registered_address *)address;
  if (!s->policy || !gxds_str_equal(s->identity, a->identity) ||
      !gxds_args_equal(s->args, s->policy->args)) {
    return false;
  }
  gxds_subchannel_reorder(s->inner, &a->address); /* A61: the subchannel fits even if the addresses
                                                     are in another order */
  return true;
}

void gxds_registered_subchannel_connect(grpc_xds_subchannel *s) {
  gxds_subchannel_connect(gxds_registered_subchannel_inner(s));
}

void gxds_registered_subchannel_reset_backoff(grpc_xds_subchannel *s) {
  gxds_subchannel_reset_backoff(gxds_registered_subchannel_inner(s));
}

static void forget(subchannel *s) {
  if (!s->policy) return;
  DL_DELETE(s->policy->subchannels, s);
  s->policy = NULL;
  gxds_subchannel_unwatch(s->inner, &s->watch);
}

void gxds_registered_subchannels_forget(gxds_registered_policy *p) {
  while (p->subchannels) forget(p->subchannels);
}

static void release(void *arg) {
  subchannel *s = arg;
  gxds_lb_channel *channel = s->channel;
  gxds_subchannel_unref(s->inner);
  gxds_args_unref(s->args);
  gxds_str_free(&s->identity);
  gxds_free(s);
  gxds_lb_channel_unref(channel);
}

void gxds_registered_subchannel_destroy(grpc_xds_subchannel *base) {
  subchannel *s = (subchannel *)base;
  forget(s);
  if (gxds_ref_dec(&s->refs)) release(s);
}

grpc_xds_subchannel *gxds_registered_subchannel_ref(grpc_xds_subchannel *s) {
  gxds_ref_inc(&((subchannel *)s)->refs);
  return s;
}

void gxds_registered_subchannel_unref(grpc_xds_subchannel *base) {
  subchannel *s = (subchannel *)base;
  if (gxds_ref_dec(&s->refs)) s->channel->ops->post(s->channel, release, s);
}

gxds_subchannel *gxds_registered_subchannel_inner(grpc_xds_subchannel *s) {
  return ((subchannel *)s)->inner;
}
