/* What a response does: to the cache, to the watchers, and to what is said back. The same for every
 * protocol. Texts are the host's, since people's tools match on them. */
#include "upb/upb.h"
#include "xds_client/client_internal.h"
#include "xds_client/trace_internal.h"

typedef struct seen_name {
  gxds_str name;
  UT_hash_handle hh;
} seen_name;

typedef struct application {
  gxds_client *c;
  gxds_conn *conn;
  size_t type;
  const gxds_response *response;
  gxds_time now;
  upb_Arena *arena;
  seen_name *unsolicited; /* names in this response that nobody asked for */
  size_t error_count;
  size_t told_count; /* of them: those in errors */
  gxds_text errors;
  bool any_valid;
} application;

static const gxds_resource_type *type_of(const application *a) { return a->c->types[a->type]; }

/* "xDS response validation errors: [resource index 0: NAME: MESSAGE; resource index 2: …]" */
static void add_error(application *a, size_t index, gxds_str name, gxds_str message) {
  a->error_count++;
  if (a->told_count >= GXDS_NACK_ERRORS_MAX || a->errors.size > GXDS_NACK_BYTES_MAX) return;
  a->told_count++;
  gxds_text_add_z(&a->errors, a->errors.size ? "; " : "xDS response validation errors: [");
  gxds_text_addf(&a->errors, "resource index %zu: ", index);
  if (name.size) {
    gxds_text_add_untrusted(&a->errors, name, GXDS_NACK_ERROR_BYTES_MAX);
    gxds_text_add_z(&a->errors, ": ");
  }
  gxds_text_add_untrusted(&a->errors, message, GXDS_NACK_ERROR_BYTES_MAX);
}

/* Why not is added to *why. */
static bool has_right_type(const application *a, const gxds_response_resource *r, gxds_text *why) {
  gxds_str wanted = gxds_type_name(gxds_str_z(type_of(a)->type_url));
  gxds_str actual = gxds_type_name(r->type_url);
  if (gxds_str_equal(actual, wanted)) return true;
  gxds_text_add_z(why, "incorrect resource type ");
  gxds_text_add_untrusted(why, actual, GXDS_LOGGED_BYTES_MAX);
  gxds_text_addf(why, " (should be %.*s)", GXDS_STR_ARG(wanted));
  if (gxds_str_equal(actual, gxds_type_name(gxds_str_z(type_of(a)->v2_type_url)))) {
    gxds_text_add_z(why, ": the xDS v2 API is not supported");
  }
  return false;
}

/* Whether this response has not had that name yet. */
static bool is_first(application *a, gxds_entry *e, gxds_str canonical) {
  if (e) {
    bool first = e->seen_in != a->c->response_serial;
    e->seen_in = a->c->response_serial;
    return first;
  }
  seen_name *seen = NULL;
  HASH_FIND(hh, a->unsolicited, canonical.data, canonical.size, seen);
  if (seen) return false;
  seen = upb_Arena_Malloc(a->arena, sizeof *seen);
  char *copy = upb_Arena_Malloc(a->arena, canonical.size + 1);
  GXDS_CHECK(seen != NULL && copy != NULL);
  memcpy(copy, canonical.data, canonical.size);
  seen->name = gxds_str_of(copy, canonical.size);
  HASH_ADD_KEYPTR(hh, a->unsolicited, seen->name.data, seen->name.size, seen);
  return true;
}

static bool check_first(application *a, size_t index, gxds_entry *e, gxds_str canonical) {
  if (is_first(a, e, canonical)) return true;
  gxds_text message = {0};
  gxds_text_add_z(&message, "duplicate resource name \"");
  gxds_text_add(&message, canonical);
  gxds_text_add_z(&message, "\"");
  add_error(a, index, canonical, gxds_text_str(&message));
  gxds_text_fini(&message);
  return false;
}

/* The entry of that name, if it is asked for on this server; or NULL. */
static gxds_entry *wanted_entry(const application *a, gxds_str canonical) {
  gxds_entry *e = gxds_entry_find(a->c, a->type, canonical);
  return e && gxds_conn_find_sub(a->conn, e) ? e : NULL;
}

static bool is_unchanged(const application *a, const gxds_entry *e, gxds_str bytes) {
  return e && e->resource && gxds_bootstrap_server_equal(e->source, a->conn->server) &&
         gxds_str_equal(e->bytes, bytes) && gxds_conn_find_sub(a->conn, e);
}

/* The entry whose resource in use has just these bytes: then nothing needs to be decoded, so that
 * a response costs what changed in it. */
static gxds_entry *find_unchanged(const application *a, const gxds_response_resource *r) {
  gxds_entry *e = NULL;
  if (r->name.size == 0) {
    e = gxds_entry_find_by_bytes(a->c, a->type, r->bytes);
  } else {
    gxds_resource_name name;
    if (!gxds_resource_name_init(&name, r->name, gxds_str_z(type_of(a)->type_url))) return NULL;
    e = gxds_entry_find(a->c, a->type, name.canonical);
    gxds_resource_name_fini(&name);
  }
  return is_unchanged(a, e, r->bytes) ? e : NULL;
}

static gxds_str version_of(const application *a, const gxds_response_resource *r) {
  return a->response->versioned ? r->version : a->response->version;
}

static void reject(application *a, gxds_entry *e, const gxds_response_resource *r,
                   gxds_str rendered) {
  gxds_trace_resource(a->c, a->conn, e, "rejected", version_of(a, r), rendered);
  gxds_text message = {0};
  gxds_text_add_z(&message, "invalid resource: ");
  gxds_text_add_untrusted(&message, rendered, GXDS_NACK_ERROR_BYTES_MAX);
  gxds_client_add_origin(a->c, a->conn->server, &message);
  gxds_entry_fail(a->c, e, GXDS_RESOURCE_NACKED, gxds_status_take(GXDS_UNAVAILABLE, &message),
                  version_of(a, r), a->conn->server->fail_on_data_errors, a->now);
}

static gxds_accepted accepted_of(const application *a, const gxds_response_resource *r) {
  return (gxds_accepted){.bytes = r->bytes,
                         .named_by_bytes = r->name.size == 0,
                         .version = version_of(a, r),
                         .wrapper_version = a->response->versioned ? (gxds_str){0} : r->version,
                         .ttl = r->ttl,
                         .server = a->conn->server};
}

/* What is in use came again. */
static void confirm(application *a, gxds_entry *e, const gxds_response_resource *r) {
  a->any_valid = true;
  gxds_entry_set_alias(a->c, e, gxds_str_of(NULL, 0)); /* who came by an alias sets it after */
  gxds_trace_resource(a->c, a->conn, e, "unchanged", version_of(a, r), gxds_str_of(NULL, 0));
  gxds_accepted again = accepted_of(a, r);
  gxds_entry_confirm(a->c, e, &again, a->now);
}

static void accept(application *a, gxds_entry *e, const gxds_response_resource *r,
                   const gxds_resource *take) {
  a->any_valid = true;
  if (is_unchanged(a, e, r->bytes)) {
    gxds_resource_unref(take);
    confirm(a, e, r);
    return;
  }
  gxds_accepted accepted = accepted_of(a, r);
  accepted.resource = take;
  gxds_trace_resource(a->c, a->conn, e, "accepted", version_of(a, r), gxds_str_of(NULL, 0));
  gxds_entry_accept(a->c, e, &accepted, a->now);
}

static const gxds_resource *previous(void *arg, gxds_str text) {
  const application *a = arg;
  gxds_resource_name name;
  if (!gxds_resource_name_init(&name, text, gxds_str_z(type_of(a)->type_url))) return NULL;
  const gxds_entry *e = gxds_entry_find(a->c, a->type, name.canonical);
  gxds_resource_name_fini(&name);
  return e ? e->resource : NULL;
}

/* A resource that was decoded, or not, and of which the name is known. decoded is taken. */
static void apply_named(application *a, size_t index, gxds_str text, const gxds_resource *decoded,
                        gxds_str failure) {
  const gxds_response_resource *r = &a->response->resources[index];
  if (failure.size) add_error(a, index, text, failure);
  gxds_resource_name name;
  if (!gxds_resource_name_init(&name, text, gxds_str_z(type_of(a)->type_url))) {
    bool short_enough = text.size <= GXDS_RESOURCE_NAME_BYTES_MAX;
    add_error(a, index, short_enough ? text : gxds_str_of(NULL, 0),
              gxds_str_z("Cannot parse xDS resource name"));
    gxds_resource_unref(decoded);
    return;
  }
  gxds_entry *e = wanted_entry(a, name.canonical);
  bool first = check_first(a, index, e, name.canonical);
  gxds_resource_name_fini(&name);
  if (!e || !first) {
    gxds_resource_unref(decoded);
    return;
  }
  gxds_sub_mark_received(a->c, gxds_conn_find_sub(a->conn, e));
  if (failure.size) {
    reject(a, e, r, failure);
  } else {
    accept(a, e, r, decoded);
  }
}

/* The same resource, for who asks for it by another name. */
static void apply_alias(application *a, const gxds_response_resource *r, gxds_str text,
                        const gxds_resource *decoded, gxds_str failure) {
  gxds_resource_name name;
  if (!gxds_resource_name_init(&name, text, gxds_str_z(type_of(a)->type_url))) return;
  gxds_entry *e = wanted_entry(a, name.canonical);
  gxds_resource_name_fini(&name);
  if (!e || e->seen_in == a->c->response_serial) return;
  e->seen_in = a->c->response_serial;
  gxds_sub_mark_received(a->c, gxds_conn_find_sub(a->conn, e));
  if (failure.size) {
    reject(a, e, r, failure);
  } else {
    accept(a, e, r, gxds_resource_ref(decoded));
    gxds_entry_set_alias(a->c, e, r->name);
  }
}

static void apply_aliases(application *a, const gxds_response_resource *r, gxds_str name,
                          const gxds_resource *decoded, gxds_str failure) {
  for (size_t i = 0; i < r->alias_count; i++) {
    gxds_str alias = gxds_str_of(r->aliases[i].data, r->aliases[i].size);
    if (!gxds_str_equal(alias, name)) apply_alias(a, r, alias, decoded, failure);
  }
}

/* What was not decoded at all. Who is named was sent, so it is invalid, and neither gone nor to be
 * waited for. */
static void apply_unusable(application *a, size_t index, gxds_str why) {
  const gxds_response_resource *r = &a->response->resources[index];
  apply_aliases(a, r, r->name, NULL, why);
  if (r->name.size) {
    apply_named(a, index, r->name, NULL, why);
  } else {
    add_error(a, index, r->name, why);
  }
}

static void apply_changed(application *a, size_t index) {
  const gxds_response_resource *r = &a->response->resources[index];
  gxds_decode_context context = {.bootstrap = a->c->bootstrap,
                                 .server = a->conn->server,
                                 .host = a->c->host,
                                 .previous = previous,
                                 .previous_arg = a};
  gxds_decoded decoded = {0};
  gxds_status status = type_of(a)->decode(&context, r->bytes, &decoded);
  GXDS_CHECK(gxds_status_is_ok(&status) == (decoded.resource != NULL));
  gxds_text failure = {0};
  if (!gxds_status_is_ok(&status)) gxds_status_render(&status, &failure);
  gxds_str name = r->name.size ? r->name : decoded.name;
  if (decoded.resource || failure.size) {
    apply_aliases(a, r, name, decoded.resource, gxds_text_str(&failure));
  }
  if (name.size || decoded.resource) {
    apply_named(a, index, name, decoded.resource, gxds_text_str(&failure));
  } else {
    add_error(a, index, gxds_str_of(NULL, 0), gxds_text_str(&failure));
  }
  gxds_text_fini(&failure);
  gxds_status_fini(&status);
  gxds_str_free(&decoded.name);
}

/* A server says that what it sent lives on, without sending it again. It names the version that it
 * sent last: of the resource, by the wrapper, or in state of the world of all of the type, by the
 * response. That of the response tells nothing of one resource: it changes with any of them, and a
 * resource that did not change need not come again with it. */
static bool names_last_version(const application *a, const gxds_entry *e,
                               const gxds_response_resource *r) {
  if (a->response->versioned) return gxds_str_equal(e->version, r->version);
  if (r->version.size > 0) {
    gxds_str own = e->wrapper_version.size ? e->wrapper_version : e->version;
    return gxds_str_equal(own, r->version);
  }
  const gxds_type_state *t = &a->conn->types[a->type];
  return gxds_str_equal(t->version, a->response->version) ||
         gxds_str_equal(t->heard, a->response->version);
}

/* Whether a heartbeat is about what the client has of that server. */
static bool is_in_use(const application *a, const gxds_entry *e, const gxds_response_resource *r) {
  return e->resource && gxds_bootstrap_server_equal(e->source, a->conn->server) &&
         e->state == GXDS_RESOURCE_ACKED && !e->restored && names_last_version(a, e, r);
}

static void renew(application *a, gxds_entry *e, const gxds_response_resource *r) {
  a->any_valid = true;
  gxds_entry_set_alias(a->c, e, gxds_str_of(NULL, 0));
  gxds_trace_resource(a->c, a->conn, e, "renewed", e->version, gxds_str_of(NULL, 0));
  gxds_entry_renew(a->c, e, r->ttl, a->now);
}

static void renew_alias(application *a, const gxds_response_resource *r, gxds_str text) {
  gxds_resource_name name;
  if (!gxds_resource_name_init(&name, text, gxds_str_z(type_of(a)->type_url))) return;
  gxds_entry *e = wanted_entry(a, name.canonical);
  gxds_resource_name_fini(&name);
  if (!e || e->seen_in == a->c->response_serial || !is_in_use(a, e, r)) return;
  e->seen_in = a->c->response_serial;
  renew(a, e, r);
  gxds_entry_set_alias(a->c, e, r->name);
}

static void apply_heartbeat(application *a, size_t index) {
  const gxds_response_resource *r = &a->response->resources[index];
  for (size_t i = 0; i < r->alias_count; i++) {
    gxds_str alias = gxds_str_of(r->aliases[i].data, r->aliases[i].size);
    if (!gxds_str_equal(alias, r->name)) renew_alias(a, r, alias);
  }
  gxds_resource_name name;
  if (!gxds_resource_name_init(&name, r->name, gxds_str_z(type_of(a)->type_url))) {
    add_error(a, index, gxds_str_of(NULL, 0), gxds_str_z("Cannot parse xDS resource name"));
    return;
  }
  gxds_entry *e = wanted_entry(a, name.canonical);
  bool first = check_first(a, index, e, name.canonical);
  gxds_resource_name_fini(&name);
  if (!e || !first) return;
  if (is_in_use(a, e, r)) {
    renew(a, e, r);
    return;
  }
  gxds_str version = r->version.size ? r->version : version_of(a, r);
  gxds_text message = {0};
  gxds_text_add_z(&message, "resource: must be set, since version \"");
  gxds_text_add_untrusted(&message, version, GXDS_LOGGED_BYTES_MAX);
  gxds_text_add_z(&message, "\" is not the one in use");
  add_error(a, index, r->name, gxds_text_str(&message));
  gxds_text_fini(&message);
}

static void apply_resource(application *a, size_t index) {
  const gxds_response_resource *r = &a->response->resources[index];
  if (r->fault) {
    apply_unusable(a, index, gxds_str_z(r->fault));
    return;
  }
  if (r->heartbeat) {
    apply_heartbeat(a, index);
    return;
  }
  gxds_text why = {0};
  if (!has_right_type(a, r, &why)) {
    apply_unusable(a, index, gxds_text_str(&why));
    gxds_text_fini(&why);
    return;
  }
  gxds_entry *e = r->alias_count > 0 ? NULL : find_unchanged(a, r);
  if (!e) {
    apply_changed(a, index);
    return;
  }
  if (!check_first(a, index, e, e->name)) return;
  gxds_sub_mark_received(a->c, gxds_conn_find_sub(a->conn, e));
  confirm(a, e, r);
}

/* ---- what went ---- */

/* What went in one response is one line of the log. */
typedef struct deletions {
  size_t count;
  gxds_text line;
} deletions;

static void delete_entry(application *a, gxds_sub *sub, deletions *d) {
  const gxds_bootstrap_server *server = a->conn->server;
  gxds_entry *e = sub->entry;
  gxds_sub_mark_received(a->c, sub); /* it was told: nothing is to be waited for */
  if (d->count++ == 0) {
    gxds_text_addf(&d->line, "xds server %.*s: %s: %s ", GXDS_STR_ARG(server->uri),
                   e->resource ? "deleted" : "does not exist", type_of(a)->short_name);
    gxds_text_add_untrusted(&d->line, e->name, GXDS_RESOURCE_NAME_BYTES_MAX);
  }
  gxds_text message = {0};
  gxds_text_add_z(&message,
                  e->resource ? "resource deleted" : "does not exist: the server does not have it");
  gxds_client_add_origin(a->c, server, &message);
  gxds_entry_fail(a->c, e, GXDS_RESOURCE_DOES_NOT_EXIST, gxds_status_take(GXDS_NOT_FOUND, &message),
                  a->response->version, server->fail_on_data_errors, a->now);
}

static void log_deletions(application *a, deletions *d) {
  if (d->count == 0) return;
  if (d->count > 1) gxds_text_addf(&d->line, " and %zu more", d->count - 1);
  gxds_client_log(a->c, GXDS_INFO, &d->line);
}

/* A88, xRFC TP3: what the server can't send, and why. The resource stays if it has only trouble. */
static void apply_error(application *a, gxds_entry *e, const gxds_resource_error *error) {
  const gxds_bootstrap_server *server = a->conn->server;
  gxds_code code =
      error->code <= GXDS_CODE_MAX && error->code > 0 ? (gxds_code)error->code : GXDS_UNKNOWN;
  bool of_data = code == GXDS_NOT_FOUND || code == GXDS_PERMISSION_DENIED;
  gxds_text message = {0};
  gxds_text_addf(&message, "xDS server %.*s reports: ", GXDS_STR_ARG(server->uri));
  gxds_text_add_untrusted(&message, error->message, GXDS_NACK_ERROR_BYTES_MAX);
  gxds_client_add_node(a->c, &message);
  gxds_sub_mark_received(a->c, gxds_conn_find_sub(a->conn, e));
  gxds_trace_resource(a->c, a->conn, e, "error for", a->response->version, error->message);
  gxds_entry_fail(a->c, e, GXDS_RESOURCE_RECEIVED_ERROR, gxds_status_take(code, &message),
                  a->response->version, of_data && server->fail_on_data_errors, a->now);
}

static void refuse_error(application *a, size_t index, gxds_str name, const char *why) {
  gxds_text message = {0};
  gxds_text_addf(&message, "resource_errors[%zu]: %s", index, why);
  add_error(a, index, name, gxds_text_str(&message));
  gxds_text_fini(&message);
}

static void apply_errors(application *a) {
  for (size_t i = 0; i < a->response->error_count; i++) {
    const gxds_resource_error *error = &a->response->errors[i];
    gxds_resource_name name;
    if (error->undecodable) {
      refuse_error(a, i, gxds_str_of(NULL, 0), "can't be decoded");
    } else if (!gxds_resource_name_init(&name, error->name, gxds_str_z(type_of(a)->type_url))) {
      refuse_error(a, i, gxds_str_of(NULL, 0), "resource_name.name is no name of this type");
    } else {
      gxds_entry *e = wanted_entry(a, name.canonical);
      bool right = error->code != GXDS_OK;
      if (!right) refuse_error(a, i, error->name, "error_detail.code must not be OK");
      if (e && check_first(a, i, e, e->name) && right) apply_error(a, e, error);
      gxds_resource_name_fini(&name);
    }
  }
}

/* A27: absence from a complete response deletes, of names that this stream has asked for: a
 * response to who has not says nothing of them. What never came is left to its timer, since the
 * response may answer an earlier request. An error is said once and holds until the resource comes
 * (xRFC TP3), so absence after one says nothing. */
static void apply_absence(application *a) {
  deletions d = {0};
  gxds_sub *sub;
  DL_FOREACH(a->conn->types[a->type].subs, sub) {
    const gxds_entry *e = sub->entry;
    bool told = e->resource && e->state != GXDS_RESOURCE_DOES_NOT_EXIST &&
                e->state != GXDS_RESOURCE_RECEIVED_ERROR;
    bool gone = (sub->asked || sub->known) && e->seen_in != a->c->response_serial &&
                (told || (e->expired && sub->settled));
    if (gone) delete_entry(a, sub, &d);
  }
  log_deletions(a, &d);
}

/* A name that the response has as well came back after it went. One that is not yet asked for
 * again on this stream was told to someone who gave it up: what comes next tells the rest. */
static void apply_removal(application *a, gxds_entry *e, deletions *d) {
  gxds_sub *sub = gxds_conn_find_sub(a->conn, e);
  if (!sub || !sub->asked || e->seen_in == a->c->response_serial) return;
  e->seen_in = a->c->response_serial;
  if (e->state == GXDS_RESOURCE_DOES_NOT_EXIST && !e->expired) {
    gxds_sub_mark_received(a->c, sub);
  } else {
    delete_entry(a, sub, d);
  }
}

/* Those that came under another name, and go with it: one pass over the subscriptions, however many
 * names went. */
static void remove_aliased(application *a, deletions *d) {
  if (a->c->alias_count == 0 || a->response->removed_count == 0) return;
  seen_name *gone = NULL;
  for (size_t i = 0; i < a->response->removed_count; i++) {
    gxds_str text = gxds_str_of(a->response->removed[i].data, a->response->removed[i].size);
    seen_name *n = NULL;
    HASH_FIND(hh, gone, text.data, text.size, n);
    if (n || text.size == 0) continue;
    n = upb_Arena_Malloc(a->arena, sizeof *n);
    GXDS_CHECK(n != NULL);
    n->name = text;
    HASH_ADD_KEYPTR(hh, gone, n->name.data, n->name.size, n);
  }
  gxds_sub *sub;
  DL_FOREACH(a->conn->types[a->type].subs, sub) {
    gxds_str of = sub->entry->alias_of;
    seen_name *n = NULL;
    if (of.size > 0) HASH_FIND(hh, gone, of.data, of.size, n);
    if (n) apply_removal(a, sub->entry, d);
  }
  HASH_CLEAR(hh, gone);
}

static void apply_removals(application *a) {
  deletions d = {0};
  for (size_t i = 0; i < a->response->removed_count; i++) {
    gxds_str text = gxds_str_of(a->response->removed[i].data, a->response->removed[i].size);
    gxds_resource_name name;
    if (!gxds_resource_name_init(&name, text, gxds_str_z(type_of(a)->type_url))) continue;
    gxds_entry *e = wanted_entry(a, name.canonical);
    gxds_resource_name_fini(&name);
    if (e) apply_removal(a, e, &d);
  }
  remove_aliased(a, &d);
  log_deletions(a, &d);
}

static void answer(application *a) {
  /* As the host counts it: a response of which something could be used was accepted (A46). Servers
   * that compare versions send it again at once to who has another. */
  bool accepted = a->any_valid || a->error_count == 0;
  gxds_str errors = {0};
  if (a->error_count > 0) {
    if (a->error_count > a->told_count) {
      gxds_text_addf(&a->errors, "; and %zu more", a->error_count - a->told_count);
    }
    gxds_text_add_z(&a->errors, "]");
    gxds_text line = {0};
    gxds_text_addf(&line, "xds server %.*s: ADS response invalid for resource type %s version ",
                   GXDS_STR_ARG(a->conn->server->uri), type_of(a)->short_name);
    gxds_text_add_untrusted(&line, a->response->version, GXDS_LOGGED_BYTES_MAX);
    gxds_text_add_z(&line, ", will NACK: ");
    gxds_text_add(&line, gxds_text_str(&a->errors));
    gxds_client_log(a->c, GXDS_ERROR, &line);
    errors = gxds_text_take(&a->errors);
  }
  a->conn->protocol->answer(a->conn, a->type, a->response, accepted, errors);
  a->conn->types[a->type].dirty = true;
  gxds_conn_say_again(a->c, a->conn, a->type, a->response);
}

/* A78: also what did not change. */
static void count_resource(const application *a, size_t errors_before) {
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

/* Over a limit as a whole; NULL: it is not. */
static const char *refused(const application *a) {
  if (a->response->version.size > GXDS_VERSION_BYTES_MAX) {
    return "a version of " MORE_THAN(GXDS_VERSION_BYTES_MAX) " bytes";
  }
  return a->response->refused;
}

static void apply_parts(application *a) {
  for (size_t i = 0; i < a->response->resource_count; i++) {
    size_t errors_before = a->error_count;
    apply_resource(a, i);
    count_resource(a, errors_before);
  }
  apply_errors(a);
  if (a->response->complete && type_of(a)->all_resources_required_in_sotw) apply_absence(a);
  apply_removals(a);
}

void gxds_response_apply(gxds_client *c, gxds_conn *conn, size_t type,
                         const gxds_response *response, gxds_time now) {
  application a = {.c = c, .conn = conn, .type = type, .response = response, .now = now};
  a.arena = upb_Arena_New();
  GXDS_CHECK(a.arena != NULL);
  c->response_serial++;
  gxds_conn_heal(c, conn, now);
  const char *why = refused(&a);
  if (why) {
    a.error_count = a.told_count = 1;
    gxds_text_addf(&a.errors, "xDS response validation errors: [%s", why);
  } else {
    apply_parts(&a);
  }
  answer(&a);
  if (conn->returned) gxds_conn_ask_anew(c, conn);
  conn->returned = false;
  HASH_CLEAR(hh, a.unsolicited);
  upb_Arena_Free(a.arena);
}
