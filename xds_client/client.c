/* The public functions of the engine: watches, events, and the draining of actions. */
#include "xds_client/client.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/upb.h"
#include "xds_client/client_internal.h"
#include "xds_client/trace_internal.h"

gxds_client *gxds_client_create(const gxds_client_options *options) {
  GXDS_CHECK(options->type_count > 0 && options->type_count <= GXDS_TYPES_MAX);
  gxds_client *c = GXDS_NEW(gxds_client);
  c->bootstrap = gxds_bootstrap_ref(options->bootstrap);
  c->host = options->host;
  c->types = options->types;
  c->type_count = options->type_count;
  c->random.state = options->seed;
  c->resource_timeout = options->resource_does_not_exist_timeout;
  c->wall_offset = options->wall_offset;
  c->keeps_resources = options->keeps_resources;
  c->by_name = gxds_calloc(c->type_count, sizeof *c->by_name);
  c->by_bytes = gxds_calloc(c->type_count, sizeof *c->by_bytes);
  c->authority_count = 1 + c->bootstrap->authority_count;
  c->authorities = gxds_calloc(c->authority_count, sizeof *c->authorities);
  gxds_authority_init(&c->authorities[0], c->bootstrap, NULL);
  for (size_t i = 0; i < c->bootstrap->authority_count; i++) {
    gxds_authority_init(&c->authorities[1 + i], c->bootstrap, &c->bootstrap->authorities[i]);
  }
  c->next_id = 1;
  c->next_server_id = 1;
  return c;
}

void gxds_client_destroy(gxds_client *c) {
  gxds_index_link *next;
  for (gxds_index_link *l = gxds_index_next(&c->watches, NULL); l; l = next) {
    next = gxds_index_next(&c->watches, l);
    gxds_client_unwatch(c, gxds_watch_get_id((gxds_watch *)l), 0);
  }
  while (c->conns) {
    for (size_t i = 0; i < c->type_count; i++) gxds_conn_purge(c, c->conns, i);
    gxds_conn_destroy(c, c->conns);
  }
  for (size_t i = 0; i < c->authority_count; i++) {
    GXDS_CHECK(c->authorities[i].entries == NULL);
    gxds_authority_fini(c, &c->authorities[i]);
  }
  gxds_free(c->authorities);
  gxds_free(c->by_name);
  gxds_free(c->by_bytes);
  gxds_free((void *)c->without_delta);
  gxds_actions_fini(&c->actions);
  gxds_deadlines_fini(&c->deadlines);
  gxds_server_counts_destroy(c->counts);
  gxds_bootstrap_unref(c->bootstrap);
  gxds_free(c);
}

const gxds_error *gxds_client_error(const gxds_client *c, gxds_code code, gxds_text *take_message,
                                    const gxds_bootstrap_server *server) {
  gxds_str uri = server ? server->uri : gxds_str_of(NULL, 0);
  return gxds_error_create(code, take_message, uri, c->bootstrap->node_id);
}

void gxds_client_log(gxds_client *c, gxds_severity severity, gxds_text *take_line) {
  gxds_action a = {.kind = GXDS_ACTION_LOG, .severity = severity};
  gxds_actions_push(&c->actions, &a, gxds_text_take(take_line));
}

/* ---- watches ---- */

size_t gxds_client_index_of(const gxds_client *c, const gxds_resource_type *type) {
  size_t i = 0;
  while (i < c->type_count && c->types[i] != type) i++;
  GXDS_CHECK(i < c->type_count);
  return i;
}

/* Returns the entry to watch. If the resource cannot be watched, returns NULL, sets *code and adds
 * the reason to *why. */
static gxds_entry *find_or_create_entry(gxds_client *c, size_t type, gxds_str text, gxds_code *code,
                                        gxds_text *why) {
  gxds_resource_name name;
  gxds_entry *e = NULL;
  *code = GXDS_UNAVAILABLE;
  if (!gxds_resource_name_init(&name, text, gxds_str_z(c->types[type]->type_url))) {
    gxds_text_add_z(why, "Unable to parse resource name ");
    gxds_text_add_untrusted(why, text, GXDS_RESOURCE_NAME_BYTES_MAX);
    return NULL;
  }
  gxds_authority *authority = gxds_authority_find(c, &name);
  if (gxds_str_equal(name.canonical, gxds_str_z("*"))) {
    gxds_text_add_z(why, "the name \"*\" would ask an xDS server for everything it has");
  } else if (!authority) {
    gxds_text_add_z(why, "authority \"");
    gxds_text_add_untrusted(why, name.authority, GXDS_RESOURCE_NAME_BYTES_MAX);
    gxds_text_add_z(why, "\" not present in bootstrap config");
  } else {
    e = gxds_entry_find(c, type, name.canonical);
    if (!e && c->by_name[type].count >= GXDS_ENTRIES_PER_TYPE_MAX) {
      *code = GXDS_RESOURCE_EXHAUSTED;
      gxds_text_addf(why, "too many %s resources are watched", c->types[type]->short_name);
    } else if (!e) {
      e = gxds_entry_create(c, type, authority, name.canonical);
    }
  }
  gxds_resource_name_fini(&name);
  return e;
}

/* e is NULL if the name was refused. */
static gxds_watch *create_watch(gxds_client *c, gxds_entry *e, gxds_watcher watcher) {
  gxds_watch *w = e && !e->own_watch.entry ? &e->own_watch : GXDS_NEW(gxds_watch);
  w->watcher = watcher;
  w->entry = e;
  gxds_index_add(&c->watches, &w->by_id, c->next_id++);
  return w;
}

static void destroy_watch(gxds_client *c, gxds_watch *w) {
  gxds_index_remove(&c->watches, &w->by_id);
  if (w->entry && w == &w->entry->own_watch) {
    *w = (gxds_watch){0};
  } else {
    gxds_free(w);
  }
}

static void refuse(gxds_client *c, const gxds_watch *w, gxds_code code, gxds_text *take_why) {
  const gxds_error *error = gxds_client_error(c, code, take_why, NULL);
  gxds_action a = {.kind = GXDS_ACTION_RESOURCE,
                   .watch = gxds_watch_get_id(w),
                   .watcher = w->watcher,
                   .error = error};
  gxds_actions_push(&c->actions, &a, gxds_str_of(NULL, 0));
  gxds_error_unref(error);
}

gxds_watch_id gxds_client_watch(gxds_client *c, const gxds_resource_type *type, gxds_str name,
                                gxds_watcher watcher, gxds_time now) {
  gxds_code code;
  gxds_text why = {0};
  gxds_entry *e = find_or_create_entry(c, gxds_client_index_of(c, type), name, &code, &why);
  gxds_watch *w = create_watch(c, e, watcher);
  if (!e) {
    refuse(c, w, code, &why);
    return gxds_watch_get_id(w);
  }
  if (e->watch_count == 0) gxds_entry_count_leaving(c, e, false);
  if (e->watch_count++ == 0) {
    gxds_authority_await_response(c, e->authority, now);
    gxds_authority_subscribe(c, e->authority, e);
    gxds_authority_fall_back(c, e->authority);
  }
  if (c->keeps_resources) gxds_kept_on_watch(c, e, w);
  gxds_trace_watch(c, w, "started");
  gxds_entry_notify_new(c, e, w);
  gxds_entry_add_watch(c, e, w);
  return gxds_watch_get_id(w);
}

gxds_watch *gxds_watch_find(const gxds_client *c, gxds_watch_id id) {
  return (gxds_watch *)gxds_index_find(&c->watches, id);
}

void gxds_client_unwatch(gxds_client *c, gxds_watch_id watch, gxds_time now) {
  (void)now;
  gxds_watch *w = gxds_watch_find(c, watch);
  if (!w) return;
  gxds_entry *e = w->entry;
  if (e) {
    gxds_trace_watch(c, w, "stopped");
    DL_DELETE(e->watches, w);
    if (--e->watch_count == 0) gxds_entry_count_leaving(c, e, true);
    if (c->keeps_resources) gxds_kept_on_unwatch(c, e, w->watcher.scope);
  }
  destroy_watch(c, w);
}

const gxds_bootstrap_server *gxds_client_source(const gxds_client *c, gxds_watch_id watch) {
  const gxds_watch *w = gxds_watch_find(c, watch);
  return w && w->entry ? gxds_entry_source(w->entry) : NULL;
}

size_t gxds_client_watch_count(const gxds_client *c) { return c->watches.count; }

/* ---- events ---- */

void gxds_client_on_sent(gxds_client *c, gxds_stream_id stream, gxds_time now) {
  gxds_conn *conn = gxds_conn_of_stream(c, stream);
  if (conn) gxds_conn_on_sent(c, conn, now);
}

/* The type of a response. If the response can't be used, returns GXDS_NO_TYPE and adds the reason
 * to *why. */
static size_t check_response(const gxds_client *c, const gxds_response *response, gxds_text *why) {
  gxds_str name = gxds_type_name(response->type_url);
  bool retired = false;
  for (size_t i = 0; i < c->type_count; i++) {
    if (gxds_str_equal(name, gxds_type_name(gxds_str_z(c->types[i]->type_url)))) {
      if (response->nonce.size <= GXDS_NONCE_BYTES_MAX) return i;
      gxds_text_addf(why, "nonce of %zu bytes: more than %d", response->nonce.size,
                     GXDS_NONCE_BYTES_MAX);
      return GXDS_NO_TYPE; /* not even a NACK is sent, because it would have to repeat the nonce */
    }
    gxds_str v2 = gxds_type_name(gxds_str_z(c->types[i]->v2_type_url));
    retired = retired || (v2.size && gxds_str_equal(name, v2));
  }
  gxds_text_add_z(why, "unknown resource type ");
  gxds_text_add_untrusted(why, name, GXDS_LOGGED_BYTES_MAX);
  if (retired) gxds_text_add_z(why, ": the xDS v2 API is not supported");
  return GXDS_NO_TYPE;
}

void gxds_client_on_message(gxds_client *c, gxds_stream_id stream, const void *data, size_t size,
                            gxds_time now) {
  gxds_conn *conn = gxds_conn_of_stream(c, stream);
  if (!conn) return;
  conn->read_due = true;
  upb_Arena *arena = gxds_arena_create();
  gxds_response response = {0};
  gxds_text why = {0};
  size_t type = GXDS_NO_TYPE;
  const char *undecodable = NULL;
  if (!conn->protocol->decode_response(gxds_str_of(data, size), arena, &response, &undecodable)) {
    gxds_text_add_z(&why, undecodable);
  } else {
    gxds_trace_response(c, conn, &response);
    type = check_response(c, &response, &why);
  }
  if (type == GXDS_NO_TYPE) {
    /* Without a nonce or a type there is nothing to NACK. The host ignores such a response too. */
    gxds_text line = {0};
    gxds_text_addf(&line, "xds server %.*s: error parsing ADS response (%s: %s) -- ignoring",
                   GXDS_STR_ARG(conn->server->uri), gxds_code_name(GXDS_INVALID_ARGUMENT),
                   why.data);
    gxds_client_log(c, GXDS_ERROR, &line);
  } else {
    gxds_response_apply(c, conn, type, &response, now);
  }
  gxds_text_fini(&why);
  upb_Arena_Free(arena);
}

void gxds_client_on_stream_closed(gxds_client *c, gxds_stream_id stream, const gxds_status *status,
                                  gxds_time now) {
  gxds_conn *conn = gxds_conn_of_stream(c, stream);
  if (!conn) return;
  bool got_response = conn->got_response;
  bool worked = got_response || conn->kept_quiet;
  gxds_duration lived = conn->sent ? now - conn->sent : 0;
  gxds_conn_lose_stream(c, conn);
  if (status->code == GXDS_UNIMPLEMENTED && !got_response &&
      conn->protocol == &gxds_protocol_delta) {
    gxds_conn_give_up_delta(c, conn);
    return;
  }
  gxds_duration wait = gxds_backoff_after_stream(&conn->backoff, worked, lived, &c->random);
  gxds_deadlines_set(&c->deadlines, &conn->retry, gxds_time_after(now, wait));
  gxds_trace_retry(c, conn, wait);
  gxds_text rendered = {0};
  gxds_text reason = {0};
  gxds_status_render(status, &rendered);
  if (worked) { /* A57: this end is not an error */
    gxds_text_addf(&reason,
                   "xds server %.*s: ADS stream closed: ", GXDS_STR_ARG(conn->server->uri));
    gxds_text_add_untrusted(&reason, gxds_text_str(&rendered), GXDS_NACK_ERROR_BYTES_MAX);
    gxds_client_log(c, GXDS_INFO, &reason);
  } else {
    gxds_text_add_z(&reason, "xDS call failed with no responses received; status: ");
    gxds_text_add_untrusted(&reason, gxds_text_str(&rendered), GXDS_NACK_ERROR_BYTES_MAX);
    gxds_conn_fail(c, conn, GXDS_UNAVAILABLE, &reason, now);
  }
  gxds_text_fini(&rendered);
}

void gxds_client_on_channel_failed(gxds_client *c, gxds_server_id server, const gxds_status *status,
                                   gxds_time now) {
  gxds_conn *conn;
  DL_FOREACH(c->conns, conn) {
    if (conn->id != server) continue;
    gxds_text reason = {0};
    gxds_text_add_untrusted(&reason, status->message, GXDS_NACK_ERROR_BYTES_MAX);
    gxds_conn_fail(c, conn, status->code == GXDS_OK ? GXDS_UNAVAILABLE : status->code, &reason,
                   now);
    return;
  }
}

void gxds_client_reset_backoff(gxds_client *c, gxds_time now) {
  (void)now;
  gxds_conn *conn;
  DL_FOREACH(c->conns, conn) {
    gxds_backoff_reset(&conn->backoff);
    gxds_deadlines_cancel(&c->deadlines, &conn->retry);
  }
}

gxds_time gxds_client_deadline(const gxds_client *c) { return gxds_deadlines_next(&c->deadlines); }

static gxds_sub *sub_of(gxds_deadline *d) {
  return (gxds_sub *)((char *)d - offsetof(gxds_sub, timer));
}

static gxds_conn *conn_of(gxds_deadline *d) {
  return (gxds_conn *)((char *)d - offsetof(gxds_conn, quiet));
}

static gxds_authority *authority_of(gxds_deadline *d) {
  return (gxds_authority *)((char *)d - offsetof(gxds_authority, restore_at));
}

static gxds_entry *entry_of(gxds_deadline *d) {
  return (gxds_entry *)((char *)d - offsetof(gxds_entry, ttl));
}

/* A request that is queued may have the version of this resource. The server would read that
 * version after the resource has ended here. */
static void end_resource(gxds_client *c, gxds_entry *e, gxds_time now) {
  for (const gxds_sub *sub = e->subs; sub; sub = sub->next_of_entry) {
    gxds_conn *conn = gxds_sub_conn(sub);
    if (sub->sends_version && conn->sent == 0) conn->sent_stale_version = true;
  }
  gxds_entry_on_ttl(c, e, now);
}

void gxds_client_on_deadline(gxds_client *c, gxds_time now) {
  size_t count = 0;
  gxds_text line = {0};
  gxds_deadline *d;
  while ((d = gxds_deadlines_take_due(&c->deadlines, now, UINT64_MAX)) != NULL) {
    if (d->kind == GXDS_DEADLINE_RESTORE) gxds_authority_restore(c, authority_of(d));
    if (d->kind == GXDS_DEADLINE_QUIET) gxds_conn_on_quiet(c, conn_of(d));
    if (d->kind != GXDS_DEADLINE_SUB && d->kind != GXDS_DEADLINE_TTL)
      continue; /* gxds_client_settle() does the rest */
    if (d->kind == GXDS_DEADLINE_SUB && !sub_of(d)->on_its_way) {
      sub_of(d)->overdue = true; /* before its timer may fire, it is requested once more */
      continue;
    }
    const gxds_entry *e = d->kind == GXDS_DEADLINE_TTL ? entry_of(d) : sub_of(d)->entry;
    const gxds_bootstrap_server *server =
        d->kind == GXDS_DEADLINE_TTL ? gxds_entry_source(e) : gxds_sub_conn(sub_of(d))->server;
    if (count++ == 0) {
      gxds_text_addf(&line, "xds server %.*s: %s: %s ", GXDS_STR_ARG(server->uri),
                     d->kind == GXDS_DEADLINE_TTL ? "ttl ended" : "timeout obtaining resource",
                     c->types[e->type]->short_name);
      gxds_text_add_untrusted(&line, gxds_entry_name(e), GXDS_RESOURCE_NAME_BYTES_MAX);
    }
    if (d->kind == GXDS_DEADLINE_TTL) {
      end_resource(c, entry_of(d), now);
    } else {
      gxds_sub_on_timer(c, sub_of(d), now);
    }
  }
  if (count > 1) gxds_text_addf(&line, " and %zu more", count - 1);
  if (count > 0) gxds_client_log(c, GXDS_INFO, &line);
}

/* ---- the drain ---- */

/* Whether the watch, stream or scope that the action names ended after it was queued. */
static bool is_stale(gxds_client *c, const gxds_action *a) {
  switch (a->kind) {
    case GXDS_ACTION_RESOURCE:
    case GXDS_ACTION_AMBIENT_ERROR:
      return gxds_watch_find(c, a->watch) == NULL;
    case GXDS_ACTION_SEND:
    case GXDS_ACTION_READ:
      return gxds_conn_of_stream(c, a->stream) == NULL;
    case GXDS_ACTION_FORGET: /* the scope watches nothing any more, so the resources that it kept
                                stay for its next start */
      return gxds_scope_find(c, a->scope) == NULL;
    default:
      return false;
  }
}

const gxds_action *gxds_client_next_action(gxds_client *c) {
  for (;;) {
    const gxds_action *a = gxds_actions_pop(&c->actions);
    if (a && !is_stale(c, a)) return a;
    if (!a && !gxds_client_settle(c)) return NULL;
  }
}
