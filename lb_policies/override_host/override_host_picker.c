#include "lb_policies/override_host/override_host_picker.h"

#include <string.h>

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"

/* --- Subchannels of the policy below --- */

typedef struct session_subchannel {
  gxds_subchannel base;
  gxds_address key;
  gxds_str addresses; /* the addresses as a cookie has them; owned */
} session_subchannel;

static void destroy_subchannel(gxds_subchannel *s) {
  gxds_str_free(&((session_subchannel *)s)->addresses);
  gxds_subchannel_unref(s->wrapped);
  gxds_free(s);
}

static const gxds_subchannel_ops session_subchannel_ops = {.destroy = destroy_subchannel};

gxds_subchannel *gxds_session_subchannel_create(gxds_subchannel *take_subchannel,
                                                const gxds_lb_address *address) {
  session_subchannel *s = GXDS_NEW(session_subchannel);
  gxds_ref_init(&s->base.refs);
  s->base.ops = &session_subchannel_ops;
  s->base.wrapped = take_subchannel;
  s->key = address->ip;
  gxds_text addresses = {0};
  gxds_lb_address_render_set(address, &addresses);
  s->addresses = gxds_text_take(&addresses);
  return &s->base;
}

/* --- Picks --- */

typedef struct override_host_picker {
  gxds_picker base;
  gxds_session_table *table; /* a reference */
  gxds_picker *child;        /* a reference */
  gxds_poker *poker;         /* a reference */
} override_host_picker;

static void poke(const override_host_picker *p, uint64_t what, const gxds_address *address) {
  gxds_poker_poke(p->poker, what, gxds_str_of((const char *)address, sizeof *address));
}

/* Asks the policy to hold the endpoint, unless a picker has asked for that already. */
static void request_hold(const override_host_picker *p, gxds_session_endpoint *endpoint,
                         const gxds_address *address) {
  if (!atomic_exchange_explicit(&endpoint->requested, true, memory_order_relaxed)) {
    poke(p, GXDS_OVERRIDE_HOST_HOLD, address);
  }
}

/* Sets the addresses for the cookie of the response. They are in the RPC's memory, because the
 * endpoint may end before the RPC. */
static void set_used(gxds_session *session, gxds_str addresses, const gxds_pick *call) {
  if (gxds_str_equal(session->wanted, addresses)) {
    session->used = session->wanted;
    return;
  }
  char *copy = gxds_pick_alloc(call, addresses.size);
  memcpy(copy, addresses.data, addresses.size);
  session->used = gxds_str_of(copy, addresses.size);
}

static void complete_with(gxds_held_endpoint *h, gxds_session *session, const gxds_pick *call,
                          gxds_picked *out) {
  gxds_held_endpoint_use(h);
  set_used(session, h->addresses, call);
  gxds_picked_complete(out, gxds_subchannel_ref(h->subchannel), NULL);
}

/* The endpoints that an RPC's cookie names and that are not READY: the first in each state. */
typedef struct wanted_endpoint {
  gxds_held_endpoint *idle;
  bool connecting;
  gxds_session_endpoint *not_held;
  gxds_address not_held_address;
} wanted_endpoint;

/* Returns true if the endpoint is READY: then the RPC goes there. Otherwise notes the endpoint in
 * *w. */
static bool look_at(gxds_session_endpoint *endpoint, const gxds_address *address,
                    wanted_endpoint *w, gxds_held_endpoint **ready) {
  gxds_held_endpoint *h = atomic_load_explicit(&endpoint->held, memory_order_acquire);
  if (!h) {
    if (!w->not_held && !atomic_load_explicit(&endpoint->refused, memory_order_relaxed)) {
      w->not_held = endpoint;
      w->not_held_address = *address;
    }
    return false;
  }
  switch (atomic_load_explicit(&h->state, memory_order_acquire)) {
    case GRPC_CHANNEL_READY:
      *ready = h;
      return true;
    case GRPC_CHANNEL_IDLE:
      if (!w->idle) w->idle = h;
      break;
    case GRPC_CHANNEL_CONNECTING:
      w->connecting = true;
      break;
    default: /* the endpoint cannot be reached */
      break;
  }
  return false;
}

/* A75: picks the first endpoint of the cookie that is READY. If none is READY, the RPC waits for
 * one that is IDLE, or else for one that is CONNECTING, or else for one that is not held yet.
 * Returns false if there is no such endpoint either: then the policy below picks. */
static bool pick_wanted(const override_host_picker *p, gxds_session *session, const gxds_pick *call,
                        gxds_picked *out) {
  wanted_endpoint w = {NULL, false, NULL, {{0}, 0, 0}};
  const char *end = session->wanted.data + session->wanted.size;
  for (const char *at = session->wanted.data; at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const char *stop = comma ? comma : end;
    gxds_address address;
    if (gxds_address_read(gxds_str_of(at, (size_t)(stop - at)), &address)) {
      gxds_session_endpoint *endpoint = gxds_session_table_find(p->table, &address);
      gxds_held_endpoint *ready = NULL;
      if (endpoint && look_at(endpoint, &address, &w, &ready)) {
        complete_with(ready, session, call, out);
        return true;
      }
    }
    at = stop + 1;
  }
  if (w.idle) {
    if (!atomic_exchange_explicit(&w.idle->requested, true, memory_order_relaxed)) {
      poke(p, GXDS_OVERRIDE_HOST_CONNECT, &w.idle->key);
    }
  } else if (!w.connecting) {
    if (!w.not_held) return false;
    request_hold(p, w.not_held, &w.not_held_address);
  }
  gxds_picked_queue(out);
  return true;
}

/* The policy below has picked: unwraps the subchannel, and makes the session use its endpoint. */
static void unwrap(const override_host_picker *p, gxds_session *session, const gxds_pick *call,
                   gxds_picked *out) {
  if (out->subchannel->ops != &session_subchannel_ops) return;
  const session_subchannel *s = (const session_subchannel *)out->subchannel;
  if (session) {
    set_used(session, s->addresses, call);
    gxds_session_endpoint *endpoint = gxds_session_table_find(p->table, &s->key);
    if (endpoint) {
      gxds_held_endpoint *h = atomic_load_explicit(&endpoint->held, memory_order_acquire);
      if (h) {
        gxds_held_endpoint_use(h);
      } else {
        request_hold(p, endpoint, &s->key);
      }
    }
  }
  out->subchannel = gxds_subchannel_ref(s->base.wrapped);
  gxds_subchannel_unref((gxds_subchannel *)&s->base);
}

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const override_host_picker *p = (const override_host_picker *)base;
  gxds_str cluster;
  const gxds_routed_call *route = gxds_pick_route(call, &cluster);
  gxds_session *session = route ? route->session : NULL;
  if (session && session->wanted.size > 0 && pick_wanted(p, session, call, out)) return;
  gxds_picker_pick(p->child, call, out);
  if (out->kind == GXDS_PICKED_COMPLETE) unwrap(p, session, call, out);
}

static void destroy(gxds_picker *base) {
  override_host_picker *p = (override_host_picker *)base;
  gxds_session_table_unref(p->table);
  gxds_picker_unref(p->child);
  gxds_poker_unref(p->poker);
  gxds_free(p);
}

gxds_picker *gxds_override_host_picker_create(gxds_session_table *table, gxds_picker *child,
                                              gxds_poker *poker) {
  static const gxds_picker_ops ops = {pick, destroy};
  override_host_picker *p = GXDS_NEW(override_host_picker);
  gxds_picker_init(&p->base, &ops);
  p->table = gxds_session_table_ref(table);
  p->child = gxds_picker_ref(child);
  p->poker = gxds_poker_ref(poker);
  return &p->base;
}
