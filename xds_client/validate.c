/* Checks all invariants of the engine, with a walk over everything that it has. */
#include "xds_client/client_internal.h"

static void check_entry_state(const gxds_entry *e) {
  bool failed = gxds_entry_failure(e) != NULL;
  switch (e->state) {
    case GXDS_RESOURCE_REQUESTED:
      GXDS_CHECK(!e->resource && !failed);
      break;
    case GXDS_RESOURCE_ACKED:
      GXDS_CHECK(e->resource && e->restored == failed);
      break;
    case GXDS_RESOURCE_TIMEOUT:
      GXDS_CHECK(failed && (!e->resource || e->authority->server_count > 1 || e->restored));
      break;
    default:
      GXDS_CHECK(failed);
      break;
  }
  GXDS_CHECK((e->resource != NULL) == (e->source > 0));
  GXDS_CHECK(e->resource || (!e->text && e->bytes_size == 0 && e->version_size == 0));
  GXDS_CHECK(e->resource || (!gxds_deadline_is_set(&e->ttl) && gxds_entry_alias_of(e).size == 0));
  GXDS_CHECK(e->resource || gxds_entry_wrapper_version(e).size == 0);
  GXDS_CHECK(!e->rare || failed || gxds_entry_alias_of(e).size > 0 ||
             gxds_entry_wrapper_version(e).size > 0);
  GXDS_CHECK(!e->expired || (!e->resource && e->state == GXDS_RESOURCE_DOES_NOT_EXIST));
  GXDS_CHECK(!e->unnotified); /* the watchers were notified of everything */
  GXDS_CHECK(e->notified == gxds_entry_error(e) || (e->looking_up && !e->resource));
  GXDS_CHECK(!e->restored || e->resource);
  GXDS_CHECK(!e->notified || e->notified_data_error == (e->resource == NULL));
}

static void check_entry(const gxds_client *c, const gxds_entry *e) {
  check_entry_state(e);
  size_t watches = 0;
  size_t own = 0;
  const gxds_watch *w;
  DL_FOREACH(e->watches, w) {
    GXDS_CHECK(w->entry == e);
    watches++;
    own += w == &e->own_watch;
  }
  GXDS_CHECK(watches == e->watch_count);
  GXDS_CHECK(own == (e->own_watch.entry != NULL));
  size_t subs = 0;
  for (const gxds_sub *sub = e->subs; sub; sub = sub->next_of_entry) {
    GXDS_CHECK(sub->entry == e && gxds_authority_uses(e->authority, gxds_sub_conn(sub)));
    subs++;
  }
  /* Watched resources are subscribed to on every server in use. */
  GXDS_CHECK(watches == 0 ? subs > 0 : subs == e->authority->conn_count);
  GXDS_CHECK(gxds_entry_find(c, e->type, gxds_entry_name(e)) == e);
}

static void check_type(const gxds_conn *conn, size_t type) {
  const gxds_type_state *t = &conn->types[type];
  size_t count = 0;
  size_t leaving = 0;
  size_t resubscribed = 0;
  int part = 0; /* the part of the list: requested, sending or unsent */
  const gxds_sub *sub;
  DL_FOREACH(t->subs, sub) {
    const gxds_entry *e = sub->entry;
    count++;
    leaving += e->watch_count == 0;
    if (sub == t->sending) part = 1;
    if (sub == t->unsent) part = 2;
    GXDS_CHECK(gxds_sub_conn(sub) == conn && e->type == type);
    GXDS_CHECK(sub->requested == (part < 2));
    resubscribed += sub->resubscribed;
    GXDS_CHECK(conn->stream || sub->sent_state == GXDS_SENT_NOTHING);
    GXDS_CHECK(sub->on_its_way == (part == 0));
    if (!gxds_deadline_is_set(&sub->timer)) continue;
    /* A57: the timer does not start before the request is on its way. */
    GXDS_CHECK(conn->stream && (sub->on_its_way || sub->repeats > 0));
    GXDS_CHECK(!sub->settled && e->watch_count > 0);
    GXDS_CHECK(!e->resource || e->restored || e->source != sub->server + 1);
  }
  GXDS_CHECK(count == t->sub_count && leaving == t->leaving_count);
  GXDS_CHECK(part == (t->unsent ? 2 : t->sending ? 1 : 0));
  GXDS_CHECK(!t->sending || conn->sending_type == type);
  GXDS_CHECK(!t->unsent || t->pending_write); /* unsent subs have a request pending */
  GXDS_CHECK(resubscribed == t->resubscribed_count && !t->until && t->unsubscribing == 0);
  GXDS_CHECK(conn->stream || (!t->dropped && !t->unacked && resubscribed == 0));
  size_t pending_acks = 0;
  const gxds_pending_ack *ack;
  DL_COUNT(t->pending_acks, ack, pending_acks);
  GXDS_CHECK(pending_acks <= conn->pending_ack_count);
  if (conn->protocol == &gxds_protocol_delta) {
    GXDS_CHECK(resubscribed == 0 && t->nonce.size == 0 && t->version.size == 0);
    GXDS_CHECK(t->pending_write || (!t->dropped && !t->pending_acks));
    GXDS_CHECK(!t->names);
  } else {
    GXDS_CHECK(pending_acks == 0);
  }
  GXDS_CHECK(conn->stream || pending_acks == 0);
  GXDS_CHECK(conn->stream || (!t->requested && t->nonce.size == 0 && t->errors.size == 0));
  GXDS_CHECK(t->seen_version.size == 0 || (conn->stream && conn->protocol == &gxds_protocol_sotw));
}

static void check_conn(const gxds_client *c, const gxds_conn *conn) {
  size_t subs = 0;
  size_t leaving = 0;
  for (size_t i = 0; i < c->type_count; i++) {
    check_type(conn, i);
    subs += conn->types[i].sub_count;
    leaving += conn->types[i].leaving_count;
  }
  GXDS_CHECK(subs == conn->sub_count && leaving == conn->leaving_count);
  size_t uses = 0;
  for (size_t i = 0; i < c->authority_count; i++) {
    uses += gxds_authority_uses(&c->authorities[i], conn);
  }
  GXDS_CHECK(uses == conn->use_count);
  GXDS_CHECK(conn->stream ? conn->connected : conn->sending_type == GXDS_NO_TYPE);
  GXDS_CHECK(!conn->stream || !gxds_deadline_is_set(&conn->retry));
  GXDS_CHECK(conn->stream || (!conn->got_response && !conn->read_due && !conn->node_sent));
  GXDS_CHECK(conn->stream || (!conn->kept_quiet && !conn->sent_versions && conn->sent == 0));
  GXDS_CHECK(!gxds_deadline_is_set(&conn->quiet) || (conn->sent_versions && !conn->got_response));
}

static void check_authority(const gxds_client *c, const gxds_authority *a) {
  size_t entries = 0;
  const gxds_entry *e;
  DL_FOREACH(a->entries, e) {
    GXDS_CHECK(e->authority == a);
    check_entry(c, e);
    entries++;
  }
  GXDS_CHECK(entries == a->entry_count);
  GXDS_CHECK(entries == 0 || a->conn_count > 0);
  GXDS_CHECK(a->conn_count <= a->server_count);
  for (size_t i = 0; i < a->conn_count; i++) {
    GXDS_CHECK(gxds_bootstrap_server_equal(a->conns[i]->server, a->servers[i]));
  }
}

void gxds_client_validate(const gxds_client *c) {
  size_t entries = 0;
  size_t watches = 0;
  for (size_t i = 0; i < c->authority_count; i++) {
    const gxds_authority *a = &c->authorities[i];
    check_authority(c, a);
    entries += a->entry_count;
  }
  for (size_t i = 0; i < c->type_count; i++) entries -= c->by_name[i].count;
  GXDS_CHECK(entries == 0);
  const gxds_conn *conn;
  DL_FOREACH(c->conns, conn) { check_conn(c, conn); }
  const gxds_index_link *l = NULL;
  while ((l = gxds_index_next(&c->watches, l)) != NULL) watches++;
  GXDS_CHECK(watches == gxds_client_watch_count(c));
  gxds_deadlines_validate(&c->deadlines);
}
