#include <google/protobuf/descriptor.upb.h>
#include <upb/def.h>

#include "files/file_reader.h"
#include "resources/route_config.h"
#include "tools/lint/check.h"
#include "tools/lint/field_line.h"
#include "tools/lint/read_fields.h"

typedef struct looker {
  const gxds_schema *schema;
  const gxds_validator *validator;
  gxds_lint_subject subject; /* the resource that is being checked */
} looker;

static const upb_FieldDef *field_of(const upb_MessageDef *m, gxds_str key) {
  const upb_FieldDef *f = upb_MessageDef_FindFieldByNameWithSize(m, key.data, key.size);
  return f ? f : upb_MessageDef_FindByJsonNameWithSize(m, key.data, key.size);
}

static bool is_read(const char *read, const char *name) {
  gxds_str word = gxds_str_format(" %s ", name);
  bool found = strstr(read, word.data) != NULL;
  gxds_str_free(&word);
  return found;
}

static bool is_true(const gxds_file_node_entry *e) {
  return e && e->value->kind == GXDS_FILE_NODE_BOOL &&
         gxds_str_equal(e->value->text, gxds_str_z("true"));
}

/* A29, A82, A101: warns if no names are checked, because then anybody with a certificate of the CA
 * can pose as the server. */
static void look_at_names(const looker *l, const gxds_file_node *tls, const gxds_path *at) {
  if (is_true(gxds_field_entry(tls, gxds_str_z("auto_sni_san_validation")))) return;
  const gxds_file_node_entry *common = gxds_field_entry(tls, gxds_str_z("common_tls_context"));
  const gxds_path *in = GXDS_FIELD(at, "common_tls_context");
  const gxds_file_node *of = common ? common->value : NULL;
  const gxds_file_node_entry *combined =
      gxds_field_entry(of, gxds_str_z("combined_validation_context"));
  const char *name = combined ? "default_validation_context" : "validation_context";
  const gxds_file_node_entry *context =
      gxds_field_entry(combined ? combined->value : of, gxds_str_z(name));
  /* Missing or of another kind: that is an error. */
  if (!context || context->value->kind != GXDS_FILE_NODE_MAP) return;
  const gxds_file_node_entry *sans =
      gxds_field_entry(context->value, gxds_str_z("match_subject_alt_names"));
  if (sans && sans->value->kind == GXDS_FILE_NODE_LIST && sans->value->count > 0) return;
  const gxds_path *inner = combined ? GXDS_FIELD(in, "combined_validation_context") : in;
  gxds_lint_warn(
      &l->subject, context->line, GXDS_FIELD(inner, name),
      gxds_field_entry(context->value, gxds_str_z("system_root_certs"))
          ? "checks no name: whoever has a certificate of any authority that the machine trusts "
            "may be the server"
          : "checks no name: whoever has a certificate of the authority may be the server");
}

static void look_at_message(const looker *l, const upb_MessageDef *m, const gxds_file_node *node,
                            const gxds_path *at);

/* Checks the contents of a field that the client reads. */
static void look_at_value(const looker *l, const upb_FieldDef *f, const gxds_file_node *value,
                          const gxds_path *up, const char *name) {
  if (!upb_FieldDef_IsSubMessage(f) || upb_FieldDef_IsMap(f)) return;
  const upb_MessageDef *m = upb_FieldDef_MessageSubDef(f);
  if (value->kind != GXDS_FILE_NODE_LIST) {
    look_at_message(l, m, value, GXDS_FIELD(up, name));
    return;
  }
  for (size_t i = 0; i < value->count; i++) {
    look_at_message(l, m, value->items[i], GXDS_ITEM(up, name, i));
  }
}

/* A28: a warning about a path that no RPC has; NULL if there is none. name is the full name of the
 * field. */
static const char *matches_nothing(const char *name, const gxds_file_node *value) {
  static const char message[] = "envoy.config.route.v3.RouteMatch.";
  static const char warning[] =
      "matches no RPC, so the route is ignored: paths of gRPC are /service/method";
  const size_t size = sizeof message - 1;
  if (value->kind != GXDS_FILE_NODE_STRING || strncmp(name, message, size) != 0) return NULL;
  const bool prefix =
      strcmp(name + size, "prefix") == 0 || strcmp(name + size, "path_separated_prefix") == 0;
  if (prefix) return gxds_path_prefix_can_match(value->text) ? NULL : warning;
  if (strcmp(name + size, "path") == 0 && !gxds_path_can_match(value->text)) return warning;
  return NULL;
}

/* A28, A81, E5: a warning about a field that is read but has no effect; NULL if there is none. */
static const char *in_vain(const looker *l, const upb_FieldDef *f, const gxds_file_node *value) {
  const char *name = upb_FieldDef_FullName(f);
  if (strcmp(name, "envoy.config.endpoint.v3.Endpoint.hostname") == 0) {
    if (value->kind != GXDS_FILE_NODE_STRING || value->text.size == 0) return NULL;
    return gxds_authority_is_valid(value->text) ? NULL
                                                : "is ignored by gRPC: it can be no authority";
  }
  if (strstr(name, ".auto_host_rewrite") || strstr(name, ".host_rewrite_literal")) {
    return gxds_validator_trusts(l->validator)
               ? NULL
               : "is ignored by gRPC: the server has not the feature \"trusted_xds_server\" (A81)";
  }
  if (strstr(name, ".lb_subset_config") || strstr(name, ".metadata_match")) {
    return gxds_validator_takes_subsets(l->validator)
               ? NULL
               : "is ignored by gRPC: the server has not the feature \"lb_subsets\"";
  }
  return matches_nothing(name, value);
}

/* The recursion is as deep as the file's nodes at most. */
static void look_at_message(const looker *l, const upb_MessageDef *m, const gxds_file_node *node,
                            const gxds_path *at) {
  if (node->kind != GXDS_FILE_NODE_MAP) return;
  const gxds_file_node *type = gxds_file_node_get(node, "@type");
  if (type && type->kind == GXDS_FILE_NODE_STRING) {
    m = gxds_schema_find(l->schema, type->text);
    if (!m) return;
  }
  const char *read = gxds_read_fields(upb_MessageDef_FullName(m));
  if (!read) return;
  for (size_t i = 0; i < node->count; i++) {
    const gxds_file_node_entry *e = &node->entries[i];
    const upb_FieldDef *f = field_of(m, e->key);
    /* Skips "@type", and fields that are not set. */
    if (!f || e->value->kind == GXDS_FILE_NODE_NULL) continue;
    const char *name = upb_FieldDef_Name(f);
    bool deprecated = google_protobuf_FieldOptions_deprecated(upb_FieldDef_Options(f));
    bool ignored = !is_read(read, name);
    if (deprecated || ignored) {
      gxds_lint_warn(&l->subject, e->line, GXDS_FIELD(at, name),
                     !ignored     ? "is deprecated"
                     : deprecated ? "is deprecated, and ignored by gRPC"
                                  : "is ignored by gRPC");
    }
    const char *vain = ignored ? NULL : in_vain(l, f, e->value);
    if (vain) gxds_lint_warn(&l->subject, e->line, GXDS_FIELD(at, name), vain);
    if (!ignored) look_at_value(l, f, e->value, at, name);
  }
  if (strcmp(upb_MessageDef_FullName(m),
             "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext") == 0) {
    look_at_names(l, node, at);
  }
}

static void look(void *arg, gxds_file_resource *take_resource, const gxds_file_node *node) {
  looker *l = arg;
  const gxds_file_type_info *info = &gxds_file_types[take_resource->type];
  gxds_str resource =
      gxds_str_format("%s \"%.*s\"", info->message, GXDS_STR_ARG(take_resource->name));
  l->subject.resource = resource;
  l->subject.node = node;
  gxds_errors errors = {0};
  gxds_status status = gxds_validator_check(l->validator, take_resource, &errors);
  gxds_lint_refuse(&l->subject, &errors, &status);
  if (node) look_at_message(l, gxds_schema_find(l->schema, gxds_str_z(info->type_url)), node, NULL);
  gxds_str_free(&resource);
  gxds_file_resource_unref(take_resource);
}

void gxds_lint_resources(const gxds_schema *schema, const gxds_validator *validator,
                         gxds_file_input file, gxds_findings *findings) {
  looker l = {schema, validator, {.findings = findings, .file = file.name}};
  gxds_file_errors reported = {0};
  gxds_file_read_each(schema, file.name, file.bytes, look, &l, &reported);
  gxds_file_errors_fini(&reported);
}
