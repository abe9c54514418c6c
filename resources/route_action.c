#include "envoy/config/route/v3/route_components.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/http_filters_internal.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_RouteAction action_message;
typedef envoy_config_route_v3_WeightedCluster_ClusterWeight weight_message;

static void decode_one_cluster(const gxds_route_decoder *d, gxds_str name, const gxds_path *at,
                               gxds_route *out) {
  if (name.size == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "cluster"),
                    "RouteAction cluster contains empty cluster name.");
    return;
  }
  gxds_route_cluster *cluster = gxds_arena_calloc(d->arena, 1, sizeof *cluster);
  *cluster = (gxds_route_cluster){.name = gxds_arena_dup(d->arena, name), .weight = 1};
  out->clusters = cluster;
  out->cluster_count = 1;
  out->total_weight = 1;
}

static void check_filters(const gxds_route_decoder *d, const weight_message *in,
                          const gxds_path *at) {
  size_t at_entry = kUpb_Map_Begin;
  const envoy_config_route_v3_WeightedCluster_ClusterWeight_TypedPerFilterConfigEntry *e = NULL;
  while ((e = envoy_config_route_v3_WeightedCluster_ClusterWeight_typed_per_filter_config_next(
              in, &at_entry))) {
    gxds_http_filter_override_check(
        gxds_pb_str(
            envoy_config_route_v3_WeightedCluster_ClusterWeight_TypedPerFilterConfigEntry_key(e)),
        envoy_config_route_v3_WeightedCluster_ClusterWeight_TypedPerFilterConfigEntry_value(e), at,
        d->scratch, d->errors);
  }
}

/* False when the cluster gets no traffic, or after an error. */
static bool decode_cluster_weight(const gxds_route_decoder *d, const weight_message *in,
                                  const gxds_path *at, gxds_route_cluster *out) {
  size_t before = d->errors->count;
  gxds_str name = gxds_pb_str(envoy_config_route_v3_WeightedCluster_ClusterWeight_name(in));
  if (name.size == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "name"),
                    "RouteAction weighted_cluster cluster contains empty cluster name.");
  }
  const google_protobuf_UInt32Value *weight =
      envoy_config_route_v3_WeightedCluster_ClusterWeight_weight(in);
  if (!weight) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "weight"),
                    "RouteAction weighted_cluster cluster missing weight");
  } else if (google_protobuf_UInt32Value_value(weight) == 0) {
    return false;
  } else {
    out->weight = google_protobuf_UInt32Value_value(weight);
  }
  check_filters(d, in, at);
  out->name = gxds_arena_dup(d->arena, name);
  return d->errors->count == before;
}

/* total_weight is not looked at: Envoy retired it, and control planes leave it at its default. */
static void decode_weighted_clusters(const gxds_route_decoder *d,
                                     const envoy_config_route_v3_WeightedCluster *in,
                                     const gxds_path *up, gxds_route *out) {
  const gxds_path *at = GXDS_FIELD(up, "weighted_clusters");
  size_t before = d->errors->count;
  size_t count = 0;
  const weight_message *const *list = envoy_config_route_v3_WeightedCluster_clusters(in, &count);
  gxds_route_cluster *clusters = gxds_arena_calloc(d->arena, count, sizeof *clusters);
  for (size_t i = 0; i < count; i++) {
    gxds_route_cluster *cluster = &clusters[out->cluster_count];
    if (!decode_cluster_weight(d, list[i], GXDS_ITEM(at, "clusters", i), cluster)) continue;
    out->total_weight += cluster->weight;
    out->cluster_count++;
  }
  out->clusters = clusters;
  if (out->total_weight > UINT32_MAX) {
    gxds_errors_add(d->errors, at, "sum of cluster weights exceeds uint32 max");
  }
  if (out->cluster_count == 0 && d->errors->count == before) {
    gxds_errors_add(d->errors, at, "RouteAction weighted_cluster has no valid clusters specified.");
  }
}

/* A31: what limits grpc-timeout goes before the general limit. */
static gxds_duration decode_max_stream_duration(
    const gxds_route_decoder *d, const envoy_config_route_v3_RouteAction_MaxStreamDuration *in,
    const gxds_path *up) {
  const gxds_path *at = GXDS_FIELD(up, "max_stream_duration");
  const google_protobuf_Duration *header_max =
      envoy_config_route_v3_RouteAction_MaxStreamDuration_grpc_timeout_header_max(in);
  if (header_max) {
    return gxds_duration_decode(header_max, GXDS_FIELD(at, "grpc_timeout_header_max"), d->errors);
  }
  const google_protobuf_Duration *max =
      envoy_config_route_v3_RouteAction_MaxStreamDuration_max_stream_duration(in);
  if (!max) return -1;
  return gxds_duration_decode(max, GXDS_FIELD(at, "max_stream_duration"), d->errors);
}

gxds_route_use gxds_route_action_decode(const gxds_route_decoder *d, const action_message *in,
                                        const gxds_path *at, gxds_route *out) {
  if (envoy_config_route_v3_RouteAction_has_cluster(in)) {
    decode_one_cluster(d, gxds_pb_str(envoy_config_route_v3_RouteAction_cluster(in)), at, out);
  } else if (envoy_config_route_v3_RouteAction_has_weighted_clusters(in)) {
    decode_weighted_clusters(d, envoy_config_route_v3_RouteAction_weighted_clusters(in), at, out);
  } else {
    return GXDS_ROUTE_SKIP; /* A28: cluster_header and whatever is newer than we are */
  }
  const envoy_config_route_v3_RouteAction_MaxStreamDuration *max =
      envoy_config_route_v3_RouteAction_max_stream_duration(in);
  if (max) out->max_stream_duration = decode_max_stream_duration(d, max, at);
  return GXDS_ROUTE_KEEP;
}
