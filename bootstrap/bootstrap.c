#include "bootstrap/bootstrap.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "bootstrap/reader_internal.h"
#include "bootstrap/source.h"
#include "upb/upb.h"

/* A47: the template of an authority that sets none. */
static gxds_str default_template(gxds_reader *r, gxds_str authority) {
  gxds_text text = {0};
  gxds_text_add_z(&text, "xdstp://");
  gxds_percent_encode_authority(authority, &text);
  gxds_text_add_z(&text, "/envoy.config.listener.v3.Listener/%s");
  gxds_str copy = gxds_reader_copy(r, gxds_text_str(&text));
  gxds_text_fini(&text);
  return copy;
}

static void read_authority(gxds_reader *r, const json_t *object, const gxds_path *at,
                           const gxds_bootstrap *bootstrap, gxds_bootstrap_authority *out) {
  if (!gxds_reader_is_object(r, object, at)) return;
  const char *name = "client_listener_resource_name_template";
  out->client_listener_resource_name_template =
      gxds_reader_string(r, object, at, name, GXDS_JSON_OPTIONAL);
  gxds_str prefix = gxds_str_format("xdstp://%.*s/", GXDS_STR_ARG(out->name));
  if (gxds_str_empty(out->client_listener_resource_name_template)) {
    out->client_listener_resource_name_template = default_template(r, out->name);
  } else if (!gxds_str_starts_with(out->client_listener_resource_name_template, prefix)) {
    gxds_reader_error(r, GXDS_FIELD(at, name), "field must begin with \"%s\"", prefix.data);
  }
  gxds_str_free(&prefix);
  out->fallback_on_reachability_only =
      gxds_reader_bool(r, object, at, "fallback_on_reachability_only");
  out->servers = gxds_reader_servers(r, object, at, GXDS_JSON_OPTIONAL, &out->server_count);
  if (out->server_count == 0) {
    out->servers = bootstrap->servers;
    out->server_count = bootstrap->server_count;
  }
}

static void read_authorities(gxds_reader *r, const json_t *object, gxds_bootstrap *out) {
  json_t *map = gxds_reader_map(r, object, "authorities");
  if (!map) return;
  gxds_bootstrap_authority *list = gxds_reader_alloc(r, json_object_size(map), sizeof *list);
  for (void *i = json_object_iter(map); i; i = json_object_iter_next(map, i)) {
    gxds_bootstrap_authority *authority = &list[out->authority_count++];
    const char *key = json_object_iter_key(i);
    authority->name = gxds_reader_copy(r, gxds_str_z(key));
    read_authority(r, json_object_iter_value(i), GXDS_KEY(NULL, "authorities", key), out,
                   authority);
  }
  qsort(list, out->authority_count, sizeof *list, gxds_str_compare_items);
  out->authorities = list;
}

/* A87: gRPC 1.83 reads the path of a SPIFFE bundle map from "spiffe_bundle_map_file", so the config
 * gets that field too. gRPC 1.51 ignores both. */
static gxds_str provider_config(gxds_reader *r, const json_t *config) {
  json_t *path = json_object_get(config, "spiffe_trust_bundle_map_file");
  if (!path || json_object_get(config, "spiffe_bundle_map_file")) {
    return gxds_reader_dump(r, config);
  }
  json_t *copy = json_copy((json_t *)config);
  GXDS_CHECK(copy && json_object_set(copy, "spiffe_bundle_map_file", path) == 0);
  gxds_str out = gxds_reader_dump(r, copy);
  json_decref(copy);
  return out;
}

static void read_provider(gxds_reader *r, const json_t *object, const gxds_path *at,
                          gxds_bootstrap_certificate_provider *out) {
  if (!gxds_reader_is_object(r, object, at)) return;
  size_t before = r->errors.count;
  out->plugin_name = gxds_reader_string(r, object, at, "plugin_name", GXDS_JSON_REQUIRED);
  const json_t *config = gxds_reader_object(r, object, at, "config");
  if (config) out->config_json = provider_config(r, config);
  out->has_ca_certificate_file = json_object_get(config, "ca_certificate_file") != NULL;
  if (r->errors.count != before || !r->host->certificate_provider_check) return;
  r->host->certificate_provider_check(out->plugin_name, out->config_json, at, &r->errors);
  if (r->errors.count != before) gxds_reader_note_line(r, at);
}

static void read_providers(gxds_reader *r, const json_t *object, gxds_bootstrap *out) {
  json_t *map = gxds_reader_map(r, object, "certificate_providers");
  if (!map) return;
  size_t size = json_object_size(map);
  gxds_bootstrap_certificate_provider *list = gxds_reader_alloc(r, size, sizeof *list);
  for (void *i = json_object_iter(map); i; i = json_object_iter_next(map, i)) {
    gxds_bootstrap_certificate_provider *provider = &list[out->certificate_provider_count++];
    const char *key = json_object_iter_key(i);
    provider->instance_name = gxds_reader_copy(r, gxds_str_z(key));
    read_provider(r, json_object_iter_value(i), GXDS_KEY(NULL, "certificate_providers", key),
                  provider);
  }
  qsort(list, size, sizeof *list, gxds_str_compare_items);
  out->certificate_providers = list;
}

/* A field of our own, which the host's client ignores. */
static void read_resource_cache(gxds_reader *r, const json_t *object, gxds_bootstrap *out) {
  const gxds_path *at = GXDS_FIELD(NULL, "resource_cache");
  const json_t *cache = gxds_reader_object(r, object, NULL, "resource_cache");
  if (!cache) return;
  size_t before = r->errors.count;
  out->resource_cache_dir = gxds_reader_string(r, cache, at, "dir", GXDS_JSON_REQUIRED);
  if (r->errors.count == before &&
      !gxds_str_starts_with(out->resource_cache_dir, gxds_str_z("/"))) {
    gxds_reader_error(r, GXDS_FIELD(at, "dir"), "must be an absolute path");
  }
  out->resource_cache_by_node_id = gxds_reader_bool(r, cache, at, "by_node_id");
}

/* Whether the list has a second server to fall back to. A repetition of the first server does not
 * count. */
static bool has_fallback(const gxds_bootstrap_server *const *servers, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (!gxds_bootstrap_server_equal(servers[0], servers[i])) return true;
  }
  return false;
}

static bool any_has_fallback(const gxds_bootstrap *b) {
  bool any = has_fallback(b->servers, b->server_count);
  for (size_t i = 0; i < b->authority_count && !any; i++) {
    any = has_fallback(b->authorities[i].servers, b->authorities[i].server_count);
  }
  return any;
}

/* A field of our own. */
static void read_shared_stream(gxds_reader *r, const json_t *object, gxds_bootstrap *out) {
  bool shared = gxds_reader_bool(r, object, NULL, "shared_stream");
  out->shared_stream = json_object_get(object, "shared_stream") ? shared : !any_has_fallback(out);
}

static void read_bootstrap(gxds_reader *r, const json_t *object, gxds_bootstrap *out) {
  if (!gxds_reader_is_object(r, object, NULL)) return;
  out->servers = gxds_reader_servers(r, object, NULL, GXDS_JSON_REQUIRED, &out->server_count);
  gxds_reader_node(r, object, out);
  out->client_default_listener_resource_name_template = gxds_reader_string(
      r, object, NULL, "client_default_listener_resource_name_template", GXDS_JSON_OPTIONAL);
  if (gxds_str_empty(out->client_default_listener_resource_name_template)) {
    out->client_default_listener_resource_name_template = gxds_str_z("%s");
  }
  /* A36: for xDS-enabled servers, which still use the host's own client. It is checked because both
   * read the same file. */
  (void)gxds_reader_string(r, object, NULL, "server_listener_resource_name_template",
                           GXDS_JSON_OPTIONAL);
  read_authorities(r, object, out);
  read_providers(r, object, out);
  read_resource_cache(r, object, out);
  read_shared_stream(r, object, out);
  out->content = gxds_reader_dump(r, object);
}

static gxds_status with_lines(const gxds_reader *r) {
  gxds_status status = gxds_errors_status(&r->errors, "errors validating JSON");
  if (gxds_status_is_ok(&status)) return status;
  gxds_status longer = gxds_status_make(status.code, "%.*s (%.*s)", GXDS_STR_ARG(status.message),
                                        GXDS_STR_ARG(gxds_text_str(&r->lines)));
  gxds_status_fini(&status);
  return longer;
}

/* jansson refuses integers that do not fit int64_t. The node's metadata may have them, as a
 * google.protobuf.Struct has only doubles. Then numbers are read as reals. */
static json_t *load(gxds_str json, json_error_t *syntax) {
  const char *data = json.data ? json.data : "";
  json_t *root = json_loadb(data, json.size, JSON_DECODE_ANY, syntax);
  if (root || json_error_code(syntax) != json_error_numeric_overflow) return root;
  return json_loadb(data, json.size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, syntax);
}

gxds_status gxds_bootstrap_parse(gxds_str json, const gxds_host *host, const gxds_bootstrap **out,
                                 gxds_errors *errors) {
  *out = NULL;
  if (json.size > GXDS_BOOTSTRAP_SIZE_MAX) {
    return gxds_status_make(GXDS_INVALID_ARGUMENT,
                            "the bootstrap has %zu bytes; at most %zu are allowed", json.size,
                            GXDS_BOOTSTRAP_SIZE_MAX);
  }
  json_error_t syntax;
  json_t *root = load(json, &syntax);
  if (!root) {
    gxds_text text = {0};
    gxds_text_add_escaped(&text, gxds_str_z(syntax.text));
    gxds_status status =
        gxds_status_make(GXDS_INVALID_ARGUMENT, "JSON parse error at line %d, column %d: %.*s",
                         syntax.line, syntax.column, GXDS_STR_ARG(gxds_text_str(&text)));
    gxds_text_fini(&text);
    return status;
  }
  gxds_bootstrap *b = GXDS_NEW(gxds_bootstrap);
  gxds_ref_init(&b->refs);
  b->arena = upb_Arena_New();
  GXDS_CHECK(b->arena != NULL);
  gxds_reader reader = {.json = json, .host = host, .arena = b->arena};
  read_bootstrap(&reader, root, b);
  gxds_status status = with_lines(&reader);
  if (errors) {
    *errors = reader.errors;
    reader.errors = (gxds_errors){0};
  }
  gxds_reader_fini(&reader);
  json_decref(root);
  if (gxds_status_is_ok(&status)) {
    *out = b;
  } else {
    gxds_bootstrap_unref(b);
  }
  return status;
}

const gxds_bootstrap *gxds_bootstrap_ref(const gxds_bootstrap *b) {
  gxds_ref_inc(&b->refs);
  return b;
}

void gxds_bootstrap_unref(const gxds_bootstrap *b) {
  if (!b || !gxds_ref_dec(&b->refs)) return;
  upb_Arena_Free(b->arena);
  gxds_free((gxds_bootstrap *)b);
}

const gxds_bootstrap_authority *gxds_bootstrap_find_authority(const gxds_bootstrap *b,
                                                              gxds_str name) {
  if (b->authority_count == 0) return NULL;
  return bsearch(&name, b->authorities, b->authority_count, sizeof *b->authorities,
                 gxds_str_compare_items);
}
