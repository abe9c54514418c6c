#include "bootstrap/channel_creds.h"
#include "bootstrap/reader_internal.h"

/* Reads a list of {type, config}; NULL if it is absent or wrong. */
static json_t *read_creds_list(gxds_reader *r, const json_t *object, const gxds_path *at,
                               const char *name, gxds_json_presence presence) {
  size_t before = r->errors.count;
  json_t *list = gxds_reader_array(r, object, at, name, presence, GXDS_BOOTSTRAP_CREDS_MAX);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const gxds_path *here = GXDS_ITEM(at, name, i);
    const json_t *entry = json_array_get(list, i);
    if (!gxds_reader_is_object(r, entry, here)) continue;
    (void)gxds_reader_string(r, entry, here, "type", GXDS_JSON_REQUIRED);
    (void)gxds_reader_object(r, entry, here, "config");
  }
  return r->errors.count == before ? list : NULL;
}

/* A27: uses the first credentials of a supported type. If the config of a supported type is wrong,
 * reports that, and tries the next entry, as the host does. */
static void read_creds(gxds_reader *r, const json_t *object, const gxds_path *at,
                       gxds_bootstrap_server *server) {
  json_t *list = read_creds_list(r, object, at, "channel_creds", GXDS_JSON_REQUIRED);
  if (!list) return;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const gxds_path *here = GXDS_ITEM(at, "channel_creds", i);
    const json_t *entry = json_array_get(list, i);
    const json_t *config = json_object_get(entry, "config");
    gxds_str type = gxds_reader_string(r, entry, here, "type", GXDS_JSON_REQUIRED);
    if (!gxds_channel_creds_supported(type, r->host)) continue;
    gxds_str config_json = config ? gxds_reader_dump(r, config) : gxds_str_of(NULL, 0);
    size_t valid = r->errors.count;
    gxds_channel_creds_check(type, config_json, here, &r->errors, r->host);
    if (r->errors.count == valid) {
      server->creds_type = type;
      server->creds_config_json = config_json;
      return;
    }
    gxds_reader_note_line(r, here);
  }
  gxds_reader_error(r, GXDS_FIELD(at, "channel_creds"), "no known creds type found");
}

static gxds_str read_token_file(gxds_reader *r, const json_t *entry, const gxds_path *here) {
  const char *name = "jwt_token_file";
  const gxds_path *at = GXDS_FIELD(here, "config");
  size_t before = r->errors.count;
  gxds_str path =
      gxds_reader_string(r, json_object_get(entry, "config"), at, name, GXDS_JSON_REQUIRED);
  if (r->errors.count == before && gxds_str_empty(path)) {
    gxds_reader_error(r, GXDS_FIELD(at, name), "must be non-empty");
  }
  return path;
}

/* A97: all call credentials of a known type apply; others are ignored. */
static void read_call_creds(gxds_reader *r, const json_t *object, const gxds_path *at,
                            gxds_bootstrap_server *server) {
  json_t *list = read_creds_list(r, object, at, "call_creds", GXDS_JSON_OPTIONAL);
  gxds_str *files = gxds_reader_alloc(r, json_array_size(list), sizeof *files);
  server->jwt_token_files = files;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    const char *type = json_string_value(json_object_get(entry, "type"));
    if (strcmp(type, "jwt_token_file") != 0) continue;
    files[server->jwt_token_file_count++] =
        read_token_file(r, entry, GXDS_ITEM(at, "call_creds", i));
  }
}

/* Unknown features are for other clients ("xds_v3"), and are ignored. */
static void read_features(gxds_reader *r, const json_t *object, const gxds_path *at,
                          gxds_bootstrap_server *server, gxds_web_features *web) {
  const struct {
    const char *name;
    bool *value;
  } known[] = {
#define OF_SERVER(name, note) {#name, &server->name},
#define OF_WEB(name, note) {#name, &web->name},
      GXDS_SERVER_FEATURES(OF_SERVER) GXDS_WEB_FEATURES(OF_WEB)
#undef OF_SERVER
#undef OF_WEB
  };
  json_t *list = gxds_reader_array(r, object, at, "server_features", GXDS_JSON_OPTIONAL, SIZE_MAX);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *feature = json_array_get(list, i);
    if (!json_is_string(feature)) {
      gxds_reader_error(r, GXDS_ITEM(at, "server_features", i), "is not a string");
      continue;
    }
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
      if (strcmp(json_string_value(feature), known[k].name) == 0) *known[k].value = true;
    }
  }
}

/* Percent-decodes the path of a URI (RFC 3986) into *out, in the arena. Refuses a query or
 * fragment, a malformed escape, a zero byte, and a path that is not UTF-8, which could not be
 * quoted in a status. Returns NULL, or a static text that says what is wrong. */
static const char *decode_path(gxds_reader *r, gxds_str path, gxds_str *out) {
  char *to = gxds_reader_alloc(r, path.size + 1, 1);
  size_t size = 0;
  for (size_t i = 0; i < path.size; i++) {
    char c = path.data[i];
    if (c == '?' || c == '#') return "may have no query or fragment: ? is written %3F, # %23";
    if (c == '%') {
      int high = i + 2 < path.size ? gxds_hex_digit(path.data[i + 1]) : -1;
      int low = high >= 0 ? gxds_hex_digit(path.data[i + 2]) : -1;
      if (low < 0) return "has a % without two hexadecimal digits behind it: % is written %25";
      c = (char)(high << 4 | low);
      i += 2;
    }
    if (c == 0) return "may not have a zero (%00): no path has";
    to[size++] = c;
  }
  *out = gxds_str_of(to, size);
  return gxds_str_is_utf8(*out) ? NULL : "is not UTF-8 when it is percent-decoded";
}

/* Reads a directory of resource files in place of a server (our own). Credentials are allowed and
 * ignored, because the host's client reads the same list for xDS-enabled servers. */
static bool read_directory(gxds_reader *r, const gxds_path *at, gxds_bootstrap_server *server) {
  if (!gxds_str_starts_with(server->uri, gxds_str_z("file:"))) return false;
  size_t skip = strlen("file://");
  const char *why =
      gxds_str_starts_with(server->uri, gxds_str_z("file:///"))
          ? decode_path(r, gxds_str_of(server->uri.data + skip, server->uri.size - skip),
                        &server->directory)
          : "must be file:///DIRECTORY";
  if (why) gxds_reader_error(r, GXDS_FIELD(at, "server_uri"), "%s", why);
  return true;
}

static void read_server(gxds_reader *r, const json_t *object, const gxds_path *at,
                        gxds_bootstrap_server *server) {
  if (!gxds_reader_is_object(r, object, at)) return;
  size_t before = r->errors.count;
  server->uri = gxds_reader_string(r, object, at, "server_uri", GXDS_JSON_REQUIRED);
  if (r->errors.count == before && gxds_str_empty(server->uri)) {
    gxds_reader_error(r, GXDS_FIELD(at, "server_uri"), "must be non-empty");
  }
  if (!read_directory(r, at, server)) {
    read_creds(r, object, at, server);
    read_call_creds(r, object, at, server);
  }
  gxds_web_features features = {false, false};
  read_features(r, object, at, server, &features);
  gxds_reader_web_server(r, object, at, &features, server);
}

const gxds_bootstrap_server *const *gxds_reader_servers(gxds_reader *r, const json_t *object,
                                                        const gxds_path *at,
                                                        gxds_json_presence presence,
                                                        size_t *count) {
  *count = 0;
  json_t *list =
      gxds_reader_array(r, object, at, "xds_servers", presence, GXDS_BOOTSTRAP_SERVERS_MAX);
  if (!list) return NULL;
  size_t size = json_array_size(list);
  if (size == 0 && presence == GXDS_JSON_REQUIRED) {
    gxds_reader_error(r, GXDS_FIELD(at, "xds_servers"), "must be non-empty");
  }
  const gxds_bootstrap_server **pointers = gxds_reader_alloc(r, size, sizeof(void *));
  gxds_bootstrap_server *servers = gxds_reader_alloc(r, size, sizeof *servers);
  for (size_t i = 0; i < size; i++) {
    read_server(r, json_array_get(list, i), GXDS_ITEM(at, "xds_servers", i), &servers[i]);
    pointers[i] = &servers[i];
  }
  *count = size;
  return pointers;
}
