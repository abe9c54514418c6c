#include "lb_policies/outlier_detection/ejectable.h"

#include <uthash.h>
#include <utlist.h>

#include "base/memory.h"

typedef struct ejectable ejectable;

/* A watch of an ejectable, with the watch of the wrapped subchannel that serves it. */
typedef struct watch {
  gxds_watch inner; /* first */
  ejectable *of;
  gxds_watch *outer;
  bool ejected;
  bool is_due; /* the watcher has to be notified */
  bool has_state;
  grpc_connectivity_state state; /* the last seen */
  gxds_status status;
  struct watch *prev;
  struct watch *next;
} watch;

struct ejectable {
  gxds_subchannel base;
  gxds_ejectables *all; /* a reference */
  uint64_t address;     /* the token of its address */
  gxds_call_results *results;
  watch *watches;
  ejectable *prev; /* the neighbours in the list of its address */
  ejectable *next;
};

typedef struct ejectable_address {
  uint64_t token;
  ejectable *list;
  UT_hash_handle hh;
} ejectable_address;

/* --- Watchers --- */

/* The watcher may end the watch, and the subchannel. */
static void notify(watch *w) {
  if (!w->ejected) {
    w->outer->on_state(w->outer, w->state, &w->status);
    return;
  }
  gxds_status ejected =
      gxds_status_make(GXDS_UNAVAILABLE, "subchannel ejected by outlier detection");
  w->outer->on_state(w->outer, GRPC_CHANNEL_TRANSIENT_FAILURE, &ejected);
  gxds_status_fini(&ejected);
}

/* Notifies the watches that are due and have seen a state. A watcher may add or remove watches, so
 * each round begins at the first one. */
static void notify_due(ejectable *e) {
  for (;;) {
    watch *w = e->watches;
    while (w && !w->is_due) w = w->next;
    if (!w) return;
    w->is_due = false;
    if (w->has_state) notify(w);
  }
}

static void on_state(gxds_watch *inner, grpc_connectivity_state state, const gxds_status *status) {
  watch *w = (watch *)inner;
  const bool is_first = !w->has_state;
  w->has_state = true;
  w->state = state;
  gxds_status_set(&w->status, gxds_status_copy(status));
  if (is_first || !w->ejected) notify(w);
}

static void set_ejected(ejectable *e, bool ejected) {
  watch *w;
  DL_FOREACH(e->watches, w) {
    if (w->outer->connection_only || w->ejected == ejected) continue;
    w->ejected = ejected;
    w->is_due = true;
  }
  notify_due(e);
}

/* --- The subchannel --- */

static void add_watch(gxds_subchannel *s, gxds_watch *outer) {
  ejectable *e = (ejectable *)s;
  watch *w = GXDS_NEW(watch);
  w->inner.on_state = on_state;
  w->of = e;
  w->outer = outer;
  w->inner.connection_only = outer->connection_only;
  w->ejected = !outer->connection_only && gxds_outliers_ejected(e->all->machine, e->address);
  outer->subchannels = w;
  DL_APPEND(e->watches, w);
  gxds_subchannel_watch(s->wrapped, &w->inner);
}

static void free_watch(void *arg) {
  watch *w = arg;
  gxds_status_fini(&w->status);
  gxds_free(w);
}

/* The memory is freed later, because notify() may be using it. */
static void remove_watch(gxds_subchannel *s, gxds_watch *outer) {
  ejectable *e = (ejectable *)s;
  watch *w = outer->subchannels;
  DL_DELETE(e->watches, w);
  gxds_subchannel_unwatch(s->wrapped, &w->inner);
  e->all->channel->ops->run_later(e->all->channel, free_watch, w);
}

/* Notifies the ejected watches again: a policy that requested a connection waits for a state. */
static void renotify(void *arg) {
  ejectable *e = arg;
  watch *w;
  DL_FOREACH(e->watches, w) w->is_due = w->ejected;
  notify_due(e);
  gxds_subchannel_unref(&e->base);
}

static void connect_subchannel(gxds_subchannel *s) {
  ejectable *e = (ejectable *)s;
  gxds_subchannel_connect(s->wrapped);
  if (!gxds_outliers_ejected(e->all->machine, e->address)) return;
  gxds_subchannel_ref(s);
  e->all->channel->ops->run_later(e->all->channel, renotify, e);
}

static ejectable_address *find_address(const gxds_ejectables *all, uint64_t token) {
  ejectable_address *found;
  HASH_FIND(hh, all->places, &token, sizeof token, found);
  return found;
}

/* Under the serializer. */
static void bury(void *arg) {
  ejectable *e = arg;
  ejectable_address *address = find_address(e->all, e->address);
  DL_DELETE(address->list, e);
  if (!address->list) {
    HASH_DEL(e->all->places, address);
    gxds_free(address);
  }
  gxds_outliers_remove(e->all->machine, e->address);
  gxds_call_results_unref(e->results);
  gxds_subchannel_unref(e->base.wrapped);
  gxds_ejectables_unref(e->all);
  gxds_free(e);
}

static void destroy(gxds_subchannel *s) {
  ejectable *e = (ejectable *)s;
  e->all->channel->ops->post(e->all->channel, bury, e);
}

gxds_subchannel *gxds_ejectable_create(gxds_ejectables *all, gxds_subchannel *take_subchannel,
                                       uint64_t address) {
  static const gxds_subchannel_ops ops = {.destroy = destroy,
                                          .watch = add_watch,
                                          .unwatch = remove_watch,
                                          .connect = connect_subchannel};
  ejectable *e = GXDS_NEW(ejectable);
  gxds_ref_init(&e->base.refs);
  e->base.ops = &ops;
  e->base.wrapped = take_subchannel;
  gxds_ref_inc(&all->refs);
  e->all = all;
  e->address = address;
  e->results = gxds_call_results_ref(gxds_outliers_results(all->machine, address));
  ejectable_address *place = find_address(all, address);
  if (!place) {
    place = GXDS_NEW(ejectable_address);
    place->token = address;
    HASH_ADD(hh, all->places, token, sizeof place->token, place);
  }
  DL_APPEND(place->list, e);
  return &e->base;
}

gxds_call_results *gxds_ejectable_results(const gxds_subchannel *s) {
  return ((const ejectable *)s)->results;
}

/* --- All of them --- */

gxds_ejectables *gxds_ejectables_create(gxds_lb_channel *channel, uint64_t seed) {
  gxds_ejectables *all = GXDS_NEW(gxds_ejectables);
  gxds_ref_init(&all->refs);
  all->machine = gxds_outliers_create(seed);
  all->channel = gxds_lb_channel_ref(channel);
  return all;
}

void gxds_ejectables_unref(gxds_ejectables *all) {
  if (!all || !gxds_ref_dec(&all->refs)) return;
  gxds_outliers_destroy(all->machine);
  gxds_lb_channel_unref(all->channel);
  gxds_free(all);
}

/* A policy that is notified may end subchannels and make others. So this holds references to the
 * subchannels that exist now. It leaves out a subchannel whose last reference was already given
 * up. */
void gxds_ejectables_set_ejected(gxds_ejectables *all, uint64_t address, bool ejected) {
  const ejectable_address *place = find_address(all, address);
  if (!place) return;
  size_t count = 0;
  ejectable *e;
  DL_FOREACH(place->list, e) count++;
  ejectable **alive = gxds_calloc(count, sizeof(ejectable *));
  count = 0;
  DL_FOREACH(place->list, e) {
    if (gxds_ref_inc_if_alive(&e->base.refs)) alive[count++] = e;
  }
  for (size_t i = 0; i < count; i++) set_ejected(alive[i], ejected);
  for (size_t i = 0; i < count; i++) gxds_subchannel_unref(&alive[i]->base);
  gxds_free(alive);
}
