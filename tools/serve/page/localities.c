#include "tools/serve/page/localities.h"

#include "base/upb.h"
#include "base/utf8.h"
#include "base/wire.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/endpoint/v3/endpoint.upb.h"
#include "envoy/config/endpoint/v3/endpoint_components.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "tools/serve/wire_input.h"

typedef envoy_config_endpoint_v3_ClusterLoadAssignment assignment;
typedef envoy_config_endpoint_v3_LocalityLbEndpoints locality;

/* NULL if the bytes are not a message. The reader of files would have refused such bytes. */
static assignment *parse(const gxds_file_resource *r, upb_Arena *arena) {
  return GXDS_SERVE_PARSE(envoy_config_endpoint_v3_ClusterLoadAssignment, r->bytes, arena);
}

static uint32_t weight_of(const locality *l) {
  const google_protobuf_UInt32Value *w =
      envoy_config_endpoint_v3_LocalityLbEndpoints_load_balancing_weight(l);
  return w ? google_protobuf_UInt32Value_value(w) : 0;
}

typedef struct locality_name {
  gxds_str region;
  gxds_str zone;
  gxds_str sub_zone;
} locality_name;

static locality_name name_of(const locality *l) {
  const envoy_config_core_v3_Locality *name =
      envoy_config_endpoint_v3_LocalityLbEndpoints_locality(l);
  if (!name) return (locality_name){0};
  return (locality_name){gxds_pb_str(envoy_config_core_v3_Locality_region(name)),
                         gxds_pb_str(envoy_config_core_v3_Locality_zone(name)),
                         gxds_pb_str(envoy_config_core_v3_Locality_sub_zone(name))};
}

static void render_one(gxds_str resource, const locality *l, gxds_text *out) {
  size_t endpoints;
  envoy_config_endpoint_v3_LocalityLbEndpoints_lb_endpoints(l, &endpoints);
  locality_name name = name_of(l);
  gxds_text_add_z(out, "{");
  gxds_utf8_add_member(out, "resource", resource);
  gxds_utf8_add_member(out, "region", name.region);
  gxds_utf8_add_member(out, "zone", name.zone);
  gxds_utf8_add_member(out, "sub_zone", name.sub_zone);
  gxds_text_addf(out, ",\"priority\":%u,\"weight\":%u,\"endpoints\":%zu}",
                 (unsigned)envoy_config_endpoint_v3_LocalityLbEndpoints_priority(l),
                 (unsigned)weight_of(l), endpoints);
}

void gxds_page_localities_render(const gxds_file_set *set, size_t limit, gxds_text *out) {
  const gxds_file_list *list = &set->types[GXDS_FILE_ENDPOINTS];
  size_t rendered = 0;
  for (size_t i = 0; i < list->count && rendered < limit; i++) {
    upb_Arena *arena = upb_Arena_New();
    const assignment *a = parse(list->entries[i].resource, arena);
    size_t count = 0;
    locality const *const *localities =
        a ? envoy_config_endpoint_v3_ClusterLoadAssignment_endpoints(a, &count) : NULL;
    for (size_t l = 0; l < count && rendered < limit; l++) {
      if (rendered++) gxds_text_add_z(out, ",");
      render_one(list->entries[i].resource->name, localities[l], out);
    }
    upb_Arena_Free(arena);
  }
}

static bool is_it(const locality *l, const gxds_page_weight *wanted) {
  locality_name name = name_of(l);
  return envoy_config_endpoint_v3_LocalityLbEndpoints_priority(l) == wanted->priority &&
         gxds_str_equal(name.region, wanted->region) && gxds_str_equal(name.zone, wanted->zone) &&
         gxds_str_equal(name.sub_zone, wanted->sub_zone);
}

/* False: no such locality. */
static bool set_weight(assignment *a, const gxds_page_weight *wanted, upb_Arena *arena) {
  size_t count;
  locality **localities =
      envoy_config_endpoint_v3_ClusterLoadAssignment_mutable_endpoints(a, &count);
  for (size_t i = 0; i < count; i++) {
    if (!is_it(localities[i], wanted)) continue;
    google_protobuf_UInt32Value *w =
        envoy_config_endpoint_v3_LocalityLbEndpoints_mutable_load_balancing_weight(localities[i],
                                                                                   arena);
    google_protobuf_UInt32Value_set_value(w, wanted->weight);
    return true;
  }
  return false;
}

const gxds_file_set *gxds_page_localities_reweigh(const gxds_file_set *set,
                                                  const gxds_page_weight *weight,
                                                  gxds_status *status) {
  *status = gxds_status_ok();
  const gxds_file_entry *entry = gxds_file_set_find(set, GXDS_FILE_ENDPOINTS, weight->resource);
  const gxds_file_set *result = NULL;
  upb_Arena *arena = upb_Arena_New();
  assignment *a = entry ? parse(entry->resource, arena) : NULL;
  if (a && set_weight(a, weight, arena)) {
    size_t size;
    char *bytes = envoy_config_endpoint_v3_ClusterLoadAssignment_serialize(a, arena, &size);
    if (bytes) {
      size = gxds_wire_unpad(bytes, size);
      result = gxds_file_set_replace(set, entry, gxds_str_of(bytes, size));
    }
  }
  upb_Arena_Free(arena);
  if (!result) {
    *status = gxds_status_make(GXDS_NOT_FOUND,
                               "no locality {region=%.*s, zone=%.*s, sub_zone=%.*s} of priority %u "
                               "in a ClusterLoadAssignment named %.*s",
                               GXDS_STR_ARG(weight->region), GXDS_STR_ARG(weight->zone),
                               GXDS_STR_ARG(weight->sub_zone), (unsigned)weight->priority,
                               GXDS_STR_ARG(weight->resource));
  }
  return result;
}
