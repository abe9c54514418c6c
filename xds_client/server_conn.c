/* One server: its channel, the life of its ADS stream, and what is asked for on it. */
#include "xds_client/trace_internal.h"

static bool lacks_delta(const gxds_client *c, const gxds_bootstrap_server *server) {
  for (size_t i = 0; i < c->without_delta_count; i++) {
    if (gxds_bootstrap_server_equal(c->without_delta[i], server)) return true;
  }
  return false;
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
  conn->counts->connected = true; /* A78: until it fails */
  conn->protocol = &gxds_protocol_sotw;
  if (server->delta && !lacks_delta(c, server)) conn->protocol = &gxds_protocol_delta;
  conn->retry.kind = GXDS_DEADLINE_RETRY;
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

static gxds_type_state *state_of(const gxds_sub *sub) {
  return &sub->conn->types[sub->entry->type];
}

gxds_sub *gxds_conn_find_sub(const gxds_conn *conn, const gxds_entry *e) {
  gxds_sub *sub = e->subs;
  while (sub && sub->conn != conn) sub = sub->next_of_entry;
  return sub;
}

/* ---- names that were given up ---- */

void gxds_type_forget_dropped(gxds_type_state *t, gxds_dropped *d) {
  HASH_DELETE(hh, t->dropped, d);
  gxds_str_free(&d->name);
  gxds_free(d);
}

gxds_dropped *gxds_type_find_dropped(const gxds_type_state *t, gxds_str name) {
  gxds_dropped *d = NULL;
  HASH_FIND(hh, t->dropped, name.data, name.size, d);
  return d;
}

static void remember_dropped(const gxds_conn *conn, gxds_type_state *t, gxds_str name) {
  if (gxds_type_find_dropped(t, name)) return;
  bool all_count = conn->protocol == &gxds_protocol_delta;
  if (!all_count && HASH_CNT(hh, t->dropped) >= GXDS_DROPPED_NAMES_MAX) {
    gxds_type_forget_dropped(t, t->dropped);
  }
  gxds_dropped *d = GXDS_NEW(gxds_dropped);
  d->name = gxds_str_dup(name);
  HASH_ADD_KEYPTR(hh, t->dropped, d->name.data, d->name.size, d);
}

static void forget_all_dropped(gxds_type_state *t) {
  while (t->dropped) gxds_type_forget_dropped(t, t->dropped);
}

static void set_again(gxds_sub *sub, bool again) {
  if (sub->again == again) return;
  sub->again = again;
  state_of(sub)->again_count += again ? 1 : (size_t)-1;
}

/* ---- subs ---- */

void gxds_type_forget_names(gxds_type_state *t) {
  gxds_block_unref(t->names);
  t->names = NULL;
}

void gxds_conn_subscribe(gxds_client *c, gxds_conn *conn, gxds_entry *e) {
  GXDS_CHECK(e->watch_count > 0);
  gxds_sub *old = gxds_conn_find_sub(conn, e);
  bool delta = conn->protocol == &gxds_protocol_delta;
  /* The server never heard that it was given up, and there is nothing to wait for. */
  if (delta && old && old->asked && (old->settled || !gxds_entry_is_awaited(e))) return;
  bool again = old && old->again;
  bool known = old && (old->asked || old->known);
  uint8_t word = old ? old->word : GXDS_WORD_NONE;
  if (old) old->asked = old->known = false; /* it is not given up */
  if (old) gxds_sub_destroy(c, old);
  gxds_sub *sub = GXDS_NEW(gxds_sub);
  sub->entry = e;
  sub->conn = conn;
  sub->known = known;
  sub->word = word;
  sub->wait_until = GXDS_TIME_NEVER;
  sub->timer.kind = GXDS_DEADLINE_SUB;
  LL_APPEND2(e->subs, sub, next_of_entry);
  gxds_type_state *t = state_of(sub);
  gxds_type_forget_names(t);
  DL_APPEND(t->subs, sub);
  if (!t->unsent) t->unsent = sub;
  t->dirty = true;
  t->sub_count++;
  conn->sub_count++;
  if (delta) return;
  gxds_dropped *dropped = gxds_type_find_dropped(t, e->name);
  set_again(sub, again || dropped);
  if (dropped) gxds_type_forget_dropped(t, dropped);
}

/* A57: that takes no more time than if it were said once. */
static void say_again(gxds_client *c, gxds_sub *sub) {
  gxds_entry *e = sub->entry;
  gxds_conn *conn = sub->conn;
  bool settled = sub->settled;
  bool waits = gxds_deadline_is_set(&sub->timer);
  gxds_time wait_until = waits ? gxds_deadlines_at(&c->deadlines, &sub->timer) : sub->wait_until;
  gxds_conn_subscribe(c, conn, e);
  sub = gxds_conn_find_sub(conn, e);
  sub->settled = settled;
  sub->wait_until = wait_until;
}

void gxds_conn_say_again(gxds_client *c, gxds_conn *conn, size_t type) {
  gxds_type_state *t = &conn->types[type];
  if (t->again_count == 0) return;
  gxds_sub *next;
  for (gxds_sub *sub = t->subs; sub && sub != t->unsent; sub = next) {
    next = sub->next;
    if (sub->again && sub->entry->watch_count > 0) say_again(c, sub);
  }
}

void gxds_sub_destroy(gxds_client *c, gxds_sub *sub) {
  gxds_entry *e = sub->entry;
  gxds_type_state *t = state_of(sub);
  gxds_type_forget_names(t);
  gxds_deadlines_cancel(&c->deadlines, &sub->timer);
  if (t->sending == sub) t->sending = sub->next == t->unsent ? NULL : sub->next;
  if (t->unsent == sub) t->unsent = sub->next;
  if ((sub->asked || sub->known) && sub->conn->stream) remember_dropped(sub->conn, t, e->name);
  set_again(sub, false);
  DL_DELETE(t->subs, sub);
  LL_DELETE2(e->subs, sub, next_of_entry);
  t->sub_count--;
  sub->conn->sub_count--;
  if (e->watch_count == 0) {
    t->leaving_count--;
    sub->conn->leaving_count--;
  }
  if (t->requested) t->dirty = true;
  gxds_free(sub);
  if (e->watch_count == 0 && e->subs == NULL) gxds_entry_destroy(c, e);
}

void gxds_entry_count_leaving(gxds_client *c, gxds_entry *e, bool leaving) {
  for (gxds_sub *sub = e->subs; sub; sub = sub->next_of_entry) {
    gxds_type_state *t = state_of(sub);
    t->leaving_count += leaving ? 1 : (size_t)-1;
    sub->conn->leaving_count += leaving ? 1 : (size_t)-1;
    t->dirty = true;
    if (leaving) gxds_deadlines_cancel(&c->deadlines, &sub->timer);
  }
}

void gxds_conn_purge(gxds_client *c, gxds_conn *conn, size_t type) {
  gxds_type_state *t = &conn->types[type];
  gxds_sub *sub = t->subs;
  while (t->leaving_count > 0) {
    gxds_sub *next = sub->next;
    if (sub->entry->watch_count == 0) gxds_sub_destroy(c, sub);
    sub = next;
  }
}

static void purge_all(gxds_client *c, gxds_conn *conn) {
  for (size_t i = 0; i < c->type_count; i++) gxds_conn_purge(c, conn, i);
}

void gxds_sub_mark_received(gxds_client *c, gxds_sub *received) {
  for (gxds_sub *sub = received->entry->subs; sub; sub = sub->next_of_entry) {
    gxds_deadlines_cancel(&c->deadlines, &sub->timer);
    if (sub->word) sub->word = GXDS_WORD_OVERRULED;
  }
  received->settled = true;
  received->word = GXDS_WORD_IN_FORCE;
  set_again(received, false);
}

static gxds_duration resource_timeout(const gxds_client *c, const gxds_conn *conn) {
  if (c->resource_timeout > 0) return c->resource_timeout;
  return (conn->server->resource_timer_is_transient_error ? 30 : 15) * GXDS_SECOND;
}

static void await(gxds_client *c, gxds_sub *sub, gxds_time now) {
  const gxds_entry *e = sub->entry;
  if (sub->settled || e->watch_count == 0 || !gxds_entry_is_awaited(e)) return;
  gxds_time at = gxds_time_after(now, resource_timeout(c, sub->conn));
  gxds_time until = at < sub->wait_until ? at : sub->wait_until;
  gxds_deadlines_set(&c->deadlines, &sub->timer, until);
  gxds_trace_wait(c, sub, until - now);
}

void gxds_conn_on_sent(gxds_client *c, gxds_conn *conn, gxds_time now) {
  if (conn->sending_type == GXDS_NO_TYPE) return;
  gxds_type_state *t = &conn->types[conn->sending_type];
  for (gxds_sub *sub = t->sending; sub && sub != t->unsent; sub = sub->next) {
    await(c, sub, now);
  }
  t->sending = NULL;
  conn->sending_type = GXDS_NO_TYPE;
}

void gxds_conn_await_kept(gxds_client *c, const gxds_conn *conn, gxds_time now) {
  for (size_t i = 0; i < c->type_count; i++) {
    const gxds_type_state *t = &conn->types[i];
    const gxds_sub *end = t->sending ? t->sending : t->unsent;
    for (gxds_sub *sub = t->subs; sub != end; sub = sub->next) {
      if (sub->entry->restored && !gxds_deadline_is_set(&sub->timer)) await(c, sub, now);
    }
  }
}

void gxds_sub_on_timer(gxds_client *c, gxds_sub *sub, gxds_time now) {
  const gxds_bootstrap_server *server = sub->conn->server;
  bool transient = server->resource_timer_is_transient_error;
  sub->settled = true;
  gxds_text message = {0};
  gxds_text_add_z(&message, transient ? "timeout obtaining resource"
                                      : "does not exist: the server did not send it");
  gxds_client_add_origin(c, server, &message);
  bool drop = !transient && server->fail_on_data_errors; /* what was kept, as if it were deleted */
  gxds_entry_fail(c, sub->entry, transient ? GXDS_RESOURCE_TIMEOUT : GXDS_RESOURCE_DOES_NOT_EXIST,
                  gxds_status_take(transient ? GXDS_UNAVAILABLE : GXDS_NOT_FOUND, &message),
                  gxds_str_of(NULL, 0), drop, now);
}

static void sync_all(gxds_client *c, const gxds_conn *conn) {
  for (size_t i = 0; i < c->authority_count; i++) {
    if (!gxds_authority_uses(&c->authorities[i], conn)) continue;
    gxds_entry *e;
    DL_FOREACH(c->authorities[i].entries, e) { gxds_entry_sync(c, e); }
  }
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
  gxds_actions_push(&c->actions, &a, gxds_str_of(NULL, 0), NULL);
}

static void close_stream(gxds_client *c, const gxds_conn *conn, const char *why) {
  gxds_trace_stream(c, conn, why);
  act(c, conn, GXDS_ACTION_CLOSE_STREAM);
}

/* What waits to be sent says "I have this" of some version. By the time the server hears it,
 * another server may have sent something else (A71), and it would be lost that this one never
 * answers. So it is asked anew, without. */
static void take_claims_back(gxds_client *c, gxds_conn *conn) {
  if (!conn->stream || !conn->claimed || conn->withheld || conn->got_response) return;
  close_stream(c, conn, "closed: it told versions that may not be in use any more");
  gxds_conn_lose_stream(c, conn);
}

/* ", unreachable since 2025-01-31T12:00:00Z": an RPC may fail by that an hour later (A88). */
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
  gxds_text message = {0};
  gxds_text_addf(&message, "xDS channel for server %.*s: ", GXDS_STR_ARG(conn->server->uri));
  gxds_text_add(&message, gxds_text_str(take_reason));
  gxds_text_fini(take_reason);
  take_claims_back(c, conn);
  gxds_text line = {0};
  gxds_text_add(&line, gxds_text_str(&message));
  add_since(c, conn->failed, &message);
  gxds_client_add_node(c, &message);
  gxds_status status = gxds_status_take(code, &message);
  bool known = conn->error && gxds_status_equal(&conn->error->status, &status);
  gxds_client_log(c, known ? GXDS_DEBUG : GXDS_ERROR, &line);
  if (known) {
    gxds_status_fini(&status);
  } else {
    gxds_shared_status *error = gxds_shared_status_create(status);
    gxds_shared_status_assign(&conn->error, error);
    gxds_shared_status_unref(error);
  }
  for (size_t i = 0; i < c->authority_count; i++) {
    if (gxds_authority_uses(&c->authorities[i], conn)) {
      gxds_authority_fall_back(c, &c->authorities[i]);
    }
  }
  sync_all(c, conn);
}

/* Also of what nobody watches: it may be watched again before it is given up. */
static bool is_overruled(const gxds_client *c, const gxds_conn *conn) {
  for (size_t i = 0; i < c->type_count; i++) {
    const gxds_sub *sub;
    DL_FOREACH(conn->types[i].subs, sub) {
      if (sub->word == GXDS_WORD_OVERRULED) return true;
    }
  }
  return false;
}

void gxds_conn_ask_anew(gxds_client *c, gxds_conn *conn) {
  if (!is_overruled(c, conn)) return;
  close_stream(c, conn,
               "closed: other servers took its place, and what they changed is asked anew");
  gxds_conn_lose_stream(c, conn);
}

void gxds_conn_heal(gxds_client *c, gxds_conn *conn, gxds_time now) {
  gxds_backoff_reset(&conn->backoff);
  conn->doubted = false;
  if (!conn->got_response) {
    gxds_text line = {0};
    gxds_text_addf(&line, "xds server %.*s: ADS stream is up", GXDS_STR_ARG(conn->server->uri));
    gxds_client_log(c, GXDS_INFO, &line);
  }
  conn->got_response = true;
  conn->counts->connected = true;
  bool failed = conn->error != NULL;
  gxds_shared_status_assign(&conn->error, NULL);
  for (size_t i = 0; i < c->authority_count; i++) {
    gxds_authority_recover(c, &c->authorities[i], conn, now);
  }
  if (failed) sync_all(c, conn);
}

void gxds_conn_lose_stream(gxds_client *c, gxds_conn *conn) {
  conn->stream = 0;
  conn->got_response = conn->claimed = conn->withheld = false;
  conn->read_due = conn->node_sent = false;
  conn->sending_type = GXDS_NO_TYPE;
  purge_all(c, conn);
  for (size_t i = 0; i < c->type_count; i++) {
    gxds_type_state *t = &conn->types[i];
    gxds_sub *sub;
    DL_FOREACH(t->subs, sub) {
      sub->settled = sub->asked = sub->known = false;
      sub->word = GXDS_WORD_NONE;
      sub->wait_until = GXDS_TIME_NEVER;
      set_again(sub, false);
      gxds_deadlines_cancel(&c->deadlines, &sub->timer);
    }
    t->unsent = t->subs;
    t->sending = NULL;
    t->dirty = t->sub_count > 0;
    t->requested = t->unanswered = t->begun = false;
    forget_all_dropped(t);
    gxds_str_free(&t->nonce);
    gxds_str_free(&t->errors);
    gxds_delta_forget_answers(conn, t);
  }
}

void gxds_conn_destroy(gxds_client *c, gxds_conn *conn) {
  conn->counts->connected = false;
  gxds_deadlines_cancel(&c->deadlines, &conn->retry);
  for (size_t i = 0; i < c->type_count; i++) {
    GXDS_CHECK(conn->types[i].subs == NULL);
    forget_all_dropped(&conn->types[i]);
    gxds_type_forget_names(&conn->types[i]);
    gxds_str_free(&conn->types[i].version);
    gxds_str_free(&conn->types[i].nonce);
    gxds_str_free(&conn->types[i].errors);
    gxds_delta_forget_answers(conn, &conn->types[i]);
  }
  gxds_shared_status_assign(&conn->error, NULL);
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

bool gxds_sub_may_claim(const gxds_sub *sub) {
  const gxds_entry *e = sub->entry;
  return e->state == GXDS_RESOURCE_ACKED && !e->restored &&
         gxds_bootstrap_server_equal(e->source, sub->conn->server); /* A71: it may be another's */
}

static void say(gxds_client *c, gxds_conn *conn, size_t type) {
  gxds_type_state *t = &conn->types[type];
  conn->protocol->plan(c, conn, type);
  gxds_trace_request(c, conn, type);
  gxds_action request = action_of(conn, GXDS_ACTION_SEND);
  request.rest = t->names;
  gxds_str head = conn->protocol->encode(c, conn, type, !conn->node_sent);
  gxds_actions_push(&c->actions, &request, head, NULL);
  conn->node_sent = true;
  conn->sending_type = type;
  conn->next_type = (type + 1) % c->type_count;
  if (t->unsent != t->until) t->sending = t->unsent;
  for (gxds_sub *sub = t->unsent; sub != t->until; sub = sub->next) {
    sub->asked = true;
    if (sub->claims) sub->word = GXDS_WORD_IN_FORCE; /* what is held is its own, it is told */
  }
  t->unsent = t->until;
  t->until = NULL;
  t->requested = true;
  conn->protocol->said(conn, type);
}

/* One request at most: the next waits for on_sent, and then says what is so then. Types take turns,
 * so that a busy one starves no other. */
static void say_next(gxds_client *c, gxds_conn *conn) {
  for (size_t i = 0; i < c->type_count; i++) {
    size_t type = (conn->next_type + i) % c->type_count;
    gxds_type_state *t = &conn->types[type];
    if (!t->dirty) continue;
    gxds_conn_purge(c, conn, type);
    if (conn->protocol->has_something_to_say(t)) {
      say(c, conn, type);
      return;
    }
    t->dirty = false;
  }
  conn->next_type = 0;
}

static void settle_conn(gxds_client *c, gxds_conn *conn) {
  if (!conn->connected) {
    gxds_trace_server(c, conn->server, "channel wanted");
    act(c, conn, GXDS_ACTION_CONNECT);
  }
  conn->connected = true;
  if (!conn->stream && !gxds_deadline_is_set(&conn->retry)) open_stream(c, conn);
  if (conn->stream && conn->sending_type == GXDS_NO_TYPE) say_next(c, conn);
}

bool gxds_client_settle(gxds_client *c) {
  gxds_conn *conn;
  gxds_conn *next;
  DL_FOREACH(c->conns, conn) {
    if (!conn->stream || conn->sub_count == conn->leaving_count) purge_all(c, conn);
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
    if (!conn->read_due || conn->answer_count >= GXDS_ANSWERS_MAX) continue;
    act(c, conn, GXDS_ACTION_READ);
    conn->read_due = false;
  }
  return c->actions.count > 0;
}
