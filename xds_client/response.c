/* Applies a response, in the same way for both protocols: updates the cache, notifies the watchers,
 * and decides on ACK or NACK. Error texts are the host's, because people's tools match on them. */
#include "base/upb.h"
#include "xds_client/response_internal.h"
#include "xds_client/trace_internal.h"

/* ---- what went ---- */

/* All deletions of one response make one line of the log. */
typedef struct deletions {
  size_t count;
  gxds_text line;
} deletions;

static void delete_entry(gxds_application *a, gxds_sub *sub, deletions *d) {
  const gxds_bootstrap_server *server = a->conn->server;
  gxds_entry *e = sub->entry;
  gxds_sub_mark_received(a->c, sub); /* the resource counts as received by this response, so there
                                        is nothing to wait for */
  if (d->count++ == 0) {
    gxds_text_addf(&d->line, "xds server %.*s: %s: %s ", GXDS_STR_ARG(server->uri),
                   e->resource ? "deleted" : "does not exist",
                   gxds_application_type(a)->short_name);
    gxds_text_add_untrusted(&d->line, gxds_entry_name(e), GXDS_RESOURCE_NAME_BYTES_MAX);
  }
  gxds_text message = {0};
  gxds_text_add_z(&message,
                  e->resource ? "resource deleted" : "does not exist: the server does not have it");
  gxds_entry_fail(a->c, e, GXDS_RESOURCE_DOES_NOT_EXIST,
                  gxds_client_error(a->c, GXDS_NOT_FOUND, &message, server), a->response->version,
                  server->fail_on_data_errors, a->now);
}

static void log_deletions(gxds_application *a, deletions *d) {
  if (d->count == 0) return;
  if (d->count > 1) gxds_text_addf(&d->line, " and %zu more", d->count - 1);
  gxds_client_log(a->c, GXDS_INFO, &d->line);
}

/* A88, xRFC TP3: the server can't send a resource, and reports why. The cached resource stays in
 * use, unless the error is a data error and the server has fail_on_data_errors. */
static void apply_error(gxds_application *a, gxds_entry *e, const gxds_resource_error *error) {
  const gxds_bootstrap_server *server = a->conn->server;
  gxds_code code =
      error->code <= GXDS_CODE_MAX && error->code > 0 ? (gxds_code)error->code : GXDS_UNKNOWN;
  bool of_data = code == GXDS_NOT_FOUND || code == GXDS_PERMISSION_DENIED;
  gxds_text message = {0};
  gxds_text_addf(&message, "xDS server %.*s reports: ", GXDS_STR_ARG(server->uri));
  gxds_text_add_untrusted(&message, error->message, GXDS_NACK_ERROR_BYTES_MAX);
  gxds_sub_mark_received(a->c, gxds_conn_find_sub(a->conn, e));
  gxds_trace_resource(a->c, a->conn, e, "error for", a->response->version, error->message);
  gxds_entry_fail(a->c, e, GXDS_RESOURCE_RECEIVED_ERROR,
                  gxds_client_error(a->c, code, &message, NULL), a->response->version,
                  of_data && server->fail_on_data_errors, a->now);
}

static void refuse_error(gxds_application *a, size_t index, gxds_str name, const char *why) {
  gxds_str message = gxds_str_format("resource_errors[%zu]: %s", index, why);
  gxds_application_add_error(a, index, name, message);
  gxds_str_free(&message);
}

static void apply_errors(gxds_application *a) {
  for (size_t i = 0; i < a->response->error_count; i++) {
    const gxds_resource_error *error = &a->response->errors[i];
    gxds_resource_name name;
    if (error->undecodable) {
      refuse_error(a, i, gxds_str_of(NULL, 0), "can't be decoded");
    } else if (!gxds_resource_name_init(&name, error->name,
                                        gxds_str_z(gxds_application_type(a)->type_url))) {
      refuse_error(a, i, gxds_str_of(NULL, 0), "resource_name.name is no name of this type");
    } else {
      gxds_entry *e = gxds_application_find(a, name.canonical);
      bool right = error->code != GXDS_OK;
      if (!right) refuse_error(a, i, error->name, "error_detail.code must not be OK");
      if (e && gxds_application_check_first(a, i, e, gxds_entry_name(e)) && right)
        apply_error(a, e, error);
      gxds_resource_name_fini(&name);
    }
  }
}

/* A27: a complete response lacks a resource that is in use. This applies only to names that were
 * requested on this stream, because a response has nothing about others. After a resource error
 * (xRFC TP3) absence means nothing, because a server sends the error once, and it holds until the
 * resource comes. A resource whose ttl ended counts too: the server has deleted it, so no other
 * server needs to be used for it (A71). */
static bool is_absent(const gxds_application *a, const gxds_sub *sub) {
  const gxds_entry *e = sub->entry;
  if (e->seen_in == a->c->response_serial) return false;
  if (!sub->requested && !sub->requested_before) return false;
  if (e->expired) return sub->settled;
  return e->resource && e->state != GXDS_RESOURCE_DOES_NOT_EXIST &&
         e->state != GXDS_RESOURCE_RECEIVED_ERROR;
}

/* Whether the response may be to a request before the one that subscribed to sub. It is not, if the
 * server has sent the resource on this stream, or if the type's first request had the name. */
static bool may_precede(const gxds_sub *sub) { return !sub->settled && !sub->requested_first; }

/* A resource that this server sent is deleted. If it is kept or comes from another server, and the
 * response may be to an earlier request, this is left to the does-not-exist timer. */
static void apply_absence(gxds_application *a) {
  deletions d = {0};
  gxds_sub *sub;
  DL_FOREACH(a->conn->types[a->type].subs, sub) {
    if (!is_absent(a, sub)) continue;
    const gxds_entry *e = sub->entry;
    bool of_this_server = !e->restored && e->source == sub->server + 1;
    if (!of_this_server && may_precede(sub)) {
      gxds_sub_await_replacement(a->c, sub, a->now);
    } else {
      delete_entry(a, sub, &d);
    }
  }
  log_deletions(a, &d);
}

/* A name that is both removed and among the resources of the response was deleted and then made
 * again. A name that is not requested again yet on this stream is ignored: the removal belongs to
 * the earlier subscription, and the next response has more. */
static void apply_removal(gxds_application *a, gxds_entry *e, deletions *d) {
  gxds_sub *sub = gxds_conn_find_sub(a->conn, e);
  if (!sub || !sub->requested || e->seen_in == a->c->response_serial) return;
  e->seen_in = a->c->response_serial;
  if (e->state == GXDS_RESOURCE_DOES_NOT_EXIST && !e->expired) {
    gxds_sub_mark_received(a->c, sub);
  } else {
    delete_entry(a, sub, d);
  }
}

/* Removes resources that came as aliases of removed names. One pass over the subscriptions, for any
 * number of removed names. */
static void remove_aliased(gxds_application *a, deletions *d) {
  if (a->c->alias_count == 0 || a->response->removed_count == 0) return;
  gxds_seen_name *gone = NULL;
  for (size_t i = 0; i < a->response->removed_count; i++) {
    gxds_str text = gxds_str_of(a->response->removed[i].data, a->response->removed[i].size);
    gxds_seen_name *n = NULL;
    HASH_FIND(hh, gone, text.data, text.size, n);
    if (n || text.size == 0) continue;
    n = gxds_arena_alloc(a->arena, sizeof *n);
    n->name = text;
    HASH_ADD_KEYPTR(hh, gone, n->name.data, n->name.size, n);
  }
  gxds_sub *sub;
  DL_FOREACH(a->conn->types[a->type].subs, sub) {
    gxds_str of = gxds_entry_alias_of(sub->entry);
    gxds_seen_name *n = NULL;
    if (of.size > 0) HASH_FIND(hh, gone, of.data, of.size, n);
    if (n) apply_removal(a, sub->entry, d);
  }
  HASH_CLEAR(hh, gone);
}

static void apply_removals(gxds_application *a) {
  deletions d = {0};
  for (size_t i = 0; i < a->response->removed_count; i++) {
    gxds_str text = gxds_str_of(a->response->removed[i].data, a->response->removed[i].size);
    gxds_resource_name name;
    if (!gxds_resource_name_init(&name, text, gxds_str_z(gxds_application_type(a)->type_url)))
      continue;
    gxds_entry *e = gxds_application_find(a, name.canonical);
    gxds_resource_name_fini(&name);
    if (e) apply_removal(a, e, &d);
  }
  remove_aliased(a, &d);
  log_deletions(a, &d);
}

static void acknowledge(gxds_application *a) {
  /* The host's rule: a response is accepted if anything in it could be used (A46). A server that
   * compares versions would send it again at once to a client that reports another version. */
  bool accepted = a->any_valid || a->error_count == 0;
  gxds_str errors = {0};
  if (a->error_count > 0) {
    if (a->error_count > a->listed_count) {
      gxds_text_addf(&a->errors, "; and %zu more", a->error_count - a->listed_count);
    }
    gxds_text_add_z(&a->errors, "]");
    gxds_text line = {0};
    gxds_text_addf(&line, "xds server %.*s: ADS response invalid for resource type %s version ",
                   GXDS_STR_ARG(a->conn->server->uri), gxds_application_type(a)->short_name);
    gxds_text_add_untrusted(&line, a->response->version, GXDS_LOGGED_BYTES_MAX);
    gxds_text_add_z(&line, ", will NACK: ");
    gxds_text_add(&line, gxds_text_str(&a->errors));
    gxds_client_log(a->c, GXDS_ERROR, &line);
    errors = gxds_text_take(&a->errors);
  }
  a->conn->protocol->acknowledge(a->conn, a->type, a->response, accepted, errors);
  a->conn->types[a->type].pending_write = true;
  gxds_conn_resubscribe(a->c, a->conn, a->type, a->response);
}

/* A78: resources that did not change count too. */
static void count_resource(const gxds_application *a, size_t errors_before) {
  gxds_update_counts *counts = &a->conn->counts->updates[a->type];
  if (a->error_count == errors_before) {
    counts->valid++;
  } else {
    counts->invalid++;
  }
}

#define TEXT_OF(x) #x
#define MORE_THAN(max) "more than " TEXT_OF(max)

const char gxds_too_many_resources[] =
    MORE_THAN(GXDS_RESOURCES_PER_RESPONSE_MAX) " resources or errors in one response";

/* Why the whole response is refused: it is over a limit. NULL if it is not. */
static const char *refused(const gxds_application *a) {
  if (a->response->version.size > GXDS_VERSION_BYTES_MAX) {
    return "a version of " MORE_THAN(GXDS_VERSION_BYTES_MAX) " bytes";
  }
  return a->response->refused;
}

static void apply_parts(gxds_application *a) {
  for (size_t i = 0; i < a->response->resource_count; i++) {
    size_t errors_before = a->error_count;
    gxds_application_apply_resource(a, i);
    count_resource(a, errors_before);
  }
  apply_errors(a);
  if (a->response->complete && gxds_application_type(a)->all_resources_required_in_sotw)
    apply_absence(a);
  apply_removals(a);
}

/* Entries keep only 32 bits of the serial. When these run out, entries could seem to be in a
 * response that does not have them, so they forget. */
static void start_serial(gxds_client *c) {
  if (++c->response_serial > 0) return;
  c->response_serial = 1;
  for (size_t i = 0; i < c->authority_count; i++) {
    gxds_entry *e;
    DL_FOREACH(c->authorities[i].entries, e) { e->seen_in = 0; }
  }
}

void gxds_response_apply(gxds_client *c, gxds_conn *conn, size_t type,
                         const gxds_response *response, gxds_time now) {
  gxds_application a = {.c = c, .conn = conn, .type = type, .response = response, .now = now};
  a.arena = gxds_arena_create();
  start_serial(c);
  gxds_conn_on_response(c, conn, now);
  const char *why = refused(&a);
  if (why) {
    a.error_count = a.listed_count = 1;
    gxds_text_addf(&a.errors, "xDS response validation errors: [%s", why);
  } else {
    apply_parts(&a);
  }
  acknowledge(&a);
  if (conn->returned) gxds_conn_reopen_if_overruled(c, conn);
  conn->returned = false;
  HASH_CLEAR(hh, a.unsolicited);
  upb_Arena_Free(a.arena);
}
