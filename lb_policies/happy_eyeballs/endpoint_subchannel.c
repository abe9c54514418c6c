#include "lb_policies/happy_eyeballs/endpoint_subchannel.h"

#include <stdatomic.h>
#include <string.h>
#include <utlist.h>

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/happy_eyeballs/connector.h"
#include "lb_policies/happy_eyeballs/interleave.h"
#include "lb_policies/happy_eyeballs/load_relay.h"
#include "resources/endpoints.h"

/* Points to the connected subchannel, for picks. A pick may read a holder while the serializer
 * gives it up, so the memory of a holder stays as long as the endpoint. A free holder is used
 * again. */
typedef struct holder {
  gxds_ref refs; /* 0: the holder is free */
  gxds_subchannel *subchannel;
  struct holder *next;
} holder;

/* The watch of a policy. */
typedef struct watch {
  gxds_watch *outer;
  bool is_due; /* the watcher has to be notified */
  struct watch *prev;
  struct watch *next;
} watch;

typedef struct endpoint {
  gxds_subchannel base;
  gxds_lb_channel *channel;     /* a reference */
  gxds_subchannel_maker *maker; /* a reference */
  const gxds_args *args;        /* a reference */

  gxds_lb_address address;       /* what all addresses have in common; the memory that it points to
                                    is owned */
  const gxds_locality *locality; /* a reference to the locality, without its endpoints; NULL:
                                    none */
  gxds_str hostname;             /* owned */
  gxds_str proxy;                /* owned */
  gxds_str all;                  /* all addresses as text; owned */

  gxds_connector *connector; /* NULL: there are no watches */
  watch *watches;
  bool has_state;
  grpc_connectivity_state state;
  gxds_status status;
  gxds_load_relay *load;   /* NULL if load reports were never requested */
  gxds_subchannel *chosen; /* the connector's chosen subchannel; borrowed */

  _Atomic(holder *) current; /* read by any thread; NULL if no address is connected */
  holder *holders;

  uint32_t count;
  gxds_address ips[]; /* in the order in which they are tried */
} endpoint;

/* --- The maker --- */

gxds_subchannel_maker *gxds_subchannel_maker_create(
    void *of,
    gxds_subchannel *(*make)(void *of, const gxds_lb_address *address, const gxds_args *args)) {
  gxds_subchannel_maker *m = GXDS_NEW(gxds_subchannel_maker);
  gxds_ref_init(&m->refs);
  m->of = of;
  m->make = make;
  return m;
}

static void unref_maker(gxds_subchannel_maker *m) {
  if (gxds_ref_dec(&m->refs)) gxds_free(m);
}

void gxds_subchannel_maker_end(gxds_subchannel_maker *m) {
  m->of = NULL;
  unref_maker(m);
}

static gxds_subchannel *make(void *owner, uint32_t index) {
  const endpoint *e = owner;
  if (!e->maker->of) return NULL;
  gxds_lb_address address = e->address;
  address.ip = e->ips[index];
  address.has_ip = true;
  return e->maker->make(e->maker->of, &address, e->args);
}

/* --- What picks see --- */

/* Gives up the subchannels of holders that no pick looks at any more. Only this function does so,
 * so that it always happens under the serializer. */
static void clean_holders(endpoint *e) {
  for (holder *h = e->holders; h; h = h->next) {
    if (h == atomic_load_explicit(&e->current, memory_order_relaxed)) continue;
    if (!h->subchannel || __atomic_load_n(&h->refs.count, __ATOMIC_ACQUIRE) > 0) continue;
    gxds_subchannel_unref(h->subchannel);
    h->subchannel = NULL;
  }
}

static holder *free_holder(endpoint *e) {
  for (holder *h = e->holders; h; h = h->next) {
    if (!h->subchannel) return h;
  }
  holder *h = GXDS_NEW(holder);
  LL_PREPEND(e->holders, h);
  return h;
}

static void set_connected(endpoint *e, gxds_subchannel *connected) {
  holder *before = atomic_exchange_explicit(&e->current, NULL, memory_order_acq_rel);
  if (before) (void)gxds_ref_dec(&before->refs);
  clean_holders(e);
  if (!connected) return;
  holder *h = free_holder(e);
  h->subchannel = gxds_subchannel_ref(connected);
  __atomic_store_n(&h->refs.count, 1, __ATOMIC_RELEASE);
  atomic_store_explicit(&e->current, h, memory_order_release);
}

gxds_subchannel *gxds_endpoint_subchannel_connected(gxds_subchannel *s) {
  endpoint *e = (endpoint *)s;
  holder *h = atomic_load_explicit(&e->current, memory_order_acquire);
  if (!h || !gxds_ref_inc_if_alive(&h->refs)) return NULL;
  gxds_subchannel *connected = gxds_subchannel_ref(h->subchannel);
  (void)gxds_ref_dec(&h->refs);
  return connected;
}

/* --- Watchers --- */

/* A watcher that is notified may add or remove watches, so each round begins at the first one. */
static void notify_due(endpoint *e) {
  for (;;) {
    watch *w = e->watches;
    while (w && !w->is_due) w = w->next;
    if (!w || !e->has_state) return;
    w->is_due = false;
    w->outer->on_state(w->outer, e->state, &e->status);
  }
}

static void on_state(void *owner, grpc_connectivity_state state, const gxds_status *status,
                     gxds_subchannel *chosen) {
  endpoint *e = owner;
  gxds_subchannel_ref(&e->base); /* a watcher may give up the last reference besides this one */
  if (chosen != e->chosen) {
    e->chosen = chosen;
    set_connected(e, chosen);
    if (e->load) gxds_load_relay_choose(e->load, chosen, e->has_state);
  }
  e->has_state = true;
  e->state = state;
  gxds_status_set(&e->status, gxds_status_copy(status));
  watch *w;
  DL_FOREACH(e->watches, w) w->is_due = true;
  notify_due(e);
  gxds_subchannel_unref(&e->base);
}

static void notify_new(void *arg) {
  endpoint *e = arg;
  notify_due(e);
  gxds_subchannel_unref(&e->base);
}

/* --- The subchannel --- */

static void add_watch(gxds_subchannel *s, gxds_watch *outer) {
  static const gxds_connector_ops ops = {.make = make, .on_state = on_state};
  endpoint *e = (endpoint *)s;
  watch *w = GXDS_NEW(watch);
  w->outer = outer;
  w->is_due = true;
  outer->subchannels = w;
  DL_APPEND(e->watches, w);
  if (!e->connector) e->connector = gxds_connector_create(e->channel, &ops, e, e->count);
  if (!e->has_state) return; /* no state yet: on_state() will notify the watch */
  gxds_subchannel_ref(s);
  e->channel->ops->run_later(e->channel, notify_new, e);
}

/* `current` stays as it is, for pickers that still have the endpoint. */
static void stop(endpoint *e) {
  if (e->load) gxds_load_relay_choose(e->load, NULL, false);
  gxds_connector_end(e->connector);
  e->connector = NULL;
  e->has_state = false;
  e->chosen = NULL;
}

/* The memory is freed later, because a caller further up the stack may still use it. */
static void remove_watch(gxds_subchannel *s, gxds_watch *outer) {
  endpoint *e = (endpoint *)s;
  watch *w = outer->subchannels;
  DL_DELETE(e->watches, w);
  e->channel->ops->run_later(e->channel, gxds_free, w);
  if (!e->watches) stop(e);
}

static void connect_subchannel(gxds_subchannel *s) {
  const endpoint *e = (const endpoint *)s;
  if (e->connector) gxds_connector_connect(e->connector);
}

static void reset_backoff(gxds_subchannel *s) {
  const endpoint *e = (const endpoint *)s;
  if (e->connector) gxds_connector_reset_backoff(e->connector);
}

static void report_load(gxds_subchannel *s, gxds_load_listener *l, gxds_duration interval) {
  endpoint *e = (endpoint *)s;
  if (!e->load) {
    if (interval == GXDS_TIME_NEVER) return;
    e->load = gxds_load_relay_create();
    gxds_load_relay_choose(e->load, e->chosen, false);
  }
  gxds_load_relay_want(e->load, l, interval);
}

/* Copies the addresses in the order in which to try them. */
static void take_ips(const gxds_lb_address *address, gxds_address *out) {
  const uint32_t count = address->more_count + 1;
  bool *is_ipv6 = gxds_calloc(count, sizeof *is_ipv6);
  uint32_t *order = gxds_calloc(count, sizeof *order);
  for (uint32_t i = 0; i < count; i++) is_ipv6[i] = gxds_lb_address_ip(address, i)->is_ipv6;
  gxds_interleave(is_ipv6, count, order);
  for (uint32_t i = 0; i < count; i++) out[i] = *gxds_lb_address_ip(address, order[i]);
  gxds_free(is_ipv6);
  gxds_free(order);
}

/* Sets order[i] to the place of ips[i] in e->ips. DNS may return an address more than once, so each
 * place is taken once. False if e does not have one of them. */
static bool match(const endpoint *e, const gxds_address *ips, uint32_t *order) {
  bool *taken = gxds_calloc(e->count, sizeof *taken);
  uint32_t found = 0;
  for (; found < e->count; found++) {
    uint32_t at = 0;
    while (at < e->count && (taken[at] || !gxds_address_equal(&ips[found], &e->ips[at]))) at++;
    if (at == e->count) break;
    order[found] = at;
    taken[at] = true;
  }
  gxds_free(taken);
  return found == e->count;
}

static void reorder(gxds_subchannel *s, const gxds_lb_address *address) {
  endpoint *e = (endpoint *)s;
  if (address->more_count + 1 != e->count) return;
  gxds_address *ips = gxds_calloc(e->count, sizeof *ips);
  uint32_t *order = gxds_calloc(e->count, sizeof *order);
  take_ips(address, ips);
  if (memcmp(ips, e->ips, e->count * sizeof *ips) != 0 && match(e, ips, order)) {
    memcpy(e->ips, ips, e->count * sizeof *ips);
    if (e->connector) gxds_connector_reorder(e->connector, order);
  }
  gxds_free(order);
  gxds_free(ips);
}

/* --- Its life --- */

/* Under the serializer. */
static void free_endpoint(void *arg) {
  endpoint *e = arg;
  gxds_lb_channel *channel = e->channel;
  set_connected(e, NULL);
  while (e->holders) {
    holder *h = e->holders;
    LL_DELETE(e->holders, h);
    gxds_free(h);
  }
  gxds_load_relay_destroy(e->load);
  gxds_status_fini(&e->status);
  gxds_args_unref(e->args);
  gxds_locality_unref(e->locality);
  gxds_str_free(&e->hostname);
  gxds_str_free(&e->proxy);
  gxds_str_free(&e->all);
  unref_maker(e->maker);
  gxds_free(e);
  gxds_lb_channel_unref(channel);
}

static void destroy(gxds_subchannel *s) {
  endpoint *e = (endpoint *)s;
  e->channel->ops->post(e->channel, free_endpoint, e);
}

/* A copy of the locality without its endpoints. So e does not keep these endpoints in memory. */
static const gxds_locality *name_of(const gxds_locality *l) {
  return l ? gxds_locality_create(l->region, l->zone, l->sub_zone, l->weight, 0) : NULL;
}

static gxds_str render_set(const gxds_lb_address *address) {
  gxds_text text = {0};
  gxds_lb_address_render_set(address, &text);
  return gxds_text_take(&text);
}

gxds_subchannel *gxds_endpoint_subchannel_create(gxds_lb_channel *channel, gxds_subchannel_maker *m,
                                                 const gxds_lb_address *address,
                                                 const gxds_args *args) {
  static const gxds_subchannel_ops ops = {.destroy = destroy,
                                          .watch = add_watch,
                                          .unwatch = remove_watch,
                                          .connect = connect_subchannel,
                                          .reset_backoff = reset_backoff,
                                          .report_load = report_load,
                                          .reorder = reorder};
  const uint32_t count = address->more_count + 1;
  endpoint *e = gxds_calloc(1, sizeof *e + count * sizeof *e->ips);
  gxds_ref_init(&e->base.refs);
  e->base.ops = &ops;
  e->channel = gxds_lb_channel_ref(channel);
  gxds_ref_inc(&m->refs);
  e->maker = m;
  e->args = gxds_args_ref(args);
  e->locality = name_of(address->locality);
  e->hostname = gxds_str_dup(address->hostname);
  e->proxy = gxds_str_dup(address->proxy);
  e->all = render_set(address);
  e->address = (gxds_lb_address){.weight = address->weight,
                                 .hostname = e->hostname,
                                 .proxy = e->proxy,
                                 .endpoint = e->all,
                                 .locality = e->locality};
  e->count = count;
  take_ips(address, e->ips);
  return &e->base;
}
