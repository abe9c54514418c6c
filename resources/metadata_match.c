#include "envoy/config/route/v3/route_components.upb.h"
#include "resources/lb_metadata_internal.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_RouteAction action_message;
typedef envoy_config_route_v3_WeightedCluster_ClusterWeight weight_message;

static const gxds_metadata_match *decode(const gxds_route_decoder *d,
                                         const struct google_protobuf_Struct *in,
                                         const struct google_protobuf_Struct *over,
                                         const gxds_path *up) {
  const gxds_str text = gxds_metadata_render(in, over, GXDS_FIELD(up, "metadata_match"), d->arena,
                                             d->scratch, d->errors);
  if (text.size == 0) return NULL;
  gxds_metadata_match *m = gxds_arena_calloc(d->arena, 1, sizeof *m);
  *m = (gxds_metadata_match){text, gxds_metadata_hash(text)};
  return m;
}

static const struct google_protobuf_Struct *of_route(const action_message *in) {
  return gxds_lb_metadata_in(envoy_config_route_v3_RouteAction_metadata_match(in));
}

static const struct google_protobuf_Struct *of_weighted(const weight_message *in) {
  return gxds_lb_metadata_in(
      envoy_config_route_v3_WeightedCluster_ClusterWeight_metadata_match(in));
}

void gxds_metadata_match_decode(const gxds_route_decoder *d, const action_message *in,
                                const gxds_path *at, gxds_route_rare *out) {
  if (d->subsets) out->metadata_match = decode(d, of_route(in), NULL, at);
}

const gxds_metadata_match *gxds_metadata_match_decode_weighted(const gxds_route_decoder *d,
                                                               const action_message *in_route,
                                                               const weight_message *in,
                                                               const gxds_path *at) {
  const struct google_protobuf_Struct *own = d->subsets ? of_weighted(in) : NULL;
  return own ? decode(d, of_route(in_route), own, at) : NULL;
}

bool gxds_metadata_match_is_in(const action_message *in) {
  if (envoy_config_route_v3_RouteAction_has_metadata_match(in)) return true;
  const envoy_config_route_v3_WeightedCluster *weighted =
      envoy_config_route_v3_RouteAction_weighted_clusters(in);
  size_t count = 0;
  const weight_message *const *list =
      weighted ? envoy_config_route_v3_WeightedCluster_clusters(weighted, &count) : NULL;
  for (size_t i = 0; i < count; i++) {
    if (envoy_config_route_v3_WeightedCluster_ClusterWeight_has_metadata_match(list[i]))
      return true;
  }
  return false;
}
