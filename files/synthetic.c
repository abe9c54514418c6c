#include "files/synthetic.h"

#include <envoy/config/cluster/v3/cluster.upb.h>
#include <envoy/config/core/v3/address.upb.h>
#include <envoy/config/core/v3/base.upb.h>
#include <envoy/config/core/v3/config_source.upb.h>
#include <envoy/config/endpoint/v3/endpoint.upb.h>
#include <envoy/config/endpoint/v3/endpoint_components.upb.h>
#include <envoy/config/listener/v3/api_listener.upb.h>
#include <envoy/config/listener/v3/listener.upb.h>
#include <envoy/config/route/v3/route.upb.h>
#include <envoy/config/route/v3/route_components.upb.h>
#include <envoy/extensions/filters/http/router/v3/router.upb.h>
#include <envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.upb.h>
#include <google/protobuf/any.upb.h>
#include <google/protobuf/wrappers.upb.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/upb.h"
#include "files/file_reader.h"

static const char listener_name[] = "synthetic.example";

/* ---- the description ---- */

static bool parse_part(const char *part, size_t size, gxds_synthetic *out) {
  static const char *const keys[] = {"clusters=", "endpoints=", "localities=", "seed="};
  static const uint64_t most[] = {GXDS_SYNTHETIC_CLUSTERS_MAX, GXDS_SYNTHETIC_ENDPOINTS_MAX,
                                  GXDS_SYNTHETIC_ENDPOINTS_MAX, UINT32_MAX};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    size_t length = strlen(keys[i]);
    uint64_t value;
    if (size < length || memcmp(part, keys[i], length) != 0) continue;
    if (!gxds_str_to_uint64(gxds_str_of(part + length, size - length), 10, &value)) return false;
    if (value > most[i]) return false;
    if (i == 0) out->clusters = (unsigned)value;
    if (i == 1) out->endpoints = (unsigned)value;
    if (i == 2) out->localities = (unsigned)value;
    if (i == 3) out->seed = value;
    return i == 3 || value > 0;
  }
  return false;
}

bool gxds_synthetic_parse(const char *text, gxds_synthetic *out, gxds_text *error) {
  *out = (gxds_synthetic){.clusters = 100, .endpoints = 10, .localities = 1, .seed = 1};
  for (const char *part = text; part;) {
    const char *end = strchr(part, ',');
    size_t size = end ? (size_t)(end - part) : strlen(part);
    if (!parse_part(part, size, out)) {
      gxds_text_addf(error,
                     "--synthetic: expected clusters=1..%u,endpoints=1..%u,localities=1..%u,"
                     "seed=0..%u, found %.*s",
                     GXDS_SYNTHETIC_CLUSTERS_MAX, GXDS_SYNTHETIC_ENDPOINTS_MAX,
                     GXDS_SYNTHETIC_ENDPOINTS_MAX, UINT32_MAX, (int)size, part);
      return false;
    }
    part = end ? end + 1 : NULL;
  }
  if ((uint64_t)out->clusters * out->endpoints > GXDS_SYNTHETIC_TOTAL_MAX) {
    gxds_text_addf(error, "--synthetic: at most %u endpoints in all", GXDS_SYNTHETIC_TOTAL_MAX);
    return false;
  }
  return true;
}

/* ---- the resources ---- */

static upb_StringView text_of(upb_Arena *arena, const char *format, unsigned a, unsigned b) {
  char text[64];
  int size = snprintf(text, sizeof text, format, a, b);
  GXDS_CHECK(size > 0 && (size_t)size < sizeof text);
  return gxds_pb_view(gxds_arena_dup(arena, gxds_str_of(text, (size_t)size)));
}

static upb_StringView name_of(upb_Arena *arena, unsigned cluster) {
  return text_of(arena, "cluster-%06u", cluster, 0);
}

gxds_str gxds_synthetic_endpoints(const gxds_synthetic *s, unsigned cluster, uint64_t seed) {
  upb_Arena *arena = upb_Arena_New();
  gxds_random random = {.state = seed * 1000003 + cluster};
  envoy_config_endpoint_v3_ClusterLoadAssignment *assignment =
      envoy_config_endpoint_v3_ClusterLoadAssignment_new(arena);
  envoy_config_endpoint_v3_ClusterLoadAssignment_set_cluster_name(assignment,
                                                                  name_of(arena, cluster));
  unsigned localities = s->localities < s->endpoints ? s->localities : s->endpoints;
  for (unsigned i = 0; i < localities; i++) {
    envoy_config_endpoint_v3_LocalityLbEndpoints *group =
        envoy_config_endpoint_v3_ClusterLoadAssignment_add_endpoints(assignment, arena);
    envoy_config_core_v3_Locality *locality =
        envoy_config_endpoint_v3_LocalityLbEndpoints_mutable_locality(group, arena);
    envoy_config_core_v3_Locality_set_region(locality, upb_StringView_FromString("region"));
    envoy_config_core_v3_Locality_set_zone(locality, text_of(arena, "zone-%u", i, 0));
    google_protobuf_UInt32Value_set_value(
        envoy_config_endpoint_v3_LocalityLbEndpoints_mutable_load_balancing_weight(group, arena),
        1 + (uint32_t)(gxds_random_next(&random) % 100));
    for (unsigned j = i; j < s->endpoints; j += localities) {
      envoy_config_endpoint_v3_LbEndpoint *lb =
          envoy_config_endpoint_v3_LocalityLbEndpoints_add_lb_endpoints(group, arena);
      envoy_config_core_v3_SocketAddress *socket =
          envoy_config_core_v3_Address_mutable_socket_address(
              envoy_config_endpoint_v3_Endpoint_mutable_address(
                  envoy_config_endpoint_v3_LbEndpoint_mutable_endpoint(lb, arena), arena),
              arena);
      /* Each endpoint of a cluster has its own port, so no two have the same address. */
      unsigned low = (unsigned)(gxds_random_next(&random) % 250) + 1;
      envoy_config_core_v3_SocketAddress_set_address(
          socket, text_of(arena, "10.%u.0.%u", (unsigned)(gxds_random_next(&random) % 256), low));
      envoy_config_core_v3_SocketAddress_set_port_value(socket, 1024 + j);
    }
  }
  size_t size;
  const char *data =
      envoy_config_endpoint_v3_ClusterLoadAssignment_serialize(assignment, arena, &size);
  return gxds_pb_take(data, size, arena);
}

/* Copies the name and the data, which may be in the arena, and frees the arena. */
static const gxds_file_resource *make(gxds_file_type type, upb_StringView name, const char *data,
                                      size_t size, upb_Arena *take_arena) {
  GXDS_CHECK(data != NULL);
  const gxds_file_resource *r =
      gxds_file_resource_create(type, gxds_pb_str(name), gxds_str_of(data, size), NULL, 0);
  upb_Arena_Free(take_arena);
  return r;
}

static const gxds_file_resource *make_cluster(unsigned cluster) {
  upb_Arena *arena = upb_Arena_New();
  envoy_config_cluster_v3_Cluster *c = envoy_config_cluster_v3_Cluster_new(arena);
  envoy_config_cluster_v3_Cluster_set_name(c, name_of(arena, cluster));
  envoy_config_cluster_v3_Cluster_set_type(c, envoy_config_cluster_v3_Cluster_EDS);
  envoy_config_core_v3_ConfigSource *source =
      envoy_config_cluster_v3_Cluster_EdsClusterConfig_mutable_eds_config(
          envoy_config_cluster_v3_Cluster_mutable_eds_cluster_config(c, arena), arena);
  envoy_config_core_v3_ConfigSource_mutable_ads(source, arena);
  size_t size;
  const char *data = envoy_config_cluster_v3_Cluster_serialize(c, arena, &size);
  return make(GXDS_FILE_CLUSTER, name_of(arena, cluster), data, size, arena);
}

static const gxds_file_resource *make_endpoints(const gxds_synthetic *s, unsigned cluster) {
  upb_Arena *arena = upb_Arena_New();
  gxds_str bytes = gxds_synthetic_endpoints(s, cluster, s->seed);
  const gxds_file_resource *r =
      make(GXDS_FILE_ENDPOINTS, name_of(arena, cluster), bytes.data, bytes.size, arena);
  gxds_str_free(&bytes);
  return r;
}

static const gxds_file_resource *make_routes(const gxds_synthetic *s) {
  upb_Arena *arena = upb_Arena_New();
  upb_StringView name = upb_StringView_FromString(listener_name);
  envoy_config_route_v3_RouteConfiguration *routes =
      envoy_config_route_v3_RouteConfiguration_new(arena);
  envoy_config_route_v3_RouteConfiguration_set_name(routes, name);
  envoy_config_route_v3_VirtualHost *host =
      envoy_config_route_v3_RouteConfiguration_add_virtual_hosts(routes, arena);
  envoy_config_route_v3_VirtualHost_set_name(host, name);
  envoy_config_route_v3_VirtualHost_add_domains(host, upb_StringView_FromString("*"), arena);
  for (unsigned i = 0; i < s->clusters; i++) {
    envoy_config_route_v3_Route *route = envoy_config_route_v3_VirtualHost_add_routes(host, arena);
    envoy_config_route_v3_RouteMatch_set_prefix(
        envoy_config_route_v3_Route_mutable_match(route, arena),
        text_of(arena, "/cluster-%06u/", i, 0));
    envoy_config_route_v3_RouteAction_set_cluster(
        envoy_config_route_v3_Route_mutable_route(route, arena), name_of(arena, i));
  }
  size_t size;
  const char *data = envoy_config_route_v3_RouteConfiguration_serialize(routes, arena, &size);
  return make(GXDS_FILE_ROUTE_CONFIG, name, data, size, arena);
}

/* extensions.filters.network.http_connection_manager.v3.HttpConnectionManager */
#define HCM(function) envoy_extensions_filters_network_http_connection_manager_v3_##function

static const gxds_file_resource *make_listener(void) {
  upb_Arena *arena = upb_Arena_New();
  upb_StringView name = upb_StringView_FromString(listener_name);
  HCM(HttpConnectionManager) *manager = HCM(HttpConnectionManager_new)(arena);
  HCM(Rds) *rds = HCM(HttpConnectionManager_mutable_rds)(manager, arena);
  HCM(Rds_set_route_config_name)(rds, name);
  envoy_config_core_v3_ConfigSource_mutable_ads(HCM(Rds_mutable_config_source)(rds, arena), arena);
  HCM(HttpFilter) *filter = HCM(HttpConnectionManager_add_http_filters)(manager, arena);
  HCM(HttpFilter_set_name)(filter, upb_StringView_FromString("router"));
  google_protobuf_Any_set_type_url(
      HCM(HttpFilter_mutable_typed_config)(filter, arena),
      upb_StringView_FromString(
          "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"));
  size_t size;
  const char *data = HCM(HttpConnectionManager_serialize)(manager, arena, &size);
  envoy_config_listener_v3_Listener *listener = envoy_config_listener_v3_Listener_new(arena);
  envoy_config_listener_v3_Listener_set_name(listener, name);
  google_protobuf_Any *any = envoy_config_listener_v3_ApiListener_mutable_api_listener(
      envoy_config_listener_v3_Listener_mutable_api_listener(listener, arena), arena);
  google_protobuf_Any_set_type_url(
      any, upb_StringView_FromString("type.googleapis.com/envoy.extensions.filters.network."
                                     "http_connection_manager.v3.HttpConnectionManager"));
  google_protobuf_Any_set_value(any, upb_StringView_FromDataAndSize(data, size));
  data = envoy_config_listener_v3_Listener_serialize(listener, arena, &size);
  return make(GXDS_FILE_LISTENER, name, data, size, arena);
}

const gxds_file_set *gxds_synthetic_set(const gxds_synthetic *s) {
  gxds_file_found found = {.entries =
                               gxds_calloc(2 + 2 * (size_t)s->clusters, sizeof *found.entries)};
  found.capacity = 2 + 2 * (size_t)s->clusters;
  /* Sorted by type and name, as gxds_file_set_of() requires. */
  found.entries[found.count++].resource = make_listener();
  found.entries[found.count++].resource = make_routes(s);
  for (unsigned i = 0; i < s->clusters; i++) {
    found.entries[found.count++].resource = make_cluster(i);
  }
  for (unsigned i = 0; i < s->clusters; i++) {
    found.entries[found.count++].resource = make_endpoints(s, i);
  }
  const gxds_file_set *set = gxds_file_set_of(&found);
  gxds_file_found_fini(&found);
  return set;
}
