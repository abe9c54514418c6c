#include "base/memory.h"
#include "lrs/lingering.h"
#include "lrs/load_store_internal.h"

/* The store's life */

gxds_load_store *gxds_load_store_create(void (*on_change)(void *arg,
                                                          const gxds_bootstrap_server *server),
                                        void *arg) {
  gxds_load_store *s = GXDS_NEW(gxds_load_store);
  gxds_ref_init(&s->refs);
  pthread_mutex_init(&s->lock, NULL);
  pthread_mutex_init(&s->callback_lock, NULL);
  s->on_change = on_change;
  s->arg = arg;
  return s;
}

gxds_load_store *gxds_load_store_of_target(gxds_load_store *s, gxds_str target) {
  GXDS_CHECK(!s->whole);
  gxds_load_store *view = GXDS_NEW(gxds_load_store);
  gxds_ref_init(&view->refs);
  view->whole = gxds_load_store_ref(s);
  view->target = gxds_str_dup(target);
  return view;
}

/* Returns the store itself: s, or the store that s is a view of. */
static gxds_load_store *whole_of(gxds_load_store *s) { return s->whole ? s->whole : s; }

void gxds_load_store_close(gxds_load_store *s) {
  pthread_mutex_lock(&s->callback_lock);
  s->on_change = NULL;
  pthread_mutex_unlock(&s->callback_lock);
  pthread_mutex_lock(&s->lock);
  s->closed = true;
  /* The rest will not be reported, so counters without holders are freed now. */
  for (gxds_load_server *server = s->servers; server; server = server->next) {
    gxds_load_cluster *c;
    gxds_load_cluster *next;
    DL_FOREACH_SAFE(server->clusters, c, next) gxds_load_store_sweep(s, c);
  }
  pthread_mutex_unlock(&s->lock);
}

static void free_locality(gxds_locality_load *l) {
  gxds_counters_fini(&l->counters);
  gxds_metric_counters_fini(&l->metrics);
  gxds_str_free(&l->target);
  gxds_str_free(&l->region);
  gxds_str_free(&l->zone);
  gxds_str_free(&l->sub_zone);
  gxds_free(l);
}

static void free_cluster(gxds_load_cluster *c) {
  gxds_locality_load *l;
  gxds_locality_load *next;
  DL_FOREACH_SAFE(c->localities, l, next) free_locality(l);
  gxds_drop_counters_fini(&c->drops.counters);
  gxds_str_free(&c->cluster);
  gxds_str_free(&c->eds_service);
  gxds_free(c);
}

gxds_load_store *gxds_load_store_ref(gxds_load_store *s) {
  gxds_ref_inc(&s->refs);
  return s;
}

static void free_view(gxds_load_store *view) {
  gxds_load_store_unref(view->whole);
  gxds_str_free(&view->target);
  gxds_free(view);
}

void gxds_load_store_unref(gxds_load_store *s) {
  if (!s || !gxds_ref_dec(&s->refs)) return;
  if (s->whole) {
    free_view(s);
    return;
  }
  for (gxds_load_server *server = s->servers, *next_server; server; server = next_server) {
    next_server = server->next;
    gxds_load_cluster *c;
    gxds_load_cluster *next;
    DL_FOREACH_SAFE(server->clusters, c, next) {
      gxds_index_remove(&s->clusters, &c->by_names);
      free_cluster(c);
    }
    gxds_bootstrap_server_fini(&server->server);
    gxds_free(server);
  }
  pthread_mutex_destroy(&s->lock);
  pthread_mutex_destroy(&s->callback_lock);
  gxds_free(s);
}

/* The use of servers; under the lock */

static gxds_load_use use_of(const gxds_load_server *server) {
  if (server->held > 0) return GXDS_LOAD_COUNTED;
  return server->left > 0 ? GXDS_LOAD_LEFT : GXDS_LOAD_NONE;
}

static void note_change(gxds_load_server *server) {
  if (use_of(server) != server->notified_use) server->store->changed = true;
}

/* The lives of counters */

void gxds_locality_load_read(const gxds_locality_load *l, uint64_t totals[GXDS_LOAD_KINDS]) {
  /* Ends are read before starts. For each end that was read, its start came earlier and is read
   * too. So the number in progress cannot be negative while RPCs start and end. */
  totals[GXDS_LOAD_SUCCEEDED] = gxds_counters_read(&l->counters, GXDS_LOAD_SUCCEEDED);
  totals[GXDS_LOAD_FAILED] = gxds_counters_read(&l->counters, GXDS_LOAD_FAILED);
  totals[GXDS_LOAD_STARTED] = gxds_counters_read(&l->counters, GXDS_LOAD_STARTED);
}

uint64_t gxds_locality_load_in_progress(const gxds_locality_load *l) {
  uint64_t totals[GXDS_LOAD_KINDS];
  gxds_locality_load_read(l, totals);
  return totals[GXDS_LOAD_STARTED] - totals[GXDS_LOAD_SUCCEEDED] - totals[GXDS_LOAD_FAILED];
}

/* Whether counters without holders may still be reported to the server. */
static bool may_be_reported(const gxds_load_server *server) {
  return !server->store->closed && !server->not_taken;
}

/* Whether a holder, retired or not, keeps the counter in memory. */
static bool is_kept(gxds_load_life *life) {
  return life->retired > 0 || atomic_load_explicit(&life->holders, memory_order_acquire) > 0;
}

static bool locality_is_unreported(gxds_locality_load *l) {
  if (l->life.pins > 0 || l->lingers) return true;
  if (!may_be_reported(l->cluster->server)) return false;
  uint64_t totals[GXDS_LOAD_KINDS];
  gxds_locality_load_read(l, totals);
  return memcmp(totals, l->reported, sizeof totals) != 0 || gxds_metric_counters_any(&l->metrics);
}

static bool locality_is_needed(gxds_locality_load *l) {
  return is_kept(&l->life) || locality_is_unreported(l);
}

static bool drops_are_needed(gxds_drop_load *d) {
  if (d->life.pins > 0 || is_kept(&d->life)) return true;
  if (!may_be_reported(d->cluster->server)) return false;
  for (size_t i = 0; i < d->counters.count; i++) {
    if (gxds_drop_counters_read(&d->counters, i) != d->counters.names[i].reported) return true;
  }
  return false;
}

static void end_locality_unless_needed(gxds_locality_load *l) {
  if (locality_is_needed(l)) return;
  DL_DELETE(l->cluster->localities, l);
  free_locality(l);
}

bool gxds_load_cluster_is_reported(gxds_load_cluster *c) {
  gxds_locality_load *l;
  DL_FOREACH(c->localities, l) {
    if (locality_is_unreported(l) || gxds_locality_load_in_progress(l) > 0) return false;
  }
  return !drops_are_needed(&c->drops);
}

/* Marks the cluster as resting, if no counter has a holder and everything is reported. A cluster
 * that only stays in memory does not need a stream to the server. */
static void rest_unless_needed(gxds_load_cluster *c) {
  if (c->rests || c->held > 0 || c->pins > 0 || !gxds_load_cluster_is_reported(c)) return;
  c->rests = true;
  c->server->left--;
  note_change(c->server);
}

static void end_cluster_unless_needed(gxds_load_store *s, gxds_load_cluster *c) {
  if (c->localities || c->pins > 0 || drops_are_needed(&c->drops)) {
    rest_unless_needed(c);
    return;
  }
  gxds_index_remove(&s->clusters, &c->by_names);
  gxds_load_server *server = c->server;
  if (!c->rests) server->left--;
  DL_DELETE(server->clusters, c);
  free_cluster(c);
  note_change(server);
}

void gxds_load_store_sweep(gxds_load_store *s, gxds_load_cluster *c) {
  gxds_locality_load *l;
  gxds_locality_load *next;
  DL_FOREACH_SAFE(c->localities, l, next) end_locality_unless_needed(l);
  end_cluster_unless_needed(s, c);
}

/* Adds a holder. Under the lock. All holders of one counter, retired or not, have one reference to
 * the store together. */
static void hold(gxds_load_cluster *c, gxds_load_life *life) {
  if (atomic_fetch_add_explicit(&life->holders, 1, memory_order_relaxed) > 0) return;
  if (life->retired == 0) gxds_load_store_ref(c->server->store);
  if (c->held++ > 0) return;
  c->server->held++;
  if (!c->rests) c->server->left--;
  c->rests = false;
  note_change(c->server);
}

/* Removes a holder without the lock, if it is not the last one. Otherwise returns false. */
static bool release_fast(gxds_load_life *life) {
  uint32_t n = atomic_load_explicit(&life->holders, memory_order_relaxed);
  while (n > 1) {
    if (atomic_compare_exchange_weak_explicit(&life->holders, &n, n - 1, memory_order_release,
                                              memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

/* Removes a holder. Under the lock. True if it was the last one. */
static bool release_slow(gxds_load_cluster *c, gxds_load_life *life) {
  if (atomic_fetch_sub_explicit(&life->holders, 1, memory_order_acq_rel) > 1) return false;
  if (--c->held > 0) return true;
  c->server->held--;
  c->server->left++;
  note_change(c->server);
  return true;
}

/* How many clusters one release examines if there are too many. This is more than a release adds,
 * so their number decreases. */
#define LOOKS_MAX 16

/* While too many clusters have unreported counts and no holders, drops the counts of some of them,
 * in turns. Spares counters that a report on its way, or an RPC in flight, still needs. */
static void limit_left(gxds_load_server *server) {
  bool not_taken = server->not_taken;
  server->not_taken = true;
  for (size_t i = 0; i < LOOKS_MAX && server->left > GXDS_LOAD_LEFT_MAX; i++) {
    gxds_load_cluster *c = server->clusters;
    DL_DELETE(server->clusters, c);
    DL_APPEND(server->clusters, c);
    if (c->held == 0) gxds_load_store_sweep(server->store, c);
  }
  server->not_taken = not_taken;
}

/* The locality has no holder, so no RPC can start any more. If no RPC is in flight, frees the
 * counters as far as possible, and returns true: the caller must release its reference to the
 * store. Otherwise adds them to the list of lingering counters, which takes over that reference,
 * and returns false. Under the lock. */
static bool go_or_linger(gxds_load_store *s, gxds_locality_load *l) {
  if (gxds_locality_load_in_progress(l) > 0) {
    l->lingers = true;
    gxds_lingering_add(l);
    return false;
  }
  gxds_load_cluster *c = l->cluster;
  end_locality_unless_needed(l);
  end_cluster_unless_needed(s, c);
  return true;
}

bool gxds_load_store_settle(gxds_locality_load *l) {
  gxds_load_store *s = l->cluster->server->store;
  pthread_mutex_lock(&s->lock);
  l->lingers = false;
  /* The counter may have a new holder by now, which has its own reference to the store. */
  bool ends = is_kept(&l->life) || go_or_linger(s, l);
  if (ends) {
    gxds_load_store_unlock(s);
    gxds_load_store_unref(s);
  } else {
    pthread_mutex_unlock(&s->lock); /* the list has the reference to s again, and nothing changed */
  }
  return ends;
}

/* Calls on_change. Called without the locks. A call may report a use that is out of date already,
 * but then another call with the latest use follows. */
static void notify_changes(gxds_load_store *s) {
  pthread_mutex_lock(&s->callback_lock);
  pthread_mutex_lock(&s->lock);
  s->changed = false;
  for (gxds_load_server *server = s->servers; server; server = server->next) {
    if (use_of(server) == server->notified_use) continue;
    server->notified_use = use_of(server);
    pthread_mutex_unlock(&s->lock);
    if (s->on_change) s->on_change(s->arg, &server->server);
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
  pthread_mutex_unlock(&s->callback_lock);
}

void gxds_load_store_unlock(gxds_load_store *s) {
  bool changed = s->changed && !s->closed;
  pthread_mutex_unlock(&s->lock);
  if (changed) notify_changes(s);
}

/* The public functions */

gxds_load_use gxds_load_store_use(gxds_load_store *view, const gxds_bootstrap_server *server) {
  gxds_load_store *s = whole_of(view);
  pthread_mutex_lock(&s->lock);
  const gxds_load_server *found = gxds_load_store_find_server(s, server);
  gxds_load_use use = found ? use_of(found) : GXDS_LOAD_NONE;
  pthread_mutex_unlock(&s->lock);
  return use;
}

static void sweep_all(gxds_load_server *server) {
  gxds_load_cluster *c;
  gxds_load_cluster *next;
  DL_FOREACH_SAFE(server->clusters, c, next) gxds_load_store_sweep(server->store, c);
}

void gxds_load_store_set_taken(gxds_load_store *s, const gxds_bootstrap_server *server,
                               bool taken) {
  pthread_mutex_lock(&s->lock);
  gxds_load_server *found = gxds_load_store_server(s, server);
  found->not_taken = !taken;
  if (!taken) sweep_all(found);
  gxds_load_store_unlock(s);
}

void gxds_load_store_drop_left(gxds_load_store *s, const gxds_bootstrap_server *server) {
  pthread_mutex_lock(&s->lock);
  gxds_load_server *found = gxds_load_store_server(s, server);
  bool not_taken = found->not_taken;
  found->not_taken = true;
  sweep_all(found);
  found->not_taken = not_taken;
  gxds_load_store_unlock(s);
}

gxds_locality_load *gxds_load_store_locality(gxds_load_store *view,
                                             const gxds_bootstrap_server *server, gxds_str cluster,
                                             gxds_str eds_service, gxds_str region, gxds_str zone,
                                             gxds_str sub_zone) {
  gxds_load_store *s = whole_of(view);
  pthread_mutex_lock(&s->lock);
  gxds_load_cluster *c =
      gxds_load_store_cluster(s, gxds_load_store_server(s, server), cluster, eds_service);
  gxds_locality_load *l = gxds_load_cluster_locality(c, view->target, region, zone, sub_zone);
  hold(c, &l->life);
  gxds_load_store_unlock(s);
  return l;
}

/* A reference to l was removed. was_last: no holder is left, retired or not. Called under the lock,
 * and unlocks it. */
static void end_reference(gxds_locality_load *l, bool was_last) {
  gxds_load_server *server = l->cluster->server;
  gxds_load_store *s = server->store;
  gxds_load_store_ref(s);
  bool ends = was_last && (l->lingers || go_or_linger(s, l));
  limit_left(server);
  gxds_load_store_unlock(s);
  if (was_last) gxds_lingering_given_up(l);
  if (ends) gxds_load_store_unref(s);
  gxds_load_store_unref(s);
}

void gxds_locality_load_unref(gxds_locality_load *l) {
  if (!l || release_fast(&l->life)) return;
  pthread_mutex_lock(&l->cluster->server->store->lock);
  bool was_last = release_slow(l->cluster, &l->life);
  if (was_last && l->life.retired > 0) rest_unless_needed(l->cluster);
  end_reference(l, was_last && l->life.retired == 0);
}

void gxds_locality_load_retire(gxds_locality_load *l) {
  gxds_load_store *s = l->cluster->server->store;
  pthread_mutex_lock(&s->lock);
  l->life.retired++;
  if (release_slow(l->cluster, &l->life)) rest_unless_needed(l->cluster);
  limit_left(l->cluster->server);
  gxds_load_store_unlock(s);
}

void gxds_locality_load_unref_retired(gxds_locality_load *l) {
  pthread_mutex_lock(&l->cluster->server->store->lock);
  l->life.retired--;
  end_reference(l, !is_kept(&l->life));
}

void gxds_locality_load_started(gxds_locality_load *l) {
  gxds_counters_add(&l->counters, GXDS_LOAD_STARTED);
}

void gxds_locality_load_reported(gxds_locality_load *l, gxds_load_metric metric, gxds_str name,
                                 double value) {
  gxds_metric_counters_add(&l->metrics, metric, name, value);
}

void gxds_locality_load_finished(gxds_locality_load *l, bool failed) {
  gxds_counters_line *line = gxds_counters_line_of_thread(&l->counters);
  const uint32_t *generation = gxds_lingering_generation(l);
  uint32_t before = __atomic_load_n(generation, __ATOMIC_SEQ_CST);
  bool held = atomic_load_explicit(&l->life.holders, memory_order_relaxed) > 0;
  gxds_counters_line_add(line, failed ? GXDS_LOAD_FAILED : GXDS_LOAD_SUCCEEDED);
  /* From here on l may be freed. */
  if (!held || __atomic_load_n(generation, __ATOMIC_SEQ_CST) != before) gxds_lingering_settle(l);
}

gxds_drop_load *gxds_load_store_drops(gxds_load_store *view, const gxds_bootstrap_server *server,
                                      gxds_str cluster, gxds_str eds_service) {
  gxds_load_store *s = whole_of(view);
  pthread_mutex_lock(&s->lock);
  gxds_load_cluster *c =
      gxds_load_store_cluster(s, gxds_load_store_server(s, server), cluster, eds_service);
  gxds_drop_counters_open(&c->drops.counters);
  hold(c, &c->drops.life);
  gxds_load_store_unlock(s);
  return &c->drops;
}

gxds_drop_load *gxds_drop_load_ref(gxds_drop_load *d) {
  atomic_fetch_add_explicit(&d->life.holders, 1, memory_order_relaxed);
  return d;
}

void gxds_drop_load_unref(gxds_drop_load *d) {
  if (!d || release_fast(&d->life)) return;
  gxds_load_cluster *c = d->cluster;
  gxds_load_store *s = c->server->store;
  pthread_mutex_lock(&s->lock);
  gxds_load_server *server = c->server;
  bool was_last = release_slow(c, &d->life);
  if (!was_last) {
    pthread_mutex_unlock(&s->lock); /* the reference to s now belongs to the other holders */
    return;
  }
  end_cluster_unless_needed(s, c);
  limit_left(server);
  gxds_load_store_unlock(s);
  gxds_load_store_unref(s);
}

size_t gxds_drop_load_category(gxds_drop_load *d, gxds_str category) {
  gxds_load_store *s = d->cluster->server->store;
  pthread_mutex_lock(&s->lock);
  size_t number = gxds_drop_counters_number(&d->counters, category);
  pthread_mutex_unlock(&s->lock);
  return number;
}

void gxds_drop_load_add(gxds_drop_load *d, size_t category) {
  gxds_drop_counters_add(&d->counters, category);
}

void gxds_drop_load_add_uncategorized(gxds_drop_load *d) {
  gxds_drop_counters_add(&d->counters, GXDS_DROP_UNCATEGORIZED);
}
