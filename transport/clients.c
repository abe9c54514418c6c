#include "transport/clients.h"

#include <assert.h>
#include <utlist.h>

#include "base/hash_table.h"
#include "base/index.h"
#include "base/memory.h"
#include "transport/channel_args.h"
#include "transport/metrics_server.h"
#include "transport/reactor.h"
#include "transport/session.h"
#include "transport/status_socket.h"

typedef struct shared_client shared_client;
typedef struct target_use target_use;

typedef struct watch {
  gxds_index_link by_token;
  gxds_watch_id id;
} watch;

struct gxds_client_handle {
  target_use *target;
  const gxds_watch_events *events;
  void *owner;
  gxds_index watches; /* the watches, by token */
  bool notified;      /* the owner was notified in this drain */
  gxds_client_handle *prev_notified;
  gxds_client_handle *next_notified;
  gxds_client_handle *prev; /* the neighbours in the target's list */
  gxds_client_handle *next;
};

/* A data-plane target that uses a client, with all its channels. */
struct target_use {
  shared_client *client;
  gxds_str name;
  uint32_t scope;              /* the target's number in the engine; never reused */
  gxds_load_store *load_store; /* a view of the client's load store */
  gxds_histogram update_times;
  gxds_client_handle *handles;
  bool notified; /* the target was notified since the last on_notified() */
  target_use *next_notified;
  UT_hash_handle hh; /* in the client's table, in the order of creation */
};

/* An XdsClient with all its uses. */
struct shared_client {
  const void *private_;
  unsigned generation; /* the reactor's generation; a client from before a fork is no longer used */
  gxds_duration resource_timeout;
  grpc_channel_args *args;
  gxds_session *session;
  target_use *targets;
  target_use *notified_targets;
  gxds_client_handle *notified; /* in the order in which they were notified first */
  bool notifying;
  shared_client *next;
};

static shared_client *clients; /* only on the reactor's thread */
static uint32_t last_scope;

/* --- Notifications of the engine --- */

static void on_notification(void *arg, const gxds_action *a) {
  shared_client *c = arg;
  gxds_client_handle *h = a->watcher.owner;
  if (!h->notified) {
    h->notified = true;
    DL_APPEND2(c->notified, h, prev_notified, next_notified);
  }
  if (!h->target->notified) {
    h->target->notified = true;
    h->target->next_notified = c->notified_targets;
    c->notified_targets = h->target;
  }
  c->notifying = true;
  if (a->kind == GXDS_ACTION_RESOURCE) {
    h->events->on_resource(h->owner, a->watcher.token, a->resource, a->error);
  } else {
    h->events->on_ambient_error(h->owner, a->watcher.token, a->error);
  }
  c->notifying = false;
}

static void on_drained(void *arg) {
  shared_client *c = arg;
  gxds_client_handle *h = c->notified;
  c->notified = NULL;
  c->notifying = true;
  while (h) {
    gxds_client_handle *next = h->next_notified;
    h->notified = false;
    h->events->on_drained(h->owner);
    h = next;
  }
  c->notifying = false;
}

static void on_notified(void *arg, gxds_duration took) {
  shared_client *c = arg;
  for (target_use *t = c->notified_targets; t; t = t->next_notified) {
    t->notified = false;
    if (took >= 0) gxds_histogram_add(&t->update_times, took);
  }
  c->notified_targets = NULL;
}

/* --- Clients --- */

static target_use *find_target(const shared_client *c, gxds_str name) {
  target_use *t = NULL;
  const char *key = name.size ? name.data : "";
  HASH_FIND(hh, c->targets, key, name.size, t);
  return t;
}

typedef struct wanted_client {
  gxds_client_key key;
  const gxds_bootstrap *bootstrap;
  gxds_duration resource_timeout;
  const grpc_channel_args *args;
} wanted_client;

static bool fits(const shared_client *c, const wanted_client *w) {
  if (c->private_ != w->key.private_ || c->generation != gxds_reactor_generation()) return false;
  if (c->private_) return true;
  const gxds_bootstrap *b = gxds_session_bootstrap(c->session);
  if (b->shared_stream != w->bootstrap->shared_stream) return false;
  if (!b->shared_stream) return find_target(c, w->key.target) != NULL;
  return gxds_str_equal(b->content, w->bootstrap->content) &&
         c->resource_timeout == w->resource_timeout && gxds_channel_args_equal(c->args, w->args);
}

static shared_client *find_client(const wanted_client *w) {
  shared_client *c = clients;
  while (c && !fits(c, w)) c = c->next;
  return c;
}

static shared_client *create_client(const wanted_client *w, gxds_prepared *take_prepared,
                                    const gxds_host *host) {
  static const gxds_session_events session_events = {on_notification, on_drained, on_notified};
  shared_client *c = GXDS_NEW(shared_client);
  c->private_ = w->key.private_;
  c->generation = gxds_reactor_generation();
  c->resource_timeout = w->resource_timeout;
  c->args = gxds_channel_args_create(w->args, NULL, 0);
  const gxds_session_options options = {
      .bootstrap = w->bootstrap,
      .take_prepared = take_prepared,
      .host = host,
      .resource_timeout = w->resource_timeout,
      .args = w->args,
      .events = &session_events,
      .arg = c,
  };
  c->session = gxds_session_create(&options);
  gxds_metrics_server_start();
  gxds_status_socket_start();
  LL_PREPEND(clients, c);
  return c;
}

static void destroy_client(shared_client *c) {
  LL_DELETE(clients, c);
  gxds_session_destroy(c->session);
  gxds_channel_args_destroy(c->args);
  gxds_free(c);
}

/* --- Targets of a client --- */

static target_use *target_of(shared_client *c, gxds_str name) {
  target_use *t = find_target(c, name);
  if (t) return t;
  t = GXDS_NEW(target_use);
  t->client = c;
  t->name = gxds_str_dup(name);
  t->scope = ++last_scope;
  t->load_store = gxds_load_store_of_target(gxds_session_load_store(c->session), name);
  gxds_session_add_target(c->session, t->scope, name);
  HASH_ADD_KEYPTR(hh, c->targets, t->name.data, t->name.size, t);
  return t;
}

static void destroy_target(target_use *t) {
  gxds_session_remove_target(t->client->session, t->scope);
  HASH_DEL(t->client->targets, t);
  gxds_load_store_unref(t->load_store);
  gxds_str_free(&t->name);
  gxds_free(t);
}

static gxds_client_handle *create_handle(target_use *t, const gxds_watch_events *events,
                                         void *owner) {
  gxds_client_handle *h = GXDS_NEW(gxds_client_handle);
  h->target = t;
  h->events = events;
  h->owner = owner;
  DL_PREPEND(t->handles, h);
  return h;
}

gxds_client_handle *gxds_clients_acquire(gxds_client_key key, const gxds_bootstrap *bootstrap,
                                         gxds_prepared *take_prepared, const gxds_host *host,
                                         gxds_duration resource_timeout,
                                         const grpc_channel_args *args,
                                         const gxds_watch_events *events, void *owner) {
  GXDS_CHECK(gxds_reactor_is_current());
  const wanted_client wanted = {key, bootstrap, resource_timeout, args};
  shared_client *c = find_client(&wanted);
  if (c) {
    gxds_prepared_destroy(take_prepared);
  } else {
    c = create_client(&wanted, take_prepared, host);
  }
  return create_handle(target_of(c, key.target), events, owner);
}

gxds_client_handle *gxds_clients_join(gxds_str target, const gxds_watch_events *events,
                                      void *owner) {
  GXDS_CHECK(gxds_reactor_is_current());
  for (shared_client *c = clients; c; c = c->next) {
    if (c->private_ || c->generation != gxds_reactor_generation()) continue;
    target_use *t = find_target(c, target);
    if (t) return create_handle(t, events, owner);
  }
  return NULL;
}

void gxds_client_handle_release(gxds_client_handle *h) {
  target_use *t = h->target;
  shared_client *c = t->client;
  GXDS_CHECK(gxds_reactor_is_current() && !c->notifying);
  gxds_index_link *next;
  for (gxds_index_link *l = gxds_index_next(&h->watches, NULL); l; l = next) {
    next = gxds_index_next(&h->watches, l);
    gxds_client_unwatch(gxds_session_engine(c->session), ((watch *)l)->id, gxds_reactor_now());
    gxds_index_remove(&h->watches, l);
    gxds_free(l);
  }
  DL_DELETE(t->handles, h);
  gxds_free(h);
  if (!t->handles) destroy_target(t);
  if (c->targets) {
    gxds_session_kick(c->session);
  } else {
    destroy_client(c);
  }
}

/* --- Handles --- */

static gxds_client *engine_of(const gxds_client_handle *h) {
  return gxds_session_engine(h->target->client->session);
}

static watch *find_watch(const gxds_client_handle *h, uint64_t token) {
  return (watch *)gxds_index_find(&h->watches, token);
}

void gxds_client_handle_watch(gxds_client_handle *h, const gxds_resource_type *type, gxds_str name,
                              uint64_t token) {
  GXDS_CHECK(gxds_reactor_is_current());
  GXDS_CHECK(!find_watch(h, token));
  watch *w = GXDS_NEW(watch);
  w->id = gxds_client_watch(engine_of(h), type, name, (gxds_watcher){h, token, h->target->scope},
                            gxds_reactor_now());
  gxds_index_add(&h->watches, &w->by_token, token);
  gxds_session_kick(h->target->client->session);
}

void gxds_client_handle_unwatch(gxds_client_handle *h, uint64_t token) {
  GXDS_CHECK(gxds_reactor_is_current());
  watch *w = find_watch(h, token);
  if (!w) return;
  gxds_client_unwatch(engine_of(h), w->id, gxds_reactor_now());
  gxds_index_remove(&h->watches, &w->by_token);
  gxds_free(w);
  gxds_session_kick(h->target->client->session);
}

gxds_str gxds_client_handle_source(gxds_client_handle *h, uint64_t token) {
  GXDS_CHECK(gxds_reactor_is_current());
  const watch *w = find_watch(h, token);
  const gxds_bootstrap_server *server = w ? gxds_client_source(engine_of(h), w->id) : NULL;
  return server ? server->uri : gxds_str_of(NULL, 0);
}

void gxds_client_handle_reset_backoff(gxds_client_handle *h) {
  GXDS_CHECK(gxds_reactor_is_current());
  gxds_session_reset_backoff(h->target->client->session);
}

gxds_load_store *gxds_client_handle_load_store(gxds_client_handle *h) {
  return h->target->load_store;
}

const gxds_bootstrap *gxds_client_handle_bootstrap(gxds_client_handle *h) {
  return gxds_session_bootstrap(h->target->client->session);
}

/* --- Views --- */

static size_t count_watches(const target_use *t) {
  size_t count = 0;
  for (const gxds_client_handle *h = t->handles; h; h = h->next) count += h->watches.count;
  return count;
}

/* Writes the ids of the target's watches to out, and returns their end. */
static gxds_watch_id *list_watches(const target_use *t, gxds_watch_id *out) {
  for (const gxds_client_handle *h = t->handles; h; h = h->next) {
    const gxds_index_link *l = NULL;
    while ((l = gxds_index_next(&h->watches, l)) != NULL) *out++ = ((const watch *)l)->id;
  }
  return out;
}

void gxds_client_handle_each_resource(gxds_client_handle *h,
                                      void (*fn)(void *arg, const gxds_resource_info *),
                                      void *arg) {
  GXDS_CHECK(gxds_reactor_is_current());
  size_t count = count_watches(h->target);
  gxds_watch_id *watches = gxds_calloc(count, sizeof *watches);
  list_watches(h->target, watches);
  gxds_client_each_watched(engine_of(h), watches, count, fn, arg);
  gxds_free(watches);
}

/* Writes the views of the client's targets in front of end. The list of clients begins with the
 * newest, so the array is filled from its end. */
static void add_views(const shared_client *c, gxds_client_view *end, gxds_watch_id **watches) {
  gxds_client_view *v = end - HASH_COUNT(c->targets);
  for (const target_use *t = c->targets; t; t = t->hh.next) {
    gxds_watch_id *from = *watches;
    *watches = list_watches(t, from);
    *v++ = (gxds_client_view){
        .status = {gxds_session_engine(c->session), t->name, from, (size_t)(*watches - from)},
        .first = t == c->targets,
        .load_store = gxds_session_load_store(c->session),
        .update_times = &t->update_times,
    };
  }
}

gxds_client_view *gxds_clients_views(size_t *count) {
  GXDS_CHECK(gxds_reactor_is_current());
  size_t watch_count = 1; /* starts at 1, so that there is memory even without watches */
  *count = 0;
  for (const shared_client *c = clients; c; c = c->next) {
    if (c->generation != gxds_reactor_generation()) continue;
    *count += HASH_COUNT(c->targets);
    for (const target_use *t = c->targets; t; t = t->hh.next) watch_count += count_watches(t);
  }
  static_assert(sizeof(gxds_client_view) % _Alignof(gxds_watch_id) == 0, "watches follow views");
  gxds_client_view *all =
      gxds_calloc(1, *count * sizeof(gxds_client_view) + watch_count * sizeof(gxds_watch_id));
  gxds_watch_id *watches = (gxds_watch_id *)(all + *count);
  gxds_client_view *end = all + *count;
  for (const shared_client *c = clients; c; c = c->next) {
    if (c->generation != gxds_reactor_generation()) continue;
    add_views(c, end, &watches);
    end -= HASH_COUNT(c->targets);
  }
  return all;
}
