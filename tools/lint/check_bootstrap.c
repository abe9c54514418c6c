#include <upb/upb.h>

#include "bootstrap/bootstrap.h"
#include "bootstrap/channel_creds.h"
#include "files/json_reader.h"
#include "host/host_get.h"
#include "tools/lint/check.h"

/* The members that a bootstrap may have, by gRFC; gRPC ignores all others. */
typedef struct shape {
  const char *key; /* NULL ends a list; "*": any key */
  /* The members of the object, or of each object in the list; NULL: anything. */
  const struct shape *members;
  const char *note; /* if not NULL, a warning if the member is there */
} shape;

static const shape creds[] = {{"type", NULL, NULL}, {"config", NULL, NULL}, {NULL, NULL, NULL}};
static const shape server[] = {{"server_uri", NULL, NULL},    {"channel_creds", creds, NULL},
                               {"call_creds", creds, NULL},   {"server_features", NULL, NULL},
                               {"refresh_delay", NULL, NULL}, {NULL, NULL, NULL}};
static const shape locality[] = {{"region", NULL, NULL},
                                 {"zone", NULL, NULL},
                                 {"sub_zone", NULL, NULL},
                                 {"subZone", NULL, NULL},
                                 {NULL, NULL, NULL}};
static const shape node[] = {
    {"id", NULL, NULL},
    {"cluster", NULL, NULL},
    {"locality", locality, NULL},
    {"metadata", NULL, NULL},
    {"build_version", NULL, "is deprecated, and ignored by gRPC: xDS v3 has no such field"},
    {NULL, NULL, NULL}};
static const shape provider[] = {
    {"plugin_name", NULL, NULL}, {"config", NULL, NULL}, {NULL, NULL, NULL}};
static const shape providers[] = {{"*", provider, NULL}, {NULL, NULL, NULL}};
static const shape authority[] = {{"client_listener_resource_name_template", NULL, NULL},
                                  {"xds_servers", server, NULL},
                                  {"fallback_on_reachability_only", NULL, NULL},
                                  {NULL, NULL, NULL}};
static const shape authorities[] = {{"*", authority, NULL}, {NULL, NULL, NULL}};
static const shape cache[] = {{"dir", NULL, NULL}, {"by_node_id", NULL, NULL}, {NULL, NULL, NULL}};
static const shape root[] = {{"xds_servers", server, NULL},
                             {"node", node, NULL},
                             {"certificate_providers", providers, NULL},
                             {"authorities", authorities, NULL},
                             {"resource_cache", cache, NULL},
                             {"shared_stream", NULL, NULL},
                             {"client_default_listener_resource_name_template", NULL, NULL},
                             {"server_listener_resource_name_template", NULL, NULL},
                             {NULL, NULL, NULL}};

static const struct feature {
  const char *name;
  const char *note; /* NULL: none */
} features[] = {{"xds_v3", "is ignored by gRPC: v3 is the only version there is"},
#define X(name, note) {#name, note},
                GXDS_SERVER_FEATURES(X) GXDS_WEB_FEATURES(X)
#undef X
};

static void look_at_features(const gxds_lint_subject *l, const gxds_file_node *list,
                             const gxds_path *up) {
  for (size_t i = 0; list->kind == GXDS_FILE_NODE_LIST && i < list->count; i++) {
    const gxds_file_node *item = list->items[i];
    /* Another type is reported as an error elsewhere. */
    if (item->kind != GXDS_FILE_NODE_STRING) continue;
    const char *note = "is not known to gRPC, and ignored";
    for (size_t k = 0; k < sizeof features / sizeof *features; k++) {
      if (gxds_str_equal(item->text, gxds_str_z(features[k].name))) note = features[k].note;
    }
    if (!note) continue;
    gxds_str text = gxds_str_format("\"%.*s\" %s", GXDS_STR_ARG(item->text), note);
    gxds_lint_warn(l, item->line, GXDS_ITEM(up, "server_features", i), text.data);
    gxds_str_free(&text);
  }
}

static gxds_str type_of(const gxds_file_node *entry) {
  const gxds_file_node *type =
      entry->kind == GXDS_FILE_NODE_MAP ? gxds_file_node_get(entry, "type") : NULL;
  return type && type->kind == GXDS_FILE_NODE_STRING ? type->text : gxds_str_of("", 0);
}

/* Whether the first known channel credentials have that type. */
static bool connects_by(const gxds_file_node *of, gxds_str wanted) {
  const gxds_file_node *list = gxds_file_node_get(of, "channel_creds");
  for (size_t i = 0; list && list->kind == GXDS_FILE_NODE_LIST && i < list->count; i++) {
    gxds_str type = type_of(list->items[i]);
    if (gxds_channel_creds_supported(type, gxds_host_get())) return gxds_str_equal(type, wanted);
  }
  return false;
}

static void look_at_call_creds(const gxds_lint_subject *l, const gxds_file_node *of,
                               const gxds_file_node *list, const gxds_path *up) {
  for (size_t i = 0; list->kind == GXDS_FILE_NODE_LIST && i < list->count; i++) {
    gxds_str type = type_of(list->items[i]);
    const gxds_path *at = GXDS_ITEM(up, "call_creds", i);
    if (type.size > 0 && !gxds_str_equal(type, gxds_str_z("jwt_token_file"))) {
      gxds_lint_warn(l, list->items[i]->line, GXDS_FIELD(at, "type"),
                     "is not known to gRPC, and ignored");
    } else if (type.size > 0 && connects_by(of, gxds_str_z("insecure"))) {
      gxds_lint_warn(l, list->items[i]->line, at,
                     "no token is sent over \"insecure\" channel_creds: every stream will fail");
    }
  }
}

static const shape *find_shape(const shape *members, gxds_str key) {
  while (members->key && strcmp(members->key, "*") != 0 &&
         !gxds_str_equal(key, gxds_str_z(members->key))) {
    members++;
  }
  return members->key ? members : NULL;
}

/* The recursion is as deep as the shapes at most. */
static void look_at_object(const gxds_lint_subject *l, const gxds_file_node *object,
                           const shape *members, const gxds_path *at) {
  for (size_t i = 0; object->kind == GXDS_FILE_NODE_MAP && i < object->count; i++) {
    const gxds_file_node_entry *e = &object->entries[i];
    const shape *s = find_shape(members, e->key);
    const gxds_path *here =
        s && strcmp(s->key, "*") == 0
            ? &(const gxds_path){at ? at->up : NULL, at ? at->field : NULL, -1, e->key.data}
            : GXDS_FIELD(at, e->key.data);
    if (!s || s->note)
      gxds_lint_warn(l, e->line, here, s ? s->note : "is not known to gRPC, and ignored");
    if (!s) continue;
    if (strcmp(s->key, "server_features") == 0) look_at_features(l, e->value, at);
    if (strcmp(s->key, "call_creds") == 0) look_at_call_creds(l, object, e->value, at);
    if (!s->members) continue;
    if (e->value->kind == GXDS_FILE_NODE_LIST) {
      for (size_t k = 0; k < e->value->count; k++) {
        look_at_object(l, e->value->items[k], s->members, GXDS_ITEM(at, s->key, k));
      }
    } else {
      look_at_object(l, e->value, s->members, here);
    }
  }
}

static bool is_bootstrap(const gxds_file_node *n) {
  return n && n->kind == GXDS_FILE_NODE_MAP && !gxds_file_node_get(n, "@type") &&
         (gxds_file_node_get(n, "xds_servers") || gxds_file_node_get(n, "node"));
}

bool gxds_lint_bootstrap(gxds_file_input file, gxds_findings *findings,
                         const gxds_bootstrap **bootstrap) {
  if (gxds_str_ends_with(file.name, gxds_str_z(".yaml")) ||
      gxds_str_ends_with(file.name, gxds_str_z(".yml"))) {
    return false;
  }
  gxds_file_errors errors = {.file = file.name};
  upb_Arena *arena = upb_Arena_New();
  gxds_lint_subject l = {.findings = findings, .file = file.name};
  l.node = gxds_file_json_read_duplicates(file.bytes, arena, &errors);
  const bool is = is_bootstrap(l.node);
  if (is) {
    gxds_errors wrong = {0};
    gxds_bootstrap_unref(*bootstrap);
    *bootstrap = NULL;
    gxds_findings_add_file_errors(findings, &errors);
    gxds_status status = gxds_bootstrap_parse(file.bytes, gxds_host_get(), bootstrap, &wrong);
    gxds_lint_refuse(&l, &wrong, &status);
    look_at_object(&l, l.node, root, NULL);
  }
  upb_Arena_Free(arena);
  gxds_file_errors_fini(&errors);
  return is;
}
