#include "files/schema.h"

#include <google/protobuf/descriptor.upb.h>
#include <upb/def.h>

#include "base/check.h"
#include "base/memory.h"
#include "files/extra_types.h"

/* The .proto files whose messages can be used in an Any, with those that they need. A file that
 * another listed file needs is listed only for one of two reasons: gxds_schema_create() names it,
 * or a program with a static libgrpc, which has only what gRPC itself uses, may have it without the
 * other. Files that only have annotations are loaded with the files that use them. */
#define HOST_FILES(X)                                                                          \
  X(envoy_config_bootstrap_v3_bootstrap_proto)                                                 \
  X(envoy_config_cluster_v3_cluster_proto)                                                     \
  X(envoy_config_common_matcher_v3_matcher_proto)                                              \
  X(envoy_config_core_v3_grpc_method_list_proto)                                               \
  X(envoy_config_endpoint_v3_endpoint_components_proto)                                        \
  X(envoy_config_listener_v3_listener_proto)                                                   \
  X(envoy_config_metrics_v3_metrics_service_proto)                                             \
  X(envoy_config_tap_v3_common_proto)                                                          \
  X(envoy_config_trace_v3_skywalking_proto)                                                    \
  X(envoy_config_trace_v3_trace_proto)                                                         \
  X(envoy_config_trace_v3_xray_proto)                                                          \
  X(envoy_extensions_clusters_aggregate_v3_cluster_proto)                                      \
  X(envoy_extensions_filters_http_fault_v3_fault_proto)                                        \
  X(envoy_extensions_filters_http_rbac_v3_rbac_proto)                                          \
  X(envoy_extensions_filters_http_router_v3_router_proto)                                      \
  X(envoy_extensions_filters_network_http_connection_manager_v3_http_connection_manager_proto) \
  X(envoy_extensions_transport_sockets_tls_v3_cert_proto)                                      \
  X(envoy_extensions_transport_sockets_tls_v3_common_proto)                                    \
  X(envoy_extensions_transport_sockets_tls_v3_tls_proto)                                       \
  X(envoy_extensions_transport_sockets_tls_v3_tls_spiffe_validator_config_proto)               \
  X(envoy_service_discovery_v3_ads_proto)                                                      \
  X(envoy_service_discovery_v3_discovery_proto)                                                \
  X(envoy_service_load_stats_v3_lrs_proto)                                                     \
  X(envoy_type_http_v3_cookie_proto)                                                           \
  X(envoy_type_matcher_v3_http_inputs_proto)                                                   \
  X(envoy_type_matcher_v3_node_proto)                                                          \
  X(envoy_type_v3_hash_policy_proto)                                                           \
  X(envoy_type_v3_http_status_proto)                                                           \
  X(envoy_type_v3_ratelimit_strategy_proto)                                                    \
  X(google_api_http_proto)                                                                     \
  X(google_api_httpbody_proto)                                                                 \
  X(src_proto_grpc_lookup_v1_rls_config_proto)                                                 \
  X(xds_core_v3_resource_proto)                                                                \
  X(xds_type_v3_typed_struct_proto)

/* Weak symbols: a file that a host no longer has is left out. */
#define DECLARE(file) extern _upb_DefPool_Init file##_upbdefinit __attribute__((weak));
HOST_FILES(DECLARE)
#define ADDRESS(file) &file##_upbdefinit,
static const _upb_DefPool_Init *const host_files[] = {HOST_FILES(ADDRESS)};

/* Loads a file with newly built layouts, because the layouts in libgrpc lack the fields that
 * load_extended() adds. */
static bool load_host_file(upb_DefPool *pool, const _upb_DefPool_Init *file) {
  return _upb_DefPool_LoadDefInitEx(pool, file, /*rebuild_minitable=*/true);
}

/* Loads a file with the fields that the host lacks. Must be called before the files that use this
 * file are loaded. */
static void load_extended(upb_DefPool *pool, const _upb_DefPool_Init *init) {
  for (_upb_DefPool_Init **needed = init->deps; *needed; needed++) {
    GXDS_CHECK(load_host_file(pool, *needed));
  }
  upb_Arena *arena = upb_Arena_New();
  google_protobuf_FileDescriptorProto *file = google_protobuf_FileDescriptorProto_parse(
      init->descriptor.data, init->descriptor.size, arena);
  GXDS_CHECK(file != NULL);
  gxds_extra_fields_add(file, arena);
  upb_Status status;
  upb_Status_Clear(&status);
  GXDS_CHECK(upb_DefPool_AddFile(pool, file, &status) != NULL);
  upb_Arena_Free(arena);
}

struct gxds_schema {
  upb_DefPool *pool;
  bool lenient;
  size_t *learned; /* how many types of Anys a lenient schema has learned */
};

gxds_schema *gxds_schema_create(void) {
  gxds_schema *s = GXDS_NEW(gxds_schema);
  s->learned = GXDS_NEW(size_t);
  s->pool = upb_DefPool_New();
  GXDS_CHECK(s->pool != NULL);
  load_extended(s->pool, &envoy_config_endpoint_v3_endpoint_components_proto_upbdefinit);
  load_extended(s->pool, &envoy_config_cluster_v3_cluster_proto_upbdefinit);
  load_extended(s->pool, &envoy_extensions_transport_sockets_tls_v3_common_proto_upbdefinit);
  load_extended(s->pool, &envoy_extensions_transport_sockets_tls_v3_tls_proto_upbdefinit);
  for (size_t i = 0; i < sizeof host_files / sizeof(_upb_DefPool_Init *); i++) {
    GXDS_CHECK(!host_files[i] || load_host_file(s->pool, host_files[i]));
  }
  gxds_extra_types_add(s->pool);
  return s;
}

void gxds_schema_destroy(gxds_schema *s) {
  if (!s) return;
  upb_DefPool_Free(s->pool);
  gxds_free(s->learned);
  gxds_free(s);
}

const upb_DefPool *gxds_schema_pool(const gxds_schema *s) { return s->pool; }

const upb_MessageDef *gxds_schema_find(const gxds_schema *s, gxds_str type_url) {
  size_t start = type_url.size;
  while (start > 0 && type_url.data[start - 1] != '/') start--;
  /* As in the protobuf specification: there is a slash, with text on both sides. */
  if (start < 2 || start == type_url.size) return NULL;
  return upb_DefPool_FindMessageByNameWithSize(s->pool, type_url.data + start,
                                               type_url.size - start);
}

void gxds_schema_set_lenient(gxds_schema *s) { s->lenient = true; }

bool gxds_schema_is_lenient(const gxds_schema *s) { return s->lenient; }

const upb_MessageDef *gxds_schema_find_any(const gxds_schema *s, gxds_str type_url) {
  const upb_MessageDef *known = gxds_schema_find(s, type_url);
  if (known || !s->lenient || *s->learned == GXDS_SCHEMA_LEARNED_MAX) return known;
  size_t start = type_url.size;
  while (start > 0 && type_url.data[start - 1] != '/') start--;
  if (!gxds_extra_type_add_empty(s->pool, gxds_str_from(type_url, start))) {
    return NULL;
  }
  ++*s->learned;
  return gxds_schema_find(s, type_url);
}
