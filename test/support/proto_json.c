#include "test/support/proto_json.h"

#include "base/check.h"
#include "envoy/config/cluster/v3/cluster.upbdefs.h"
#include "envoy/config/endpoint/v3/endpoint.upbdefs.h"
#include "envoy/config/listener/v3/listener.upbdefs.h"
#include "envoy/config/route/v3/route.upbdefs.h"
#include "envoy/extensions/clusters/aggregate/v3/cluster.upbdefs.h"
#include "envoy/extensions/filters/http/fault/v3/fault.upbdefs.h"
#include "envoy/extensions/filters/http/rbac/v3/rbac.upbdefs.h"
#include "envoy/extensions/filters/http/router/v3/router.upbdefs.h"
#include "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.upbdefs.h"
#include "envoy/extensions/transport_sockets/tls/v3/tls.upbdefs.h"
#include "envoy/service/discovery/v3/discovery.upbdefs.h"
#include "envoy/service/load_stats/v3/lrs.upbdefs.h"
#include "envoy/service/status/v3/csds.upbdefs.h"
#include "files/schema.h"
#include "google/protobuf/struct.upbdefs.h"
#include "google/protobuf/wrappers.upbdefs.h"
#include "src/proto/grpc/lookup/v1/rls_config.upbdefs.h"
#include "upb/decode.h"
#include "upb/encode.h"
#include "upb/json_decode.h"
#include "upb/json_encode.h"
#include "upb/reflection.h"
#include "xds/type/v3/typed_struct.upbdefs.h"

/* The definition of a file includes its imports, but not the messages that its Any fields may hold.
 * The schema includes the fields that the host lacks. */
static gxds_schema *make_schema(void) {
  gxds_schema *schema = gxds_schema_create();
  upb_DefPool *pool = (upb_DefPool *)gxds_schema_pool(schema);
  envoy_config_cluster_v3_Cluster_getmsgdef(pool);
  envoy_config_endpoint_v3_ClusterLoadAssignment_getmsgdef(pool);
  envoy_config_listener_v3_Listener_getmsgdef(pool);
  envoy_config_route_v3_RouteConfiguration_getmsgdef(pool);
  envoy_extensions_clusters_aggregate_v3_ClusterConfig_getmsgdef(pool);
  envoy_extensions_filters_http_fault_v3_HTTPFault_getmsgdef(pool);
  envoy_extensions_filters_http_rbac_v3_RBAC_getmsgdef(pool);
  envoy_extensions_filters_http_router_v3_Router_getmsgdef(pool);
  envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_getmsgdef(pool);
  envoy_extensions_transport_sockets_tls_v3_UpstreamTlsContext_getmsgdef(pool);
  envoy_service_discovery_v3_DiscoveryRequest_getmsgdef(pool);
  envoy_service_load_stats_v3_LoadStatsRequest_getmsgdef(pool);
  envoy_service_status_v3_ClientConfig_getmsgdef(pool);
  google_protobuf_Struct_getmsgdef(pool);
  google_protobuf_UInt32Value_getmsgdef(pool);
  grpc_lookup_v1_RouteLookupClusterSpecifier_getmsgdef(pool);
  xds_type_v3_TypedStruct_getmsgdef(pool);
  return schema;
}

static const upb_DefPool *pool_of_all(void) {
  static gxds_schema *schema; /* lives as long as the process */
  if (!schema) schema = make_schema();
  return gxds_schema_pool(schema);
}

static const upb_MessageDef *find(const char *message, gxds_text *error) {
  const upb_MessageDef *def = upb_DefPool_FindMessageByName(pool_of_all(), message);
  if (!def) gxds_text_addf(error, "no message %s", message);
  return def;
}

bool gxds_test_proto_from_json(const char *message, gxds_str json, gxds_str *bytes,
                               gxds_text *error) {
  const upb_MessageDef *def = find(message, error);
  if (!def) return false;
  upb_Arena *arena = upb_Arena_New();
  GXDS_CHECK(arena != NULL);
  upb_Status status;
  upb_Status_Clear(&status);
  upb_Message *m = upb_Message_New(def, arena);
  bool ok = upb_JsonDecode(json.data, json.size, m, def, pool_of_all(), 0, arena, &status);
  char *data = NULL;
  size_t size = 0;
  if (!ok) {
    gxds_text_addf(error, "%s: %s", message, upb_Status_ErrorMessage(&status));
  } else {
    ok = upb_Encode(m, upb_MessageDef_MiniTable(def), kUpb_EncodeOption_Deterministic, arena, &data,
                    &size) == kUpb_EncodeStatus_Ok;
    if (!ok) gxds_text_addf(error, "%s: can't be serialized", message);
  }
  if (ok) *bytes = gxds_str_dup(gxds_str_of(data, size));
  upb_Arena_Free(arena);
  return ok;
}

/* The encoder decodes messages in Any fields by the definitions of the pool. */
static bool encode_json(const upb_Message *m, const upb_MessageDef *def, gxds_text *json,
                        upb_Arena *arena, upb_Status *status) {
  const int options = upb_JsonEncode_UseProtoNames;
  size_t size = upb_JsonEncode(m, def, pool_of_all(), options, NULL, 0, status);
  if (size == (size_t)-1) return false;
  char *buffer = upb_Arena_Malloc(arena, size + 1);
  GXDS_CHECK(buffer != NULL);
  upb_JsonEncode(m, def, pool_of_all(), options, buffer, size + 1, status);
  gxds_text_add(json, gxds_str_of(buffer, size));
  return true;
}

bool gxds_test_proto_to_json(const char *message, gxds_str bytes, gxds_text *json,
                             gxds_text *error) {
  const upb_MessageDef *def = find(message, error);
  if (!def) return false;
  upb_Arena *arena = upb_Arena_New();
  GXDS_CHECK(arena != NULL);
  upb_Status status;
  upb_Status_Clear(&status);
  upb_Message *m = upb_Message_New(def, arena);
  bool ok = upb_Decode(bytes.size ? bytes.data : "", bytes.size, m, upb_MessageDef_MiniTable(def),
                       NULL, 0, arena) == kUpb_DecodeStatus_Ok;
  if (!ok) {
    gxds_text_addf(error, "%s: can't be parsed", message);
  } else {
    ok = encode_json(m, def, json, arena, &status);
    if (!ok) gxds_text_addf(error, "%s: %s", message, upb_Status_ErrorMessage(&status));
  }
  upb_Arena_Free(arena);
  return ok;
}
