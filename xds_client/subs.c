/* What is requested on the stream of one server. */
#include "xds_client/trace_internal.h"

static gxds_type_state *state_of(const gxds_sub *sub) {
  return &gxds_sub_conn(sub)->types[sub->entry->type];
}

gxds_sub *gxds_conn_find_sub(const gxds_conn *conn, const gxds_entry *e) {
  gxds_sub *sub = e->subs;
  while (sub && gxds_sub_conn(sub) != conn) sub = sub->next_of_entry;
  return sub;
}

static uint8_t place_of(const gxds_authority *a, const gxds_conn *conn) {
  size_t i = 0;
  while (i < a->conn_count && a->conns[i] != conn) i++;
  GXDS_CHECK(i < a->conn_count);
  return (uint8_t)i;
}

/* ---- names that were dropped ---- */

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

static void set_resubscribed(gxds_sub *sub, bool resubscribed) {
  if (sub->resubscribed == resubscribed) return;
  sub->resubscribed = resubscribed;
  state_of(sub)->resubscribed_count += resubscribed ? 1 : (size_t)-1;
}

/* ---- their lives ---- */

void gxds_type_forget_names(gxds_type_state *t) {
  gxds_block_unref(t->names);
  t->names = NULL;
}

void gxds_conn_subscribe(gxds_client *c, gxds_conn *conn, gxds_entry *e) {
  GXDS_CHECK(e->watch_count > 0);
  gxds_sub *old = gxds_conn_find_sub(conn, e);
  bool delta = conn->protocol == &gxds_protocol_delta;
  /* The server never saw an unsubscription, and no timer needs to start: the old sub stays. */
  if (delta && old && old->requested && (old->settled || !gxds_entry_is_awaited(e))) return;
  bool resubscribed = old && old->resubscribed;
  bool known = old && (old->requested || old->requested_before);
  bool first = old && old->requested_first;
  uint8_t sent_state = old ? old->sent_state : GXDS_SENT_NOTHING;
  /* The name of the old sub is not dropped. */
  if (old) {
    old->requested = old->requested_before = false;
    set_resubscribed(old, false);
    gxds_sub_destroy(c, old);
  }
  gxds_sub *sub = GXDS_NEW(gxds_sub);
  sub->entry = e;
  sub->server = place_of(e->authority, conn);
  sub->requested_before = known;
  sub->requested_first = first;
  sub->sent_state = sent_state;
  sub->timer.kind = GXDS_DEADLINE_SUB;
  LL_APPEND2(e->subs, sub, next_of_entry);
  gxds_type_state *t = state_of(sub);
  gxds_type_forget_names(t);
  DL_APPEND(t->subs, sub);
  if (!t->unsent) t->unsent = sub;
  t->pending_write = true;
  t->sub_count++;
  conn->sub_count++;
  if (delta) return;
  gxds_dropped *dropped = gxds_type_find_dropped(t, gxds_entry_name(e));
  set_resubscribed(sub, resubscribed || dropped);
  if (dropped) gxds_type_forget_dropped(t, dropped);
}

/* Requests the resource once more. A57: the does-not-exist timer still counts from the first
 * request. */
static void resubscribe(gxds_client *c, gxds_sub *sub) {
  gxds_entry *e = sub->entry;
  gxds_conn *conn = gxds_sub_conn(sub);
  uint8_t times = sub->repeats;
  bool settled = sub->settled;
  bool overdue = sub->overdue;
  bool waits = gxds_deadline_is_set(&sub->timer);
  gxds_time until = waits ? gxds_deadlines_at(&c->deadlines, &sub->timer) : 0;
  gxds_conn_subscribe(c, conn, e);
  sub = gxds_conn_find_sub(conn, e);
  sub->settled = settled;
  sub->overdue = overdue;
  sub->repeats = times + 1;
  if (waits) gxds_deadlines_set(&c->deadlines, &sub->timer, until);
}

/* Whether the response has resources, and other ones than the response before. (Only called while
 * there are names that were subscribed to again.) */
static bool has_changed(gxds_type_state *t, const gxds_response *response) {
  uint64_t sum = 0; /* a sum, so that the order of resources does not matter */
  for (size_t i = 0; i < response->resource_count; i++) {
    sum += gxds_hash_of_bytes(response->resources[i].bytes);
  }
  bool changed = response->resource_count > 0 && sum != t->last_sum;
  t->last_sum = sum;
  return changed;
}

/* A response that lacks a resubscribed name may have crossed the request for it; or it is the
 * response to that request, from a server that lacks the resource. So the name is requested once
 * more. Some servers respond to that request too. A response with nothing new ends this, or client
 * and server would continue for ever. */
void gxds_conn_resubscribe(gxds_client *c, gxds_conn *conn, size_t type,
                           const gxds_response *response) {
  gxds_type_state *t = &conn->types[type];
  if (t->resubscribed_count == 0) return;
  bool changed = has_changed(t, response);
  gxds_sub *next;
  for (gxds_sub *sub = t->subs; sub && sub != t->unsent; sub = next) {
    next = sub->next;
    if (!sub->resubscribed || sub->entry->watch_count == 0) continue;
    if (sub->repeats >= GXDS_SUBSCRIPTION_REPEATS_MAX) {
      set_resubscribed(sub, false);
    } else if (sub->repeats == 0 || changed) {
      resubscribe(c, sub);
    }
  }
}

void gxds_sub_destroy(gxds_client *c, gxds_sub *sub) {
  gxds_entry *e = sub->entry;
  gxds_conn *conn = gxds_sub_conn(sub);
  gxds_type_state *t = state_of(sub);
  gxds_type_forget_names(t);
  gxds_deadlines_cancel(&c->deadlines, &sub->timer);
  if (t->sending == sub) t->sending = sub->next == t->unsent ? NULL : sub->next;
  if (t->unsent == sub) t->unsent = sub->next;
  /* A resubscribed name is dropped still, if it was not requested again yet. */
  if ((sub->requested || sub->requested_before || sub->resubscribed) && conn->stream)
    remember_dropped(conn, t, gxds_entry_name(e));
  set_resubscribed(sub, false);
  DL_DELETE(t->subs, sub);
  LL_DELETE2(e->subs, sub, next_of_entry);
  t->sub_count--;
  conn->sub_count--;
  if (e->watch_count == 0) {
    t->leaving_count--;
    conn->leaving_count--;
  }
  if (t->requested) t->pending_write = true;
  gxds_free(sub);
  if (e->watch_count == 0 && e->subs == NULL) gxds_entry_destroy(c, e);
}

void gxds_entry_count_leaving(gxds_client *c, gxds_entry *e, bool leaving) {
  for (gxds_sub *sub = e->subs; sub; sub = sub->next_of_entry) {
    gxds_type_state *t = state_of(sub);
    t->leaving_count += leaving ? 1 : (size_t)-1;
    gxds_sub_conn(sub)->leaving_count += leaving ? 1 : (size_t)-1;
    t->pending_write = true;
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

void gxds_conn_purge_all(gxds_client *c, gxds_conn *conn) {
  for (size_t i = 0; i < c->type_count; i++) gxds_conn_purge(c, conn, i);
}

void gxds_sub_mark_received(gxds_client *c, gxds_sub *received) {
  for (gxds_sub *sub = received->entry->subs; sub; sub = sub->next_of_entry) {
    gxds_deadlines_cancel(&c->deadlines, &sub->timer);
    if (sub->sent_state) {
      sub->sent_state = GXDS_SENT_OVERRULED;
    } else {
      sub->settled = false; /* if its timer fired, that was for what the entry was then */
    }
  }
  received->settled = true;
  received->sent_state = GXDS_SENT_IN_USE;
  set_resubscribed(received, false);
}

/* ---- their timers ---- */

gxds_duration gxds_conn_timeout(const gxds_client *c, const gxds_conn *conn) {
  if (c->resource_timeout > 0) return c->resource_timeout;
  return (conn->server->resource_timer_is_transient_error ? 30 : 15) * GXDS_SECOND;
}

static void start_timer(gxds_client *c, gxds_sub *sub, gxds_time now) {
  if (!gxds_deadline_is_set(&sub->timer)) {
    gxds_duration timeout = sub->overdue ? 0 : gxds_conn_timeout(c, gxds_sub_conn(sub));
    gxds_deadlines_set(&c->deadlines, &sub->timer, gxds_time_after(now, timeout));
  }
  sub->overdue = false;
  gxds_trace_wait(c, sub, gxds_deadlines_at(&c->deadlines, &sub->timer) - now);
}

static void await(gxds_client *c, gxds_sub *sub, gxds_time now) {
  const gxds_entry *e = sub->entry;
  if (!sub->settled && e->watch_count > 0 && gxds_entry_is_awaited(e)) start_timer(c, sub, now);
}

void gxds_sub_await_replacement(gxds_client *c, gxds_sub *sub, gxds_time now) {
  bool waits = sub->on_its_way && sub->entry->watch_count > 0;
  if (waits && !gxds_deadline_is_set(&sub->timer)) start_timer(c, sub, now);
}

void gxds_conn_on_sent(gxds_client *c, gxds_conn *conn, gxds_time now) {
  if (conn->sending_type == GXDS_NO_TYPE) return;
  gxds_type_state *t = &conn->types[conn->sending_type];
  for (gxds_sub *sub = t->sending; sub && sub != t->unsent; sub = sub->next) {
    sub->on_its_way = true;
    await(c, sub, now);
  }
  t->sending = NULL;
  conn->sending_type = GXDS_NO_TYPE;
  if (conn->sent == 0) conn->sent = now;
  gxds_conn_await_silence(c, conn, now);
}

void gxds_conn_await_replacements(gxds_client *c, const gxds_conn *conn, gxds_time now) {
  for (size_t i = 0; i < c->type_count; i++) {
    const gxds_type_state *t = &conn->types[i];
    const gxds_sub *end = t->sending ? t->sending : t->unsent;
    for (gxds_sub *sub = t->subs; sub != end; sub = sub->next) {
      const gxds_entry *e = sub->entry;
      bool known_not_to_exist = !e->resource && gxds_entry_is_cached(e);
      if (!known_not_to_exist && !gxds_deadline_is_set(&sub->timer)) await(c, sub, now);
    }
  }
}

void gxds_sub_on_timer(gxds_client *c, gxds_sub *sub, gxds_time now) {
  const gxds_bootstrap_server *server = gxds_sub_conn(sub)->server;
  bool transient = server->resource_timer_is_transient_error;
  sub->settled = true;
  set_resubscribed(sub, false);
  gxds_text message = {0};
  gxds_text_add_z(&message, transient ? "timeout obtaining resource"
                                      : "does not exist: the server did not send it");
  bool drop =
      !transient &&
      server->fail_on_data_errors; /* a kept resource is dropped as if it had been deleted */
  gxds_entry_fail(
      c, sub->entry, transient ? GXDS_RESOURCE_TIMEOUT : GXDS_RESOURCE_DOES_NOT_EXIST,
      gxds_client_error(c, transient ? GXDS_UNAVAILABLE : GXDS_NOT_FOUND, &message, server),
      gxds_str_of(NULL, 0), drop, now);
}

/* ---- with the stream ---- */

bool gxds_sub_may_send_version(const gxds_sub *sub) {
  const gxds_entry *e = sub->entry;
  /* A71: another server may have sent the resource. */
  return e->state == GXDS_RESOURCE_ACKED && !e->restored && e->source == sub->server + 1;
}

void gxds_subs_lose_stream(gxds_client *c, gxds_conn *conn) {
  gxds_conn_purge_all(c, conn);
  for (size_t i = 0; i < c->type_count; i++) {
    gxds_type_state *t = &conn->types[i];
    gxds_sub *sub;
    DL_FOREACH(t->subs, sub) {
      sub->settled = sub->requested = sub->requested_before = sub->sends_version = false;
      sub->requested_first = sub->on_its_way = sub->overdue = false;
      sub->sent_state = GXDS_SENT_NOTHING;
      set_resubscribed(sub, false);
      gxds_deadlines_cancel(&c->deadlines, &sub->timer);
    }
    t->unsent = t->subs;
    t->sending = NULL;
    t->pending_write = t->sub_count > 0;
    forget_all_dropped(t);
  }
}

void gxds_subs_fini(gxds_type_state *t) {
  GXDS_CHECK(t->subs == NULL);
  forget_all_dropped(t);
  gxds_type_forget_names(t);
}
