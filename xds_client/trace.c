#include "xds_client/trace_internal.h"

#include <inttypes.h>

static bool is_on(const gxds_client *c) {
  return c->host && c->host->traces && c->host->traces(GXDS_TRACE_XDS_CLIENT);
}

static void begin(gxds_text *line, const gxds_bootstrap_server *server) {
  gxds_text_addf(line, "xds server %.*s: ", GXDS_STR_ARG(server->uri));
}

static void add_resource(gxds_text *line, const gxds_client *c, const gxds_entry *e) {
  gxds_text_addf(line, "%s ", c->types[e->type]->short_name);
  gxds_text_add_untrusted(line, gxds_entry_name(e), GXDS_RESOURCE_NAME_BYTES_MAX);
}

void gxds_trace_server(gxds_client *c, const gxds_bootstrap_server *server, const char *what) {
  if (!is_on(c)) return;
  gxds_text line = {0};
  begin(&line, server);
  gxds_text_add_z(&line, what);
  gxds_client_log(c, GXDS_INFO, &line);
}

void gxds_trace_stream(gxds_client *c, const gxds_conn *conn, const char *what) {
  if (!is_on(c)) return;
  gxds_text line = {0};
  begin(&line, conn->server);
  gxds_text_addf(&line, "ADS stream %" PRIu64 " (%s) %s", conn->stream,
                 conn->protocol == &gxds_protocol_delta ? "delta" : "state of the world", what);
  gxds_client_log(c, GXDS_INFO, &line);
}

void gxds_trace_retry(gxds_client *c, const gxds_conn *conn, gxds_duration wait) {
  if (!is_on(c)) return;
  gxds_text line = {0};
  begin(&line, conn->server);
  gxds_text_addf(&line, "the next ADS stream is opened in %" PRId64 " ms", wait / GXDS_MILLISECOND);
  gxds_client_log(c, GXDS_INFO, &line);
}

/* ---- requests and responses ---- */

static void add_name(gxds_text *line, gxds_str name, size_t *count) {
  if ((*count)++ >= GXDS_TRACED_NAMES_MAX) return;
  if (*count > 1) gxds_text_add_z(line, " ");
  gxds_text_add_untrusted(line, name, GXDS_RESOURCE_NAME_BYTES_MAX);
}

static void end_names(gxds_text *line, size_t count) {
  if (count > GXDS_TRACED_NAMES_MAX) {
    gxds_text_addf(line, " and %zu more", count - GXDS_TRACED_NAMES_MAX);
  }
  gxds_text_add_z(line, "]");
}

static void add_names(gxds_text *line, const gxds_conn *conn, const gxds_type_state *t) {
  bool delta = conn->protocol == &gxds_protocol_delta;
  size_t count = 0;
  gxds_text_add_z(line, delta ? " subscribe=[" : " names=[");
  for (const gxds_sub *sub = delta ? t->unsent : t->subs; sub != t->until; sub = sub->next) {
    add_name(line, gxds_entry_name(sub->entry), &count);
  }
  end_names(line, count);
  if (t->unsubscribing == 0) return;
  gxds_text_add_z(line, " unsubscribe=[");
  const gxds_dropped *d = t->dropped;
  for (count = 0; count < t->unsubscribing; d = d->hh.next) add_name(line, d->name, &count);
  end_names(line, count);
}

static void add_version(gxds_text *line, gxds_str version, gxds_str nonce) {
  gxds_text_add_z(line, " version=");
  gxds_text_add_untrusted(line, version, GXDS_LOGGED_BYTES_MAX);
  gxds_text_add_z(line, " nonce=");
  gxds_text_add_untrusted(line, nonce, GXDS_LOGGED_BYTES_MAX);
}

void gxds_trace_request(gxds_client *c, const gxds_conn *conn, size_t type) {
  if (!is_on(c)) return;
  const gxds_type_state *t = &conn->types[type];
  const gxds_pending_ack *ack = t->acking ? t->pending_acks : NULL;
  gxds_str errors = ack ? ack->errors : t->errors;
  gxds_text line = {0};
  begin(&line, conn->server);
  gxds_text_addf(&line, "sending request: type=%s", c->types[type]->short_name);
  add_version(&line, t->version, ack ? ack->nonce : t->nonce);
  add_names(&line, conn, t);
  if (errors.size) gxds_text_add_z(&line, " (NACK)");
  gxds_client_log(c, GXDS_INFO, &line);
}

void gxds_trace_response(gxds_client *c, const gxds_conn *conn, const gxds_response *response) {
  if (!is_on(c)) return;
  gxds_text line = {0};
  begin(&line, conn->server);
  gxds_text_add_z(&line, "received response: type=");
  gxds_text_add_untrusted(&line, gxds_type_name(response->type_url), GXDS_LOGGED_BYTES_MAX);
  add_version(&line, response->version, response->nonce);
  gxds_text_addf(&line, " resources=%zu", response->resource_count);
  if (response->removed_count) gxds_text_addf(&line, " removed=%zu", response->removed_count);
  if (response->error_count) gxds_text_addf(&line, " errors=%zu", response->error_count);
  gxds_client_log(c, GXDS_INFO, &line);
}

/* ---- resources ---- */

void gxds_trace_resource(gxds_client *c, const gxds_conn *conn, const gxds_entry *e,
                         const char *what, gxds_str version, gxds_str why) {
  if (!is_on(c)) return;
  gxds_text line = {0};
  begin(&line, conn->server);
  gxds_text_addf(&line, "%s ", what);
  add_resource(&line, c, e);
  gxds_text_add_z(&line, " version=");
  gxds_text_add_untrusted(&line, version, GXDS_LOGGED_BYTES_MAX);
  if (why.size) gxds_text_add_z(&line, ": ");
  gxds_text_add_untrusted(&line, why, GXDS_NACK_ERROR_BYTES_MAX);
  gxds_client_log(c, GXDS_INFO, &line);
}

void gxds_trace_wait(gxds_client *c, const gxds_sub *sub, gxds_duration wait) {
  if (!is_on(c)) return;
  gxds_text line = {0};
  begin(&line, gxds_sub_conn(sub)->server);
  gxds_text_add_z(&line, "waiting for ");
  add_resource(&line, c, sub->entry);
  gxds_text_addf(&line, ", %" PRId64 " ms at most", wait / GXDS_MILLISECOND);
  gxds_client_log(c, GXDS_INFO, &line);
}

void gxds_trace_watch(gxds_client *c, const gxds_watch *w, const char *what) {
  if (!is_on(c)) return;
  gxds_text line = {0};
  gxds_text_addf(&line, "watch %" PRIu64 " of ", gxds_watch_get_id(w));
  add_resource(&line, c, w->entry);
  gxds_text_addf(&line, " %s", what);
  gxds_client_log(c, GXDS_INFO, &line);
}
