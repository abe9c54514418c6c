#include "files/file_reader.h"

#include <locale.h>
#include <upb/def.h>
#include <upb/reflection.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/upb.h"
#include "files/binary_reader.h"
#include "files/convert.h"
#include "files/json_reader.h"
#include "files/prototext_reader.h"
#include "files/yaml_reader.h"

typedef struct reader {
  const gxds_schema *schema;
  gxds_file_found_fn found;
  void *arg;
  gxds_file_errors *errors;
  gxds_str response_type;       /* the type_url of the current response; empty: none */
  gxds_file_response *response; /* gets the response's fields other than resources; NULL if the
                                   caller does not need them */
  size_t documents;
} reader;

bool gxds_file_is_binary(gxds_str name) {
  return gxds_str_ends_with(name, gxds_str_z(".pb")) ||
         gxds_str_ends_with(name, gxds_str_z(".binpb"));
}

bool gxds_file_is_prototext(gxds_str name) {
  return gxds_str_ends_with(name, gxds_str_z(".textproto")) ||
         gxds_str_ends_with(name, gxds_str_z(".txtpb")) ||
         gxds_str_ends_with(name, gxds_str_z(".pbtxt"));
}

void gxds_file_found_fini(gxds_file_found *f) {
  for (size_t i = 0; i < f->count; i++) gxds_file_resource_unref(f->entries[i].resource);
  gxds_free(f->entries);
  *f = (gxds_file_found){0};
}

typedef struct adder {
  gxds_file_found *found;
  gxds_str file;
} adder;

static void add_found(void *arg, gxds_file_resource *take_resource, const gxds_file_node *node) {
  adder *a = arg;
  gxds_file_found *f = a->found;
  GXDS_MAKE_ROOM(f->entries, f->count, f->capacity, 16);
  f->entries[f->count++] =
      (gxds_file_entry){.resource = take_resource, .file = a->file, .line = node ? node->line : 0};
}

static const char expected_type[] =
    "the type URL of a Listener, RouteConfiguration, Cluster or ClusterLoadAssignment";

gxds_file_type gxds_file_check_type(gxds_str type_url, gxds_str response_type, uint32_t line,
                                    const gxds_path *at, gxds_file_errors *errors) {
  gxds_file_type type = gxds_file_type_find(type_url);
  if (type != GXDS_FILE_TYPE_COUNT) {
    if (response_type.size == 0 || gxds_str_equal(type_url, response_type)) return type;
    gxds_file_errors_add(errors, line, at, "is not the \"type_url\" of the response: %.*s",
                         GXDS_STR_ARG(response_type));
    return GXDS_FILE_TYPE_COUNT;
  }
  for (int i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    if (!gxds_str_equal(type_url, gxds_str_z(gxds_file_types[i].v2_type_url))) continue;
    gxds_file_errors_add(errors, line, at, "the v2 API is retired: expected %s",
                         gxds_file_types[i].type_url);
    return GXDS_FILE_TYPE_COUNT;
  }
  gxds_file_node string = {.kind = GXDS_FILE_NODE_STRING, .line = line, .text = type_url};
  gxds_file_node_refuse(&string, at, expected_type, errors);
  return GXDS_FILE_TYPE_COUNT;
}

bool gxds_file_check_names(const gxds_file_type_info *info, gxds_str name,
                           const gxds_file_wrapper *wrapper, uint32_t line, const gxds_path *at,
                           gxds_file_errors *errors) {
  size_t before = errors->count;
  if (name.size == 0) {
    gxds_file_errors_add(errors, line, GXDS_FIELD(at, info->name_field),
                         "must be set: the name of the resource");
  } else if (wrapper->name.size > 0 && !gxds_str_equal(wrapper->name, name)) {
    gxds_file_errors_add(errors, line, GXDS_FIELD(at, "name"),
                         "\"%.*s\" is not the name of the %s in it: \"%.*s\"",
                         GXDS_STR_ARG(wrapper->name), info->message, GXDS_STR_ARG(name));
  }
  if (wrapper->alias_count > GXDS_FILE_ALIASES_MAX) {
    gxds_file_errors_add(errors, line, GXDS_FIELD(at, "aliases"), "more than %d",
                         GXDS_FILE_ALIASES_MAX);
  }
  for (size_t i = 0; i < wrapper->alias_count; i++) {
    gxds_str alias = wrapper->aliases[i];
    if (alias.size == 0 || gxds_str_equal(alias, gxds_str_z("*"))) {
      gxds_file_errors_add(errors, line, GXDS_ITEM(at, "aliases", i), "\"%.*s\" is no name",
                           GXDS_STR_ARG(alias));
    } else if (!gxds_str_is_utf8(alias)) {
      gxds_file_errors_add(errors, line, GXDS_ITEM(at, "aliases", i), "is no UTF-8");
    }
  }
  return errors->count == before;
}

/* The type of a resource. If it is not one of the four types, adds an error and returns
 * GXDS_FILE_TYPE_COUNT. */
static gxds_file_type type_of(const reader *r, const gxds_file_node *node, const gxds_path *at) {
  const gxds_file_node *type = gxds_file_node_get(node, "@type");
  const gxds_path *where = GXDS_FIELD(at, "@type");
  if (!type) {
    gxds_file_errors_add(r->errors, node->line, where, "must be set: the type of the resource");
    return GXDS_FILE_TYPE_COUNT;
  }
  if (type->kind == GXDS_FILE_NODE_STRING) {
    return gxds_file_check_type(type->text, r->response_type, type->line, where, r->errors);
  }
  gxds_file_node_refuse(type, where, expected_type, r->errors);
  return GXDS_FILE_TYPE_COUNT;
}

static gxds_str field_text(const upb_MessageDef *m, const upb_Message *msg, const char *name) {
  const upb_FieldDef *f = upb_MessageDef_FindFieldByNameWithSize(m, name, strlen(name));
  return gxds_pb_str(upb_Message_Get(msg, f).str_val);
}

/* Converts a message that contains resources, but leaves out its field `but`. NULL after an
 * error. */
static upb_Message *convert_but(const reader *r, const char *type_url, const gxds_file_node *node,
                                const char *but, upb_Arena *arena) {
  gxds_file_node_entry *entries = gxds_calloc(node->count, sizeof *entries);
  gxds_file_node rest = *node;
  rest.count = 0;
  rest.entries = entries;
  for (size_t i = 0; i < node->count; i++) {
    if (!gxds_str_equal(node->entries[i].key, gxds_str_z(but)))
      entries[rest.count++] = node->entries[i];
  }
  gxds_str bytes;
  upb_Message *msg = gxds_file_convert(r->schema, gxds_schema_find(r->schema, gxds_str_z(type_url)),
                                       &rest, arena, r->errors, &bytes);
  gxds_free(entries);
  return msg;
}

static void read_plain(const reader *r, const gxds_file_node *node, const gxds_path *at,
                       const gxds_file_wrapper *wrapper) {
  gxds_file_type type = type_of(r, node, at);
  if (type == GXDS_FILE_TYPE_COUNT) return;
  const gxds_file_type_info *info = &gxds_file_types[type];
  const upb_MessageDef *m = gxds_schema_find(r->schema, gxds_str_z(info->type_url));
  upb_Arena *arena = upb_Arena_New();
  gxds_str bytes;
  upb_Message *msg = gxds_file_convert(r->schema, m, node, arena, r->errors, &bytes);
  if (msg) {
    gxds_str name = field_text(m, msg, info->name_field);
    if (gxds_file_check_names(info, name, wrapper, node->line, NULL, r->errors)) {
      r->found(r->arg,
               gxds_file_resource_create(type, name, bytes, wrapper->aliases, wrapper->alias_count),
               node);
    }
  }
  upb_Arena_Free(arena);
}

static bool is_map(const reader *r, const gxds_file_node *node, const gxds_path *at) {
  if (node->kind == GXDS_FILE_NODE_MAP) return true;
  gxds_file_node_refuse(node, at, "a resource (an object with \"@type\")", r->errors);
  return false;
}

static gxds_file_wrapper wrapper_of(const upb_MessageDef *m, const upb_Message *msg,
                                    upb_Arena *arena) {
  const upb_FieldDef *f = upb_MessageDef_FindFieldByName(m, "aliases");
  const upb_Array *array = upb_Message_Get(msg, f).array_val;
  size_t count = array ? upb_Array_Size(array) : 0;
  gxds_str *aliases = gxds_arena_alloc(arena, (count + 1) * sizeof *aliases);
  for (size_t i = 0; i < count; i++) aliases[i] = gxds_pb_str(upb_Array_Get(array, i).str_val);
  return (gxds_file_wrapper){field_text(m, msg, "name"), aliases, count};
}

static void read_wrapper(const reader *r, const gxds_file_node *node, const gxds_path *at) {
  const gxds_path *where = GXDS_FIELD(at, "resource");
  const gxds_file_node *inner = gxds_file_node_get(node, "resource");
  if (!inner) gxds_file_errors_add(r->errors, node->line, where, "must be set");
  if (!inner || !is_map(r, inner, where)) return;
  upb_Arena *arena = upb_Arena_New();
  const upb_MessageDef *m = gxds_schema_find(r->schema, gxds_str_z(GXDS_FILE_WRAPPER_TYPE_URL));
  const upb_Message *msg = convert_but(r, GXDS_FILE_WRAPPER_TYPE_URL, node, "resource", arena);
  if (msg) {
    gxds_file_wrapper wrapper = wrapper_of(m, msg, arena);
    read_plain(r, inner, where, &wrapper);
  }
  upb_Arena_Free(arena);
}

static void read_resource(const reader *r, const gxds_file_node *node, const gxds_path *at) {
  if (!is_map(r, node, at)) return;
  const gxds_file_node *type = gxds_file_node_get(node, "@type");
  if (type && type->kind == GXDS_FILE_NODE_STRING &&
      gxds_str_equal(type->text, gxds_str_z(GXDS_FILE_WRAPPER_TYPE_URL))) {
    read_wrapper(r, node, at);
  } else {
    read_plain(r, node, at, &(gxds_file_wrapper){0});
  }
}

static void read_list(const reader *r, const gxds_file_node *list, const char *field) {
  for (size_t i = 0; i < list->count; i++) {
    read_resource(r, list->items[i], GXDS_ITEM(NULL, field, i));
  }
}

/* Reads a DiscoveryResponse: {"resources": […]}, perhaps with other fields. resources is NULL if it
 * has none. */
static void read_response(reader *r, const gxds_file_node *root, const gxds_file_node *resources) {
  static const char type_url[] = "type.googleapis.com/envoy.service.discovery.v3.DiscoveryResponse";
  upb_Arena *arena = upb_Arena_New();
  const upb_Message *msg = convert_but(r, type_url, root, "resources", arena);
  if (resources && resources->kind != GXDS_FILE_NODE_LIST) {
    gxds_file_errors_add(r->errors, resources->line, GXDS_FIELD(NULL, "resources"),
                         "expected a list");
  } else {
    const upb_MessageDef *m = gxds_schema_find(r->schema, gxds_str_z(type_url));
    if (msg) r->response_type = field_text(m, msg, "type_url");
    if (msg && r->response) {
      r->response->type_url = gxds_str_dup(r->response_type);
      r->response->version = gxds_str_dup(field_text(m, msg, "version_info"));
      r->response->nonce = gxds_str_dup(field_text(m, msg, "nonce"));
    }
    if (resources) read_list(r, resources, "resources");
    r->response_type = gxds_str_of(NULL, 0);
  }
  upb_Arena_Free(arena);
}

static void read_document(void *arg, const gxds_file_node *root) {
  reader *r = arg;
  r->documents++;
  if (root->kind == GXDS_FILE_NODE_NULL) { /* an empty YAML document */
    r->documents--;
    return;
  }
  if (root->kind == GXDS_FILE_NODE_LIST) {
    read_list(r, root, NULL);
    return;
  }
  const gxds_file_node *resources =
      root->kind == GXDS_FILE_NODE_MAP ? gxds_file_node_get(root, "resources") : NULL;
  if (!resources || gxds_file_node_get(root, "@type")) {
    read_resource(r, root, NULL);
    return;
  }
  read_response(r, root, resources);
}

static void read_each(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                      gxds_file_found_fn found, void *arg, gxds_file_errors *errors) {
  size_t before = errors->count;
  if (bytes.size > GXDS_FILE_SIZE_MAX) {
    gxds_file_errors_add(errors, 0, NULL, "longer than %zu bytes", GXDS_FILE_SIZE_MAX);
    return;
  }
  if (gxds_file_is_binary(name)) {
    gxds_binary_read(schema, bytes, NULL, found, arg, errors);
    return;
  }
  if (gxds_file_is_prototext(name)) {
    gxds_prototext_read(schema, bytes, found, arg, errors);
    return;
  }
  reader r = {.schema = schema, .found = found, .arg = arg, .errors = errors};
  upb_Arena *arena = upb_Arena_New();
  if (gxds_str_ends_with(name, gxds_str_z(".json"))) {
    const gxds_file_node *root = gxds_file_json_read(bytes, arena, errors);
    if (root) read_document(&r, root);
  } else {
    gxds_yaml_read(bytes, arena, errors, read_document, &r);
  }
  upb_Arena_Free(arena);
  /* An editor truncates a file before it writes it. An empty file must not delete the resources
   * that the file had. */
  if (r.documents == 0 && errors->count == before) {
    gxds_file_errors_add(errors, 1, NULL, "holds no resource: write [] for none");
  }
}

/* strtod(), which is used here and in upb, takes the decimal point from the thread's locale. */
static locale_t enter_c_locale(void) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  GXDS_CHECK(c != (locale_t)0);
  return uselocale(c);
}

static void leave_c_locale(locale_t before) { freelocale(uselocale(before)); }

void gxds_file_read_each(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                         gxds_file_found_fn found, void *arg, gxds_file_errors *errors) {
  errors->file = name;
  locale_t before = enter_c_locale();
  read_each(schema, name, bytes, found, arg, errors);
  leave_c_locale(before);
}

void gxds_file_response_fini(gxds_file_response *r) {
  gxds_str_free(&r->type_url);
  gxds_str_free(&r->version);
  gxds_str_free(&r->nonce);
}

void gxds_file_read_response(const gxds_schema *schema, gxds_str json, gxds_file_response *out,
                             gxds_file_found_fn found, void *arg, gxds_file_errors *errors) {
  *out = (gxds_file_response){0};
  reader r = {.schema = schema, .found = found, .arg = arg, .errors = errors, .response = out};
  locale_t before = enter_c_locale();
  upb_Arena *arena = upb_Arena_New();
  const gxds_file_node *root = gxds_file_json_read(json, arena, errors);
  if (root && is_map(&r, root, NULL)) {
    const gxds_file_node *resources = gxds_file_node_get(root, "resources");
    /* proto3 JSON: null means that the field is not set. */
    if (resources && resources->kind == GXDS_FILE_NODE_NULL) resources = NULL;
    read_response(&r, root, resources);
  }
  upb_Arena_Free(arena);
  leave_c_locale(before);
}

void gxds_file_read(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                    gxds_file_found *found, gxds_file_errors *errors) {
  adder a = {found, name};
  gxds_file_read_each(schema, name, bytes, add_found, &a, errors);
}
