/* One server: its channel, and its ADS stream from open to close. */
#include "xds_client/trace_internal.h"

static bool lacks_delta(const gxds_client *c, const gxds_bootstrap_server *server) {
  for (size_t i = 0; i < c->without_delta_count; i++) {
    if (gxds_bootstrap_server_equal(c->without_delta[i], server)) return true;
  }
  return false;
}

static void sync_all(gxds_client *c, const gxds_conn *conn) {
  for (size_t i = 0; i < c->authority_count; i++) {
    if (!gxds_authority_uses(&c->authorities[i], conn)) continue;
    gxds_entry *e;
    DL_FOREACH(c->authorities[i].entries, e) { gxds_entry_sync(c, e); }
  }
}

static void fall_back_all(gxds_client *c, const gxds_conn *conn) {
  for (size_t i = 0; i < c->authority_count; i++) {
    if (gxds_authority_uses(&c->authorities[i], conn)) {
      gxds_authority_fall_back(c, &c->authorities[i]);
    }
  }
}

void gxds_conn_give_up_delta(gxds_client *c, gxds_conn *conn) {
  gxds_text line = {0};
  gxds_text_addf(&line,
                 "xds server %.*s: it does not know incremental xDS: using state of the world",
                 GXDS_STR_ARG(conn->server->uri));
  gxds_client_log(c, GXDS_INFO, &line);
  conn->protocol = &gxds_protocol_sotw;
  c->without_delta = gxds_realloc((void *)c->without_delta, c->without_delta_count + 1,
                                  sizeof(gxds_bootstrap_server *));
  c->without_delta[c->without_delta_count++] = conn->server;
  if (!conn->error) return;
  fall_back_all(c, conn); /* with delta, a server without a response might just have had nothing
                             new */
  sync_all(c, conn);
}

gxds_conn *gxds_conn_get(gxds_client *c, const gxds_bootstrap_server *server) {
  gxds_conn *conn;
  DL_FOREACH(c->conns, conn) {
    if (gxds_bootstrap_server_equal(conn->server, server)) return conn;
  }
  conn = gxds_calloc(1, sizeof *conn + c->type_count * sizeof conn->types[0]);
  conn->id = c->next_server_id++;
  conn->server = server;
  conn->counts = gxds_server_counts_get(&c->counts, server, c->types, c->type_count);
  conn->counts->in_use = true;
  conn->counts->connected = true; /* A78: the server counts as connected until it fails */
  conn->protocol = &gxds_protocol_sotw;
  if (server->delta && !lacks_delta(c, server)) conn->protocol = &gxds_protocol_delta;
  conn->retry.kind = GXDS_DEADLINE_RETRY;
  conn->quiet.kind = GXDS_DEADLINE_QUIET;
  conn->sending_type = GXDS_NO_TYPE;
  gxds_backoff_init_xds(&conn->backoff);
  DL_APPEND(c->conns, conn);
  return conn;
}

gxds_conn *gxds_conn_of_stream(gxds_client *c, gxds_stream_id stream) {
  gxds_conn *conn;
  DL_FOREACH(c->conns, conn) {
    if (stream && conn->stream == stream) return conn;
  }
  return NULL;
}

static gxds_action action_of(const gxds_conn *conn, gxds_action_kind kind) {
  return (gxds_action){.kind = kind,
                       .server_id = conn->id,
                       .server = conn->server,
                       .stream = conn->stream,
                       .method = kind == GXDS_ACTION_OPEN_STREAM ? conn->protocol->method : NULL};
}

static void act(gxds_client *c, const gxds_conn *conn, gxds_action_kind kind) {
  gxds_action a = action_of(conn, kind);
  gxds_actions_push(&c->actions, &a, gxds_str_of(NULL, 0));
}

static void close_stream(gxds_client *c, const gxds_conn *conn, const char *why) {
  gxds_trace_stream(c, conn, why);
  act(c, conn, GXDS_ACTION_CLOSE_STREAM);
}

/* ", unreachable since 2025-01-31T12:00:00Z": an RPC may fail with this error an hour later (A88).
 */
static void add_since(const gxds_client *c, gxds_time since, gxds_text *out) {
  if (c->wall_offset == 0) return;
  gxds_text_add_z(out, ", unreachable since ");
  gxds_text_add_time(out, since + c->wall_offset);
}

void gxds_conn_fail(gxds_client *c, gxds_conn *conn, gxds_code code, gxds_text *take_reason,
                    gxds_time now) {
  if (!conn->error) {
    conn->failed = now;
    conn->counts->failures++;
  }
  conn->counts->connected = false;
  gxds_deadlines_cancel(&c->deadlines, &conn->quiet); /* a missing response means nothing now */
  gxds_text message = {0};
  gxds_text_addf(&message, "xDS channel for server %.*s: ", GXDS_STR_ARG(conn->server->uri));
  gxds_text_add(&message, gxds_text_str(take_reason));
  gxds_text_fini(take_reason);
  gxds_text line = {0};
  gxds_text_add(&line, gxds_text_str(&message));
  add_since(c, conn->failed, &message);
  const gxds_error *known = conn->error;
  conn->error = gxds_error_renew(known, gxds_client_error(c, code, &message, NULL));
  gxds_client_log(c, conn->error == known ? GXDS_DEBUG : GXDS_ERROR, &line);
  gxds_error_unref(known);
  fall_back_all(c, conn);
  sync_all(c, conn);
}

/* Whether another server replaced anything that conn sent. Entries without watches count too: they
 * may be watched again before they are unsubscribed. */
static bool is_overruled(const gxds_client *c, const gxds_conn *conn) {
  for (size_t i = 0; i < c->type_count; i++) {
    const gxds_sub *sub;
    DL_FOREACH(conn->types[i].subs, sub) {
      if (sub->sent_state == GXDS_SENT_OVERRULED) return true;
    }
  }
  return false;
}

void gxds_conn_reopen_if_overruled(gxds_client *c, gxds_conn *conn) {
  if (!is_overruled(c, conn)) return;
  close_stream(c, conn, "closed: other servers replaced its resources, which are requested again");
  gxds_conn_lose_stream(c, conn);
}

static void log_up(gxds_client *c, const gxds_conn *conn, const char *why) {
  gxds_text line = {0};
  gxds_text_addf(&line, "xds server %.*s: ADS stream is up%s", GXDS_STR_ARG(conn->server->uri),
                 why);
  gxds_client_log(c, GXDS_INFO, &line);
}

/* True if there was an error. */
static bool clear_error(gxds_client *c, gxds_conn *conn) {
  gxds_deadlines_cancel(&c->deadlines, &conn->quiet);
  conn->counts->connected = true;
  bool failed = conn->error != NULL;
  gxds_error_assign(&conn->error, NULL);
  return failed;
}

void gxds_conn_await_silence(gxds_client *c, gxds_conn *conn, gxds_time now) {
  if (!conn->sent_versions || conn->got_response || conn->kept_quiet) return;
  if (gxds_deadline_is_set(&conn->quiet)) return;
  gxds_duration timeout = gxds_conn_timeout(c, conn);
  gxds_deadlines_set(&c->deadlines, &conn->quiet, gxds_time_after(now, timeout));
  /* Ends the error of the outage for resources that are not cached. */
  if (conn->error) sync_all(c, conn);
}

void gxds_conn_on_quiet(gxds_client *c, gxds_conn *conn) {
  conn->kept_quiet = true;
  log_up(c, conn, ": it has nothing new");
  if (clear_error(c, conn)) sync_all(c, conn);
}

void gxds_conn_on_response(gxds_client *c, gxds_conn *conn, gxds_time now) {
  if (!conn->got_response && !conn->kept_quiet) log_up(c, conn, "");
  conn->got_response = true;
  bool failed = clear_error(c, conn);
  for (size_t i = 0; i < c->authority_count; i++) {
    gxds_authority_recover(c, &c->authorities[i], conn, now);
  }
  if (failed) sync_all(c, conn);
}

void gxds_conn_lose_stream(gxds_client *c, gxds_conn *conn) {
  conn->stream = 0;
  conn->sent = 0;
  gxds_deadlines_cancel(&c->deadlines, &conn->quiet);
  conn->got_response = conn->kept_quiet = false;
  conn->sent_versions = conn->sent_stale_version = false;
  conn->read_due = conn->node_sent = false;
  conn->sending_type = GXDS_NO_TYPE;
  gxds_subs_lose_stream(c, conn);
  for (size_t i = 0; i < c->type_count; i++) {
    gxds_type_state *t = &conn->types[i];
    t->requested = t->unacked = t->initial_written = false;
    gxds_str_free(&t->nonce);
    gxds_str_free(&t->seen_version);
    gxds_str_free(&t->errors);
    gxds_delta_forget_acks(conn, t);
  }
}

void gxds_conn_destroy(gxds_client *c, gxds_conn *conn) {
  conn->counts->in_use = false;
  gxds_deadlines_cancel(&c->deadlines, &conn->retry);
  gxds_deadlines_cancel(&c->deadlines, &conn->quiet);
  for (size_t i = 0; i < c->type_count; i++) {
    gxds_subs_fini(&conn->types[i]);
    gxds_str_free(&conn->types[i].version);
    gxds_str_free(&conn->types[i].nonce);
    gxds_str_free(&conn->types[i].seen_version);
    gxds_str_free(&conn->types[i].errors);
    gxds_delta_forget_acks(conn, &conn->types[i]);
  }
  gxds_error_assign(&conn->error, NULL);
  DL_DELETE(c->conns, conn);
  gxds_free(conn);
}

static void close_conn(gxds_client *c, gxds_conn *conn) {
  if (conn->stream) close_stream(c, conn, "closed: the server is not needed any more");
  conn->stream = 0;
  if (conn->connected) {
    gxds_trace_server(c, conn->server, "channel given up");
    act(c, conn, GXDS_ACTION_DISCONNECT);
  }
  gxds_conn_destroy(c, conn);
}

static void open_stream(gxds_client *c, gxds_conn *conn) {
  conn->stream = c->next_id++;
  conn->read_due = true;
  conn->next_type = 0;
  gxds_trace_stream(c, conn, "opened");
  act(c, conn, GXDS_ACTION_OPEN_STREAM);
}

static void send_request(gxds_client *c, gxds_conn *conn, size_t type) {
  gxds_type_state *t = &conn->types[type];
  conn->protocol->plan_request(c, conn, type);
  gxds_trace_request(c, conn, type);
  gxds_action request = action_of(conn, GXDS_ACTION_SEND);
  request.rest = t->names;
  gxds_str head = conn->protocol->encode_request(c, conn, type, !conn->node_sent);
  gxds_actions_push(&c->actions, &request, head);
  conn->node_sent = true;
  conn->sending_type = type;
  conn->next_type = (type + 1) % c->type_count;
  if (t->unsent != t->until) t->sending = t->unsent;
  for (gxds_sub *sub = t->unsent; sub != t->until; sub = sub->next) {
    sub->requested = true;
    sub->requested_first = sub->requested_first || !t->requested;
    if (sub->sends_version)
      sub->sent_state = GXDS_SENT_IN_USE; /* the cached resource came from this server, and the
                                             request says that the client has it */
  }
  t->unsent = t->until;
  t->until = NULL;
  t->requested = true;
  conn->protocol->written(conn, type);
}

/* Sends at most one request. The next one waits for on_sent, and then has everything that is
 * subscribed to by then. Types take turns, so that a busy type does not starve the others. */
static void send_next_request(gxds_client *c, gxds_conn *conn) {
  for (size_t i = 0; i < c->type_count; i++) {
    size_t type = (conn->next_type + i) % c->type_count;
    gxds_type_state *t = &conn->types[type];
    if (!t->pending_write) continue;
    gxds_conn_purge(c, conn, type);
    if (conn->protocol->has_pending_write(t)) {
      send_request(c, conn, type);
      return;
    }
    t->pending_write = false;
  }
  conn->next_type = 0;
}

/* The client sent a version of a resource that ended since, or that another server may replace
 * before this one responds (A71). The server would not send the resource again, and nobody would
 * notice. So a new stream is opened, without versions. */
static void retract_versions(gxds_client *c, gxds_conn *conn) {
  if (!conn->stream || !conn->sent_versions || conn->got_response) return;
  if (!conn->sent_stale_version && !gxds_conn_has_fallback(c, conn)) return;
  bool hoped = gxds_deadline_is_set(&conn->quiet);
  close_stream(c, conn, "closed: it sent versions that may not be in use any more");
  gxds_conn_lose_stream(c, conn);
  if (hoped && conn->error) sync_all(c, conn);
}

static void settle_conn(gxds_client *c, gxds_conn *conn) {
  if (!conn->connected) {
    gxds_trace_server(c, conn->server, "channel wanted");
    act(c, conn, GXDS_ACTION_CONNECT);
  }
  conn->connected = true;
  retract_versions(c, conn);
  if (!conn->stream && !gxds_deadline_is_set(&conn->retry)) open_stream(c, conn);
  if (conn->stream && conn->sending_type == GXDS_NO_TYPE) send_next_request(c, conn);
}

/* Whether subs without watches end before the next request is encoded. A71: an unreachable server's
 * request may be outstanding for hours. Meanwhile the next server gets requests without these
 * names. So their entries must not outlive those subs: nobody would keep them up to date. */
static bool ends_leaving_now(const gxds_client *c, const gxds_conn *conn) {
  if (!conn->stream || conn->sub_count == conn->leaving_count) return true;
  return conn->leaving_count > 0 && gxds_conn_has_fallback(c, conn);
}

bool gxds_client_settle(gxds_client *c) {
  gxds_conn *conn;
  gxds_conn *next;
  DL_FOREACH(c->conns, conn) {
    if (ends_leaving_now(c, conn)) gxds_conn_purge_all(c, conn);
  }
  for (size_t i = 0; i < c->authority_count; i++) {
    gxds_authority_release_unused(c, &c->authorities[i]);
  }
  DL_FOREACH_SAFE(c->conns, conn, next) {
    if (conn->use_count == 0) {
      close_conn(c, conn);
    } else {
      settle_conn(c, conn);
    }
  }
  DL_FOREACH(c->conns, conn) {
    if (!conn->read_due || conn->pending_ack_count >= GXDS_PENDING_ACKS_MAX) continue;
    act(c, conn, GXDS_ACTION_READ);
    conn->read_due = false;
  }
  return c->actions.count > 0;
}
