#include <grpc/grpc.h>
#include <grpc/support/port_platform.h>

#include "base/check.h"
#include "base/upb.h"
#include "bootstrap/reader_internal.h"
#include "envoy/config/core/v3/base.upb.h"
#include "google/protobuf/struct.upb.h"
#include "grpc_xds/grpc_xds.h"

/* The deepest nesting of the node's metadata. Each level is up to three messages deep. upb encodes
 * at most 64 levels, and protobuf decodes at most 100, including the request and the node: this
 * leaves room for both. */
enum { kMetadataDepthMax = 16 };

#define USER_AGENT_NAME "gRPC C-core " GPR_PLATFORM_STRING " grpc-xds"

static upb_StringView copy_view(gxds_reader *r, const char *data, size_t size) {
  return gxds_pb_view(gxds_reader_copy(r, gxds_str_of(data, size)));
}

static google_protobuf_Value *to_value(gxds_reader *r, const json_t *json);

static void fill_struct(gxds_reader *r, json_t *object, google_protobuf_Struct *out) {
  for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
    upb_StringView key = copy_view(r, json_object_iter_key(i), json_object_iter_key_len(i));
    google_protobuf_Value *value = to_value(r, json_object_iter_value(i));
    google_protobuf_Struct_fields_set(out, key, value, r->arena);
  }
}

static void fill_list(gxds_reader *r, const json_t *array, google_protobuf_ListValue *out) {
  size_t size = json_array_size(array);
  google_protobuf_Value **values = google_protobuf_ListValue_resize_values(out, size, r->arena);
  GXDS_CHECK(size == 0 || values != NULL);
  for (size_t i = 0; i < size; i++) values[i] = to_value(r, json_array_get(array, i));
}

/* The recursion is bounded, because metadata that is nested too deeply was refused before
 * (too_deep()). */
static google_protobuf_Value *to_value(gxds_reader *r, const json_t *json) {
  google_protobuf_Value *out = google_protobuf_Value_new(r->arena);
  switch (json_typeof(json)) {
    case JSON_NULL:
      google_protobuf_Value_set_null_value(out, google_protobuf_NULL_VALUE);
      break;
    case JSON_TRUE:
    case JSON_FALSE:
      google_protobuf_Value_set_bool_value(out, json_is_true(json));
      break;
    case JSON_INTEGER:
    case JSON_REAL:
      google_protobuf_Value_set_number_value(out, json_number_value(json));
      break;
    case JSON_STRING:
      google_protobuf_Value_set_string_value(
          out, copy_view(r, json_string_value(json), json_string_length(json)));
      break;
    case JSON_OBJECT:
      fill_struct(r, (json_t *)json, google_protobuf_Value_mutable_struct_value(out, r->arena));
      break;
    case JSON_ARRAY:
      fill_list(r, json, google_protobuf_Value_mutable_list_value(out, r->arena));
      break;
  }
  return out;
}

static bool too_deep(const json_t *json, int depth) {
  if (!json_is_object(json) && !json_is_array(json)) return false;
  if (depth > kMetadataDepthMax) return true;
  for (size_t i = 0; i < json_array_size(json); i++) {
    if (too_deep(json_array_get(json, i), depth + 1)) return true;
  }
  json_t *object = (json_t *)json; /* jansson's iterators do not take a const pointer */
  for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
    if (too_deep(json_object_iter_value(i), depth + 1)) return true;
  }
  return false;
}

static void read_metadata(gxds_reader *r, const json_t *object, const gxds_path *at,
                          envoy_config_core_v3_Node *node) {
  json_t *metadata = gxds_reader_object(r, object, at, "metadata");
  if (!metadata || json_object_size(metadata) == 0) return;
  if (too_deep(metadata, 1)) {
    gxds_reader_error(r, GXDS_FIELD(at, "metadata"), "is nested more than %d levels deep",
                      kMetadataDepthMax);
    return;
  }
  fill_struct(r, metadata, envoy_config_core_v3_Node_mutable_metadata(node, r->arena));
}

static void read_locality(gxds_reader *r, const json_t *object, const gxds_path *at,
                          envoy_config_core_v3_Node *node) {
  json_t *locality = gxds_reader_object(r, object, at, "locality");
  if (!locality) return;
  const gxds_path *here = GXDS_FIELD(at, "locality");
  gxds_str region = gxds_reader_string(r, locality, here, "region", GXDS_JSON_OPTIONAL);
  gxds_str zone = gxds_reader_string(r, locality, here, "zone", GXDS_JSON_OPTIONAL);
  /* In the JSON form of proto3 each field has two names. For the fields of a Locality, the names
   * differ only here. */
  const char *name = json_object_get(locality, "sub_zone") ? "sub_zone" : "subZone";
  gxds_str sub_zone = gxds_reader_string(r, locality, here, name, GXDS_JSON_OPTIONAL);
  if (region.size + zone.size + sub_zone.size == 0) return;
  envoy_config_core_v3_Locality *out = envoy_config_core_v3_Node_mutable_locality(node, r->arena);
  envoy_config_core_v3_Locality_set_region(out, gxds_pb_view(region));
  envoy_config_core_v3_Locality_set_zone(out, gxds_pb_view(zone));
  envoy_config_core_v3_Locality_set_sub_zone(out, gxds_pb_view(sub_zone));
}

/* A27 and A30: exactly these two client features. */
static void fill_client(gxds_reader *r, envoy_config_core_v3_Node *node) {
  gxds_str version =
      gxds_str_format("C-core %s grpc-xds %s", grpc_version_string(), GRPC_XDS_VERSION);
  envoy_config_core_v3_Node_set_user_agent_name(node, upb_StringView_FromString(USER_AGENT_NAME));
  envoy_config_core_v3_Node_set_user_agent_version(node,
                                                   gxds_pb_view(gxds_reader_copy(r, version)));
  gxds_str_free(&version);
  static const char *const features[] = {"envoy.lb.does_not_support_overprovisioning",
                                         GXDS_FEATURE_OF_ADS};
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
    envoy_config_core_v3_Node_add_client_features(node, upb_StringView_FromString(features[i]),
                                                  r->arena);
  }
}

/* Deterministic, with sorted map entries: equal nodes give equal bytes. */
static gxds_str serialize(gxds_reader *r, const envoy_config_core_v3_Node *node) {
  size_t size = 0;
  char *bytes = envoy_config_core_v3_Node_serialize_ex(node, kUpb_EncodeOption_Deterministic,
                                                       r->arena, &size);
  GXDS_CHECK(bytes != NULL);
  return gxds_str_of(bytes, size);
}

void gxds_reader_node(gxds_reader *r, const json_t *object, gxds_bootstrap *out) {
  envoy_config_core_v3_Node *node = envoy_config_core_v3_Node_new(r->arena);
  const gxds_path *here = GXDS_FIELD(NULL, "node");
  const json_t *json = json_object_get(object, "node");
  out->node_id = gxds_str_of("", 0);
  if (json && !json_is_null(json) && gxds_reader_is_object(r, json, here)) {
    out->node_id = gxds_reader_string(r, json, here, "id", GXDS_JSON_OPTIONAL);
    gxds_str cluster = gxds_reader_string(r, json, here, "cluster", GXDS_JSON_OPTIONAL);
    envoy_config_core_v3_Node_set_cluster(node, gxds_pb_view(cluster));
    read_locality(r, json, here, node);
    read_metadata(r, json, here, node);
  }
  out->node_without_id = serialize(r, node);
  envoy_config_core_v3_Node_set_id(node, gxds_pb_view(out->node_id));
  fill_client(r, node);
  out->node = serialize(r, node);
}
