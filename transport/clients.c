#include "transport/clients.h"

#include "base/hash_table.h"
#include "base/memory.h"
#include "transport/metrics_server.h"
#include "transport/prepared.h"
#include "transport/reactor.h"
#include "transport/session.h"
#include "transport/status_socket.h"

typedef struct shared_client shared_client;

typedef struct watch {
  uint64_t token;
  gxds_watch_id id;
  UT_hash_handle hh;
} watch;

struct gxds_client_handle {
  shared_client *client;
  const gxds_watch_events *events;
  void *owner;
  watch *watches;
  bool told; /* something, in this drain */
  gxds_client_handle *next_told;
  gxds_client_handle *prev; /* of the client's */
  gxds_client_handle *next;
};

/* The XdsClient of one key, with all its uses. */
struct shared_client {
  gxds_str target;
  const void *private_;
  unsigned generation; /* one from before a fork is dead */
  gxds_session *session;
  gxds_client_handle *handles;
  gxds_client_handle *told; /* in the order in which they were told first */
  gxds_client_handle **told_end;
  bool telling;
  shared_client *next;
};

static shared_client *clients; /* the reactor's thread */

/* News from the engine */

static void on_news(void *arg, const gxds_action *a) {
  shared_client *c = arg;
  gxds_client_handle *h = a->watcher.owner;
  if (!h->told) {
    h->told = true;
    h->next_told = NULL;
    *c->told_end = h;
    c->told_end = &h->next_told;
  }
  c->telling = true;
  if (a->kind == GXDS_ACTION_RESOURCE) {
    h->events->on_resource(h->owner, a->watcher.token, a->resource, &a->status);
  } else {
    h->events->on_ambient_error(h->owner, a->watcher.token, &a->status);
  }
  c->telling = false;
}

static void on_drained(void *arg) {
  shared_client *c = arg;
  gxds_client_handle *h = c->told;
  c->told = NULL;
  c->told_end = &c->told;
  c->telling = true;
  while (h) {
    gxds_client_handle *next = h->next_told;
    h->told = false;
    h->events->on_drained(h->owner);
    h = next;
  }
  c->telling = false;
}

/* Clients */

static shared_client *find_client(gxds_client_key key) {
  shared_client *c = clients;
  while (c && !(c->private_ == key.private_ && gxds_str_equal(c->target, key.target) &&
                c->generation == gxds_reactor_generation())) {
    c = c->next;
  }
  return c;
}

static void destroy_client(shared_client *c) {
  shared_client **at = &clients;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  gxds_session_destroy(c->session);
  gxds_str_free(&c->target);
  gxds_free(c);
}

gxds_client_handle *gxds_clients_acquire(gxds_client_key key, const gxds_bootstrap *bootstrap,
                                         gxds_prepared *take_prepared, const gxds_host *host,
                                         gxds_duration resource_timeout,
                                         const grpc_channel_args *args,
                                         const gxds_watch_events *events, void *owner) {
  static const gxds_session_events session_events = {on_news, on_drained};
  GXDS_CHECK(gxds_reactor_is_current());
  shared_client *c = find_client(key);
  if (c) {
    gxds_prepared_destroy(take_prepared);
  } else {
    c = GXDS_NEW(shared_client);
    c->target = gxds_str_dup(key.target);
    c->private_ = key.private_;
    c->generation = gxds_reactor_generation();
    c->told_end = &c->told;
    const gxds_session_options options = {
        .bootstrap = bootstrap,
        .target = key.target,
        .take_prepared = take_prepared,
        .host = host,
        .resource_timeout = resource_timeout,
        .args = args,
        .events = &session_events,
        .arg = c,
    };
    c->session = gxds_session_create(&options);
    gxds_metrics_server_start();
    gxds_status_socket_start();
    c->next = clients;
    clients = c;
  }
  gxds_client_handle *h = GXDS_NEW(gxds_client_handle);
  h->client = c;
  h->events = events;
  h->owner = owner;
  h->next = c->handles;
  if (h->next) h->next->prev = h;
  c->handles = h;
  return h;
}

void gxds_client_handle_release(gxds_client_handle *h) {
  shared_client *c = h->client;
  GXDS_CHECK(gxds_reactor_is_current() && !c->telling);
  watch *w, *next;
  HASH_ITER(hh, h->watches, w, next) {
    gxds_client_unwatch(gxds_session_engine(c->session), w->id, gxds_reactor_now());
    HASH_DEL(h->watches, w);
    gxds_free(w);
  }
  if (h->prev) h->prev->next = h->next;
  if (h->next) h->next->prev = h->prev;
  if (c->handles == h) c->handles = h->next;
  gxds_free(h);
  if (c->handles) {
    gxds_session_kick(c->session);
  } else {
    destroy_client(c);
  }
}

/* A use */

void gxds_client_handle_watch(gxds_client_handle *h, const gxds_resource_type *type, gxds_str name,
                              uint64_t token) {
  GXDS_CHECK(gxds_reactor_is_current());
  watch *w;
  HASH_FIND(hh, h->watches, &token, sizeof(token), w);
  GXDS_CHECK(!w);
  w = GXDS_NEW(watch);
  w->token = token;
  w->id = gxds_client_watch(gxds_session_engine(h->client->session), type, name,
                            (gxds_watcher){h, token}, gxds_reactor_now());
  HASH_ADD(hh, h->watches, token, sizeof(token), w);
  gxds_session_kick(h->client->session);
}

void gxds_client_handle_unwatch(gxds_client_handle *h, uint64_t token) {
  GXDS_CHECK(gxds_reactor_is_current());
  watch *w;
  HASH_FIND(hh, h->watches, &token, sizeof(token), w);
  if (!w) return;
  gxds_client_unwatch(gxds_session_engine(h->client->session), w->id, gxds_reactor_now());
  HASH_DEL(h->watches, w);
  gxds_free(w);
  gxds_session_kick(h->client->session);
}

gxds_str gxds_client_handle_source(gxds_client_handle *h, uint64_t token) {
  GXDS_CHECK(gxds_reactor_is_current());
  watch *w;
  HASH_FIND(hh, h->watches, &token, sizeof(token), w);
  const gxds_bootstrap_server *server =
      w ? gxds_client_source(gxds_session_engine(h->client->session), w->id) : NULL;
  return server ? server->uri : gxds_str_of(NULL, 0);
}

void gxds_client_handle_reset_backoff(gxds_client_handle *h) {
  GXDS_CHECK(gxds_reactor_is_current());
  gxds_session_reset_backoff(h->client->session);
}

void gxds_client_handle_each_resource(gxds_client_handle *h,
                                      void (*fn)(void *arg, const gxds_resource_info *),
                                      void *arg) {
  GXDS_CHECK(gxds_reactor_is_current());
  gxds_client_each_resource(gxds_session_engine(h->client->session), fn, arg);
}

gxds_load_store *gxds_client_handle_load_store(gxds_client_handle *h) {
  return gxds_session_load_store(h->client->session);
}

const gxds_bootstrap *gxds_client_handle_bootstrap(gxds_client_handle *h) {
  return gxds_session_bootstrap(h->client->session);
}

/* All */

gxds_client_measures *gxds_clients_measures(size_t *count) {
  GXDS_CHECK(gxds_reactor_is_current());
  size_t size = 0;
  for (const shared_client *c = clients; c; c = c->next) size++;
  gxds_client_measures *all = gxds_calloc(size, sizeof *all);
  *count = 0;
  for (const shared_client *c = clients; c; c = c->next) { /* the newest first */
    if (c->generation != gxds_reactor_generation()) continue;
    ++*count;
    all[size - *count] = (gxds_client_measures){
        .status = {gxds_session_engine(c->session), c->target},
        .load_store = gxds_session_load_store(c->session),
        .update_times = gxds_session_update_times(c->session),
    };
  }
  memmove(all, all + size - *count, *count * sizeof *all);
  return all;
}

gxds_status_source *gxds_clients_all(size_t *count) {
  gxds_client_measures *measures = gxds_clients_measures(count);
  gxds_status_source *all = gxds_calloc(*count, sizeof *all);
  for (size_t i = 0; i < *count; i++) all[i] = measures[i].status;
  gxds_free(measures);
  return all;
}
