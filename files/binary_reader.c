#include "files/binary_reader.h"

#include <upb/def.h>
#include <upb/reflection.h>

#include "base/check.h"
#include "base/upb.h"
#include "base/wire.h"

/* Fields are read one by one, so that a response needs no memory besides that of its resources. */
enum {
  RESPONSE_RESOURCES = 2,
  RESPONSE_TYPE_URL = 4,
  ANY_TYPE_URL = 1,
  ANY_VALUE = 2,
  RESOURCE_RESOURCE = 2, /* a field of envoy.service.discovery.v3.Resource */
  RESOURCE_NAME = 3,
  RESOURCE_ALIASES = 4,
};

typedef struct any {
  gxds_str type_url;
  gxds_str value;
} any;

/* Stops after one alias more than is allowed. That is enough for the error, and limits the memory
 * for aliases. */
static void read_aliases(gxds_str message, gxds_str *aliases, size_t *count) {
  gxds_wire_field field;
  while (*count <= GXDS_FILE_ALIASES_MAX && gxds_wire_next(&message, &field)) {
    if (field.number == RESOURCE_ALIASES && field.has_size) aliases[(*count)++] = field.value;
  }
}

/* Reads a resource, without its wrapper if it has one. aliases has room for one more than is
 * allowed. If the bytes are damaged, adds an error and returns false. */
static bool read_any(gxds_str bytes, uint32_t line, const gxds_path *at, gxds_file_errors *errors,
                     any *out, gxds_file_wrapper *wrapper, gxds_str *aliases) {
  *wrapper = (gxds_file_wrapper){.aliases = aliases};
  *out = (any){gxds_wire_bytes_at(bytes, ANY_TYPE_URL), gxds_wire_bytes_at(bytes, ANY_VALUE)};
  bool whole = gxds_wire_is_whole(bytes);
  if (whole && gxds_str_equal(out->type_url, gxds_str_z(GXDS_FILE_WRAPPER_TYPE_URL))) {
    wrapper->name = gxds_wire_bytes_at(out->value, RESOURCE_NAME);
    read_aliases(out->value, aliases, &wrapper->alias_count);
    gxds_str inner = gxds_wire_bytes_at(out->value, RESOURCE_RESOURCE);
    whole = gxds_wire_is_whole(out->value) && gxds_wire_is_whole(inner);
    *out = (any){gxds_wire_bytes_at(inner, ANY_TYPE_URL), gxds_wire_bytes_at(inner, ANY_VALUE)};
  }
  if (!whole) gxds_file_errors_add(errors, line, at, "is no message: cut off, or damaged");
  return whole;
}

/* Decodes the resource only to get its name; clients check its contents. False if it can't be
 * decoded. */
static bool read_name(const gxds_schema *schema, const gxds_file_type_info *info, gxds_str bytes,
                      upb_Arena *arena, gxds_str *name) {
  const upb_MessageDef *m = gxds_schema_find(schema, gxds_str_z(info->type_url));
  upb_Message *msg = upb_Message_New(m, arena);
  if (!gxds_pb_decode(bytes, msg, upb_MessageDef_MiniTable(m), arena)) return false;
  const upb_FieldDef *f =
      upb_MessageDef_FindFieldByNameWithSize(m, info->name_field, strlen(info->name_field));
  *name = gxds_pb_str(upb_Message_Get(msg, f).str_val);
  return true;
}

/* The resource inside the wrapper, if there is a wrapper. */
static const gxds_file_node *unwrap(const gxds_file_node *node) {
  const gxds_file_node *type = gxds_file_node_get(node, "@type");
  const gxds_file_node *inner = gxds_file_node_get(node, "resource");
  bool is_wrapper = type && gxds_str_equal(type->text, gxds_str_z(GXDS_FILE_WRAPPER_TYPE_URL));
  return is_wrapper && inner ? inner : node;
}

/* node may be NULL. */
static void read_resource(const gxds_schema *schema, gxds_str bytes, gxds_str response_type,
                          const gxds_file_node *node, const gxds_path *at, gxds_file_found_fn found,
                          void *arg, gxds_file_errors *errors) {
  uint32_t line = node ? node->line : 0;
  any resource;
  gxds_file_wrapper wrapper;
  gxds_str aliases[GXDS_FILE_ALIASES_MAX + 1];
  if (!read_any(bytes, line, at, errors, &resource, &wrapper, aliases)) return;
  gxds_file_type type = gxds_file_check_type(resource.type_url, response_type, line,
                                             GXDS_FIELD(at, "type_url"), errors);
  if (type == GXDS_FILE_TYPE_COUNT) return;
  const gxds_file_type_info *info = &gxds_file_types[type];
  upb_Arena *arena = upb_Arena_New();
  gxds_str name;
  if (!gxds_wire_is_whole(resource.value) ||
      !read_name(schema, info, resource.value, arena, &name)) {
    gxds_file_errors_add(errors, line, GXDS_FIELD(at, "value"), "is no %s: cut off, or damaged",
                         info->message);
  } else if (gxds_file_check_names(info, name, &wrapper, line, at, errors)) {
    found(arg, gxds_file_resource_create(type, name, resource.value, aliases, wrapper.alias_count),
          node ? unwrap(node) : NULL);
  }
  upb_Arena_Free(arena);
}

void gxds_binary_read(const gxds_schema *schema, gxds_str bytes, const gxds_file_node *const *nodes,
                      gxds_file_found_fn found, void *arg, gxds_file_errors *errors) {
  if (!gxds_wire_is_whole(bytes)) {
    gxds_file_errors_add(errors, 0, NULL,
                         "is no DiscoveryResponse in binary: cut off, damaged, or something else");
    return;
  }
  gxds_str type_url = gxds_wire_bytes_at(bytes, RESPONSE_TYPE_URL);
  gxds_wire_field field;
  int64_t index = 0;
  while (gxds_wire_next(&bytes, &field)) {
    if (field.number != RESPONSE_RESOURCES || !field.has_size) continue;
    read_resource(schema, field.value, type_url, nodes ? nodes[index] : NULL,
                  GXDS_ITEM(NULL, "resources", index), found, arg, errors);
    index++;
  }
  /* A file that was just truncated is empty. It must not delete the resources that it had. A
   * response without resources is still valid if it names its type. */
  if (index == 0 && type_url.size == 0) {
    gxds_file_errors_add(errors, 0, NULL, "holds no resource, and no \"type_url\" that it is of");
  }
}
