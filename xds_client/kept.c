/* Kept resources: the owner keeps the last good resources on disk. A client starts with them if no
 * server responds. */
#include <time.h>

#include "xds_client/client_internal.h"

void gxds_text_add_time(gxds_text *out, int64_t wall) {
  time_t seconds = (time_t)(wall / GXDS_SECOND);
  struct tm parts;
  char text[32];
  bool ok = gmtime_r(&seconds, &parts) != NULL;
  gxds_text_add_z(out,
                  ok && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) ? text : "?");
}

/* ---- scopes ---- */

gxds_scope *gxds_scope_find(const gxds_client *c, uint32_t id) {
  gxds_scope *s = NULL;
  HASH_FIND(hh, c->scopes, &id, sizeof id, s);
  return s;
}

static void count_watch(gxds_client *c, uint32_t id) {
  gxds_scope *s = gxds_scope_find(c, id);
  if (!s) {
    s = GXDS_NEW(gxds_scope);
    s->id = id;
    HASH_ADD(hh, c->scopes, id, sizeof s->id, s);
  }
  s->watch_count++;
}

static void uncount_watch(gxds_client *c, uint32_t id) {
  gxds_scope *s = gxds_scope_find(c, id);
  if (--s->watch_count > 0) return;
  HASH_DELETE(hh, c->scopes, s);
  gxds_free(s);
}

/* The scope's first watch on the entry; NULL if there is none. */
static const gxds_watch *watch_of_scope(const gxds_entry *e, uint32_t scope) {
  const gxds_watch *w = e->watches;
  while (w && w->watcher.scope != scope) w = w->next;
  return w;
}

/* The first watch of the next scope in the list; NULL if w's scope is the last. */
static const gxds_watch *next_scope(const gxds_watch *w) {
  const gxds_watch *next = w->next;
  while (next && next->watcher.scope == w->watcher.scope) next = next->next;
  return next;
}

/* The scope's last watch on the entry; NULL if there is none. The watches of a scope are next to
 * each other. The search begins at the end, where they mostly are. */
static gxds_watch *last_of_scope(const gxds_entry *e, uint32_t scope) {
  if (!e->watches) return NULL;
  gxds_watch *w = e->watches->prev;
  while (w->watcher.scope != scope) {
    if (w == e->watches) return NULL;
    w = w->prev;
  }
  return w;
}

void gxds_entry_add_watch(const gxds_client *c, gxds_entry *e, gxds_watch *w) {
  gxds_watch *after = c->keeps_resources ? last_of_scope(e, w->watcher.scope) : NULL;
  if (after) {
    DL_APPEND_ELEM(e->watches, after, w);
  } else {
    DL_APPEND(e->watches, w);
  }
}

/* ---- what is kept ---- */

static gxds_action about(const gxds_client *c, const gxds_entry *e, gxds_action_kind kind,
                         uint32_t scope, const gxds_bootstrap_server *server) {
  const gxds_bootstrap_authority *config = e->authority->config;
  return (gxds_action){.kind = kind,
                       .scope = scope,
                       .server = server,
                       .authority = config ? config->name : gxds_str_of(NULL, 0),
                       .type = c->types[e->type],
                       .name = gxds_entry_name(e)};
}

static void persist(gxds_client *c, const gxds_entry *e, uint32_t scope) {
  /* Resources from a directory are on disk already. */
  if (gxds_entry_source(e)->directory.size) return;
  bool ends = gxds_deadline_is_set(&e->ttl);
  gxds_action a =
      about(c, e, ends ? GXDS_ACTION_FORGET : GXDS_ACTION_PERSIST, scope, gxds_entry_source(e));
  if (!ends) {
    a.version = gxds_entry_version(e);
    a.bytes = gxds_entry_bytes(e);
    a.accepted = e->updated + c->wall_offset;
  }
  gxds_actions_push_copy(&c->actions, &a);
}

void gxds_entry_persist(gxds_client *c, gxds_entry *e) {
  if (!c->keeps_resources) return;
  for (const gxds_watch *w = e->watches; w; w = next_scope(w)) persist(c, e, w->watcher.scope);
}

void gxds_client_keep_all(gxds_client *c, uint32_t scope, const gxds_bootstrap_server *server) {
  for (size_t i = 0; i < c->authority_count; i++) {
    const gxds_entry *e;
    DL_FOREACH(c->authorities[i].entries, e) {
      bool sent =
          e->resource && !e->restored && gxds_bootstrap_server_equal(gxds_entry_source(e), server);
      if (sent && watch_of_scope(e, scope)) persist(c, e, scope);
    }
  }
}

static void forget(gxds_client *c, const gxds_entry *e, uint32_t scope) {
  if (!gxds_entry_source(e) || (e->restored && !e->authority->had_response)) return;
  gxds_action a = about(c, e, GXDS_ACTION_FORGET, scope, gxds_entry_source(e));
  gxds_actions_push_copy(&c->actions, &a);
}

void gxds_entry_forget(gxds_client *c, const gxds_entry *e) {
  if (!c->keeps_resources) return;
  for (const gxds_watch *w = e->watches; w; w = next_scope(w)) forget(c, e, w->watcher.scope);
}

static void request_restore(gxds_client *c, gxds_entry *e, uint32_t scope, size_t server) {
  e->looking_up = true;
  gxds_action action = about(c, e, GXDS_ACTION_RESTORE, scope, e->authority->servers[server]);
  gxds_actions_push_copy(&c->actions, &action);
}

/* Requests the kept resource (RESTORE), if the authority starts from kept resources and the entry
 * has none yet. */
static void look_up(gxds_client *c, gxds_entry *e, uint32_t scope) {
  const gxds_authority *a = e->authority;
  if (a->restoring && !e->resource && !e->looking_up) {
    request_restore(c, e, scope, a->restored ? a->restore_from : 0);
  }
}

void gxds_kept_on_watch(gxds_client *c, gxds_entry *e, const gxds_watch *w) {
  uint32_t scope = w->watcher.scope;
  count_watch(c, scope);
  if (watch_of_scope(e, scope)) return;
  if (e->resource && !e->restored) persist(c, e, scope);
  look_up(c, e, scope);
}

void gxds_kept_on_unwatch(gxds_client *c, gxds_entry *e, uint32_t scope) {
  uncount_watch(c, scope);
  if (!watch_of_scope(e, scope)) forget(c, e, scope);
}

void gxds_authority_await_response(gxds_client *c, gxds_authority *a, gxds_time now) {
  if (!c->keeps_resources || a->had_response || a->conn_count > 0) return;
  gxds_deadlines_set(&c->deadlines, &a->restore_at, gxds_time_after(now, GXDS_RESTORE_AFTER));
}

void gxds_authority_on_response(gxds_client *c, gxds_authority *a, gxds_time now) {
  if (a->had_response) return;
  a->had_response = true;
  a->restoring = false;
  gxds_deadlines_cancel(&c->deadlines, &a->restore_at);
  for (size_t i = 0; i < a->conn_count; i++) gxds_conn_await_replacements(c, a->conns[i], now);
}

void gxds_authority_restore(gxds_client *c, gxds_authority *a) {
  if (!c->keeps_resources || a->had_response || a->restoring) return;
  gxds_deadlines_cancel(&c->deadlines, &a->restore_at);
  a->restoring = true;
  a->restored = false;
  gxds_entry *e;
  DL_FOREACH(a->entries, e) {
    if (e->watches) look_up(c, e, e->watches->watcher.scope);
  }
}

/* "used from the resource cache, as xDS server S sent it at T, because no xDS server responds: E"
 */
static void describe(const gxds_authority *a, const gxds_kept *kept, gxds_text *out) {
  const gxds_error *unreachable = gxds_authority_error(a, false);
  gxds_text_addf(out, "used from the resource cache, as xDS server %.*s sent it",
                 GXDS_STR_ARG(kept->server->uri));
  if (kept->accepted > 0) {
    gxds_text_add_z(out, " at ");
    gxds_text_add_time(out, kept->accepted);
  }
  gxds_text_add_z(out, ", because no xDS server responds");
  if (unreachable) gxds_text_addf(out, ": %.*s", GXDS_STR_ARG(unreachable->message));
}

static void log_start(gxds_client *c, const gxds_kept *kept) {
  gxds_text line = {0};
  gxds_text_addf(&line,
                 "xds server %.*s: no server responds: starting from the resource cache, with what "
                 "this one sent last",
                 GXDS_STR_ARG(kept->server->uri));
  gxds_client_log(c, GXDS_ERROR, &line);
}

static void log_refusal(gxds_client *c, const gxds_entry *e, gxds_str why) {
  gxds_text line = {0};
  gxds_text_addf(&line, "resource cache: %s resource ", c->types[e->type]->short_name);
  gxds_text_add_untrusted(&line, gxds_entry_name(e), GXDS_RESOURCE_NAME_BYTES_MAX);
  gxds_text_add_z(&line, " ignored: ");
  gxds_text_add_untrusted(&line, why, GXDS_NACK_ERROR_BYTES_MAX);
  gxds_client_log(c, GXDS_ERROR, &line);
}

static void use(gxds_client *c, gxds_entry *e, const gxds_kept *kept,
                const gxds_resource *take_resource, gxds_time now) {
  gxds_accepted accepted = {.resource = take_resource,
                            .bytes = kept->bytes,
                            .version = kept->version,
                            .server = kept->server};
  gxds_text message = {0};
  describe(e->authority, kept, &message);
  const gxds_error *error = gxds_client_error(c, GXDS_UNAVAILABLE, &message, NULL);
  gxds_entry_accept_kept(c, e, &accepted, error, now);
  gxds_error_unref(error);
}

static const gxds_resource *no_previous(void *arg, gxds_str name) {
  (void)arg;
  (void)name;
  return NULL;
}

/* Decodes and uses a kept resource; false if that fails. It may fail, because another version of
 * this program may have accepted and kept the resource. */
static bool decode_kept(gxds_client *c, gxds_entry *e, const gxds_kept *kept, gxds_time now) {
  if (kept->version.size > GXDS_VERSION_BYTES_MAX) {
    log_refusal(c, e, gxds_str_z("version too long"));
    return false;
  }
  gxds_decode_context context = {
      .bootstrap = c->bootstrap, .server = kept->server, .host = c->host, .previous = no_previous};
  gxds_decoded decoded = {0};
  gxds_status status = kept->type->decode(&context, kept->bytes, &decoded);
  bool ok = gxds_status_is_ok(&status);
  if (ok) {
    use(c, e, kept, decoded.resource, now);
  } else {
    log_refusal(c, e, status.message);
  }
  gxds_status_fini(&status);
  gxds_decoded_fini(&decoded);
  return ok;
}

/* The first watch of the next scope to request; NULL if all scopes were requested for this server's
 * resource. */
static const gxds_watch *scope_after(const gxds_entry *e, uint32_t requested) {
  const gxds_watch *w = watch_of_scope(e, requested);
  return w ? next_scope(w) : e->watches; /* the requested scope has no watch any more */
}

/* An entry tries the servers in order, and for each server the scopes that watch it, until a kept
 * resource of one server is used. From then on, all kept resources of the authority must come from
 * that server. */
static void take_kept(gxds_client *c, gxds_entry *e, const gxds_kept *kept, gxds_time now) {
  gxds_authority *a = e->authority;
  if (e->resource || e->watch_count == 0 || !a->restoring) return; /* not needed any more */
  const uint32_t first = e->watches->watcher.scope;
  const gxds_watch *next = scope_after(e, kept->scope);
  size_t place = gxds_authority_place_of(a, kept->server);
  if (a->restored && place != a->restore_from) {
    request_restore(c, e, first, a->restore_from);
  } else if (kept->found && decode_kept(c, e, kept, now)) {
    if (!a->restored) log_start(c, kept);
    a->restored = true;
    a->restore_from = place;
  } else if (next) {
    request_restore(c, e, next->watcher.scope, place);
  } else if (!a->restored && place + 1 < a->server_count) {
    request_restore(c, e, first, place + 1);
  }
}

void gxds_client_restore(gxds_client *c, const gxds_kept *kept, gxds_time now) {
  gxds_entry *e = gxds_entry_find(c, gxds_client_index_of(c, kept->type), kept->name);
  if (!e) return;
  e->looking_up = false;
  take_kept(c, e, kept, now);
  gxds_entry_sync(c, e);
}
