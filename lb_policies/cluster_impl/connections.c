#include "lb_policies/cluster_impl/connections.h"

#include <uthash.h>
#include <utlist.h>

#include "base/memory.h"
#include "lb_policies/endpoint_list/endpoint_list.h"

/* The connections to one address. They differ in their args or their labels. */
typedef struct gxds_connection_place {
  gxds_lb_channel *channel; /* borrowed: the holders of a connection keep the channel alive */
  gxds_str key;             /* owned */
  struct gxds_connection *list;
  UT_hash_handle hh; /* the places by key */
} place;

typedef struct gxds_connection {
  gxds_watch watch; /* the watch on the subchannel of the first hold; first member */
  place *place;
  const gxds_args *args;      /* a reference */
  gxds_policy_counts *counts; /* borrowed: valid until the process ends */
  bool has_state;
  grpc_connectivity_state state; /* the last seen */
  gxds_connection_hold *holds;
  struct gxds_connection *prev; /* the neighbours in place->list */
  struct gxds_connection *next;
} connection;

/* --- Counting --- */

static void add(const connection *c, gxds_subchannel_count which) {
  gxds_policy_counts_add(c->counts, which, 1);
}

static void count_close(const connection *c, gxds_subchannel_count why) {
  gxds_policy_counts_subtract(c->counts, GXDS_COUNT_OPEN_CONNECTIONS, 1);
  add(c, why);
}

/* The first state that is reported does not count as an attempt, because this channel did not cause
 * it. */
static void count_change(const connection *c, grpc_connectivity_state to) {
  if (c->has_state && c->state == to) return;
  const bool was_open = c->has_state && c->state == GRPC_CHANNEL_READY;
  if (was_open) count_close(c, GXDS_COUNT_CONNECTION_LOST);
  if (to == GRPC_CHANNEL_READY) {
    if (c->has_state) add(c, GXDS_COUNT_CONNECT_SUCCEEDED);
    add(c, GXDS_COUNT_OPEN_CONNECTIONS);
  } else if (to == GRPC_CHANNEL_TRANSIENT_FAILURE && c->has_state && !was_open) {
    add(c, GXDS_COUNT_CONNECT_FAILED);
  }
}

static void on_state(gxds_watch *w, grpc_connectivity_state state, const gxds_status *status) {
  (void)status;
  connection *c = (connection *)w;
  count_change(c, state);
  c->has_state = true;
  c->state = state;
}

/* --- Places --- */

static place *find_place(gxds_lb_channel *channel, gxds_str key) {
  place *found;
  HASH_FIND(hh, channel->connections, key.data, key.size, found);
  return found;
}

static place *place_of(gxds_lb_channel *channel, const gxds_lb_address *address) {
  gxds_text key = {0};
  gxds_lb_address_render(address, &key);
  gxds_lb_address_render_names(address, &key);
  place *p = find_place(channel, gxds_text_str(&key));
  if (!p) {
    p = GXDS_NEW(place);
    p->channel = channel;
    p->key = gxds_str_dup(gxds_text_str(&key));
    HASH_ADD_KEYPTR(hh, channel->connections, p->key.data, p->key.size, p);
  }
  gxds_text_fini(&key);
  return p;
}

static connection *connection_of(place *p, const gxds_args *args, gxds_policy_counts *counts) {
  connection *c;
  DL_FOREACH(p->list, c) {
    if (c->counts == counts && gxds_args_equal(c->args, args)) return c;
  }
  c = GXDS_NEW(connection);
  c->watch.on_state = on_state;
  c->watch.connection_only = true;
  c->place = p;
  c->args = gxds_args_ref(args);
  c->counts = counts;
  DL_APPEND(p->list, c);
  return c;
}

/* An attempt that is in progress when this is called counts neither as a success nor as a failure.
 * If a policy is notified of a lost connection before this watch, and releases the subchannel at
 * once, the loss counts as a shutdown. That is rare, and the sums are still correct. */
static void end(connection *c) {
  place *p = c->place;
  if (c->has_state && c->state == GRPC_CHANNEL_READY) {
    count_close(c, GXDS_COUNT_SUBCHANNEL_SHUTDOWN);
  }
  DL_DELETE(p->list, c);
  gxds_args_unref(c->args);
  gxds_free(c);
  if (p->list) return;
  HASH_DEL(p->channel->connections, p);
  gxds_str_free(&p->key);
  gxds_free(p);
}

/* --- Holds --- */

void gxds_connection_take_hold(gxds_connection_hold *h, gxds_lb_channel *channel,
                               gxds_subchannel *subchannel, const gxds_lb_address *address,
                               const gxds_args *args, gxds_policy_counts *counts) {
  connection *c = connection_of(place_of(channel, address), args, counts);
  h->of = c;
  h->subchannel = subchannel;
  DL_APPEND(c->holds, h);
  if (c->holds == h) gxds_subchannel_watch(subchannel, &c->watch);
}

void gxds_connection_let_go(gxds_connection_hold *h) {
  connection *c = h->of;
  const bool was_watched = c->holds == h;
  DL_DELETE(c->holds, h);
  if (was_watched) gxds_subchannel_unwatch(h->subchannel, &c->watch);
  if (!c->holds) {
    end(c);
  } else if (was_watched) {
    /* The watch is notified of the present state, which may be c->state. */
    gxds_subchannel_watch(c->holds->subchannel, &c->watch);
  }
}
