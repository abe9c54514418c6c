#include "envoy/config/route/v3/route_components.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/http_filters_internal.h"
#include "resources/plugin_child.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_RouteAction action_message;
typedef envoy_config_route_v3_WeightedCluster_ClusterWeight weight_message;

/* False, with an error, if the name is reserved for cluster specifier plugins. */
static bool check_is_cluster(const gxds_route_decoder *d, gxds_str name, const gxds_path *at) {
  if (!gxds_str_starts_with(name, gxds_str_z(GXDS_PLUGIN_CHILD_PREFIX))) return true;
  gxds_errors_add(d->errors, at,
                  "a name that begins with \"" GXDS_PLUGIN_CHILD_PREFIX
                  "\" is a cluster specifier plugin's; expected a cluster's");
  return false;
}

static void decode_one_cluster(const gxds_route_decoder *d, gxds_str name, const gxds_path *at,
                               gxds_route_cluster *cluster, gxds_route *out) {
  if (name.size == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "cluster"),
                    "RouteAction cluster contains empty cluster name.");
    return;
  }
  if (!check_is_cluster(d, name, GXDS_FIELD(at, "cluster"))) return;
  *cluster = (gxds_route_cluster){
      .name = gxds_route_text(d, name), .weight = 1, .rare = &gxds_route_rare_none};
  out->clusters = cluster;
  out->cluster_count = 1;
  out->total_weight = 1;
}

/* False if the cluster gets no traffic, or after an error. */
static bool decode_cluster_weight(const gxds_route_decoder *d, const action_message *in_route,
                                  const weight_message *in, const gxds_path *at,
                                  gxds_route_cluster *out) {
  size_t before = d->errors->count;
  gxds_str name = gxds_pb_str(envoy_config_route_v3_WeightedCluster_ClusterWeight_name(in));
  if (name.size == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "name"),
                    "RouteAction weighted_cluster cluster contains empty cluster name.");
  } else {
    check_is_cluster(d, name, GXDS_FIELD(at, "name"));
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
  gxds_route_rare rare = {0};
  GXDS_HTTP_FILTER_OVERRIDES(envoy_config_route_v3_WeightedCluster_ClusterWeight, in, at, d->arena,
                             d->scratch, d->errors, &rare.filter_overrides);
  gxds_host_rewrite_decode_weighted(d, in, at, &rare);
  rare.metadata_match = gxds_metadata_match_decode_weighted(d, in_route, in, at);
  out->rare = gxds_route_rare_keep(d, &rare);
  out->name = gxds_arena_dup(d->arena, name);
  return d->errors->count == before;
}

/* total_weight is retired: the total is the sum, whatever total_weight is. */
static void decode_weighted_clusters(const gxds_route_decoder *d, const action_message *in_route,
                                     const gxds_path *up, gxds_route *out) {
  const envoy_config_route_v3_WeightedCluster *in =
      envoy_config_route_v3_RouteAction_weighted_clusters(in_route);
  const gxds_path *at = GXDS_FIELD(up, "weighted_clusters");
  size_t before = d->errors->count;
  size_t count = 0;
  const weight_message *const *list = envoy_config_route_v3_WeightedCluster_clusters(in, &count);
  gxds_route_cluster *clusters = gxds_arena_calloc(d->arena, count, sizeof *clusters);
  uint64_t total_weight = 0;
  for (size_t i = 0; i < count; i++) {
    gxds_route_cluster *cluster = &clusters[out->cluster_count];
    const gxds_path *at_cluster = GXDS_ITEM(at, "clusters", i);
    if (!decode_cluster_weight(d, in_route, list[i], at_cluster, cluster)) continue;
    total_weight += cluster->weight;
    out->cluster_count++;
  }
  out->clusters = clusters;
  out->total_weight = (uint32_t)total_weight;
  if (total_weight > UINT32_MAX) {
    gxds_errors_add(d->errors, at, "sum of cluster weights exceeds uint32 max");
  }
  if (out->cluster_count == 0 && d->errors->count == before) {
    gxds_errors_add(d->errors, at, "RouteAction weighted_cluster has no valid clusters specified.");
  }
}

/* A31: grpc_timeout_header_max takes precedence over max_stream_duration. */
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

/* Skips the route if its plugin is optional and not supported. */
static gxds_route_use decode_plugin(const gxds_route_decoder *d, gxds_str name, const gxds_path *up,
                                    gxds_route *out, gxds_route_rare *rare) {
  const gxds_path *at = GXDS_FIELD(up, "cluster_specifier_plugin");
  out->action = GXDS_ROUTE_PLUGIN;
  if (name.size == 0) {
    gxds_errors_add(d->errors, at,
                    "RouteAction cluster contains empty cluster specifier plugin name.");
    return GXDS_ROUTE_KEEP;
  }
  gxds_cluster_specifier *plugin = gxds_cluster_specifiers_find(d->specifiers, name);
  if (!plugin) {
    gxds_errors_add(
        d->errors, at,
        "RouteAction cluster contains cluster specifier plugin name not configured: %.*s",
        GXDS_QUOTED(name));
    return GXDS_ROUTE_KEEP;
  }
  if (plugin->lb_json.size == 0 && !plugin->failed) return GXDS_ROUTE_SKIP;
  /* All routes of a virtual host share one copy. */
  if (plugin->copy.size == 0) plugin->copy = gxds_arena_dup(d->arena, plugin->lb_json);
  gxds_route_plugin *of_route = gxds_arena_calloc(d->arena, 1, sizeof *of_route);
  of_route->name = gxds_arena_dup(d->arena, name);
  of_route->server = gxds_arena_dup(d->arena, plugin->server);
  of_route->lb_json = plugin->copy;
  rare->plugin = of_route;
  return GXDS_ROUTE_KEEP;
}

static gxds_route_use decode_destination(const gxds_route_decoder *d, const action_message *in,
                                         const gxds_path *at, gxds_route_cluster *only_cluster,
                                         gxds_route *out, gxds_route_rare *rare) {
  out->action = GXDS_ROUTE_CLUSTERS;
  switch (envoy_config_route_v3_RouteAction_cluster_specifier_case(in)) {
    case envoy_config_route_v3_RouteAction_cluster_specifier_cluster:
      decode_one_cluster(d, gxds_pb_str(envoy_config_route_v3_RouteAction_cluster(in)), at,
                         only_cluster, out);
      return GXDS_ROUTE_KEEP;
    case envoy_config_route_v3_RouteAction_cluster_specifier_weighted_clusters:
      decode_weighted_clusters(d, in, at, out);
      return GXDS_ROUTE_KEEP;
    case envoy_config_route_v3_RouteAction_cluster_specifier_cluster_specifier_plugin:
      return decode_plugin(
          d, gxds_pb_str(envoy_config_route_v3_RouteAction_cluster_specifier_plugin(in)), at, out,
          rare);
    default:
      return GXDS_ROUTE_SKIP; /* A28: ignores cluster_header, and fields that are newer than this
                                 code */
  }
}

gxds_route_use gxds_route_action_decode(const gxds_route_decoder *d, const action_message *in,
                                        const gxds_path *at, gxds_route_cluster *only_cluster,
                                        gxds_route *out, gxds_route_rare *rare) {
  if (decode_destination(d, in, at, only_cluster, out, rare) == GXDS_ROUTE_SKIP)
    return GXDS_ROUTE_SKIP;
  const envoy_config_route_v3_RouteAction_MaxStreamDuration *max =
      envoy_config_route_v3_RouteAction_max_stream_duration(in);
  if (max) out->max_stream_duration = decode_max_stream_duration(d, max, at);
  gxds_hash_policies_decode(d, in, at, out);
  gxds_host_rewrite_decode(d, in, at, rare);
  gxds_metadata_match_decode(d, in, at, rare);
  /* A44: the route's retry policy replaces that of the virtual host, even if it retries nothing. */
  const envoy_config_route_v3_RetryPolicy *retry =
      envoy_config_route_v3_RouteAction_retry_policy(in);
  if (retry) out->retry_policy = gxds_retry_policy_decode(d, retry, at);
  return GXDS_ROUTE_KEEP;
}
