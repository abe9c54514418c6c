/* Applies one resource of a response: updates the cache, and notifies the watchers. Error texts are
 * the host's, because people's tools match on them. */
#include "base/upb.h"
#include "xds_client/response_internal.h"
#include "xds_client/trace_internal.h"

/* "xDS response validation errors: [resource index 0: NAME: MESSAGE; resource index 2: …]" */
void gxds_application_add_error(gxds_application *a, size_t index, gxds_str name,
                                gxds_str message) {
  a->error_count++;
  if (a->listed_count >= GXDS_NACK_ERRORS_MAX || a->errors.size > GXDS_NACK_BYTES_MAX) return;
  a->listed_count++;
  gxds_text_add_z(&a->errors, a->errors.size ? "; " : "xDS response validation errors: [");
  gxds_text_addf(&a->errors, "resource index %zu: ", index);
  if (name.size) {
    gxds_text_add_untrusted(&a->errors, name, GXDS_NACK_ERROR_BYTES_MAX);
    gxds_text_add_z(&a->errors, ": ");
  }
  gxds_text_add_untrusted(&a->errors, message, GXDS_NACK_ERROR_BYTES_MAX);
}

/* If not, adds the reason to *why. */
static bool has_right_type(const gxds_application *a, const gxds_response_resource *r,
                           gxds_text *why) {
  gxds_str wanted = gxds_type_name(gxds_str_z(gxds_application_type(a)->type_url));
  gxds_str actual = gxds_type_name(r->type_url);
  if (gxds_str_equal(actual, wanted)) return true;
  gxds_text_add_z(why, "incorrect resource type ");
  gxds_text_add_untrusted(why, actual, GXDS_LOGGED_BYTES_MAX);
  gxds_text_addf(why, " (should be %.*s)", GXDS_STR_ARG(wanted));
  if (gxds_str_equal(actual, gxds_type_name(gxds_str_z(gxds_application_type(a)->v2_type_url)))) {
    gxds_text_add_z(why, ": the xDS v2 API is not supported");
  }
  return false;
}

/* Whether the name is new in this response. */
static bool is_first(gxds_application *a, gxds_entry *e, gxds_str canonical) {
  if (e) {
    bool first = e->seen_in != a->c->response_serial;
    e->seen_in = a->c->response_serial;
    return first;
  }
  gxds_seen_name *seen = NULL;
  HASH_FIND(hh, a->unsolicited, canonical.data, canonical.size, seen);
  if (seen) return false;
  seen = gxds_arena_alloc(a->arena, sizeof *seen);
  char *copy = gxds_arena_alloc(a->arena, canonical.size);
  memcpy(copy, canonical.data, canonical.size);
  seen->name = gxds_str_of(copy, canonical.size);
  HASH_ADD_KEYPTR(hh, a->unsolicited, seen->name.data, seen->name.size, seen);
  return true;
}

bool gxds_application_check_first(gxds_application *a, size_t index, gxds_entry *e,
                                  gxds_str canonical) {
  if (is_first(a, e, canonical)) return true;
  gxds_text message = {0};
  gxds_text_add_z(&message, "duplicate resource name \"");
  gxds_text_add(&message, canonical);
  gxds_text_add_z(&message, "\"");
  gxds_application_add_error(a, index, canonical, gxds_text_str(&message));
  gxds_text_fini(&message);
  return false;
}

gxds_entry *gxds_application_find(const gxds_application *a, gxds_str canonical) {
  gxds_entry *e = gxds_entry_find(a->c, a->type, canonical);
  return e && gxds_conn_find_sub(a->conn, e) ? e : NULL;
}

static bool parse_name(const gxds_application *a, gxds_str text, gxds_resource_name *name) {
  return gxds_resource_name_init(name, text, gxds_str_z(gxds_application_type(a)->type_url));
}

/* The entry of a name as the server wrote it, also if it was not requested from this server. NULL
 * if there is none. */
static gxds_entry *look_up(gxds_application *a, gxds_str text) {
  if (a->looked_up && gxds_str_equal(text, gxds_entry_name(a->looked_up))) return a->looked_up;
  gxds_resource_name name;
  if (!parse_name(a, text, &name)) return NULL;
  gxds_entry *e = gxds_entry_find(a->c, a->type, name.canonical);
  gxds_resource_name_fini(&name);
  if (e) a->looked_up = e;
  return e;
}

/* Like look_up(), but NULL if the resource was not requested from this server. */
static gxds_entry *look_up_requested(gxds_application *a, gxds_str text) {
  gxds_entry *e = look_up(a, text);
  return e && gxds_conn_find_sub(a->conn, e) ? e : NULL;
}

/* Looks up the name of a resource. Returns false if it is not a name of this type. *out is NULL if
 * it was not requested from this server, or if the response has the name already, which is added as
 * an error. */
static bool look_up_first(gxds_application *a, size_t index, gxds_str text, gxds_entry **out) {
  *out = look_up_requested(a, text);
  if (*out) {
    if (!gxds_application_check_first(a, index, *out, gxds_entry_name(*out))) *out = NULL;
    return true;
  }
  gxds_resource_name name;
  if (!parse_name(a, text, &name)) return false;
  gxds_application_check_first(a, index, NULL, name.canonical);
  gxds_resource_name_fini(&name);
  return true;
}

static bool is_unchanged(const gxds_application *a, const gxds_entry *e, gxds_str bytes) {
  return e && e->resource && gxds_bootstrap_server_equal(gxds_entry_source(e), a->conn->server) &&
         gxds_str_equal(gxds_entry_bytes(e), bytes) && gxds_conn_find_sub(a->conn, e);
}

/* The entry whose resource in use has exactly these bytes. Then nothing needs to be decoded, so the
 * cost of a response grows only with what changed. */
static gxds_entry *find_unchanged(gxds_application *a, const gxds_response_resource *r) {
  gxds_entry *e =
      r->name.size > 0 ? look_up(a, r->name) : gxds_entry_find_by_bytes(a->c, a->type, r->bytes);
  return is_unchanged(a, e, r->bytes) ? e : NULL;
}

static gxds_str version_of(const gxds_application *a, const gxds_response_resource *r) {
  return a->response->versioned ? r->version : a->response->version;
}

static void reject(gxds_application *a, gxds_entry *e, const gxds_response_resource *r,
                   gxds_str rendered) {
  gxds_trace_resource(a->c, a->conn, e, "rejected", version_of(a, r), rendered);
  gxds_text message = {0};
  gxds_text_add_z(&message, "invalid resource: ");
  gxds_text_add_untrusted(&message, rendered, GXDS_NACK_ERROR_BYTES_MAX);
  gxds_entry_fail(a->c, e, GXDS_RESOURCE_NACKED,
                  gxds_client_error(a->c, GXDS_UNAVAILABLE, &message, a->conn->server),
                  version_of(a, r), a->conn->server->fail_on_data_errors, a->now);
}

static gxds_accepted accepted_of(const gxds_application *a, const gxds_response_resource *r) {
  return (gxds_accepted){.bytes = r->bytes,
                         .named_by_bytes = r->name.size == 0,
                         .version = version_of(a, r),
                         .wrapper_version = a->response->versioned ? (gxds_str){0} : r->version,
                         .ttl = r->ttl,
                         .server = a->conn->server};
}

/* The resource in use came again. */
static void confirm(gxds_application *a, gxds_entry *e, const gxds_response_resource *r) {
  a->any_valid = true;
  gxds_entry_set_alias(
      a->c, e, gxds_str_of(NULL, 0)); /* for an alias, apply_alias() sets it again afterwards */
  gxds_trace_resource(a->c, a->conn, e, "unchanged", version_of(a, r), gxds_str_of(NULL, 0));
  gxds_accepted again = accepted_of(a, r);
  gxds_entry_confirm(a->c, e, &again, a->now);
}

static void accept(gxds_application *a, gxds_entry *e, const gxds_response_resource *r,
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
  const gxds_entry *e = look_up(arg, text);
  return e ? e->resource : NULL;
}

/* Applies a resource whose name is known, whether it could be decoded (failure is empty) or not.
 * Takes ownership of decoded. */
static void apply_named(gxds_application *a, size_t index, gxds_str text,
                        const gxds_resource *decoded, gxds_str failure) {
  const gxds_response_resource *r = &a->response->resources[index];
  if (failure.size) gxds_application_add_error(a, index, text, failure);
  gxds_entry *e;
  if (!look_up_first(a, index, text, &e)) {
    bool short_enough = text.size <= GXDS_RESOURCE_NAME_BYTES_MAX;
    gxds_application_add_error(a, index, short_enough ? text : gxds_str_of(NULL, 0),
                               gxds_str_z("Cannot parse xDS resource name"));
    gxds_resource_unref(decoded);
    return;
  }
  if (!e) {
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

/* Applies the resource to an entry that requested it by an alias. decoded is borrowed. */
static void apply_alias(gxds_application *a, const gxds_response_resource *r, gxds_str text,
                        const gxds_resource *decoded, gxds_str failure) {
  gxds_entry *e = look_up_requested(a, text);
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

static void apply_aliases(gxds_application *a, const gxds_response_resource *r, gxds_str name,
                          const gxds_resource *decoded, gxds_str failure) {
  for (size_t i = 0; i < r->alias_count; i++) {
    gxds_str alias = gxds_str_of(r->aliases[i].data, r->aliases[i].size);
    if (!gxds_str_equal(alias, name)) apply_alias(a, r, alias, decoded, failure);
  }
}

/* A resource that was not decoded at all. If its name or aliases are known, these resources were
 * sent, so they are invalid; they are neither missing nor awaited any more. */
static void apply_unusable(gxds_application *a, size_t index, gxds_str why) {
  const gxds_response_resource *r = &a->response->resources[index];
  apply_aliases(a, r, r->name, NULL, why);
  if (r->name.size) {
    apply_named(a, index, r->name, NULL, why);
  } else {
    gxds_application_add_error(a, index, r->name, why);
  }
}

static void apply_changed(gxds_application *a, size_t index) {
  const gxds_response_resource *r = &a->response->resources[index];
  gxds_decode_context context = {.bootstrap = a->c->bootstrap,
                                 .server = a->conn->server,
                                 .host = a->c->host,
                                 .previous = previous,
                                 .previous_arg = a};
  gxds_decoded decoded = {0};
  gxds_status status = gxds_application_type(a)->decode(&context, r->bytes, &decoded);
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
    gxds_application_add_error(a, index, gxds_str_of(NULL, 0), gxds_text_str(&failure));
  }
  gxds_text_fini(&failure);
  gxds_status_fini(&status);
  gxds_decoded_fini(&decoded);
}

/* Whether a heartbeat names the version that the server sent last. A heartbeat renews a resource
 * without sending it again. Its version is that of the resource, if the wrapper has one. Otherwise,
 * in SotW, it is the response's, which belongs to all resources of the type and has nothing about
 * one resource: it changes with any of them, and a resource that did not change need not come again
 * with it. */
static bool names_last_version(const gxds_application *a, const gxds_entry *e,
                               const gxds_response_resource *r) {
  if (a->response->versioned) return gxds_str_equal(gxds_entry_version(e), r->version);
  if (r->version.size > 0) {
    gxds_str own = gxds_entry_wrapper_version(e);
    return gxds_str_equal(own.size > 0 ? own : gxds_entry_version(e), r->version);
  }
  const gxds_type_state *t = &a->conn->types[a->type];
  return gxds_str_equal(t->version, a->response->version) ||
         gxds_str_equal(t->seen_version, a->response->version);
}

/* Whether a heartbeat is about the resource that the client has from that server. */
static bool is_in_use(const gxds_application *a, const gxds_entry *e,
                      const gxds_response_resource *r) {
  return e->resource && gxds_bootstrap_server_equal(gxds_entry_source(e), a->conn->server) &&
         e->state == GXDS_RESOURCE_ACKED && !e->restored && names_last_version(a, e, r);
}

static void renew(gxds_application *a, gxds_entry *e, const gxds_response_resource *r) {
  a->any_valid = true;
  gxds_entry_set_alias(a->c, e, gxds_str_of(NULL, 0));
  gxds_trace_resource(a->c, a->conn, e, "renewed", gxds_entry_version(e), gxds_str_of(NULL, 0));
  gxds_entry_renew(a->c, e, r->ttl, a->now);
}

static void renew_alias(gxds_application *a, const gxds_response_resource *r, gxds_str text) {
  gxds_entry *e = look_up_requested(a, text);
  if (!e || e->seen_in == a->c->response_serial || !is_in_use(a, e, r)) return;
  e->seen_in = a->c->response_serial;
  renew(a, e, r);
  gxds_entry_set_alias(a->c, e, r->name);
}

static void apply_heartbeat(gxds_application *a, size_t index) {
  const gxds_response_resource *r = &a->response->resources[index];
  for (size_t i = 0; i < r->alias_count; i++) {
    gxds_str alias = gxds_str_of(r->aliases[i].data, r->aliases[i].size);
    if (!gxds_str_equal(alias, r->name)) renew_alias(a, r, alias);
  }
  gxds_entry *e;
  if (!look_up_first(a, index, r->name, &e)) {
    gxds_application_add_error(a, index, gxds_str_of(NULL, 0),
                               gxds_str_z("Cannot parse xDS resource name"));
    return;
  }
  if (!e) return;
  if (is_in_use(a, e, r)) {
    renew(a, e, r);
    return;
  }
  gxds_str version = r->version.size ? r->version : version_of(a, r);
  gxds_text message = {0};
  gxds_text_add_z(&message, "resource: must be set, since version \"");
  gxds_text_add_untrusted(&message, version, GXDS_LOGGED_BYTES_MAX);
  gxds_text_add_z(&message, "\" is not the one in use");
  gxds_application_add_error(a, index, r->name, gxds_text_str(&message));
  gxds_text_fini(&message);
}

void gxds_application_apply_resource(gxds_application *a, size_t index) {
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
  if (!gxds_application_check_first(a, index, e, gxds_entry_name(e))) return;
  gxds_sub_mark_received(a->c, gxds_conn_find_sub(a->conn, e));
  confirm(a, e, r);
}
