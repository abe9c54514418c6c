#include "files/file_reader.h"

#include <upb/def.h>
#include <upb/reflection.h>

#include "base/memory.h"
#include "files/convert.h"
#include "files/json_reader.h"
#include "files/yaml_reader.h"

typedef struct reader {
  const gxds_schema *schema;
  void (*found)(void *arg, gxds_file_resource *take_resource, const gxds_file_node *node);
  void *arg;
  gxds_file_errors *errors;
  size_t documents;
} reader;

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
  if (f->count == f->capacity) {
    f->capacity = f->capacity ? 2 * f->capacity : 16;
    f->entries = gxds_realloc(f->entries, f->capacity, sizeof *f->entries);
  }
  f->entries[f->count++] =
      (gxds_file_entry){.resource = take_resource, .file = a->file, .line = node->line};
}

/* The type of a resource by its "@type"; GXDS_FILE_TYPE_COUNT when it has none of ours, which is
 * then said. */
static gxds_file_type type_of(reader *r, const gxds_file_node *node, const gxds_path *at) {
  const gxds_file_node *type = gxds_file_node_get(node, "@type");
  const gxds_path *where = GXDS_FIELD(at, "@type");
  if (!type) {
    gxds_file_errors_add(r->errors, node->line, where, "must be set: the type of the resource");
    return GXDS_FILE_TYPE_COUNT;
  }
  gxds_str url = type->kind == GXDS_FILE_NODE_STRING ? type->text : gxds_str_of(NULL, 0);
  gxds_file_type found = gxds_file_type_find(url);
  if (found != GXDS_FILE_TYPE_COUNT) return found;
  for (int i = 0; i < GXDS_FILE_TYPE_COUNT; i++) {
    if (!gxds_str_equal(url, gxds_str_z(gxds_file_types[i].v2_type_url))) continue;
    gxds_file_errors_add(r->errors, type->line, where, "the v2 API is retired: expected %s",
                         gxds_file_types[i].type_url);
    return GXDS_FILE_TYPE_COUNT;
  }
  gxds_text text = {0};
  gxds_file_node_describe(type, &text);
  gxds_file_errors_add(r->errors, type->line, where,
                       "expected the type URL of a Listener, RouteConfiguration, Cluster or "
                       "ClusterLoadAssignment, found %s",
                       text.data);
  gxds_text_fini(&text);
  return GXDS_FILE_TYPE_COUNT;
}

static void read_resource(reader *r, const gxds_file_node *node, const gxds_path *at) {
  if (node->kind != GXDS_FILE_NODE_MAP) {
    gxds_text text = {0};
    gxds_file_node_describe(node, &text);
    gxds_file_errors_add(r->errors, node->line, at,
                         "expected a resource (an object with \"@type\"), found %s", text.data);
    gxds_text_fini(&text);
    return;
  }
  gxds_file_type type = type_of(r, node, at);
  if (type == GXDS_FILE_TYPE_COUNT) return;
  const gxds_file_type_info *info = &gxds_file_types[type];
  const upb_MessageDef *m = gxds_schema_find(r->schema, gxds_str_z(info->type_url));
  upb_Arena *arena = upb_Arena_New();
  gxds_str bytes;
  upb_Message *msg = gxds_file_convert(r->schema, m, node, arena, r->errors, &bytes);
  if (msg) {
    const upb_FieldDef *f =
        upb_MessageDef_FindFieldByNameWithSize(m, info->name_field, strlen(info->name_field));
    upb_StringView name = upb_Message_Get(msg, f).str_val;
    if (name.size == 0) {
      gxds_file_errors_add(r->errors, node->line, GXDS_FIELD(NULL, info->name_field),
                           "must be set: the name of the resource");
    } else {
      r->found(r->arg, gxds_file_resource_create(type, gxds_str_of(name.data, name.size), bytes),
               node);
    }
  }
  upb_Arena_Free(arena);
}

static void read_list(reader *r, const gxds_file_node *list, const char *field) {
  for (size_t i = 0; i < list->count; i++) {
    read_resource(r, list->items[i], GXDS_ITEM(NULL, field, i));
  }
}

static void read_document(void *arg, const gxds_file_node *root) {
  reader *r = arg;
  r->documents++;
  if (root->kind == GXDS_FILE_NODE_NULL) { /* an empty document of YAML */
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
  for (size_t i = 0; i < root->count; i++) {
    const gxds_file_node_entry *e = &root->entries[i];
    if (e->value == resources) continue;
    gxds_file_errors_add(r->errors, e->line, GXDS_FIELD(NULL, e->key.data),
                         "nothing but \"resources\" is expected here");
  }
  if (resources->kind == GXDS_FILE_NODE_LIST) {
    read_list(r, resources, "resources");
  } else {
    gxds_file_errors_add(r->errors, resources->line, GXDS_FIELD(NULL, "resources"),
                         "expected a list");
  }
}

void gxds_file_read_each(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                         void (*found)(void *arg, gxds_file_resource *take_resource,
                                       const gxds_file_node *node),
                         void *arg, gxds_file_errors *errors) {
  errors->file = name;
  size_t before = errors->count;
  if (bytes.size > GXDS_FILE_SIZE_MAX) {
    gxds_file_errors_add(errors, 0, NULL, "longer than %zu bytes", GXDS_FILE_SIZE_MAX);
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
  /* A file that an editor has just cut to nothing must not delete what it held. */
  if (r.documents == 0 && errors->count == before) {
    gxds_file_errors_add(errors, 1, NULL, "holds no resource: write [] for none");
  }
}

void gxds_file_read(const gxds_schema *schema, gxds_str name, gxds_str bytes,
                    gxds_file_found *found, gxds_file_errors *errors) {
  adder a = {found, name};
  gxds_file_read_each(schema, name, bytes, add_found, &a, errors);
}
