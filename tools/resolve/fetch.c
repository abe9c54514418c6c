#include "tools/resolve/fetch.h"

#include <pthread.h>

#include "base/memory.h"
#include "bootstrap/bootstrap.h"
#include "host/host_get.h"
#include "transport/clients.h"
#include "transport/clock.h"
#include "transport/reactor.h"
#include "xds_resolver/resolver.h"

/* ---- the target ---- */

bool gxds_fetch_target_parse(const char *uri, const char *authority, gxds_fetch_target *out,
                             gxds_text *error) {
  static const char scheme[] = "xds:";
  *out = (gxds_fetch_target){0};
  const char *rest = uri + strlen(scheme);
  if (strncmp(uri, scheme, strlen(scheme)) != 0) {
    gxds_text_addf(error, "expected a target such as xds:///service, found %s", uri);
    return false;
  }
  gxds_str uri_authority = {NULL, 0};
  if (strncmp(rest, "//", 2) == 0) {
    rest += 2;
    uri_authority = gxds_str_of(rest, strcspn(rest, "/?#"));
    rest += uri_authority.size;
  }
  if (*rest == '/') rest++;
  gxds_str path = gxds_str_of(rest, strcspn(rest, "?#"));
  if (path.size == 0) {
    gxds_text_addf(error, "%s names no service: expected xds:///service", uri);
    return false;
  }
  out->uri = gxds_str_dup(gxds_str_z(uri));
  out->uri_authority = gxds_percent_decode(uri_authority);
  out->uri_path = gxds_percent_decode(path);
  if (gxds_str_ends_with(out->uri_path, gxds_str_z("/"))) { /* a channel refuses it too */
    gxds_text_addf(error, "%s ends with a slash: expected xds:///service", uri);
    return false;
  }
  out->data_plane_authority =
      authority ? gxds_str_dup(gxds_str_z(authority)) : gxds_data_plane_authority(out->uri_path);
  return true;
}

void gxds_fetch_target_fini(gxds_fetch_target *t) {
  gxds_str_free(&t->uri);
  gxds_str_free(&t->uri_authority);
  gxds_str_free(&t->uri_path);
  gxds_str_free(&t->data_plane_authority);
}

/* ---- what was fetched ---- */

const gxds_fetched_resource *gxds_fetched_find(const gxds_fetched *f,
                                               const gxds_resource_type *type, gxds_str name) {
  for (size_t i = 0; i < f->resource_count; i++) {
    const gxds_fetched_resource *r = &f->resources[i];
    if (r->type == type && gxds_str_equal(r->name, name)) return r;
  }
  return NULL;
}

void gxds_fetched_destroy(gxds_fetched *f) {
  if (!f) return;
  gxds_status_fini(&f->failure);
  gxds_config_unref(f->config);
  gxds_str_free(&f->listener_name);
  gxds_str_free(&f->servers);
  for (size_t i = 0; i < f->resource_count; i++) {
    gxds_fetched_resource *r = &f->resources[i];
    gxds_str_free(&r->name);
    gxds_str_free(&r->version);
    gxds_resource_unref(r->resource);
    gxds_str_free(&r->error);
    gxds_str_free(&r->failed_version);
  }
  gxds_free(f->resources);
  gxds_free(f);
}

/* ---- fetching ---- */

struct gxds_fetch {
  const gxds_fetch_target *target;
  gxds_resolver *resolver;
  gxds_resolver_update *update; /* the last update; NULL: none yet */
  /* Confined to the reactor: */
  /* A second handle on the resolver's client, to read its resources; NULL: not yet. */
  gxds_client_handle *client;
  /* Used by both threads, under the mutex: */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool updated;
  bool gone;
  gxds_fetched *looked; /* the finished result of a look; NULL: none */
};

static void set(gxds_fetch *f, bool *flag) {
  pthread_mutex_lock(&f->mutex);
  *flag = true;
  pthread_cond_signal(&f->changed);
  pthread_mutex_unlock(&f->mutex);
}

static void on_update(void *arg) {
  gxds_fetch *f = arg;
  set(f, &f->updated);
}

static void on_gone(void *arg) {
  gxds_fetch *f = arg;
  set(f, &f->gone);
}

gxds_fetch *gxds_fetch_start(const gxds_fetch_target *target, gxds_status *status) {
  gxds_fetch *f = GXDS_NEW(gxds_fetch);
  f->target = target;
  pthread_mutex_init(&f->mutex, NULL);
  pthread_cond_init(&f->changed, NULL);
  const gxds_resolver_options options = {
      .target = target->uri,
      .uri_authority = target->uri_authority,
      .uri_path = target->uri_path,
      .data_plane_authority = target->data_plane_authority,
      .host = gxds_host_get(),
      .schedule = on_update,
      .gone = on_gone,
      .arg = f,
  };
  *status = gxds_resolver_start(&options, &f->resolver);
  if (gxds_status_is_ok(status)) {
    gxds_reactor_acquire();
    return f;
  }
  pthread_cond_destroy(&f->changed);
  pthread_mutex_destroy(&f->mutex);
  gxds_free(f);
  return NULL;
}

bool gxds_fetch_wait(gxds_fetch *f, gxds_time deadline) {
  const struct timespec until = gxds_to_timespec(deadline);
  pthread_mutex_lock(&f->mutex);
  int timed_out = 0;
  while (!f->updated && !timed_out) {
    timed_out = pthread_cond_clockwait(&f->changed, &f->mutex, CLOCK_MONOTONIC, &until);
  }
  bool updated = f->updated;
  f->updated = false;
  pthread_mutex_unlock(&f->mutex);
  return updated;
}

/* ---- looking: on the reactor ---- */

static void copy_resource(void *arg, const gxds_resource_info *info) {
  gxds_fetched *out = arg;
  out->resources = gxds_realloc(out->resources, out->resource_count + 1, sizeof *out->resources);
  out->resources[out->resource_count++] = (gxds_fetched_resource){
      .type = info->type,
      .name = gxds_str_dup(info->name),
      .state = info->state,
      .version = gxds_str_dup(info->version),
      .resource = info->resource ? gxds_resource_ref(info->resource) : NULL,
      .error = gxds_error_text(info->error),
      .failed_version = gxds_str_dup(info->failed_version),
  };
}

static void add_servers(const gxds_bootstrap *b, gxds_str *out) {
  gxds_text text = {0};
  for (size_t i = 0; i < b->server_count; i++) {
    gxds_text_addf(&text, "%s%.*s", i ? ", " : "", GXDS_STR_ARG(b->servers[i]->uri));
  }
  *out = gxds_text_take(&text);
}

/* This handle watches nothing, so no event is ever called. */
static const gxds_watch_events no_events;

static void look(void *arg) {
  gxds_fetch *f = arg;
  gxds_fetched *out = GXDS_NEW(gxds_fetched);
  if (!f->client) { /* the resolver has made the client, because the start of the resolver was
                       posted before this */
    f->client = gxds_clients_join(f->target->uri, &no_events, f);
  }
  const gxds_bootstrap *b = gxds_client_handle_bootstrap(f->client);
  gxds_status status = gxds_bootstrap_listener_name(b, f->target->uri_authority,
                                                    f->target->uri_path, &out->listener_name);
  gxds_status_fini(&status); /* dropped, because the resolver reports the same failure */
  add_servers(b, &out->servers);
  gxds_client_handle_each_resource(f->client, copy_resource, out);
  pthread_mutex_lock(&f->mutex);
  f->looked = out;
  pthread_cond_signal(&f->changed);
  pthread_mutex_unlock(&f->mutex);
}

gxds_fetched *gxds_fetch_take(gxds_fetch *f) {
  gxds_resolver_update *update = gxds_resolver_take(f->resolver);
  if (update) {
    gxds_resolver_update_destroy(f->update);
    f->update = update;
  }
  gxds_reactor_post(look, f);
  pthread_mutex_lock(&f->mutex);
  while (!f->looked) pthread_cond_wait(&f->changed, &f->mutex);
  gxds_fetched *out = f->looked;
  f->looked = NULL;
  pthread_mutex_unlock(&f->mutex);
  if (f->update) {
    out->settled = true;
    out->failure = gxds_status_copy(&f->update->failure);
    if (f->update->config) out->config = gxds_config_ref(f->update->config);
  }
  return out;
}

static void release_client(void *arg) {
  gxds_fetch *f = arg;
  if (f->client) gxds_client_handle_release(f->client);
}

void gxds_fetch_stop(gxds_fetch *f) {
  gxds_reactor_post(release_client, f);
  gxds_resolver_close(f->resolver);
  pthread_mutex_lock(&f->mutex);
  while (!f->gone) pthread_cond_wait(&f->changed, &f->mutex);
  pthread_mutex_unlock(&f->mutex);
  gxds_reactor_release();
  gxds_resolver_update_destroy(f->update);
  pthread_cond_destroy(&f->changed);
  pthread_mutex_destroy(&f->mutex);
  gxds_free(f);
}
