/* Authorities (A47), and which of their servers are in use (A71). */
#include "xds_client/trace_internal.h"

void gxds_authority_init(gxds_authority *a, const gxds_bootstrap *bootstrap,
                         const gxds_bootstrap_authority *config) {
  const gxds_bootstrap_server *const *servers = config ? config->servers : bootstrap->servers;
  size_t count = config ? config->server_count : bootstrap->server_count;
  *a = (gxds_authority){.config = config, .restore_at.kind = GXDS_DEADLINE_RESTORE};
  a->servers = gxds_calloc(count, sizeof(gxds_bootstrap_server *));
  a->conns = gxds_calloc(count, sizeof(gxds_conn *));
  for (size_t i = 0; i < count; i++) {
    bool listed = false;
    for (size_t j = 0; j < a->server_count; j++) {
      listed = listed || gxds_bootstrap_server_equal(a->servers[j], servers[i]);
    }
    if (!listed) a->servers[a->server_count++] = servers[i];
  }
  /* The places of servers are kept in a byte. The bootstrap has at most 100. */
  GXDS_CHECK(a->server_count > 0 && a->server_count < UINT8_MAX);
}

size_t gxds_authority_place_of(const gxds_authority *a, const gxds_bootstrap_server *server) {
  size_t i = 0;
  while (i < a->server_count && !gxds_bootstrap_server_equal(a->servers[i], server)) i++;
  return i;
}

void gxds_authority_fini(gxds_client *c, gxds_authority *a) {
  gxds_deadlines_cancel(&c->deadlines, &a->restore_at);
  gxds_free((void *)a->servers);
  gxds_free(a->conns);
}

gxds_authority *gxds_authority_find(gxds_client *c, const gxds_resource_name *name) {
  if (!name->federated) return &c->authorities[0];
  const gxds_bootstrap_authority *config =
      gxds_bootstrap_find_authority(c->bootstrap, name->authority);
  return config ? &c->authorities[1 + (config - c->bootstrap->authorities)] : NULL;
}

bool gxds_authority_uses(const gxds_authority *a, const gxds_conn *conn) {
  for (size_t i = 0; i < a->conn_count; i++) {
    if (a->conns[i] == conn) return true;
  }
  return false;
}

static void use_next_server(gxds_client *c, gxds_authority *a) {
  gxds_conn *conn = gxds_conn_get(c, a->servers[a->conn_count]);
  a->conns[a->conn_count++] = conn;
  conn->use_count++;
}

void gxds_authority_subscribe(gxds_client *c, gxds_authority *a, gxds_entry *e) {
  if (a->conn_count == 0) use_next_server(c, a);
  for (size_t i = 0; i < a->conn_count; i++) gxds_conn_subscribe(c, a->conns[i], e);
}

static bool lacks_a_resource(const gxds_authority *a) {
  const gxds_entry *e;
  DL_FOREACH(a->entries, e) {
    if (e->watch_count > 0 && !gxds_entry_is_cached(e)) return true;
  }
  return false;
}

static bool may_respond(const gxds_conn *conn, bool hopeful) {
  return !conn->error || (hopeful && gxds_deadline_is_set(&conn->quiet));
}

static bool wants_next_server(const gxds_authority *a) {
  if (may_respond(a->conns[a->conn_count - 1], true)) return false;
  if (a->config && a->config->fallback_on_reachability_only) return true; /* A95 */
  return lacks_a_resource(a);
}

void gxds_authority_fall_back(gxds_client *c, gxds_authority *a) {
  size_t before = a->conn_count;
  while (a->conn_count > 0 && a->conn_count < a->server_count && wants_next_server(a)) {
    use_next_server(c, a);
    gxds_conn *conn = a->conns[a->conn_count - 1];
    gxds_entry *e;
    DL_FOREACH(a->entries, e) {
      if (e->watch_count > 0) gxds_conn_subscribe(c, conn, e);
    }
    gxds_text line = {0};
    gxds_text_addf(&line, "xds server %.*s: falling back to %.*s",
                   GXDS_STR_ARG(a->servers[a->conn_count - 2]->uri),
                   GXDS_STR_ARG(conn->server->uri));
    gxds_client_log(c, GXDS_INFO, &line);
  }
  if (a->conn_count == a->server_count && gxds_authority_error(a, false))
    gxds_authority_restore(c, a);
  if (a->conn_count == before) return;
  gxds_entry *e; /* the next server may respond: watchers that were notified of the outage are
                    notified that it is over */
  DL_FOREACH(a->entries, e) { gxds_entry_sync(c, e); }
}

static void give_up_last_server(gxds_client *c, gxds_authority *a) {
  gxds_conn *conn = a->conns[--a->conn_count];
  gxds_trace_server(c, conn->server, "not used any more: one before it in the list responds again");
  gxds_entry *e;
  gxds_entry *next;
  DL_FOREACH_SAFE(a->entries, e, next) {
    gxds_sub *sub = gxds_conn_find_sub(conn, e);
    if (sub) gxds_sub_destroy(c, sub);
  }
  conn->use_count--;
}

void gxds_authority_recover(gxds_client *c, gxds_authority *a, gxds_conn *conn, gxds_time now) {
  if (!gxds_authority_uses(a, conn)) return;
  gxds_authority_on_response(c, a, now);
  if (a->conns[a->conn_count - 1] == conn) return;
  conn->returned = true;
  while (a->conns[a->conn_count - 1] != conn) give_up_last_server(c, a);
  for (size_t i = 0; i < a->conn_count; i++) gxds_conn_await_replacements(c, a->conns[i], now);
}

void gxds_authority_release_unused(gxds_client *c, gxds_authority *a) {
  if (a->entry_count > 0) return;
  gxds_deadlines_cancel(&c->deadlines, &a->restore_at);
  a->restoring = false;
  while (a->conn_count > 0) a->conns[--a->conn_count]->use_count--;
}

bool gxds_conn_has_fallback(const gxds_client *c, const gxds_conn *conn) {
  for (size_t i = 0; i < c->authority_count; i++) {
    const gxds_authority *a = &c->authorities[i];
    if (gxds_authority_uses(a, conn) && a->conns[a->conn_count - 1] != conn) return true;
  }
  return false;
}

const gxds_error *gxds_authority_error(const gxds_authority *a, bool hopeful) {
  for (size_t i = 0; i < a->conn_count; i++) {
    if (may_respond(a->conns[i], hopeful)) return NULL;
  }
  return a->conn_count ? a->conns[a->conn_count - 1]->error : NULL;
}
