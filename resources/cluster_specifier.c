#include <stdlib.h>

#include "base/search.h"
#include "envoy/config/core/v3/extension.upb.h"
#include "envoy/config/route/v3/route.upb.h"
#include "envoy/config/route/v3/route_components.upb.h"
#include "resources/route_config_internal.h"
#include "src/proto/grpc/lookup/v1/rls_config.upb.h"
#include "src/proto/grpc/lookup/v1/rls_config.upbdefs.h"
#include "upb/json_encode.h"

typedef envoy_config_route_v3_ClusterSpecifierPlugin plugin_message;

static const char rls_type[] = "grpc.lookup.v1.RouteLookupClusterSpecifier";

/* Adds the config as protobuf JSON, which the host's rls policy reads. False after an error. */
static bool add_lookup_config(const grpc_lookup_v1_RouteLookupConfig *in, const gxds_path *at,
                              upb_Arena *scratch, gxds_errors *errors, gxds_text *json) {
  upb_DefPool *pool = upb_DefPool_New();
  GXDS_CHECK(pool != NULL);
  const upb_MessageDef *def = grpc_lookup_v1_RouteLookupConfig_getmsgdef(pool);
  upb_Status status;
  upb_Status_Clear(&status);
  size_t size = upb_JsonEncode(in, def, pool, 0, NULL, 0, &status);
  bool ok = size != (size_t)-1;
  if (!ok) {
    gxds_errors_add(errors, at, "failed to dump proto to JSON: %s",
                    upb_Status_ErrorMessage(&status));
  } else {
    char *text = gxds_arena_calloc(scratch, size + 1, 1);
    upb_JsonEncode(in, def, pool, 0, text, size + 1, &status);
    ok = gxds_str_is_utf8(gxds_str_of(text, size)); /* the decoder does not check that keys of maps
                                                       are UTF-8 */
    if (!ok) gxds_errors_add(errors, at, "failed to dump proto to JSON: not UTF-8");
    gxds_text_add(json, gxds_str_of(text, size));
  }
  upb_DefPool_Free(pool);
  return ok;
}

/* The children of the rls policy are cds policies for clusters that no route names (A74), hence
 * isDynamic. */
static void decode_rls(const gxds_host *host, const gxds_extension *config, upb_Arena *scratch,
                       gxds_errors *errors, gxds_cluster_specifier *out) {
  const grpc_lookup_v1_RouteLookupClusterSpecifier *in = NULL;
  if (!config->typed_struct) {
    in = GXDS_DECODE(grpc_lookup_v1_RouteLookupClusterSpecifier, config->value, scratch);
  }
  if (!in) {
    gxds_errors_add(errors, config->at, "could not parse plugin config");
    return;
  }
  const grpc_lookup_v1_RouteLookupConfig *lookup =
      grpc_lookup_v1_RouteLookupClusterSpecifier_route_lookup_config(in);
  if (!lookup) {
    gxds_errors_add(errors, config->at,
                    "Could not get route lookup config from route lookup cluster specifier");
    return;
  }
  gxds_text json = {0};
  gxds_text_add_z(&json, "[{\"rls_experimental\":{\"routeLookupConfig\":");
  size_t before = errors->count;
  if (add_lookup_config(lookup, config->at, scratch, errors, &json)) {
    gxds_text_add_z(&json,
                    ",\"childPolicy\":[{\"cds_experimental\":{\"isDynamic\":true}}],"
                    "\"childPolicyConfigTargetFieldName\":\"cluster\"}}]");
    if (host && host->lb_config_check) {
      host->lb_config_check(gxds_text_str(&json), config->at, errors);
    }
  }
  if (errors->count == before) {
    out->lb_json = gxds_arena_dup(scratch, gxds_text_str(&json));
    out->server = gxds_pb_str(grpc_lookup_v1_RouteLookupConfig_lookup_service(lookup));
  }
  gxds_text_fini(&json);
}

static void decode_one(const gxds_host *host, const plugin_message *in, const gxds_path *up,
                       upb_Arena *scratch, gxds_errors *errors, gxds_cluster_specifier *out) {
  const gxds_path *at = GXDS_FIELD(up, "extension");
  const gxds_path *at_config = GXDS_FIELD(at, "typed_config");
  size_t before = errors->count;
  out->failed = true;
  const envoy_config_core_v3_TypedExtensionConfig *config =
      envoy_config_route_v3_ClusterSpecifierPlugin_extension(in);
  if (!config) {
    gxds_errors_add(errors, at, "field not present");
    return;
  }
  out->name = gxds_pb_str(envoy_config_core_v3_TypedExtensionConfig_name(config));
  gxds_extension extension;
  gxds_extension_open(envoy_config_core_v3_TypedExtensionConfig_typed_config(config), at_config,
                      scratch, errors, &extension);
  if (errors->count != before) return;
  if (gxds_str_is(extension.type, rls_type)) {
    decode_rls(host, &extension, scratch, errors, out);
  } else if (!envoy_config_route_v3_ClusterSpecifierPlugin_is_optional(in)) {
    gxds_errors_add(errors, extension.at, "Unknown ClusterSpecifierPlugin type %.*s",
                    GXDS_QUOTED(extension.type));
  }
  out->failed = errors->count != before;
}

static int compare_names(const void *a, const void *b) {
  const gxds_cluster_specifier *x = a;
  const gxds_cluster_specifier *y = b;
  int order = gxds_str_compare(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

gxds_cluster_specifiers gxds_cluster_specifiers_decode(
    const gxds_host *host, const envoy_config_route_v3_RouteConfiguration *in, const gxds_path *at,
    upb_Arena *scratch, gxds_errors *errors) {
  gxds_cluster_specifiers s = {NULL, 0};
  const plugin_message *const *list =
      envoy_config_route_v3_RouteConfiguration_cluster_specifier_plugins(in, &s.count);
  if (s.count == 0) return s;
  s.items = gxds_arena_calloc(scratch, s.count, sizeof *s.items);
  for (size_t i = 0; i < s.count; i++) {
    s.items[i].index = i;
    decode_one(host, list[i], GXDS_ITEM(at, "cluster_specifier_plugins", i), scratch, errors,
               &s.items[i]);
  }
  qsort(s.items, s.count, sizeof *s.items, compare_names);
  for (size_t i = 1; i < s.count; i++) {
    gxds_str name = s.items[i].name;
    if (name.size == 0 || !gxds_str_equal(name, s.items[i - 1].name)) continue;
    const gxds_path *at_item = GXDS_ITEM(at, "cluster_specifier_plugins", s.items[i].index);
    gxds_errors_add(errors, GXDS_FIELD(GXDS_FIELD(at_item, "extension"), "name"),
                    "Duplicated definition of cluster_specifier_plugin %.*s", GXDS_QUOTED(name));
  }
  return s;
}

gxds_cluster_specifier *gxds_cluster_specifiers_find(const gxds_cluster_specifiers *s,
                                                     gxds_str name) {
  gxds_cluster_specifier key = {.name = name, .index = 0};
  /* Finds the first item of that name. */
  const size_t at = GXDS_LOWER_BOUND(i, 0, s->count, compare_names(&s->items[i], &key) < 0);
  return at < s->count && gxds_str_equal(s->items[at].name, name) ? &s->items[at] : NULL;
}
